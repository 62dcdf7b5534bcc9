#include "engine/run/run.hpp"

#include <weft/async/loop/loop_executor.hpp>
#include <weft/engine/start/run_completion.hpp>

#include <boost/asio/post.hpp>

namespace weft {

run_completion::run_completion() noexcept = default;
run_completion::~run_completion() = default;

void run_completion::start(intrusive_ptr<run> what, std::unique_ptr<run_completion> done)
{
    if (auto slot = done->slot(); slot.is_connected())
        slot.assign([what, asked = &done->is_cancel_asked_](boost::asio::cancellation_type) {
            // At once, for a plain node that holds the loop; the loop hears it when it can.
            asked->store(true, std::memory_order_relaxed);
            boost::asio::post(what->loop.executor(), [what] { what->cancel(); });
        });
    what->begin(*done.release());  // keeps itself once it waits
}

void run_completion::run_ended(run& ended)
{
    const std::unique_ptr<run_completion> done{this};
    // Before the handler, which may use its slot for the next operation.
    if (auto own = slot(); own.is_connected()) own.clear();
    deliver(ended_run{ended}, ended.loop);
}

}  // namespace weft
