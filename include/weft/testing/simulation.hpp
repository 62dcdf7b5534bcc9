#pragma once

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/errc.hpp>
#include <weft/base/random.hpp>
#include <weft/testing/manual_clock.hpp>

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>

namespace weft::testing {

/** The bounds of a simulation: exceeding one is an error, so that no test hangs. */
struct simulation_limits {
    std::size_t steps_max = 10'000'000;                                ///< Handlers and timers that run.
    std::chrono::nanoseconds elapsed_max = std::chrono::hours{24};     ///< Virtual time.
    std::chrono::nanoseconds outside_max = std::chrono::seconds{10};   ///< Real time spent waiting for the outside.
};

/** One loop in a world of its own, where a seed decides what is otherwise left to chance.
 *
 *  The seed chooses which of several ready items and which of several timers with one deadline runs next, and it is the
 *  source of all random numbers. Time stands still while anything is ready, then jumps to the next deadline. The same
 *  seed gives the same order, on every machine.
 *
 *      simulation sim{seed};
 *      run_result result = sim.run(engine.run(request));
 *
 *  What waits for the outside, such as a socket or a pool of OS threads, is waited for in real time, and only when no
 *  timer is armed; what the outside does is not decided by the seed.
 *
 *  @par Thread safety   None.
 */
class simulation {
public:
    explicit simulation(std::uint64_t seed, simulation_limits limits = {});
    simulation(const simulation&) = delete;
    simulation& operator=(const simulation&) = delete;

    [[nodiscard]] boost::asio::io_context& context() noexcept { return io_; }
    /** The loop of `context`, also for `serial_loop::of`. */
    [[nodiscard]] serial_loop& loop() noexcept { return loop_; }
    [[nodiscard]] manual_clock& clock() noexcept { return clock_; }
    [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }

    /** How much virtual time has passed. */
    [[nodiscard]] std::chrono::nanoseconds elapsed() const noexcept { return clock_.now() - began_; }
    /** How many handlers and timers have run. */
    [[nodiscard]] std::size_t steps() const noexcept { return steps_; }

    /** Runs a task to its end.
     *
     *  @return              Its result.
     *  @par Errors
     *    - What the task throws.
     *    - `errc::timeout`         it waits for something that nothing can bring any more, or a time limit is exceeded.
     *    - `errc::steps_exceeded`  `steps_max` is exceeded. */
    template <class T>
    T run(task<T> work)
    {
        root<T> started{*this, std::move(work)};
        while (!started.has_ended()) step();
        return started.take();
    }

    /** Does the next thing: one handler or ready item, else one timer, time jumping to its deadline.
     *  @par Errors   As for `run`. */
    void step();

    /** As `step`. @return False if there was nothing to do, instead of an error. */
    bool try_step();

    /** A task that was started and can be stopped or destroyed between two steps. */
    template <class T>
    class root {
    public:
        root(simulation& where, task<T> work) : context_{&where.loop(), &scope_}, work_{std::move(work)}
        {
            has_ended_ = work_.start(context_, [](void* self) { static_cast<root*>(self)->has_ended_ = true; }, this);
        }
        root(const root&) = delete;
        root& operator=(const root&) = delete;

        [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }
        void request_stop() { scope_.request_stop(); }
        T take() { return work_.take(); }
        /** The error of the ended task; null if it succeeded. */
        [[nodiscard]] const std::exception_ptr& error() const noexcept { return work_.exception(); }

    private:
        stop_scope scope_;
        task_context context_;
        bool has_ended_ = false;
        task<T> work_;
    };

private:
    [[nodiscard]] bool run_ready();
    [[nodiscard]] bool run_timer();
    [[nodiscard]] bool wait_for_outside();
    [[noreturn]] void give_up(errc code, const char* why) const;

    std::uint64_t seed_;
    simulation_limits limits_;
    manual_clock clock_;
    random_source order_;  // not the loop's, so that drawing a number changes no order
    boost::asio::io_context io_{1};
    serial_loop& loop_;
    time_point began_;
    std::size_t steps_ = 0;
};

}  // namespace weft::testing
