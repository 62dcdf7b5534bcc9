#include <weft/engine/engine.hpp>

#include "run.hpp"
#include "run_handle_part.hpp"

#include <weft/engine/runtime.hpp>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/assert.hpp>

namespace weft {

namespace {

/** Awaits a run: a stop of the awaiting chain cancels it, destroying the coroutine destroys the run's nodes. */
class run_awaiter : public stoppable {
public:
    run_awaiter(graph&& what, run_request&& request) noexcept
        : stoppable{[](stoppable& self) { static_cast<run_awaiter&>(self).stop(); }}, graph_{what},
          request_{request}, on_stop_{this}
    {
    }
    ~run_awaiter()
    {
        if (run_) run_->abandon();
    }

    bool await_ready() const noexcept { return false; }
    template <task_promise_type Promise>
    bool await_suspend(std::coroutine_handle<Promise> self)
    {
        const task_context& context = self.promise().context();
        run_.reset(new weft::run{std::move(graph_), *context.loop, std::move(request_)});
        if (context.scope->stop_requested())
            run_->cancel();
        else
            context.scope->add(*this);
        run_->begin(
            [](void* me, run_result&& result) { static_cast<run_awaiter*>(me)->done(std::move(result)); }, this);
        if (result_) return false;
        waiter_ = self;
        return true;
    }
    run_result&& await_resume() { return std::move(*result_); }

private:
    struct stop_item : ready_item {
        explicit stop_item(run_awaiter* owner) noexcept
            : ready_item{[](ready_item& self) { static_cast<stop_item&>(self).owner->run_->cancel(); }}, owner{owner}
        {
        }
        run_awaiter* owner;
    };
    // A stop must not resume anybody by itself, and cancelling a run may end it.
    void stop() { run_->loop().defer(on_stop_); }
    void done(run_result&& result)
    {
        unlink();
        on_stop_.unlink();
        result_.emplace(std::move(result));
        if (waiter_) waiter_.resume();
    }

    graph& graph_;
    run_request& request_;
    intrusive_ptr<weft::run> run_;
    std::coroutine_handle<> waiter_;
    std::optional<run_result> result_;
    stop_item on_stop_;
};

}  // namespace

engine::engine(graph what, boost::asio::io_context& home) : graph_{std::move(what)}, context_{&home} {}
engine::engine(graph what, runtime& home) : graph_{std::move(what)}, runtime_{&home} {}

namespace {

task<run_result> run_once(graph what, run_request request)
{
    run_awaiter running{std::move(what), std::move(request)};
    co_return co_await running;
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
