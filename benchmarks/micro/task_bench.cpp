#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"
#include "harness/floor.hpp"

#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/run_blocking.hpp>

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <deque>

namespace asio = boost::asio;

namespace weft_bench {

namespace {

constexpr int task_rounds = 15;
constexpr int awaits = 200'000;
constexpr int other_timers = 10'000;
constexpr int armings = 20'000;
constexpr std::chrono::seconds far{30};

[[gnu::noinline]] weft::task<int> one() { co_return 1; }

weft::task<double> time_awaits()
{
    int sum = 0;
    const double before = thread_cpu_ns();
    for (int i = 0; i < awaits; ++i) {
        const int value = co_await one();
        sum += value;
    }
    const double cost = (thread_cpu_ns() - before) / awaits;
    require(sum == awaits, "an awaited task lost its value");
    co_return cost;
}

[[gnu::noinline]] asio::awaitable<int> one_by_hand() { co_return 1; }

asio::awaitable<double> time_awaits_by_hand()
{
    int sum = 0;
    const double before = thread_cpu_ns();
    for (int i = 0; i < awaits; ++i) {
        const int value = co_await one_by_hand();
        sum += value;
    }
    const double cost = (thread_cpu_ns() - before) / awaits;
    require(sum == awaits, "an awaitable by hand lost its value");
    co_return cost;
}

double time_timers()
{
    asio::io_context io{1};
    weft::serial_loop& loop = weft::serial_loop::of(io);
    int fired = 0;
    const auto on_fire = [](void* count) { ++*static_cast<int*>(count); };
    std::deque<weft::loop_timer> others;
    for (int i = 0; i < other_timers; ++i)
        others.emplace_back(loop, on_fire, &fired).arm_after(far + std::chrono::milliseconds{i});
    weft::loop_timer timer{loop, on_fire, &fired};
    const double before = thread_cpu_ns();
    for (int i = 0; i < armings; ++i) {
        timer.arm_after(far);
        timer.disarm();
    }
    const double cost = (thread_cpu_ns() - before) / armings;
    require(fired == 0, "a disarmed timer fired");
    return cost;
}

double time_timers_by_hand()
{
    asio::io_context io{1};
    int fired = 0;
    std::deque<asio::steady_timer> others;
    const auto on_fire = [&fired](const boost::system::error_code& code) { fired += code ? 0 : 1; };
    for (int i = 0; i < other_timers; ++i)
        others.emplace_back(io, far + std::chrono::milliseconds{i}).async_wait(on_fire);
    asio::steady_timer timer{io};
    const double before = thread_cpu_ns();
    for (int i = 0; i < armings; ++i) {
        timer.expires_after(far);
        timer.async_wait(on_fire);
        timer.cancel();
        io.poll();
    }
    const double cost = (thread_cpu_ns() - before) / armings;
    require(fired == 0, "a timer by hand fired");
    return cost;
}

}  // namespace

benchmarks task_benchmarks()
{
    return {
        {"task_await", "ns CPU", "awaiting a coroutine that does not wait", "",
         [] {
             return take_turns(
                 task_rounds, [] { return weft::run_blocking(time_awaits()); },
                 [] { return run_awaitable(time_awaits_by_hand()); });
         }},
        {"timer_arm_disarm", "ns CPU", "arming and disarming a timer among 10,000; floor: steady_timer", "",
         [] { return take_turns(task_rounds, &time_timers, &time_timers_by_hand); }},
    };
}

}  // namespace weft_bench
