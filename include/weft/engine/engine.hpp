#pragma once

#include <weft/async/run_blocking.hpp>
#include <weft/engine/run_handle.hpp>
#include <weft/engine/run_request.hpp>
#include <weft/engine/run_result.hpp>
#include <weft/graph/graph.hpp>

#include <boost/asio/async_result.hpp>

#include <memory>
#include <utility>

namespace weft {

class run_completion;
class runtime;
template <class Handler>
class typed_run_completion;

/** Runs a graph, any number of times at once.
 *
 *  @par Thread safety   From any OS thread. Each run stays on one serial loop.
 *  @par Lifetimes       Runs share ownership of the graph; the engine may go while they are under way. The
 *                       `io_context` or runtime outlives the engine's runs.
 *  @par Example         samples/1_first_graph.cpp [run]
 */
class engine {
public:
    /** An engine whose runs are awaited: each lives on the loop of the coroutine that awaits it. */
    explicit engine(weft::graph of) : graph_{std::move(of)} {}
    /** An engine whose `async_run` uses the loop of a single-threaded `io_context`. */
    engine(weft::graph of, boost::asio::io_context& home);
    /** An engine whose `async_run` spreads the runs over the loops of a runtime. */
    engine(weft::graph of, runtime& home);

    /** Runs the graph once, on the awaiting coroutine's loop, from the input or from where `resume` says.
     *
     *  @return              What became of the run; a failed node is a status here, never an exception.
     *  @par Cancellation    A stop of the awaiting coroutine cancels the run, which is awaited; so does the request's
     *                       token. Destroying the awaiting coroutine destroys the run's nodes at once.
     */
    [[nodiscard]] task<run_result> run(run_request request) const;

    /** The same for Asio programs, with <weft/asio.hpp>: any completion token of the signature
     *  `void(run_result)`.
     *
     *  @par Cancellation    The token's cancellation slot cancels the run.
     *  @par Thread safety   From any OS thread; the engine must have been given a home.
     */
    template <boost::asio::completion_token_for<void(run_result)> Token>
    auto async_run(run_request request, Token&& token) const
    {
        return boost::asio::async_initiate<Token, void(run_result)>(
            [this](auto handler, run_request&& what) {
                serial_loop& loop = home();
                using completion = typed_run_completion<decltype(handler)>;
                start_detached(loop, std::move(what), std::make_unique<completion>(std::move(handler), loop));
            },
            token, std::move(request));
    }

    /** Starts a run on the awaiting coroutine's loop, and gives a handle to watch it, to answer its questions and to
     *  stop it: `weft::run_handle run = co_await engine.start(request);`. The run begins when the coroutine waits next,
     *  and goes on when the coroutine has ended. */
    [[nodiscard]] task<run_handle> start(run_request request) const;
    /** The same for code that is no coroutine, such as a handler on that loop. */
    [[nodiscard]] run_handle start(serial_loop& loop, run_request request) const;

    [[nodiscard]] const weft::graph& graph() const noexcept { return graph_; }

private:
    void start_detached(serial_loop& loop, run_request request, std::unique_ptr<run_completion> done) const;
    [[nodiscard]] serial_loop& home() const;

    weft::graph graph_;
    boost::asio::io_context* context_ = nullptr;
    runtime* runtime_ = nullptr;
};

/** Runs a graph once on the calling OS thread and gives the result back; for `main` and tests. */
[[nodiscard]] run_result run_blocking(const graph& what, run_request request = {}, std::stop_token stop = {});

}  // namespace weft
