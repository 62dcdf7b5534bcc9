#pragma once

#include "a2a_dialect.hpp"
#include "serve/feed/run_feed.hpp"
#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/store/record/run_record.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace weft::serve_detail {

/** The member of a run's metadata with the message that began its task; see `a2a_noted_message`. */
inline constexpr std::string_view a2a_note{"a2a"};

/** A run as a task of A2A: its id is that of the run, its context the thread. */
struct a2a_task {
    a2a_task() {}

    run_id id = {};
    std::string context = {};
    a2a_state state = a2a_state::submitted;
    std::optional<clock::system_time_point> at = {};  ///< When it got that state.
    std::string message = {};                         ///< Why it failed, for people.
    std::vector<open_question> questions = {};
    std::optional<weft::state> values = {};           ///< What it has left; nothing: no artifact.
    std::shared_ptr<const hosted_graph> graph = {};   ///< Of the values; null: no artifact.
    boost::json::object told = {};                    ///< The message that began it; empty: it is not known.
};

/** The last checkpoint that a run has made, as far as it is kept. */
[[nodiscard]] task<std::optional<std::int64_t>> last_checkpoint_of(serve_core& core, run_record run);

/** What the store says of a run. @param with_output   Also reads what it has left. */
[[nodiscard]] task<a2a_task> a2a_task_of(serve_core& core, run_record run, bool with_output);

/** The task after its run has come to rest. */
[[nodiscard]] a2a_task a2a_task_at_end(a2a_task before, run_ending ending);

/** @param history_length   How many messages of its history it has; nothing: all. */
[[nodiscard]] boost::json::object view_of(const a2a_task& shown, std::optional<std::size_t> history_length);
[[nodiscard]] boost::json::object a2a_status_view(const a2a_task& shown);

/** What a run says in the end: a text, or values of a graph that has no words for it. Null: nothing. */
[[nodiscard]] boost::json::value a2a_output(const a2a_task& of);
/** The artifact of a run. @param output   A text, or an object. */
[[nodiscard]] boost::json::object a2a_artifact(boost::json::value output);

}  // namespace weft::serve_detail
