#include "side_by_side.hpp"

#include "bench.hpp"
#include "cpu_clock.hpp"
#include "durable/durable_load.hpp"
#include "durable/stores.hpp"

#include <weft/async/run_blocking.hpp>

#include <algorithm>

namespace weft_bench {

namespace {

constexpr int resumed_max = 9;

double median_of(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

weft::task<double> time_threads(weft::checkpoint_store& store, durable_load load, std::vector<std::string> names)
{
    weft::durable_engine durable{store, graphs_of(load), keeping_all()};
    co_await durable.open();
    const double before = wall_ms();
    co_await run_threads(durable, std::move(names), weft::run_status::paused);
    const double took = wall_ms() - before;
    co_await durable.close();
    co_return took;
}

struct read_times {
    double newest_ms = 0;
    double history_ms = 0;
};

weft::task<read_times> time_reading(weft::checkpoint_store& store, durable_load load)
{
    weft::durable_engine durable{store, graphs_of(load), keeping_all()};
    co_await durable.open();
    const weft::thread_key thread{"thread 0"};
    read_times times;
    double before = wall_ms();
    const weft::thread_snapshot newest = co_await durable.read(thread);
    times.newest_ms = wall_ms() - before;
    require(newest.state().get(messages).size() == load.steps, "a thread that was read lacks messages");
    before = wall_ms();
    const weft::history_page whole = weft::history_page{.count_max = load.steps + 8};
    const std::vector<weft::checkpoint_info> all = co_await durable.history(thread, whole);
    std::size_t read = 0;
    for (const weft::checkpoint_info& each : all) {
        const weft::thread_snapshot at = co_await durable.read(thread, each.sequence);
        read += at.state().find(messages) ? at.state().get(messages).size() : 0;
    }
    times.history_ms = wall_ms() - before;
    require(all.size() >= load.steps && read >= load.steps * (load.steps + 1u) / 2, "a history lacks states");
    co_await durable.close();
    co_return times;
}

weft::task<double> time_resume(weft::checkpoint_store& store, durable_load load, std::string name)
{
    double began = 0;
    load.on_last = [&began] { began = wall_ms(); };
    weft::durable_engine durable{store, graphs_of(load), keeping_all()};
    co_await durable.open();
    const double before = wall_ms();
    weft::task<weft::run_result> running = durable.resume(weft::thread_key{std::move(name)});
    const weft::run_result result = co_await std::move(running);
    require(result.ok() && began > 0, "a thread did not go on");
    co_await durable.close();
    co_return began - before;
}

}  // namespace

boost::json::object measure_side_by_side(const side_by_side_load& load)
{
    const durable_load runs{load.steps, 1, 200, true};
    const std::unique_ptr<opened_store> opened = open_store(load.store);
    const std::vector<std::string> names = thread_names("thread ", load.threads);
    const double cpu_before = process_cpu_us();
    const double took = weft::run_blocking(time_threads(opened->store(), runs, names));
    const double cpu = process_cpu_us() - cpu_before;
    const std::uintmax_t bytes = opened->bytes();
    opened->reopen();
    const read_times reading = weft::run_blocking(time_reading(opened->store(), runs));
    std::vector<double> resuming;
    for (int i = 0; i < std::min(load.threads, resumed_max); ++i)
        resuming.push_back(weft::run_blocking(time_resume(opened->store(), runs, names[static_cast<std::size_t>(i)])));
    const double steps = static_cast<double>(load.threads) * load.steps;
    return {{"system", "weft"},          {"store", load.store},
            {"threads", load.threads},   {"steps", load.steps},
            {"steps_per_s", steps * 1'000 / took}, {"cpu_us_per_step", cpu / steps},
            {"bytes", bytes},            {"newest_ms", reading.newest_ms},
            {"history_ms", reading.history_ms},    {"resume_ms", median_of(std::move(resuming))}};
}

}  // namespace weft_bench
