#include "commands.hpp"

#include "store/store_place.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/text_table.hpp"

#include <weft/base/json/json_text.hpp>
#include <weft/engine/trace/run_event_json.hpp>
#include <weft/store/role/queue_view.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft_cli {

namespace {

constexpr std::size_t queue_rows_max = 1'000;

struct queue_args {
    store_args store = {};
    bool is_json = false;
};

bool is_of_tenant(const store_place& place, const std::string& tenant)
{
    return place.tenant.empty() || place.tenant == tenant;
}

boost::json::object queue_json(const weft::queue_depth& of)
{
    return {{"tenant", of.tenant},        {"graph", of.graph}, {"revision", of.revision},
            {"phase", name_of(of.phase)}, {"count", of.count}, {"oldest", weft::to_utc_text(of.oldest)}};
}

boost::json::object queue_json(const weft::unclaimable_runs& of)
{
    return {{"graph", of.graph},
            {"revision", of.revision},
            {"count", of.count},
            {"oldest", weft::to_utc_text(of.oldest)}};
}

bool claims_runs(const weft::listed_worker& of)
{
    return std::find(of.graphs.begin(), of.graphs.end(), weft::graph_ability::no_claims()) == of.graphs.end();
}

boost::json::object queue_json(const weft::listed_worker& of)
{
    boost::json::array graphs;
    for (const weft::graph_ability& each : of.graphs) {
        if (each == weft::graph_ability::no_claims()) continue;
        graphs.push_back(boost::json::object{{"graph", each.graph}, {"revision", each.revision}});
    }
    return {{"worker", of.id},
            {"name", of.name},
            {"since", weft::to_utc_text(of.since)},
            {"seen", weft::to_utc_text(of.seen)},
            {"is_alive", of.is_alive},
            {"runs", of.runs},
            {"claims", claims_runs(of)},
            {"graphs", std::move(graphs)}};
}

void show_depths(const std::vector<weft::queue_depth>& depths)
{
    std::vector<std::vector<std::string>> rows{{"TENANT", "GRAPH", "REVISION", "PHASE", "RUNS", "OLDEST"}};
    for (const weft::queue_depth& each : depths)
        rows.push_back({each.tenant.empty() ? "-" : each.tenant, each.graph,
                        each.revision.empty() ? "-" : each.revision, std::string{name_of(each.phase)},
                        std::to_string(each.count), weft::to_utc_text(each.oldest)});
    if (depths.empty()) std::cout << "The queue is empty, and nothing is under way.\n";
    else std::cout << table_of(rows);
}

void show_unclaimable(const std::vector<weft::unclaimable_runs>& all)
{
    if (all.empty()) return;
    std::vector<std::vector<std::string>> rows{{"GRAPH", "REVISION", "RUNS", "OLDEST"}};
    for (const weft::unclaimable_runs& each : all)
        rows.push_back({each.graph, each.revision.empty() ? "-" : each.revision, std::to_string(each.count),
                        weft::to_utc_text(each.oldest)});
    std::cout << "\nNo worker has these graphs; they wait until one comes that has:\n" << table_of(rows);
}

weft::task<int> show_queue(weft::service_store& service, const store_place& place, const queue_args& args)
{
    std::vector<weft::queue_depth> depths = co_await service.queue().depths(queue_rows_max);
    std::erase_if(depths, [&](const weft::queue_depth& each) { return !is_of_tenant(place, each.tenant); });
    const std::vector<weft::unclaimable_runs> unclaimable = co_await service.queue().unclaimable(queue_rows_max);
    if (args.is_json) {
        boost::json::object shown;
        boost::json::array& of_depths = shown["depths"].emplace_array();
        for (const weft::queue_depth& each : depths) of_depths.push_back(queue_json(each));
        boost::json::array& of_unclaimable = shown["unclaimable"].emplace_array();
        for (const weft::unclaimable_runs& each : unclaimable) of_unclaimable.push_back(queue_json(each));
        std::cout << weft::to_json_text(shown) << '\n';
        co_return all_good;
    }
    show_depths(depths);
    show_unclaimable(unclaimable);
    co_return unclaimable.empty() ? all_good : has_failed;
}

std::string graphs_text(const weft::listed_worker& of)
{
    if (!claims_runs(of)) return "none";
    std::string names;
    for (const weft::graph_ability& each : of.graphs) {
        const bool is_known = names.find(each.graph) != names.npos;
        if (!is_known) names.append(names.empty() ? "" : ", ").append(each.graph);
    }
    return names.empty() ? "all" : names;
}

weft::task<int> show_workers(weft::service_store& service, const store_place&, const queue_args& args)
{
    const std::vector<weft::listed_worker> workers = co_await service.queue().workers(queue_rows_max);
    if (args.is_json) {
        boost::json::array shown;
        for (const weft::listed_worker& each : workers) shown.push_back(queue_json(each));
        std::cout << weft::to_json_text(shown) << '\n';
        co_return all_good;
    }
    std::vector<std::vector<std::string>> rows{{"WORKER", "NAME", "RUNS", "SEEN", "SINCE", "STATUS", "GRAPHS"}};
    for (const weft::listed_worker& each : workers)
        rows.push_back({std::to_string(each.id), each.name, std::to_string(each.runs), weft::to_utc_text(each.seen),
                        weft::to_utc_text(each.since), each.is_alive ? "alive" : "lost", graphs_text(each)});
    if (workers.empty()) std::cout << "No workers.\n";
    else std::cout << table_of(rows);
    co_return all_good;
}

using shown_function = weft::task<int> (*)(weft::service_store&, const store_place&, const queue_args&);

void add_queue_view(CLI::App& app, int& exit_code, const char* name, const char* what, const char* footer,
              shown_function show)
{
    const auto args = std::make_shared<queue_args>();
    CLI::App& command = *app.add_subcommand(name, what);
    command.add_flag("--json", args->is_json, "Write JSON");
    add_store_options(command, args->store);
    command.footer(footer);
    command.callback([args, &exit_code, name, show] {
        const auto work = [args, show](weft::service_store& service, const store_place& place) {
            return show(service, place, *args);
        };
        exit_code = run_on_service(name, args->store, store_use::look, work);
    });
}

}  // namespace

void add_queue_command(CLI::App& app, int& exit_code)
{
    add_queue_view(app, exit_code, "queue", "Show what stands in the queue of a store, and what no worker can run",
             R"(By tenant, graph and phase: how many runs there are, and since when the oldest one is.
  queued     behind another run of its thread, or before its moment
  ready      for the next worker that has a place, and the graph
  running    a worker has it

A run whose graph, or revision of a graph, no living worker has waits until one comes. Such runs are listed below the
others, and the command ends with 1.

Examples:
  weft queue --store postgresql://me@host/db
  weft queue --tenant acme --json | jq '[.depths[].count] | add'

Exit status: 0 shown, 1 there are runs that no worker can run, or the store says no, 2 wrong usage or no store.)",
             &show_queue);
}

void add_workers_command(CLI::App& app, int& exit_code)
{
    add_queue_view(app, exit_code, "workers", "List the processes that perform the runs of a store",
             R"(Each process has a number of its own for each life. SEEN is its last sign of life; one that gives none
for its lifetime is lost, and others go on with its runs. GRAPHS are those whose runs it takes: all, some, or none if
it only enters runs for others.

Examples:
  weft workers --store postgresql://me@host/db
  weft workers --json | jq -r '.[] | select(.is_alive).name'

Exit status: 0 shown, 1 the store says no, 2 wrong usage or no store.)",
             &show_workers);
}

}  // namespace weft_cli
