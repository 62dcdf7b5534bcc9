#include "run_handle_state.hpp"

#include <utility>

namespace weft {

namespace {

/** Keeps the shared state alive while the run may still report its end. */
class end_report final : public run_waiter {
public:
    explicit end_report(std::shared_ptr<run_handle_access::shared_state> shared) noexcept : shared_{std::move(shared)}
    {
    }
    void run_ended(run& ended) override
    {
        const std::unique_ptr<end_report> owned{this};
        run_handle_access::shared_state& state = *shared_;
        state.result.emplace(ended_run{ended}.take());
        // After the result: another OS thread that sees it may read that.
        state.is_finished.store(true, std::memory_order_release);
        // The handle keeps the result and not the run.
        state.running.reset();
        state.ended.notify();
    }
    bool is_stop_due() const noexcept override { return shared_->is_cancel_asked.load(std::memory_order_relaxed); }

private:
    std::shared_ptr<run_handle_access::shared_state> shared_;
};

}  // namespace

run_handle run_handle_access::start(intrusive_ptr<run> running)
{
    auto shared = std::make_shared<shared_state>();
    shared->loop = &running->loop;
    shared->running = running;
    auto report = std::make_unique<end_report>(shared);
    // Not in this call, so that the caller can subscribe before the first event.
    running->begin_later(*report.release());
    return run_handle{std::move(shared)};
}

}  // namespace weft
