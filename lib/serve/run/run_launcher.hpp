#pragma once

#include "serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/base/text/trace_context.hpp>
#include <weft/engine/run/run_observer.hpp>
#include <weft/graph/node/command.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace weft::serve_detail {

/** A run that a client has ordered, whatever protocol it speaks. */
struct run_order {
    run_order() {}

    /** What is to happen in the thread. */
    enum class kind : std::uint8_t {
        begin,   ///< The graph runs from its start, with the input.
        answer,  ///< Questions are answered, and the run goes on.
        go_on,   ///< The run goes on where it was broken off.
    };

    kind what = kind::begin;
    std::optional<thread_key> thread = {};  ///< Nothing: the run is not kept.
    run_id id = {};
    std::string tenant = {};
    std::shared_ptr<const hosted_graph> graph = {};
    state_update input = {};
    question_answers answers = {};
    busy_policy busy = busy_policy::queue;
    std::string metadata = "{}";
    std::string webhook = {};
    std::string idempotency_key = {};
    std::optional<wall_time> not_before = {};
    std::optional<std::uint32_t> steps_max = {};
    std::shared_ptr<const trace_context> trace = {};  ///< Of the request that ordered it; null: none.
    std::shared_ptr<void> place = {};  ///< Held as one of the runs that its tenant may have; the launcher sets it.
    std::shared_ptr<run_observer> observer = {};  ///< Of a run that is not kept; the launcher sets it. Null: none.
    bool forgets_thread = false;  ///< When the run is over: the thread was made for it alone.
    std::stop_token stop = {};  ///< Of a run that is not kept: cancels it.
    bool is_watched = true;  ///< Whether the feed gets events; without, only the end. Of runs that are not kept.
    /** Which events the feed of a run that is not kept gets, for the only client that reads it; null: all. */
    std::function<bool(const run_event&)> wants = {};
};

/** Begins runs. A run belongs to the server, and to no connection.
 *
 *  @par Lifetimes   The core outlives it and what it begins. */
class run_launcher {
public:
    explicit run_launcher(serve_core& core) noexcept : core_{core} {}

    /** Begins a run in the background.
     *  @return      Its feed, which is closed when the store knows the end.
     *  @par Errors  `http_error` 503: the server drains, or has as many runs as it may. */
    [[nodiscard]] std::shared_ptr<run_feed> launch(run_order order);

private:
    static task<void> run_kept(serve_core& core, run_order order);
    static task<void> run_unkept(run_order order, std::shared_ptr<run_feed> feed);

    serve_core& core_;
};

/** Waits until the store has a run that was launched.
 *  @return      As the store has it; nothing: it is over, and was forgotten with its thread.
 *  @par Errors  `http_error`: it could not be entered. */
[[nodiscard]] task<std::optional<run_record>> wait_for_entry(serve_core& core, std::shared_ptr<run_feed> feed);

/** What became of a run, for its feed. */
[[nodiscard]] run_ending ending_of(run_result result);

}  // namespace weft::serve_detail
