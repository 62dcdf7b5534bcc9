// Cookbook: a durable background job. Jobs come in by name, survive a crash or a deploy, and are each done once.

// [program]
#include <weft/asio.hpp>
#include <weft/engine/durable_service.hpp>
#include <weft/store/sqlite_store.hpp>
#include <weft/weft.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <iostream>
#include <latch>
#include <memory>
#include <string>
#include <vector>

using namespace std::chrono_literals;

inline constexpr weft::state_key<std::string> customer{"customer"};
inline constexpr weft::state_key<std::string> figures{"figures"};
inline constexpr weft::state_key<std::string> receipt{"receipt"};

// Reads something that fails now and then: the node is tried again. A model or a database would be asked here.
weft::task<void> collect_figures(weft::node_context& ctx)
{
    co_await weft::sleep_for(10ms);
    if (ctx.attempt() == 1) throw weft::error{weft::errc::connection_lost, "figures", "the line broke"};
    ctx.set(figures, "12 orders of " + ctx.get(customer));
}

// Sends a letter, once for each job: after a crash the outcome is read back, or the call goes out with the same key.
weft::task<void> send_letter(weft::node_context& ctx)
{
    const auto sending = [&](const weft::effect_context& effect) { return "sent as " + effect.key().substr(0, 8); };
    const std::string sent = co_await ctx.once("send", sending);
    ctx.set(receipt, sent);
}

std::shared_ptr<const weft::durable_graphs> make_graphs()
{
    weft::node_options patient;
    patient.retry = {.attempts_max = 5, .initial = 20ms, .delay_max = 1s};
    patient.timeout = 30s;
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(weft::graph_builder{"letter"}
                    .state(customer, figures, receipt)
                    .node("collect", collect_figures, patient)
                    .node("send", send_letter, patient)
                    .edge(weft::start, "collect")
                    .edge("collect", "send")
                    .edge("send", weft::end)
                    .build());
    return graphs;
}

// Called on the loop of the job, from any of the service's OS threads.
bool report(const std::string& name, const std::exception_ptr& error, const weft::run_result& result)
{
    const bool is_done = !error && result.status == weft::run_status::finished;
    const std::string what = error ? weft::text_of(error) : is_done ? result.state.get(receipt) : result.message();
    std::cout << name + ": " + what + "\n" << std::flush;
    return is_done;
}

// The name of a job is its thread and its idempotency key: handed in twice, also after a crash, it is done once.
weft::durable_request make_job(const std::string& name)
{
    weft::durable_request job{weft::run_request{name}.input(customer, name)};
    job.idempotent(name);
    return job;
}

// One life of a service. It takes over what an earlier one has left.
int live(weft::checkpoint_store& store, const std::vector<std::string>& names, bool is_cut_short)
{
    weft::durable_service service{store, make_graphs()};
    std::latch left{static_cast<std::ptrdiff_t>(names.size())};
    std::atomic<int> done = 0;
    for (const std::string& name : names)
        service.async_submit(make_job(name), [&, name](std::exception_ptr error, weft::run_result result) {
            done += report(name, error, result);
            left.count_down();
        });
    if (is_cut_short) service.close();  // a deploy: nodes at work come to their end, the rest stays in the store
    left.wait();
    return done;
}

// Jobs by standard input, a name on each line, until SIGTERM.
bool serve(weft::checkpoint_store& store)
{
    weft::durable_service service{store, make_graphs()};
    for (std::string name; std::getline(std::cin, name);)
        service.async_submit(make_job(name), [name](std::exception_ptr error, weft::run_result result) {
            report(name, error, result);
        });
    return service.run_until_signal().is_clean();
}

std::unique_ptr<weft::sqlite_store> open(const std::string& file)
{
    return weft::run_blocking(weft::sqlite_store::open(weft::sqlite_options{file}));
}

int main(int count, char** words)
try {
    if (count > 1) return serve(*open(words[1])) ? 0 : 1;
    const std::string file = "weft_jobs.db";
    for (const char* end : {"", "-wal", "-shm", ".lock"}) std::filesystem::remove(file + end);
    const auto store = open(file);
    const std::vector<std::string> names{"ann", "ben", "cem"};
    std::cout << "A life that a deploy cuts short:\n";
    live(*store, names, true);
    std::cout << "The next one:\n";
    return live(*store, names, false) == 3 ? 0 : 1;
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
// [/program]
