#include "commands.hpp"

#include "graph/run_input.hpp"
#include "store/store_place.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/people_lines.hpp"
#include "thread/thread_status.hpp"

#include <weft/base/clock.hpp>

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft_cli {

namespace {

struct upkeep_args {
    store_args store = {};
    std::string thread = {};
    std::int64_t sequence = 0;
    std::string label = {};
    std::size_t keep_last = 20;
    std::string older_than = {};
    bool is_all = false;
    bool is_forced = false;
};

// label

weft::task<int> label(weft::checkpoint_store& store, const store_place& place, const upkeep_args& args)
{
    const weft::thread_key thread{args.thread, place.tenant};
    const weft::checkpoint found = co_await require_checkpoint(store, place, thread, args.sequence);
    const bool is_named = co_await store.label(thread, found.sequence, args.label);
    if (!is_named) throw usage_error{"the checkpoint was pruned meanwhile"};
    std::cout << "Checkpoint " << found.sequence << " of " << console::harmless_line(args.thread)
              << (args.label.empty() ? std::string{" has no label any more"}
                                      : " is '" + console::harmless_line(args.label) + "', and stays")
              << ".\n";
    co_return all_good;
}

// prune

constexpr std::size_t threads_a_page = 1'000;

weft::task<std::vector<weft::thread_key>> all_threads(weft::checkpoint_store& store, std::string tenant)
{
    std::vector<weft::thread_key> all;
    for (std::string after;;) {
        const std::vector<weft::thread_summary> some = co_await store.threads(tenant, after, threads_a_page);
        for (const weft::thread_summary& one : some) all.push_back(one.thread);
        if (some.size() < threads_a_page) co_return all;
        after = some.back().thread.thread;
    }
}

weft::retention rule_of(const upkeep_args& args)
{
    weft::retention rule;
    rule.keep_last = args.keep_last;
    if (args.older_than.empty()) return rule;
    const std::chrono::nanoseconds span = span_of("--older-than", args.older_than, "90m or 48h");
    const auto age = std::chrono::duration_cast<weft::clock::system_time_point::duration>(span);
    rule.older_than = weft::real_clock().system_now() - age;
    return rule;
}

weft::task<int> prune(weft::checkpoint_store& store, const store_place& place, const upkeep_args& args)
{
    const weft::retention rule = rule_of(args);
    std::vector<weft::thread_key> threads;
    if (args.is_all) {
        threads = co_await all_threads(store, place.tenant);
    } else {
        threads.emplace_back(args.thread, place.tenant);
        co_await require_thread(store, place, threads.front());
    }
    weft::prune_report total;
    for (const weft::thread_key& thread : threads) {
        const weft::prune_report report = co_await store.prune(thread, rule);
        total.checkpoints += report.checkpoints;
        total.bytes += report.bytes;
    }
    std::cout << counted_text(total.checkpoints, "checkpoint") << " removed from "
              << counted_text(threads.size(), "thread") << ", " << bytes_text(total.bytes) << ".\n";
    co_return all_good;
}

void check_prune_args(const upkeep_args& args)
{
    if (args.thread.empty() && !args.is_all)
        throw usage_error{"name a thread, or write --all for all of them"};
    if (!args.thread.empty() && args.is_all) throw usage_error{"name a thread or write --all, not both"};
}

// forget

weft::task<int> forget(weft::checkpoint_store& store, const store_place& place, const upkeep_args& args)
{
    const weft::thread_key thread{args.thread, place.tenant};
    co_await require_thread(store, place, thread);
    const std::optional<weft::run_record> active = co_await store.active_run(thread);
    if (active && active->phase == weft::run_phase::running && !args.is_forced)
        throw usage_error{"thread '" + args.thread +
                          "' has a run under way: weft stop ends it; --force forgets it too"};
    const weft::thread_usage usage = co_await store.usage(thread);
    static_cast<void>(co_await store.drop(thread));
    std::cout << "Thread " << console::harmless_line(args.thread) << " is forgotten: "
              << counted_text(usage.checkpoints, "checkpoint") << ", " << bytes_text(usage.bytes) << ".\n";
    co_return all_good;
}

using upkeep = weft::task<int> (*)(weft::checkpoint_store&, const store_place&, const upkeep_args&);

int run_upkeep(const std::string& name, const std::shared_ptr<upkeep_args>& args, upkeep work)
{
    return run_on_store(name, args->store, store_use::change,
                        [args, work](weft::checkpoint_store& store, const store_place& place) {
                            return work(store, place, *args);
                        });
}

constexpr const char* exit_statuses =
    "\n\nExit status: 0 done, 1 the store is in use, away or full, 2 wrong usage, no store, no such thread.";

}  // namespace

void add_label_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<upkeep_args>();
    CLI::App& command = *app.add_subcommand("label", "Give a checkpoint a name, so that it stays");
    command.add_option("THREAD", args->thread, "Name of the thread")->required()->type_name("");
    command.add_option("NUMBER", args->sequence, "Of the checkpoint")->required()->type_name("");
    command.add_option("NAME", args->label, "What to call it; left out: its name is taken away")->type_name("");
    add_store_options(command, args->store);
    command.footer(std::string{R"(Checkpoints with a label are never pruned.

Examples:
  weft label trip 4 'before the change'
  weft label trip 4)"} + exit_statuses);
    command.callback([args, &exit_code] { exit_code = run_upkeep("label", args, &label); });
}

void add_prune_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<upkeep_args>();
    CLI::App& command = *app.add_subcommand("prune", "Remove older checkpoints of a thread, or of all");
    command.add_option("THREAD", args->thread, "Name of the thread")->type_name("");
    command.add_flag("--all", args->is_all, "All threads");
    command.add_option("--keep-last", args->keep_last, "How many stay")->type_name("N")->capture_default_str();
    command.add_option("--older-than", args->older_than, "Remove these even if they are among the last, e.g. 48h")
        ->type_name("SPAN");
    add_store_options(command, args->store);
    command.footer(std::string{R"(The newest checkpoint of a thread stays in any case, and so do those that have a label
or were forked from.

Examples:
  weft prune trip --keep-last 5
  weft prune --all --older-than 720h)"} + exit_statuses);
    command.callback([args, &exit_code] {
        try {
            check_prune_args(*args);
            exit_code = run_upkeep("prune", args, &prune);
        } catch (const usage_error& e) {
            std::cerr << "weft prune: " << e.what() << '\n';
            exit_code = wrong_usage;
        }
    });
}

void add_forget_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<upkeep_args>();
    CLI::App& command = *app.add_subcommand("forget", "Remove a thread with all that is kept of it");
    command.add_option("THREAD", args->thread, "Name of the thread")->required()->type_name("");
    command.add_flag("--force", args->is_forced, "Also if a process has its run, which is lost then");
    add_store_options(command, args->store);
    command.footer(std::string{R"(Nothing of it can be brought back.

Example:
  weft forget trip)"} + exit_statuses);
    command.callback([args, &exit_code] { exit_code = run_upkeep("forget", args, &forget); });
}

}  // namespace weft_cli
