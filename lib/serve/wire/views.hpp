#pragma once

#include <weft/async/task.hpp>
#include <weft/base/clock.hpp>
#include <weft/engine/checkpoint/thread_snapshot.hpp>
#include <weft/engine/scheduler/open_question.hpp>
#include <weft/store/record/run_record.hpp>
#include <weft/store/record/stored_run.hpp>
#include <weft/store/record/stored_thread.hpp>
#include <weft/store/service/assistant_registry.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::serve_detail {

// Things of the store as LangGraph's clients know them.

/** `2026-11-26T22:37:47.123456+00:00` */
[[nodiscard]] std::string iso_time(clock::system_time_point at);

/** `pending`, `running`, `success`, `error` or `interrupted`. */
[[nodiscard]] std::string_view status_for_client(run_phase phase) noexcept;
/** `idle`, `busy`, `interrupted` or `error`. */
[[nodiscard]] std::string_view status_for_client(thread_phase phase) noexcept;

/** A JSON object that a store gives back as text; an empty one if it is none. */
[[nodiscard]] boost::json::object object_in(std::string_view text);

[[nodiscard]] boost::json::object view_of(const assistant& shown);
[[nodiscard]] boost::json::object view_of(const stored_thread& shown);
[[nodiscard]] boost::json::object view_of(const run_record& shown);
[[nodiscard]] boost::json::object view_of(const stored_run& shown);

/** How clients name a checkpoint of a thread. */
[[nodiscard]] boost::json::object checkpoint_view(std::string_view thread, std::int64_t sequence);

/** What a checkpoint goes back to. */
struct checkpoint_origin {
    std::int64_t parent = 0;  ///< The number of the one that it follows; 0: the beginning.
    /** The one of another thread that it is a copy of; nothing: it is none, or that is gone. */
    std::optional<std::pair<thread_key, std::int64_t>> copy_of{};
};

/** Where a thread stood, as JSON: values, next nodes, questions, checkpoint. Made in slices, as `state_text` is. */
[[nodiscard]] task<std::string> state_view_text(std::string thread, thread_snapshot of, checkpoint_origin origin,
                                                std::vector<open_question> questions);
/** Of a thread without a checkpoint, or before its first one. */
[[nodiscard]] boost::json::object empty_state_view(std::string_view thread, bool is_begun = false);

/** A question as a client gets it as the value of an interrupt: what it is about, if the graph says so, else all that
 *  is known of it. */
[[nodiscard]] boost::json::object interrupt_view(const open_question& shown);

}  // namespace weft::serve_detail
