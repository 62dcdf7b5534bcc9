#pragma once

#include <weft/base/clock.hpp>
#include <weft/store/record/run_record.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace weft::serve_detail {

/** The two forms of A2A on the wire. Everything is made in that of 1.0, and told in that of 0.3 where a client has
 *  called a method by its name of 0.3. */
enum class a2a_dialect : std::uint8_t { v1, v03 };

/** How a task stands. */
enum class a2a_state : std::uint8_t { submitted, working, input_required, completed, failed, canceled };

[[nodiscard]] a2a_state a2a_state_of(run_phase phase) noexcept;
[[nodiscard]] bool is_terminal(a2a_state state) noexcept;
/** `TASK_STATE_WORKING`. */
[[nodiscard]] std::string_view name_of(a2a_state state) noexcept;

/** `2026-11-26T22:37:47.123Z` */
[[nodiscard]] std::string a2a_time(clock::system_time_point at);

// Things of 1.0 in the form of 0.3.

[[nodiscard]] boost::json::object legacy_content(boost::json::object part);
[[nodiscard]] boost::json::object legacy_message(boost::json::object message);
[[nodiscard]] boost::json::object legacy_task(boost::json::object task);
/** @param config   With the task that it is about. */
[[nodiscard]] boost::json::object legacy_push_config(boost::json::object config);
/** One of `task`, `message`, `statusUpdate`, `artifactUpdate`. @return  What it holds, with its `kind`. */
[[nodiscard]] boost::json::object legacy_item(boost::json::object item);

/** A part of 0.3 in the form of 1.0; one of 1.0 stays as it is. Types are not checked. */
[[nodiscard]] boost::json::object current_content(boost::json::object part);

}  // namespace weft::serve_detail
