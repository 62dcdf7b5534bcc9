#pragma once

#include <weft/async/signal.hpp>
#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/engine/run_request.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace weft {

/** How long each part of a shutdown may take. */
struct shutdown_limits {
    /** For runs to come to the end of the node that they are at. */
    std::chrono::nanoseconds turns = std::chrono::seconds{20};
    /** For runs that were stopped then. */
    std::chrono::nanoseconds stop = std::chrono::seconds{5};
    /** For each stage behind that. */
    std::chrono::nanoseconds stage = std::chrono::seconds{10};
};

/** What became of a shutdown. */
struct shutdown_report {
    enum class outcome : std::uint8_t {
        ended,      ///< In time.
        timed_out,  ///< It was stopped at its limit.
        failed,     ///< It threw; `error` says what.
    };
    struct stage {
        std::string name{};
        outcome how = outcome::ended;
        std::chrono::nanoseconds elapsed{0};
        std::string error{};
    };

    std::size_t paused_or_ended = 0;  ///< Runs that came to the end of their node in time.
    std::size_t stopped = 0;          ///< Runs that had to be stopped.
    std::size_t left = 0;             ///< Runs that go on nevertheless.
    std::vector<stage> stages{};      ///< In their order.

    /** Nothing had to be stopped, and every stage ended. */
    [[nodiscard]] bool is_clean() const noexcept;
};

/** Ends a service in order: no new runs; those under way pause behind the node that they are at, and are kept
 *  where they are saved (`durable_engine`, `run_result::paused_at`); those that take too long are stopped; then the
 *  stages, such as an engine that leaves its store, a publisher that delivers what it has, a store that is closed.
 *
 *      weft::graceful_shutdown shutdown;
 *      …
 *      const std::optional<weft::graceful_shutdown::turn> turn = shutdown.admit();
 *      if (!turn) co_return busy();
 *      weft::run_result r = co_await durable.run(shutdown.guard(weft::run_request{"t-1"}));
 *      …                                                   // on SIGTERM:
 *      shutdown.add("engine", [&] { return durable.close(); });
 *      weft::shutdown_report report = co_await shutdown.run();
 *
 *  Runs that only wait for answers pause at once and stay answerable in their store.
 *
 *  @par Thread safety   None: one for each loop; the tokens may be used anywhere.
 *  @par Lifetimes       Outlives its turns and `run`. The runs may outlive it.
 *  @par Source          Agentflow's shutdown: tasks, then checkpointer, publisher and store, each within its time. */
class graceful_shutdown {
public:
    /** While it lives, a run or another piece of work is under way. */
    class turn {
    public:
        turn(turn&& other) noexcept : of_{std::exchange(other.of_, nullptr)} {}
        turn& operator=(turn&&) = delete;
        ~turn()
        {
            if (of_) of_->end_turn();
        }

    private:
        friend class graceful_shutdown;
        explicit turn(graceful_shutdown& of) noexcept : of_{&of} { ++of.running_; }
        graceful_shutdown* of_;
    };

    explicit graceful_shutdown(shutdown_limits limits = {}) : limits_{limits} {}
    graceful_shutdown(const graceful_shutdown&) = delete;
    graceful_shutdown& operator=(const graceful_shutdown&) = delete;

    /** Nothing once the shutdown has begun. */
    [[nodiscard]] std::optional<turn> admit();
    /** The request with the tokens by which its run is paused and stopped. Those that it has hold as well: its run is
     *  paused, or stopped, by whichever comes first. */
    [[nodiscard]] run_request guard(run_request request) const;
    /** Asked to stop when the shutdown begins: what can wait pauses. */
    [[nodiscard]] std::stop_token pause_token() const noexcept { return pause_.get_token(); }
    /** Asked to stop when time is up. */
    [[nodiscard]] std::stop_token stop_token() const noexcept { return stop_.get_token(); }

    /** Adds what is done when no run is under way any more, in the order in which it is added. One that fails or is
     *  stopped at its limit does not keep the next from being done. */
    graceful_shutdown& add(std::string name, std::function<task<void>()> work);

    /** Shuts down. Once.
     *  @par Cancellation   What is left is not waited for: all is stopped, the stages are begun and stopped. */
    [[nodiscard]] task<shutdown_report> run();

    [[nodiscard]] bool has_begun() const noexcept { return pause_.stop_requested(); }
    /** Turns under way. */
    [[nodiscard]] std::size_t running() const noexcept { return running_; }

private:
    struct stage {
        std::string name;
        std::function<task<void>()> work;
    };

    void end_turn();
    static task<void> wait_until_idle(graceful_shutdown* self);
    /** @return Whether all turns ended. */
    static task<bool> wait_for_turns(graceful_shutdown* self, std::chrono::nanoseconds limit);
    static task<shutdown_report::stage> end_stage(graceful_shutdown* self, const stage* what);
    static task<shutdown_report> shut_down(graceful_shutdown* self);

    shutdown_limits limits_;
    std::vector<stage> stages_;
    std::stop_source pause_;
    std::stop_source stop_;
    std::size_t running_ = 0;
    signal idle_;
};

}  // namespace weft
