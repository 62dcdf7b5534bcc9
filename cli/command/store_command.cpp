#include "commands.hpp"

#include "graph/run_input.hpp"
#include "serve/served_graph_options.hpp"
#include "store/store_place.hpp"
#include "store/store_problem.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/people_lines.hpp"

#include <weft/base/json/json_text.hpp>
#include <weft/store/record/migration_plan.hpp>
#include <weft/store/service/event_sweeper.hpp>
#include <weft/store/service/run_sweeper.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft_cli {

namespace {

struct upgrade_args {
    store_args store = {};
    std::string action = {};
    retention_args retention = {};
    bool is_plan = false;
    bool is_json = false;
};

constexpr std::string_view way_name(weft::migration_way way) noexcept
{
    switch (way) {
        case weft::migration_way::at_once: return "at_once";
        case weft::migration_way::concurrently: return "concurrently";
        case weft::migration_way::in_batches: return "in_batches";
    }
    return "";
}

constexpr std::string_view lock_name(weft::migration_lock lock) noexcept
{
    switch (lock) {
        case weft::migration_lock::nothing: return "nothing";
        case weft::migration_lock::writers: return "writers";
        case weft::migration_lock::everything: return "everything";
    }
    return "";
}

boost::json::object plan_json(const weft::migration_plan& plan)
{
    boost::json::object shown{{"known", plan.known}, {"min_reader", plan.min_reader},
                              {"is_usable", plan.is_usable()}, {"is_under_way", plan.is_under_way}};
    shown["found"] = plan.found ? boost::json::value(*plan.found) : boost::json::value{};
    boost::json::array& statements = shown["statements"].emplace_array();
    for (const weft::planned_statement& each : plan.statements)
        statements.push_back(boost::json::object{{"version", each.version}, {"way", way_name(each.way)},
                                                 {"waits", lock_name(each.lock)}, {"table", each.table},
                                                 {"rows", each.rows}, {"text", each.text}});
    return shown;
}

std::string version_text(const store_place& place, const weft::migration_plan& plan)
{
    const std::string known = "this weft knows version " + std::to_string(plan.known);
    const std::string where = console::harmless_line(place.shown());
    if (!plan.found) return where + " has no tables of weft; " + known + ".\n";
    const std::string found = where + " has tables of version " + std::to_string(*plan.found) + "; " + known;
    if (plan.needs_newer_program())
        return found + ", and they need one that knows " + std::to_string(plan.min_reader) + ": use a newer weft.\n";
    if (*plan.found > plan.known) return found + " and works with them.\n";
    return found + ".\n";
}

/** What waits, and for how long. */
std::string wait_text(const weft::planned_statement& of)
{
    const std::string rows = of.rows > 0 ? ", about " + std::to_string(of.rows) + " rows" : "";
    if (of.table.empty()) return "nothing waits";
    if (of.way == weft::migration_way::concurrently) return "nothing waits; reads '" + of.table + "'" + rows;
    if (of.way == weft::migration_way::in_batches)
        return "changes '" + of.table + "'" + rows + ", 2000 at a time; who changes the same row waits";
    if (of.lock == weft::migration_lock::nothing) return "nothing waits";
    const char* const who = of.lock == weft::migration_lock::writers ? "writers" : "readers and writers";
    return std::string{who} + " of '" + of.table + "' wait, at most 0.25 s for the lock and then milliseconds;" +
           " no row is rewritten";
}

void show_plan(const store_place& place, const weft::migration_plan& plan)
{
    std::cout << version_text(place, plan);
    if (plan.is_under_way) std::cout << "A migration is under way, or was cut short; the plan is what is left.\n";
    if (plan.statements.empty()) {
        std::cout << "There is nothing to do.\n";
        return;
    }
    const bool is_file = place.what == store_place::kind::sqlite;
    int version = 0;
    for (const weft::planned_statement& each : plan.statements) {
        if (each.version != version) std::cout << "\nVersion " << each.version << '\n';
        version = each.version;
        std::cout << "  -- " << (is_file || !plan.found ? std::string{"nothing waits"} : wait_text(each)) << '\n'
                  << "  " << each.text << ";\n";
    }
    std::cout << "\nNothing was done. " << (place.what == store_place::kind::sqlite
                          ? "The file must be in use by no process then"
                          : "Programs on the database may go on meanwhile")
              << ": weft store migrate" << place.option() << '\n';
}

weft::task<int> look_at_store(store_place place, std::shared_ptr<upgrade_args> args)
{
    const weft::migration_plan plan = co_await plan_store(place);
    if (args->is_json) std::cout << weft::to_json_text(plan_json(plan)) << '\n';
    else if (args->is_plan) show_plan(place, plan);
    else std::cout << version_text(place, plan);
    co_return plan.is_usable() || (args->is_plan && !plan.needs_newer_program()) ? all_good : has_failed;
}

weft::task<int> migrate_store(store_place place, std::shared_ptr<upgrade_args> args)
{
    const weft::migration_plan before = co_await plan_store(place);
    co_await prepare_store(place);
    const weft::migration_plan after = co_await plan_store(place);
    if (args->is_json) std::cout << weft::to_json_text(plan_json(after)) << '\n';
    else if (before.statements.empty()) std::cout << version_text(place, after) << "There was nothing to do.\n";
    else std::cout << version_text(place, after);
    co_return all_good;
}

weft::task<int> prune_runs(weft::service_store& service, const store_place& place, retention_spans keep)
{
    const std::string where = " forgotten in " + console::harmless_line(place.shown()) + ".\n";
    if (keep.runs) {
        weft::run_sweeper sweeper{service, *keep.runs};
        const std::size_t count = co_await sweeper.sweep();
        std::cout << counted_text(count, "run") << where;
    }
    if (keep.events) {
        weft::event_sweeper sweeper{service, *keep.events};
        const weft::event_prune gone = co_await sweeper.sweep();
        std::cout << counted_text(gone.events, "event") << " of " << counted_text(gone.runs, "run") << where;
    }
    co_return all_good;
}

int prune_store(const upgrade_args& args)
{
    try {
        const retention_spans keep = spans_of(args.retention);
        if (!keep.runs && !keep.events)
            throw usage_error{"prune: say --keep-runs SPAN, how long a run stays after its end, e.g. 720h, or"
                              " --keep-events SPAN, how long its events do"};
        return run_on_service("store", args.store, store_use::change,
                              [keep](weft::service_store& service, const store_place& place) {
                                  return prune_runs(service, place, keep);
                              });
    } catch (const usage_error& e) {
        return tell_wrong("store", e);
    }
}

constexpr const char* store_footer =
    R"(Actions:
  version   which version the tables have, and which one this weft knows
  migrate   brings the tables to the version that this weft knows, or makes them; with --plan it only says how;
            with --tenant-role it makes the policies that weft serve --tenant-role needs, too
  prune     forgets runs that are over for longer than --keep-runs, of all tenants, with their events; with
            --keep-events only their events, but the newest of each run; dead runs and checkpoints stay (weft dead,
            weft prune)

Programs on a PostgreSQL database go on while it is migrated: locks are short, indexes are made beside readers and
writers. A program of an older version goes on with newer tables, unless these say that it must not. A migration that
was cut short goes on where it was. A file of SQLite must be in use by no process.

Examples:
  weft store version --store postgresql://me@host/db
  weft store migrate --plan --store postgresql://me@host/db
  weft store migrate --store runs.db
  weft store prune --keep-runs 720h --keep-events 168h --store postgresql://me@host/db

Exit status: 0 done, or this weft can use the tables; 1 it cannot, or the store says no; 2 wrong usage or no store.)";

}  // namespace

void add_store_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<upgrade_args>();
    CLI::App& command = *app.add_subcommand("store", "Look after a store: versions of its tables, runs that are over");
    command.add_option("ACTION", args->action, "version, migrate or prune")
        ->required()
        ->check(CLI::IsMember({"version", "migrate", "prune"}))
        ->type_name("");
    add_retention_options(command, args->retention);
    command.add_flag("--plan", args->is_plan, "With migrate: only print the statements, and what waits for them");
    command.add_flag("--json", args->is_json, "Write JSON");
    add_store_options(command, args->store);
    add_tenant_role_option(command, args->store);
    command.footer(store_footer);
    command.callback([args, &exit_code] {
        if (args->action == "prune") {
            exit_code = prune_store(*args);
            return;
        }
        const bool only_looks = args->action == "version" || args->is_plan;
        const auto work = [args, only_looks](store_place place) {
            return only_looks ? look_at_store(std::move(place), args) : migrate_store(std::move(place), args);
        };
        exit_code = run_on_place("store", args->store, work);
    });
}

}  // namespace weft_cli
