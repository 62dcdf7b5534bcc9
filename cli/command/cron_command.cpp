#include "commands.hpp"

#include "graph/run_input.hpp"
#include "store/store_place.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/text_table.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/engine/trace/run_event_json.hpp>
#include <weft/serve/cron_moment.hpp>
#include <weft/store/service/cron_table.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft_cli {

namespace {

constexpr int cron_changes_tried = 3;
constexpr int cron_moments_shown = 5;

struct cron_args {
    store_args store = {};
    std::string id = {};
    std::string run = {};
    std::string paused = {};
    std::string resumed = {};
    std::string deleted = {};
    std::string graph = {};
    std::size_t at_most = 100;
    bool is_json = false;

    [[nodiscard]] bool changes() const
    {
        return !run.empty() || !paused.empty() || !resumed.empty() || !deleted.empty();
    }
};

std::string cron_moment_text(const std::optional<weft::wall_time>& moment)
{
    return moment ? weft::to_utc_text(*moment) : "never";
}

std::string next_run_text(const weft::cron& of) { return of.is_enabled ? cron_moment_text(of.next) : "paused"; }

boost::json::value moment_json(const std::optional<weft::wall_time>& moment)
{
    return moment ? boost::json::value(weft::to_utc_text(*moment)) : boost::json::value(nullptr);
}

boost::json::object cron_json(const weft::cron& of)
{
    return {{"cron", of.id},
            {"graph", of.graph},
            {"thread", of.thread},
            {"schedule", of.schedule},
            {"time_zone", of.time_zone},
            {"next", moment_json(of.is_enabled ? of.next : std::nullopt)},
            {"end", moment_json(of.end)},
            {"is_enabled", of.is_enabled},
            {"input", weft::parse_json(of.input)}};
}

weft::task<weft::cron> require_cron(weft::cron_table& crons, const store_place& place, std::string id)
{
    std::optional<weft::cron> found = co_await crons.find(place.tenant, id);
    if (!found) throw usage_error{"there is no cron " + id + "; weft cron lists them"};
    co_return std::move(*found);
}

weft::task<int> list_crons(weft::cron_table& crons, const store_place& place, const cron_args& args)
{
    weft::cron_query query;
    query.tenant = place.tenant;
    if (!args.graph.empty()) query.graph = args.graph;
    query.count_max = args.at_most;
    const weft::cron_page page = co_await crons.search(std::move(query));
    if (args.is_json) {
        boost::json::array all;
        for (const weft::cron& each : page.crons) all.push_back(cron_json(each));
        std::cout << weft::to_json_text(all) << '\n';
        co_return all_good;
    }
    std::vector<std::vector<std::string>> rows{{"CRON", "GRAPH", "SCHEDULE", "ZONE", "NEXT", "THREAD"}};
    for (const weft::cron& each : page.crons)
        rows.push_back({each.id, each.graph, each.schedule, each.time_zone.empty() ? "UTC" : each.time_zone,
                        next_run_text(each), each.thread.empty() ? "-" : each.thread});
    if (page.crons.empty()) std::cout << "No crons.\n";
    else std::cout << table_of(rows);
    if (!page.next.empty()) std::cout << "There are more: --at-most " << args.at_most * 10 << '\n';
    co_return all_good;
}

weft::task<int> show_cron(weft::cron_table& crons, const store_place& place, const cron_args& args)
{
    const weft::cron found = co_await require_cron(crons, place, args.id);
    if (args.is_json) {
        std::cout << weft::to_json_text(cron_json(found)) << '\n';
        co_return all_good;
    }
    std::cout << "cron      " << console::harmless_line(found.id) << "\ngraph     "
              << console::harmless_line(found.graph) << "\nschedule  " << console::harmless_line(found.schedule) << ' '
              << console::harmless_line(found.time_zone) << "\ninput     " << console::harmless_line(found.input)
              << "\nnext      " << next_run_text(found) << '\n';
    std::optional<weft::wall_time> moment = found.is_enabled ? found.next : std::nullopt;
    for (int i = 1; i < cron_moments_shown && moment; ++i) {
        moment = next_moment(found, *moment);
        if (moment) std::cout << "          " << weft::to_utc_text(*moment) << '\n';
    }
    co_return all_good;
}

/** Changes whether a cron is enabled; others may change it at the same time. */
weft::task<int> enable_cron(weft::cron_table& crons, const store_place& place, std::string id, bool is_enabled)
{
    for (int i = 0; i < cron_changes_tried; ++i) {
        weft::cron known = co_await require_cron(crons, place, id);
        const weft::serial_loop& loop = co_await weft::this_task::loop();
        // What was missed while it was paused was not wanted.
        if (is_enabled && !known.is_enabled) known.next = next_moment(known, loop.clock().system_now());
        known.is_enabled = is_enabled;
        const std::string next = next_run_text(known);
        const bool is_changed = co_await crons.update(std::move(known));
        if (!is_changed) continue;
        std::cout << "Cron " << console::harmless_line(id) << ": " << next << '\n';
        co_return all_good;
    }
    std::cerr << "weft cron: others change the cron at the same time; try again\n";
    co_return has_failed;
}

weft::task<int> run_cron_now(weft::cron_table& crons, const store_place& place, const cron_args& args)
{
    const weft::cron known = co_await require_cron(crons, place, args.run);
    if (!known.is_enabled) throw usage_error{"cron " + args.run + " is paused: --resume it first"};
    for (int i = 0; i < cron_changes_tried; ++i) {
        const bool is_due = co_await crons.run_now(place.tenant, args.run);
        if (!is_due) continue;
        std::cout << "Cron " << console::harmless_line(args.run)
                  << " is due: a server, or a worker, begins its run within a second.\n";
        co_return all_good;
    }
    std::cerr << "weft cron: others change the cron at the same time; try again\n";
    co_return has_failed;
}

weft::task<int> erase_cron(weft::cron_table& crons, const store_place& place, const cron_args& args)
{
    const bool was_there = co_await crons.erase(place.tenant, args.deleted);
    if (!was_there) throw usage_error{"there is no cron " + args.deleted + "; weft cron lists them"};
    std::cout << "Cron " << console::harmless_line(args.deleted) << " is gone.\n";
    co_return all_good;
}

weft::task<int> work_on_crons(weft::service_store& service, const store_place& place, const cron_args& args)
{
    weft::cron_table crons{service.documents()};
    if (!args.id.empty()) co_return co_await show_cron(crons, place, args);
    if (!args.run.empty()) co_return co_await run_cron_now(crons, place, args);
    if (!args.paused.empty()) co_return co_await enable_cron(crons, place, args.paused, false);
    if (!args.resumed.empty()) co_return co_await enable_cron(crons, place, args.resumed, true);
    if (!args.deleted.empty()) co_return co_await erase_cron(crons, place, args);
    co_return co_await list_crons(crons, place, args);
}

constexpr const char* cron_footer =
    R"(Crons are made by clients of a server (POST /runs/crons), and by timers of graph files. Of all servers and
workers on a store one begins each run. Times are UTC here; schedules are of their zone.

Examples:
  weft cron --store postgresql://me@host/db
  weft cron 0196f0e2-7c1b-7d3a-9b1e-3f2a5c7d9e11
  weft cron --run 0196f0e2-7c1b-7d3a-9b1e-3f2a5c7d9e11
  weft cron --pause 0196f0e2-7c1b-7d3a-9b1e-3f2a5c7d9e11

Exit status: 0 done, 1 the store says no, 2 wrong usage, no store, no such cron.)";

}  // namespace

void add_cron_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<cron_args>();
    CLI::App& command = *app.add_subcommand("cron", "List runs that begin again and again; run, pause or delete them");
    CLI::Option* const id = command.add_option("CRON", args->id, "Show this one, and when it runs next")->type_name("");
    std::vector<CLI::Option*> actions{id};
    const auto add_action = [&](const char* name, std::string& into, const char* what) {
        CLI::Option* const action = command.add_option(name, into, what)->type_name("CRON");
        for (CLI::Option* const other : actions) action->excludes(other);
        actions.push_back(action);
    };
    add_action("--run", args->run, "Begin a run of it now; its moments stay");
    add_action("--pause", args->paused, "Begin no further run of it");
    add_action("--resume", args->resumed, "Begin runs of it again, from its next moment on");
    add_action("--delete", args->deleted, "Forget it");
    command.add_option("--graph", args->graph, "Only those of this graph")->type_name("NAME");
    command.add_option("-n,--at-most", args->at_most, "How many, the newest first")
        ->check(CLI::Range(std::size_t{1}, std::size_t{10'000}))
        ->type_name("N")
        ->capture_default_str();
    command.add_flag("--json", args->is_json, "Write JSON");
    add_store_options(command, args->store);
    command.footer(cron_footer);
    command.callback([args, &exit_code] {
        const auto work = [args](weft::service_store& service, const store_place& place) {
            return work_on_crons(service, place, *args);
        };
        exit_code = run_on_service("cron", args->store, args->changes() ? store_use::change : store_use::look, work);
    });
}

}  // namespace weft_cli
