#include <weft/engine/run/run_observer.hpp>

#include "engine/run/run_access.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/base/system/ids.hpp>

#include <utility>

namespace weft {

void observe(run_request& request, run_observer& observer, observed_run what)
{
    if (!what.caller) what.caller = request.trace_of();
    if (what.identity.id.is_nil()) what.identity = run_request_access::identity(request);
    if (what.identity.id.is_nil()) {
        id_source ids{what.loop->clock(), what.loop->random()};
        what.identity = run_identity{ids.next<run_id>(), 1};
        request.identity(what.identity);
    }
    run_watch watch = observer.watch(what);
    if (watch.trace) request.trace(*watch.trace);
    if (!watch.on_event) return;
    const run_request::event_function* const own = request.watcher();
    if (!own) {
        request.on_event(std::move(watch.on_event));
        return;
    }
    request.on_event([first = *own, then = std::move(watch.on_event)](const run_event& event) {
        try {
            first(event);
        } catch (...) {
            // A watcher that throws disturbs no other one.
        }
        then(event);
    });
}

}  // namespace weft
