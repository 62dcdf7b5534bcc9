#include "run_handle_state.hpp"

#include <utility>

namespace weft {

namespace {

/** Keeps the shared state alive while the run may still report its end. */
struct end_report {
    std::shared_ptr<run_handle_access::shared_state> shared;

    static void finished(void* self, run& ended)
    {
        const std::unique_ptr<end_report> owned{static_cast<end_report*>(self)};
        run_handle_access::shared_state& state = *owned->shared;
        state.result.emplace(ended_run{ended}.take());
        // After the result: another OS thread that sees it may read that.
        state.is_finished.store(true, std::memory_order_release);
        // The handle keeps the result and not the run.
        state.running.reset();
        state.ended.notify();
    }
};

}  // namespace

run_handle run_handle_access::start(intrusive_ptr<run> running)
{
    auto shared = std::make_shared<shared_state>();
    shared->loop = &running->loop;
    shared->running = running;
    running->stops.hear_of_cancel(shared->is_cancel_asked);
    auto report = std::make_unique<end_report>(end_report{shared});
    // Not in this call, so that the caller can subscribe before the first event.
    running->begin_later(&end_report::finished, report.release());
    return run_handle{std::move(shared)};
}

}  // namespace weft
