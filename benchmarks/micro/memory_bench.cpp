#include "harness/memory.hpp"

#include "harness/bench.hpp"
#include "harness/in_flight.hpp"
#include "serve/alone.hpp"
#include "serve/mass_bench.hpp"
#include "stream/stream_memory.hpp"

#include <unistd.h>

#include <cstdio>
#include <string>

namespace weft_bench {

namespace {

using loader = void (*)(const in_flight_load&, const std::function<void()>&);

/** What the program has, once a few runs have ended: what it takes however few runs it has, mostly the pages of its
 *  code, is there. */
double bytes_before(loader run)
{
    run(in_flight_load{100}, [] {});
    return resident_bytes();
}

// The most that the load ever takes, from its first run to its last result.
double peak_bytes_per_run(loader run, int runs)
{
    const double before = bytes_before(run);
    run(in_flight_load{runs}, [] {});
    return (resident_bytes_max() - before) / runs;
}

// What runs take that wait for an hour. They do not come to an end: the process does.
[[noreturn]] void print_suspended_bytes_per_run(loader run, int runs)
{
    constexpr std::chrono::microseconds hour = std::chrono::hours{1};
    const double before = bytes_before(run);
    run(in_flight_load{runs, hour, hour}, [before, runs] {
        std::printf("%f\n", (resident_bytes() - before) / runs);
        std::fflush(stdout);
        _exit(0);
    });
    throw std::logic_error{"the suspended runs went on"};
}

benchmark memory_of(int runs, const std::string& kind, int rounds, std::string what, std::string goal)
{
    const std::string name = "in_flight_memory_" + std::to_string(runs);
    return {name, "bytes per run", std::move(what), std::move(goal), [kind, runs, rounds] {
                const std::string work = kind + " " + std::to_string(amount(runs, 10'000)) + " ";
                return take_cold_turns(
                    rounds, [&] { return measure_alone(work + "weft"); },
                    [&] { return measure_alone(work + "floor"); });
            }};
}

}  // namespace

double do_alone(const std::string& work)
{
    if (work.starts_with("streams")) return stream_bytes_alone(work);
    if (work.starts_with("mass")) serve_mass_alone(work);
    if (work.starts_with("drain")) serve_drain_alone(work);
    if (work.starts_with("parked")) serve_parked_alone(work);
    if (work.starts_with("audience")) serve_audience_alone(work);
    const std::size_t after_kind = work.find(' ');
    const std::string kind = work.substr(0, after_kind);
    const int runs = std::stoi(work.substr(after_kind));
    const loader run = work.ends_with("weft") ? &run_in_flight_with_weft : &run_in_flight_by_hand;
    if (kind == "suspended") print_suspended_bytes_per_run(run, runs);
    require(kind == "moving", "--alone is for the program itself");
    return peak_bytes_per_run(run, runs);
}

benchmarks memory_benchmarks()
{
    return {memory_of(10'000, "moving", 7, "most memory while 10,000 such runs go on", "ratio <= 1.1"),
            memory_of(1'000'000, "suspended", 3, "memory of a million runs that wait", "<= 1500; ratio <= 1.1")};
}

}  // namespace weft_bench
