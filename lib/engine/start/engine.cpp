#include <weft/engine/engine.hpp>

#include "engine/run/run_access.hpp"
#include "engine/run/run_awaiter.hpp"
#include "run_handle_state.hpp"

#include <weft/async/loop/loop_executor.hpp>
#include <weft/engine/runtime.hpp>
#include <weft/engine/start/run_completion.hpp>

#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/assert.hpp>

namespace weft {

engine::engine(weft::graph of, boost::asio::io_context& home) : graph_{std::move(of)}, context_{&home} {}
engine::engine(weft::graph of, runtime& home) : graph_{std::move(of)}, runtime_{&home} {}

namespace {

task<run_result> run_once(graph what, run_request request)
{
    run_awaiter running{std::move(what), std::move(request)};
    // A large result is not moved through the frame.
    const ended_run ended = co_await running;
    if (ended.throws()) throw error{ended.why()->code, ended.why()->message};
    co_return ended;
}

}  // namespace

task<run_result> engine::run(run_request request) const { return run_once(graph_, std::move(request)); }

serial_loop& engine::home() const
{
    BOOST_ASSERT_MSG(context_ || runtime_, "give the engine an io_context or a runtime to start runs on");
    return runtime_ ? runtime_->next_loop() : serial_loop::of(*context_);
}

void engine::start_detached(serial_loop& loop, run_request request, std::unique_ptr<run_completion> done) const
{
    // On the loop of the run, from whichever OS thread this is called.
    auto start = [what = graph_, &loop, request = std::move(request), done = std::move(done)]() mutable {
        const intrusive_ptr<weft::run> running{new weft::run{std::move(what), loop, std::move(request)}};
        run_completion::start(running, std::move(done));
    };
    boost::asio::dispatch(loop.executor(), std::move(start));
}

run_result run_blocking(const graph& what, run_request request, std::stop_token stop)
{
    return run_blocking(run_once(what, std::move(request)), std::move(stop));
}

namespace {

run_handle start_on(serial_loop& loop, graph of, run_request request)
{
    // A handle can answer while the run waits; a caller of `run` cannot.
    if (!run_request_access::on_questions(request)) request.on_questions(interrupts::park);
    intrusive_ptr<weft::run> running{new weft::run{std::move(of), loop, std::move(request)}};
    return run_handle_access::start(std::move(running));
}

task<run_handle> start_here(graph of, run_request request)
{
    serial_loop& loop = co_await this_task::loop();
    co_return start_on(loop, std::move(of), std::move(request));
}

}  // namespace

task<run_handle> engine::start(run_request request) const { return start_here(graph_, std::move(request)); }

run_handle engine::start(serial_loop& loop, run_request request) const
{
    return start_on(loop, graph_, std::move(request));
}

}  // namespace weft
