#include "commands.hpp"

#include "store/store_place.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/people_lines.hpp"
#include "terminal/text_table.hpp"
#include "thread/thread_status.hpp"

#include <weft/base/json/json_text.hpp>
#include <weft/engine/trace/run_event_json.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace weft_cli {

namespace {

struct threads_args {
    store_args store = {};
    std::size_t at_most = 100;
    std::string after = {};
    bool is_json = false;
};

struct thread_line {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    thread_line() {}

    weft::thread_summary summary;
    thread_status status;
    weft::thread_usage usage;
};

boost::json::object line_json(const thread_line& line)
{
    boost::json::object json{{"thread", line.summary.thread.thread}, {"status", line.status.word}};
    if (!line.status.detail.empty()) json.emplace("detail", line.status.detail);
    if (line.status.head) json.emplace("graph", line.status.head->graph);
    else if (line.status.active) json.emplace("graph", line.status.active->graph);
    json.emplace("head", line.summary.head);
    if (line.status.active) json.emplace("run", line.status.active->id.text());
    json.emplace("questions", line.status.questions);
    json.emplace("changed", weft::to_utc_text(line.summary.changed));
    json.emplace("checkpoints", line.usage.checkpoints);
    json.emplace("bytes", line.usage.bytes);
    return json;
}

std::vector<std::string> row_of(const thread_line& line)
{
    const std::string graph = line.status.head     ? line.status.head->graph
                              : line.status.active ? line.status.active->graph
                                                   : "";
    return {line.summary.thread.thread,
            graph,
            std::to_string(line.summary.head),
            bytes_text(line.usage.bytes),
            weft::to_utc_text(line.summary.changed),
            line.status.text()};
}

weft::task<std::vector<thread_line>> read_threads(weft::checkpoint_store& store, const store_place& place,
                                                  const threads_args& args)
{
    const std::vector<weft::thread_summary> all = co_await store.threads(place.tenant, args.after, args.at_most);
    std::vector<thread_line> lines;
    for (const weft::thread_summary& one : all) {
        thread_line line;
        line.summary = one;
        line.status = co_await status_of(store, place, one.thread);
        line.usage = co_await store.usage(one.thread);
        lines.push_back(std::move(line));
    }
    co_return lines;
}

weft::task<int> list(weft::checkpoint_store& store, const store_place& place, const threads_args& args)
{
    const std::vector<thread_line> lines = co_await read_threads(store, place, args);
    if (args.is_json) {
        boost::json::array all;
        for (const thread_line& line : lines) all.push_back(line_json(line));
        std::cout << weft::to_json_text(all) << '\n';
        co_return all_good;
    }
    std::vector<std::vector<std::string>> rows{{"THREAD", "GRAPH", "HEAD", "SIZE", "CHANGED", "STATUS"}};
    for (const thread_line& line : lines) rows.push_back(row_of(line));
    if (lines.empty()) std::cout << "No threads" << (args.after.empty() ? "" : " after that") << ".\n";
    else std::cout << table_of(rows);
    if (lines.size() == args.at_most)
        std::cout << "There may be more: --after " << console::harmless_line(lines.back().summary.thread.thread)
                  << '\n';
    co_return all_good;
}

}  // namespace

void add_threads_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<threads_args>();
    CLI::App& command = *app.add_subcommand("threads", "List the threads of a store: what is kept, and how it stands");
    command.add_option("-n,--at-most", args->at_most, "How many, by name")
        ->check(CLI::Range(std::size_t{1}, std::size_t{10'000}))
        ->type_name("N")
        ->capture_default_str();
    command.add_option("--after", args->after, "Only those whose names come after this one")->type_name("THREAD");
    command.add_flag("--json", args->is_json, "Write one JSON array");
    add_store_options(command, args->store);
    command.footer(R"(HEAD is the newest checkpoint. How a thread stands:
  running    a process has its run
  left       the process of its run is gone: weft resume goes on
  waiting    paused, or for answers: weft answer, weft resume
  finished, failed, cancelled, dead    what became of its last run
  idle       its values were changed by hand, or it was forked

Examples:
  weft threads
  weft threads --store runs.db --json | jq -r '.[] | select(.questions > 0).thread'
  WEFT_STORE=postgresql://me@host/db weft threads

Exit status: 0 listed, 1 the store says no, 2 wrong usage or no store.)");
    command.callback([args, &exit_code] {
        exit_code = run_on_store("threads", args->store, store_use::look,
                                 [args](weft::checkpoint_store& store, const store_place& place) {
                                     return list(store, place, *args);
                                 });
    });
}

}  // namespace weft_cli
