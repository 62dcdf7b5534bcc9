#include "commands.hpp"

#include "graph/compat_report.hpp"
#include "graph/graph_file.hpp"
#include "graph/migration_file.hpp"
#include "graph/problem.hpp"
#include "graph/run_input.hpp"
#include "store/store_place.hpp"
#include "store/store_problem.hpp"
#include "terminal/exit_codes.hpp"
#include "thread/thread_status.hpp"

#include <weft/base/json/json_text.hpp>
#include <weft/engine/checkpoint/checkpoint_reader.hpp>
#include <weft/engine/checkpoint/graph_migration.hpp>

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft_cli {

namespace {

struct compat_args {
    store_args store = {};
    std::string before = {};
    std::string now = {};
    std::string thread = {};
    std::string migration = {};
    foreign_names foreign = {};
    bool is_json = false;
};

/** Two revisions of a graph, and what leads from one to the other. */
struct revisions {
    weft::graph before;
    weft::graph now;
    std::string print_before;
    std::string print_now;
    std::shared_ptr<const weft::graph_migrations> by;
    std::string renamed;   ///< Why no thread can go on; empty unless the graph's name is another one.
};

constexpr std::size_t threads_at_once = 500;

std::optional<weft::graph> read_graph(const std::string& path, const foreign_names& foreign)
{
    const graph_file file = graph_file_reader{foreign}.read(path);
    if (tell_mistakes("compat", file) != all_good) return std::nullopt;
    return file.loaded->what;
}

revisions compared(weft::graph before, weft::graph now, const compat_args& args)
{
    revisions both{std::move(before), std::move(now), {}, {}, nullptr, {}};
    both.print_before = weft::graph_fingerprint(both.before);
    both.print_now = weft::graph_fingerprint(both.now);
    if (both.before.name() != both.now.name())
        both.renamed = "the graph was named '" + std::string{both.before.name()} + "' and is named '" +
                       std::string{both.now.name()} + "': a thread finds its graph by its name; change it back";
    if (args.migration.empty()) return both;
    auto by = std::make_shared<weft::graph_migrations>();
    by->add(read_migration(args.migration, weft::graph_shape(both.before), both.now));
    both.by = std::move(by);
    return both;
}

/** Why a checkpoint cannot go on with the newer graph; empty if it can. */
weft::task<std::vector<std::string>> reasons_of(weft::checkpoint_store& store, weft::thread_key thread,
                                                std::int64_t sequence, const revisions& both)
{
    std::vector<std::string> reasons;
    if (!both.renamed.empty()) reasons.push_back(both.renamed);
    try {
        std::optional<weft::checkpoint> head = co_await store.load(thread, sequence);
        if (!head) co_return reasons;
        const std::vector<weft::graph_change> changes =
            co_await weft::read_graph_changes(store, thread, std::move(*head), both.now, both.by);
        for (const weft::graph_change& change : changes)
            if (change.blocks) reasons.push_back(change.text());
    } catch (const weft::error& e) {
        if (e.code() != weft::errc::store_corrupt && e.code() != weft::errc::store_refused) throw;
        reasons.push_back(e.what());
    }
    co_return reasons;
}

weft::task<void> judge(weft::checkpoint_store& store, const store_place& place, weft::thread_key thread,
                       const revisions& both, compat_report& report)
{
    const thread_status status = co_await status_of(store, place, thread);
    if (!status.head || status.head->graph != both.before.name()) co_return;
    if (status.head->graph_hash != both.print_before) {
        (status.head->graph_hash == both.print_now ? report.already_new : report.elsewhere) += 1;
        co_return;
    }
    weft::task<std::vector<std::string>> reading = reasons_of(store, thread, status.head->sequence, both);
    thread_verdict verdict;
    verdict.reasons = co_await std::move(reading);
    verdict.thread = thread.thread;
    verdict.status = status.text();
    report.threads.push_back(std::move(verdict));
}

weft::task<void> judge_all(weft::checkpoint_store& store, const store_place& place, const revisions& both,
                           compat_report& report)
{
    for (std::string after;;) {
        const std::vector<weft::thread_summary> some = co_await store.threads(place.tenant, after, threads_at_once);
        for (const weft::thread_summary& one : some) {
            co_await judge(store, place, one.thread, both, report);
        }
        if (some.size() < threads_at_once) co_return;
        after = some.back().thread.thread;
    }
}

weft::task<int> look_at_store(weft::checkpoint_store& store, const store_place& place, const compat_args& args,
                              const revisions& both, compat_report& report)
{
    report.store = place.shown();
    if (args.thread.empty()) {
        co_await judge_all(store, place, both, report);
        co_return all_good;
    }
    const weft::thread_key thread{args.thread, place.tenant};
    co_await require_thread(store, place, thread);
    co_await judge(store, place, thread, both, report);
    co_return all_good;
}

/** A store is looked at if one is named, or if the usual one is here. */
bool has_store(const compat_args& args)
{
    if (!args.store.store.empty() || !args.thread.empty()) return true;
    const store_place place = store_place::of(args.store, weft::process_environment());
    std::error_code ignored;
    return place.what == store_place::kind::postgres || std::filesystem::exists(place.where, ignored);
}

int compat(const compat_args& args)
{
    std::optional<weft::graph> before = read_graph(args.before, args.foreign);
    std::optional<weft::graph> now = read_graph(args.now, args.foreign);
    if (!before || !now) return wrong_usage;
    const revisions both = compared(std::move(*before), std::move(*now), args);
    compat_report report;
    report.changes = weft::compare_graphs(both.before, both.now);
    if (has_store(args)) {
        const int looked = run_on_store("compat", args.store, store_use::look,
                                        [&](weft::checkpoint_store& store, const store_place& place) {
                                            return look_at_store(store, place, args, both, report);
                                        });
        if (looked != all_good) return looked;
    }
    if (args.is_json) std::cout << weft::to_json_text(to_json(report)) << '\n';
    else std::cout << compat_text(report, console::screen{});
    return report.exit_code();
}

}  // namespace

void add_compat_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<compat_args>();
    CLI::App& command = *app.add_subcommand("compat", "Say which threads can go on when a graph is changed");
    const auto add_file = [&command](const char* name, std::string& file, const char* about) {
        command.add_option(name, file, about)->required()->type_name("");
    };
    add_file("OLD.json", args->before, "The graph file that threads were run with");
    add_file("NEW.json", args->now, "The one that is to take its place");
    command.add_option("--thread", args->thread, "Look at this thread only")->type_name("NAME");
    command.add_option("--migration", args->migration, "What was renamed, as JSON")->type_name("FILE");
    command.add_flag("--json", args->is_json, "Write one JSON object");
    add_foreign_names(command, args->foreign);
    add_store_options(command, args->store);
    command.footer(R"(It lists the differences of the two graphs and, of each thread that stands in the older one,
whether its newest checkpoint can go on with the newer one, and if not, why. Nothing is changed.

What was merely renamed goes into a file for --migration, which weft run and weft resume take too:
  {"nodes": {"web": "search"}, "keys": {"topic": "subject", "scratch": null}}
Null: the values of the key are forgotten.

Examples:
  weft compat trip.json trip-2.json
  weft compat trip.json trip-2.json --store postgresql://me@host/db --thread trip-1
  weft compat trip.json trip-2.json --migration renamed.json
  weft resume trip-1 --graph trip-2.json --migration renamed.json

Exit status: 0 all can go on, 1 one cannot, or the store says no, 2 wrong usage or file, no store, no such thread.)");
    command.callback([args, &exit_code] {
        try {
            exit_code = compat(*args);
        } catch (const usage_error& e) {
            exit_code = tell_wrong("compat", e);
        } catch (const weft::error& e) {
            exit_code = tell_wrong("compat", e);
        }
    });
}

}  // namespace weft_cli
