#include "commands.hpp"

#include "store/store_place.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/people_lines.hpp"
#include "terminal/text_table.hpp"
#include "thread/checkpoint_text.hpp"
#include "thread/thread_status.hpp"

#include <weft/base/json/json_text.hpp>
#include <weft/engine/checkpoint/newest_checkpoint.hpp>
#include <weft/engine/trace/run_event_json.hpp>

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft_cli {

namespace {

struct history_args {
    store_args store = {};
    std::string thread = {};
    std::size_t at_most = 50;
    std::optional<std::int64_t> before = {};
    bool is_json = false;
};

struct history_line {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    history_line() {}

    weft::checkpoint_info info;
    std::optional<weft::checkpoint_outline> outline;  ///< Nothing if it was pruned while we read.
};

std::vector<std::string> row_of(const history_line& line)
{
    std::string next = "-";
    if (line.outline && line.outline->is_unfinished) next = names_text(line.outline->next_nodes);
    return {std::to_string(line.info.sequence), std::to_string(line.info.step),   what_text(line.info),
            weft::to_utc_text(line.info.at),    bytes_text(line.info.bytes), next,
            line.info.label};
}

weft::task<std::vector<history_line>> read_lines(weft::checkpoint_store& store, weft::thread_key thread,
                                                 const history_args& args)
{
    const weft::history_page page{.before = args.before, .count_max = args.at_most};
    std::vector<weft::checkpoint_info> infos = co_await store.history(thread, page);
    std::vector<history_line> lines;
    for (weft::checkpoint_info& info : infos) {
        history_line line;
        const auto load = [&] { return store.load(thread, info.sequence); };
        const auto read = [&](const weft::checkpoint& whole) { return weft::read_outline(store, thread, whole); };
        line.outline = co_await weft::read_newest<weft::checkpoint_outline>(load, read);
        line.info = std::move(info);
        lines.push_back(std::move(line));
    }
    co_return lines;
}

weft::task<int> tell_history(weft::checkpoint_store& store, const store_place& place, const history_args& args)
{
    const weft::thread_key thread{args.thread, place.tenant};
    co_await require_thread(store, place, thread);
    const std::vector<history_line> lines = co_await read_lines(store, thread, args);
    if (args.is_json) {
        boost::json::array all;
        for (const history_line& line : lines)
            all.push_back(line.outline ? to_json(line.info, *line.outline) : to_json(line.info));
        std::cout << weft::to_json_text(all) << '\n';
        co_return all_good;
    }
    std::vector<std::vector<std::string>> rows{{"NUMBER", "STEPS", "WHAT", "WHEN", "SIZE", "NEXT", "LABEL"}};
    for (const history_line& line : lines) rows.push_back(row_of(line));
    if (lines.empty()) std::cout << "No checkpoints.\n";
    else std::cout << table_of(rows);
    if (lines.size() == args.at_most && lines.back().info.parent != 0)
        std::cout << "Earlier ones: --before " << lines.back().info.sequence << '\n';
    co_return all_good;
}

}  // namespace

void add_history_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<history_args>();
    CLI::App& command = *app.add_subcommand("history", "List the checkpoints of a thread, the newest first");
    command.add_option("THREAD", args->thread, "Name of the thread")->required()->type_name("");
    command.add_option("-n,--at-most", args->at_most, "How many")
        ->check(CLI::Range(std::size_t{1}, std::size_t{10'000}))
        ->type_name("N")
        ->capture_default_str();
    command.add_option("--before", args->before, "Only those with a smaller number")->type_name("NUMBER");
    command.add_flag("--json", args->is_json, "Write one JSON array");
    add_store_options(command, args->store);
    command.footer(R"(STEPS counts the visits of nodes in the run so far. NEXT says where a run that goes on from the
checkpoint begins; - if its run was over. Kinds:
  node_start     a node is about to run      pause    the run was paused, or asks
  node_complete  a node has completed        cancel   it was cancelled; what was done is kept
  edit           values were changed         finish   it was over
The last 20 stay when a run ends, and those that have a label, were forked from, or are the newest.

Examples:
  weft history trip
  weft history trip --json | jq '.[0].next'

Exit status: 0 listed, 1 the store says no, 2 wrong usage, no store, no such thread.)");
    command.callback([args, &exit_code] {
        exit_code = run_on_store("history", args->store, store_use::look,
                                 [args](weft::checkpoint_store& store, const store_place& place) {
                                     return tell_history(store, place, *args);
                                 });
    });
}

}  // namespace weft_cli
