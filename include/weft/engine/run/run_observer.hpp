#pragma once

#include <weft/base/text/trace_context.hpp>
#include <weft/engine/run_request.hpp>
#include <weft/engine/scheduler/run_identity.hpp>

#include <memory>
#include <string_view>
#include <vector>

namespace weft {

class serial_loop;

/** A run, or a part of one, that is about to begin. Views are valid during the call. */
struct observed_run {
    std::string_view graph = {};   ///< Its name.
    std::string_view thread = {};
    run_identity identity = {};
    bool is_first = true;          ///< No part of the run came before.
    std::shared_ptr<const trace_context> caller = nullptr;  ///< The trace of who ordered it; null: none.
    std::vector<span_place> earlier = {};  ///< Spans of what it goes on from: its last part, or the run it forked from.
    serial_loop* loop = nullptr;   ///< Where it runs.
};

/** How a run is watched. */
struct run_watch {
    std::shared_ptr<const trace_context> trace = nullptr;  ///< Of its nodes and their calls; null: none.
    run_request::event_function on_event = {};             ///< Gets all events of the run; may be empty.
};

/** Watches all runs of an engine, such as for traces and metrics; see `telemetry`.
 *
 *  @par Thread safety   `watch` from any loop; what it returns belongs to the loop of the run. */
class run_observer {
public:
    virtual ~run_observer() = default;

    [[nodiscard]] virtual run_watch watch(const observed_run& what) = 0;

protected:
    run_observer() = default;
    run_observer(const run_observer&) = default;
    run_observer& operator=(const run_observer&) = default;
};

/** Has a request watched, after the watcher that it has, and gives it the trace that the observer says.
 *  @param what   `caller` null: the trace that the request has. With a nil id the request gets one. */
void observe(run_request& request, run_observer& observer, observed_run what);

}  // namespace weft
