#include <weft/engine/engine.hpp>

#include "run_awaiter.hpp"
#include "run_handle_part.hpp"

#include <weft/engine/runtime.hpp>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/assert.hpp>

namespace weft {

engine::engine(graph what, boost::asio::io_context& home) : graph_{std::move(what)}, context_{&home} {}
engine::engine(graph what, runtime& home) : graph_{std::move(what)}, runtime_{&home} {}

namespace {

bool is_step_limit(errc code) { return code == errc::steps_exceeded || code == errc::node_repeated; }

task<run_result> run_once(graph what, run_request request)
{
    const bool throws_at_limit = request.limits().at_limit() == step_limit_action::raise;
    run_awaiter running{std::move(what), std::move(request)};
    run_result result = co_await running;
    if (throws_at_limit && result.why && is_step_limit(result.why->code))
        throw error{result.why->code, result.why->message};
    co_return result;
}

}  // namespace

task<run_result> engine::run(run_request request) const { return run_once(graph_, std::move(request)); }

serial_loop& engine::home() const
{
    BOOST_ASSERT_MSG(context_ || runtime_, "give the engine an io_context or a runtime to start runs on");
    return runtime_ ? runtime_->next_loop() : serial_loop::of(*context_);
}

namespace {

/** A run for an Asio completion handler: lives from its start to its end. */
struct detached_run {
    static void* operator new(std::size_t size) { return allocate_block(size); }
    static void operator delete(void* memory, std::size_t size) noexcept { free_block(memory, size); }

    static void finished(void* self, run_result&& result)
    {
        const std::unique_ptr<detached_run> owned{static_cast<detached_run*>(self)};
        if (auto slot = owned->done->slot(); slot.is_connected()) slot.clear();
        owned->done->deliver(std::move(result));
    }
    std::unique_ptr<run_completion> done;
    intrusive_ptr<run> running;
};

}  // namespace

void engine::start_detached(serial_loop& loop, run_request request, std::unique_ptr<run_completion> done) const
{
    auto start = [what = graph_, &loop, request = std::move(request), done = std::move(done)]() mutable {
        auto owned = std::make_unique<detached_run>();
        owned->done = std::move(done);
        owned->running.reset(new weft::run{std::move(what), loop, std::move(request)});
        const intrusive_ptr<weft::run> running = owned->running;
        if (auto slot = owned->done->slot(); slot.is_connected())
            slot.assign([running](boost::asio::cancellation_type) {
                boost::asio::post(running->loop().executor(), [running] { running->cancel(); });
            });
        running->begin(&detached_run::finished, owned.release());
    };
    boost::asio::dispatch(loop.executor(), std::move(start));
}

run_result run_blocking(const graph& what, run_request request, std::stop_token stop)
{
    return run_blocking(run_once(what, std::move(request)), std::move(stop));
}

run_handle engine::start(serial_loop& loop, run_request request) const
{
    intrusive_ptr<weft::run> running{new weft::run{graph_, loop, std::move(request)}};
    return run_handle{start_shared(std::move(running))};
}

}  // namespace weft
