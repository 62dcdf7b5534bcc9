#pragma once

#include <weft/async/task/asio_fwd.hpp>
#include <weft/engine/durable/graceful_shutdown.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/engine/runtime.hpp>

#include <boost/asio/async_result.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

/** What a `durable_service` uses, and how it ends. The one place of these defaults. */
struct service_options {
    service_options() {}

    std::size_t cores = 0;              ///< OS threads, each with a loop and an engine; 0: one for each core.
    std::size_t requests_max = 10'000;  ///< Requests under way at once; further ones are refused.
    bool takes_over = true;             ///< Runs what other processes, or an earlier life of this one, have left.
    durable_options engine{};           ///< Of the engine on each loop: `runs_max` and `parked_max` count there.
    shutdown_limits shutdown{};         ///< Runs that were taken over have as long as `turns`, too.
};

/** A durable back end as one object: engines on all cores, runs that go on after a crash, an end in order.
 *
 *      weft::memory_store store;
 *      weft::durable_service service{store, graphs};
 *      for (const std::string& name : inbox) {
 *          weft::run_request request{name};
 *          request.input(ticket, name);
 *          weft::durable_request once{std::move(request)};
 *          service.async_submit(once.idempotent(name), [](std::exception_ptr, weft::run_result result) { … });
 *      }
 *      weft::shutdown_report report = service.run_until_signal();
 *
 *  All requests about one thread go to one loop. What needs a result takes any completion token: a callback,
 *  `asio::use_future` in `main`, `use_task` in a coroutine. A callback without an executor of its own is called on the
 *  loop of its thread, and must not block there.
 *
 *  @par Errors          An operation whose engine fails gives the error to its handler: those of `durable_engine`, and
 *    - `errc::limit_reached`  `requests_max` requests are under way: try again later.
 *    - `errc::cancelled`      the service has begun to end; another process takes the request.
 *  @par Cancellation    Of `async_submit`: cancels the run. Of the others: only the waiting ends.
 *  @par Thread safety   From any OS thread. The constructor, `close` and the destructor: not on a loop of the service.
 *  @par Lifetimes       The store outlives the service. The destructor is `close`; handlers that have not been called
 *                       by then are called before it returns, or dropped if their run does not end.
 *  @par Example         samples/21_durable_service.cpp [service]
 */
class durable_service {
public:
    /** Starts the loops and waits until each engine is a worker of the store.
     *  @par Errors  Those of `durable_engine::open`; nothing is left running. */
    durable_service(checkpoint_store& store, std::shared_ptr<const durable_graphs> graphs,
                    service_options options = service_options{});
    ~durable_service();
    durable_service(const durable_service&) = delete;
    durable_service& operator=(const durable_service&) = delete;

    /** Runs a graph in a thread, as `durable_engine::run`: `void(std::exception_ptr, run_result)`. */
    template <boost::asio::completion_token_for<void(std::exception_ptr, run_result)> Token>
    auto async_submit(durable_request request, Token&& token)
    {
        const home at = home_of(request.key());
        return async_start(*at.loop, submit(at.shard, std::move(request)), std::forward<Token>(token));
    }

    /** Waits until the run of a thread ends or waits, wherever it runs: `void(std::exception_ptr, run_result)`. See
     *  `durable_engine::follow`. */
    template <boost::asio::completion_token_for<void(std::exception_ptr, run_result)> Token>
    auto async_follow(thread_key thread, Token&& token)
    {
        const home at = home_of(thread);
        return async_start(*at.loop, follow(at.shard, std::move(thread)), std::forward<Token>(token));
    }

    /** Answers questions of a run and goes on with it: `void(std::exception_ptr, run_result)`. See
     *  `durable_engine::resume`. */
    template <boost::asio::completion_token_for<void(std::exception_ptr, run_result)> Token>
    auto async_resume(thread_key thread, question_answers answers, Token&& token)
    {
        const home at = home_of(thread);
        return async_start(*at.loop, resume(at.shard, std::move(thread), std::move(answers)),
                           std::forward<Token>(token));
    }

    /** Answers questions, once: `void(std::exception_ptr)`. A run that waits goes on by itself once nothing is open. */
    template <boost::asio::completion_token_for<void(std::exception_ptr)> Token>
    auto async_answer(thread_key thread, question_answers answers, Token&& token)
    {
        const home at = home_of(thread);
        return async_start(*at.loop, answer(at.shard, std::move(thread), std::move(answers)),
                           std::forward<Token>(token));
    }

    /** Delivers an event to all nodes of a thread that wait for it: `void(std::exception_ptr)`. See
     *  `durable_engine::deliver_event`. */
    template <boost::asio::completion_token_for<void(std::exception_ptr)> Token>
    auto async_deliver_event(thread_key thread, std::string event, boost::json::value payload, Token&& token)
    {
        const home at = home_of(thread);
        return async_start(*at.loop,
                           deliver_event(at.shard, std::move(thread), std::move(event), std::move(payload)),
                           std::forward<Token>(token));
    }

    /** The open questions of a thread, oldest first: `void(std::exception_ptr, std::vector<open_question>)`. */
    template <boost::asio::completion_token_for<void(std::exception_ptr, std::vector<open_question>)> Token>
    auto async_questions(thread_key thread, Token&& token)
    {
        const home at = home_of(thread);
        return async_start(*at.loop, questions(at.shard, std::move(thread)), std::forward<Token>(token));
    }

    /** Pauses the run of a thread, wherever it is: `void(std::exception_ptr, bool)`. See `durable_engine::pause`. */
    template <boost::asio::completion_token_for<void(std::exception_ptr, bool)> Token>
    auto async_pause(thread_key thread, Token&& token)
    {
        const home at = home_of(thread);
        return async_start(*at.loop, pause(at.shard, std::move(thread)), std::forward<Token>(token));
    }

    /** Cancels the run of a thread, wherever it is: `void(std::exception_ptr, bool)`. See `durable_engine::stop`. */
    template <boost::asio::completion_token_for<void(std::exception_ptr, bool)> Token>
    auto async_stop(thread_key thread, Token&& token)
    {
        const home at = home_of(thread);
        return async_start(*at.loop, stop(at.shard, std::move(thread)), std::forward<Token>(token));
    }

    /** Waits on the calling OS thread for SIGINT or SIGTERM, then `close`. A second signal ends the process at once:
     *  what was acknowledged is in the store, and the next process goes on with it. */
    shutdown_report run_until_signal();

    /** Takes no further request, lets each run come to the end of its node and gives it back, stops what takes too
     *  long, and leaves the store. Once; later calls give the same report.
     *  @return  What became of the requests and of each stage (`runs`, `worker`, `store`), summed up over the loops: of
     *           a stage the longest time and the worst outcome. */
    shutdown_report close();

    /** Requests under way. */
    [[nodiscard]] std::size_t under_way() const noexcept;
    [[nodiscard]] std::size_t cores() const noexcept { return shards_.size(); }

private:
    friend struct service_steps;
    struct shard;
    struct home {
        serial_loop* loop;
        std::shared_ptr<durable_service::shard> shard;
    };

    [[nodiscard]] home home_of(const thread_key& thread) const;
    static task<run_result> submit(std::shared_ptr<shard> self, durable_request request);
    static task<run_result> follow(std::shared_ptr<shard> self, thread_key thread);
    static task<run_result> resume(std::shared_ptr<shard> self, thread_key thread, question_answers answers);
    static task<void> answer(std::shared_ptr<shard> self, thread_key thread, question_answers answers);
    static task<void> deliver_event(std::shared_ptr<shard> self, thread_key thread, std::string event,
                                    boost::json::value payload);
    static task<std::vector<open_question>> questions(std::shared_ptr<shard> self, thread_key thread);
    static task<bool> pause(std::shared_ptr<shard> self, thread_key thread);
    static task<bool> stop(std::shared_ptr<shard> self, thread_key thread);

    struct counters;
    std::shared_ptr<counters> counters_;
    std::optional<shutdown_report> report_;
    runtime loops_;
    std::vector<std::shared_ptr<shard>> shards_;
};

}  // namespace weft
