#include "commands.hpp"

#include "graph/run_input.hpp"
#include "store/store_place.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/list_option.hpp"
#include "terminal/text_table.hpp"

#include <weft/base/json/json_text.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/engine/trace/run_event_json.hpp>
#include <weft/store/role/run_directory.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft_cli {

namespace {

constexpr std::size_t dead_a_page = 100;
constexpr std::size_t dead_max = 10'000;

struct dead_args {
    store_args store = {};
    std::string run = {};
    std::string graph = {};
    std::vector<std::string> retried = {};
    std::vector<std::string> purged = {};
    bool retries_all = false;
    bool purges_all = false;
    std::size_t at_most = 100;
    bool is_json = false;

    [[nodiscard]] bool changes() const
    {
        return retries_all || purges_all || !retried.empty() || !purged.empty();
    }
};

/** The stores of a command, which are one object. */
struct dead_stores {
    weft::checkpoint_store& runs;
    weft::run_directory& directory;
};

weft::task<std::vector<weft::run_record>> read_dead(dead_stores in, const store_place& place, const dead_args& args)
{
    weft::run_query query;
    query.tenant = place.tenant;
    query.phases = {weft::run_phase::dead};
    if (!args.graph.empty()) query.graph = args.graph;
    std::vector<weft::run_record> all;
    do {
        query.count_max = std::min(args.at_most - all.size(), dead_a_page);
        weft::run_query page_of = query;
        const weft::run_page page = co_await in.directory.search(std::move(page_of));
        for (const weft::stored_run& each : page.runs) {
            std::optional<weft::run_record> record = co_await in.runs.find_run(each.id);
            if (record) all.push_back(std::move(*record));
        }
        query.after = page.next;
    } while (!query.after.empty() && all.size() < args.at_most);
    co_return all;
}

boost::json::object dead_json(const weft::run_record& of)
{
    boost::json::array attempts;
    for (const weft::lost_attempt& each : of.lost_attempts)
        attempts.push_back(boost::json::object{{"at", weft::to_utc_text(each.at)}, {"cause", each.cause}});
    return {{"run", of.id.text()},    {"thread", of.thread.thread}, {"graph", of.graph},
            {"attempts", of.attempt}, {"cause", of.message},        {"ended", weft::to_utc_text(of.ended)},
            {"lost_attempts", std::move(attempts)}};
}

void show_dead_run(const weft::run_record& of)
{
    std::cout << "run       " << of.id.text() << "\nthread    " << console::harmless_line(of.thread.thread)
              << "\ngraph     " << console::harmless_line(of.graph) << "\nattempts  " << of.attempt << "\nended     "
              << weft::to_utc_text(of.ended) << "\ncause     " << console::harmless_line(of.message) << '\n';
    for (const weft::lost_attempt& each : of.lost_attempts)
        std::cout << "  " << weft::to_utc_text(each.at) << "  " << console::harmless_line(each.cause) << '\n';
}

void show_dead(const std::vector<weft::run_record>& dead, const dead_args& args)
{
    if (args.is_json) {
        boost::json::array all;
        for (const weft::run_record& each : dead) all.push_back(dead_json(each));
        std::cout << weft::to_json_text(all) << '\n';
        return;
    }
    std::vector<std::vector<std::string>> rows{{"RUN", "THREAD", "GRAPH", "ATTEMPTS", "ENDED", "CAUSE"}};
    for (const weft::run_record& each : dead)
        rows.push_back({each.id.text(), each.thread.thread, each.graph, std::to_string(each.attempt),
                        weft::to_utc_text(each.ended), each.message});
    if (dead.empty()) std::cout << "No dead runs.\n";
    else std::cout << table_of(rows);
    if (dead.size() == args.at_most) std::cout << "There may be more: --at-most " << args.at_most * 10 << '\n';
}

/** @par Errors   `usage_error`: there is no such dead run. */
weft::task<weft::run_record> require_dead(dead_stores in, const store_place& place, std::string text)
{
    const std::optional<weft::run_id> id = weft::run_id::parse(text);
    std::optional<weft::run_record> found;
    if (id) found = co_await in.runs.find_run(*id);
    if (!found || found->phase != weft::run_phase::dead || found->thread.tenant != place.tenant)
        throw usage_error{"there is no dead run " + text + "; weft dead lists them"};
    co_return std::move(*found);
}

weft::task<int> retry_dead_runs(dead_stores in, std::vector<weft::run_record> dead)
{
    weft::durable_engine durable{in.runs, std::make_shared<weft::durable_graphs>()};
    co_await durable.open();
    int exit_code = all_good;
    for (const weft::run_record& each : dead) {
        const bool goes_on = co_await durable.retry(each.id);
        if (goes_on) (void)co_await in.directory.remove(each.id);
        else exit_code = has_failed;
        std::cout << each.id.text()
                  << (goes_on ? " goes on as soon as a worker takes its thread"
                              : " stays: its thread has another run, or has gone on since")
                  << '\n';
    }
    co_await durable.close();
    co_return exit_code;
}

weft::task<int> purge_dead_runs(dead_stores in, std::vector<weft::run_record> dead)
{
    for (const weft::run_record& each : dead) {
        (void)co_await in.directory.remove(each.id);
        std::cout << each.id.text() << " is gone; its thread stays\n";
    }
    co_return all_good;
}

weft::task<std::vector<weft::run_record>> named_dead_runs(dead_stores in, const store_place& place,
                                                std::vector<std::string> runs)
{
    std::vector<weft::run_record> all;
    for (const std::string& run : runs) {
        weft::run_record found = co_await require_dead(in, place, run);
        all.push_back(std::move(found));
    }
    co_return all;
}

weft::task<int> work_on_dead(const opened_store& opened, const store_place& place, const dead_args& args)
{
    const dead_stores in{*opened.runs, opened.service->runs()};
    if (!args.run.empty()) {
        const weft::run_record found = co_await require_dead(in, place, args.run);
        if (args.is_json) std::cout << weft::to_json_text(dead_json(found)) << '\n';
        else show_dead_run(found);
        co_return all_good;
    }
    const bool retries = args.retries_all || !args.retried.empty();
    const bool purges = args.purges_all || !args.purged.empty();
    const std::vector<std::string>& names = args.retried.empty() ? args.purged : args.retried;
    std::vector<weft::run_record> dead;
    if (names.empty()) dead = co_await read_dead(in, place, args);
    else dead = co_await named_dead_runs(in, place, names);
    if (retries) co_return co_await retry_dead_runs(in, std::move(dead));
    if (purges) co_return co_await purge_dead_runs(in, std::move(dead));
    show_dead(dead, args);
    co_return all_good;
}

constexpr const char* dead_footer =
    R"(A run that has ended several processes, or has failed as often as a rule of its graph allows, is dead: no worker
takes it. CAUSE says what its last attempt came to; weft dead RUN lists all that are remembered.

When the cause is mended, --retry lets a new run go on where the dead one stood, with the same keys for its effects; one
that has not come to a checkpoint begins anew, with its input. --purge forgets the run; its thread stays.

Examples:
  weft dead --store postgresql://me@host/db
  weft dead --graph support --retry-all
  weft dead 0196f0e2-7c1b-7d3a-9b1e-3f2a5c7d9e11
  weft dead --purge 0196f0e2-7c1b-7d3a-9b1e-3f2a5c7d9e11

Exit status: 0 done, 1 a run could not be retried, or the store says no, 2 wrong usage, no store, no such run.)";

}  // namespace

void add_dead_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<dead_args>();
    CLI::App& command = *app.add_subcommand("dead", "List runs that have used up their attempts; retry or purge them");
    CLI::Option* const run = command.add_option("RUN", args->run, "Show this one, with all attempts")->type_name("");
    command.add_option("--graph", args->graph, "Only runs of this graph")->type_name("NAME");
    CLI::Option* const retried = add_list(command, "--retry", args->retried, "Let this one go on; again for more");
    CLI::Option* const purged = add_list(command, "--purge", args->purged, "Forget this one; again for more");
    retried->type_name("RUN")->excludes(run);
    purged->type_name("RUN")->excludes(run)->excludes(retried);
    CLI::Option* const retries_all =
        command.add_flag("--retry-all", args->retries_all, "Let all go on, or all of --graph");
    CLI::Option* const purges_all = command.add_flag("--purge-all", args->purges_all, "Forget all, or all of --graph");
    retries_all->excludes(run)->excludes(retried)->excludes(purged);
    purges_all->excludes(run)->excludes(retried)->excludes(purged)->excludes(retries_all);
    CLI::Option* const at_most =
        command.add_option("-n,--at-most", args->at_most, "How many, the newest first; of all, 10000");
    at_most->check(CLI::Range(std::size_t{1}, dead_max))
        ->type_name("N")
        ->capture_default_str();
    command.add_flag("--json", args->is_json, "Write JSON");
    add_store_options(command, args->store);
    command.footer(dead_footer);
    command.callback([args, at_most, &exit_code] {
        if (at_most->empty() && (args->retries_all || args->purges_all)) args->at_most = dead_max;
        const auto work = [args](const opened_store& opened, const store_place& place) {
            return work_on_dead(opened, place, *args);
        };
        const store_use use = args->changes() ? store_use::change : store_use::look;
        exit_code = run_on_whole_store("dead", args->store, use, work);
    });
}

}  // namespace weft_cli
