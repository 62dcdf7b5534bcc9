#include "saved_session.hpp"

#include "graph/migration_file.hpp"
#include "graph/run_input.hpp"
#include "run/run_session.hpp"
#include "run/run_telemetry.hpp"
#include "store/store_problem.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/shell_word.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/engine/checkpoint/checkpoint_outline.hpp>
#include <weft/engine/checkpoint/newest_checkpoint.hpp>

#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <utility>

namespace weft_cli {

namespace {

weft::task<thread_graph> graph_of(weft::checkpoint_store& store, weft::thread_key thread, const weft::checkpoint& head)
{
    weft::checkpoint_outline outline = co_await weft::read_outline(store, std::move(thread), head);
    thread_graph result;
    result.name = head.graph;
    result.shape = std::move(outline.shape);
    co_return result;
}

weft::task<std::optional<thread_graph>> read_graph_of_thread(store_place place, weft::thread_key thread)
{
    const std::unique_ptr<weft::checkpoint_store> store = co_await open_store(std::move(place), store_use::look);
    const auto load = [&] { return store->load(thread, std::nullopt); };
    const auto read = [&](const weft::checkpoint& head) { return graph_of(*store, thread, head); };
    std::optional<thread_graph> found = co_await weft::read_newest<thread_graph>(load, read);
    if (found) co_return found;
    const std::optional<weft::run_record> active = co_await store->active_run(thread);
    if (active) {
        found.emplace();
        found->name = active->graph;
    }
    co_return found;
}

weft::durability durability_named(const std::string& name)
{
    if (name == "async") return weft::durability::async_steps;
    return name == "on_exit" ? weft::durability::on_exit : weft::durability::every_step;
}

weft::durable_options keeping_of(const run_args& args, const store_place& place)
{
    const worker_times times = times_for(place);
    weft::durable_options options;
    options.park_for = {};  // who started the program waits with it
    options.worker_name = "weft, process " + std::to_string(::getpid());
    options.mode = durability_named(args.durability);
    options.lifetime = times.lifetime;
    options.heartbeat_every = times.heartbeat;
    options.poll_every = std::chrono::milliseconds{250};
    options.keep_last = args.keep_last;
    options.observer = telemetry_of(args.otlp, "run", false);
    return options;
}

/** The graph, with what leads to it from the one that the thread stands in. */
std::shared_ptr<const weft::durable_graphs> graphs_with(const run_args& args, const saved_run_order& order,
                                                        const weft::loaded_graph& loaded)
{
    auto graphs = std::make_shared<weft::durable_graphs>();
    weft::graph_migrations by;
    if (!args.migration.empty()) {
        const std::optional<thread_graph> before =
            graph_of_thread(order.place, order.source ? *order.source : order.thread);
        if (!before || before->shape.empty())
            throw usage_error{"--migration " + args.migration + ": the thread has no checkpoint that it could change"};
        by.add(read_migration(args.migration, before->shape, loaded.what));
    }
    graphs->add(loaded.what, order.options, std::move(by));
    return graphs;
}

/** The file that is taken for a graph where none is named: in this folder, by the graph's name. */
std::optional<std::string> usual_file_of(const std::string& graph)
{
    if (graph.find('/') != std::string::npos) return std::nullopt;
    std::error_code ignored;
    for (const char* const extension : {".json", ".yaml", ".yml"})
        if (std::string file = graph + extension; std::filesystem::exists(file, ignored)) return file;
    return std::nullopt;
}

std::string graph_option_of(const run_args& args, const std::string& graph)
{
    return args.file == usual_file_of(graph) ? std::string{} : " --graph " + shell_word(args.file);
}

/** What a person does next, if the run is not over. */
std::string next_steps(const ended_run& run, const run_args& args, const saved_run_order& order)
{
    const std::string graph_option = graph_option_of(args, order.graph);
    const std::string& thread = order.thread.thread;
    if (run.result.status == weft::run_status::paused) {
        const std::vector<weft::open_question>& open = run.saved->questions;
        const std::string commands = answering_commands(open, thread, graph_option, order.place);
        if (open.empty()) return "It is paused. To go on:\n" + commands;
        return "It waits for answers:\n" + questions_text(open) + "To answer and go on:\n" + commands;
    }
    if (run.result.ok()) return "";
    if (run.result.why && run.result.why->code == weft::errc::graph_changed) return "";
    const std::string kept = "What was done is kept. To go on:\n";
    return run.saved->is_unfinished ? kept + answering_commands({}, thread, graph_option, order.place) : "";
}

session_options showing_of(const run_args& args, const run_surroundings& around)
{
    session_options showing;
    showing.log = args.log;
    showing.person = around.person.get();
    if (args.is_json) showing.showing = run_showing::events;
    else if (args.is_quiet) showing.showing = run_showing::quiet;
    return showing;
}

void greet(const run_args& args, const run_surroundings& around, const saved_run_order& order,
           const console::screen& screen)
{
    if (args.is_quiet) return;
    const std::string text = greeting_of(around) + "\nKept in " + console::harmless_line(order.place.shown()) +
                             " as thread " + console::harmless_line(order.thread.thread) + ".";
    if (args.is_json) std::cerr << text << '\n';
    else screen.write_wrapped(text + "\n");
}

}  // namespace

std::optional<thread_graph> graph_of_thread(const store_place& place, const weft::thread_key& thread)
{
    std::error_code ignored;
    if (place.what == store_place::kind::sqlite && !std::filesystem::exists(place.where, ignored)) return std::nullopt;
    return weft::run_blocking(read_graph_of_thread(place, thread));
}

std::string graph_file_of(const std::string& named, const store_place& place, const weft::thread_key& thread)
{
    if (!named.empty()) return named;
    const std::optional<thread_graph> graph = graph_of_thread(place, thread);
    if (!graph) return "";
    if (std::optional<std::string> file = usual_file_of(graph->name)) return *std::move(file);
    throw usage_error{"thread '" + thread.thread + "' is of the graph '" + graph->name + "', and there is no " +
                      graph->name + ".json or .yaml here: name the graph's file with --graph"};
}

saved_run_order make_order(const run_args& args, const run_surroundings& around, const weft::loaded_graph& loaded,
                          saved_run_order order)
{
    order.graph = loaded.what.name();
    order.options = options_of(args, loaded.spec, around);
    order.inputs = read_inputs(args.inputs, loaded.spec, std::cin);
    order.first = first_state(loaded.what, order.inputs);
    order.keeping = keeping_of(args, order.place);
    order.person = around.person;
    order.memory = around.memory;
    order.is_quiet = args.is_quiet;
    order.graphs = graphs_with(args, order, loaded);
    return order;
}

int run_and_keep(const run_args& args, const run_surroundings& around, const saved_run_order& order)
{
    const console::screen screen;
    greet(args, around, order, screen);
    saved_run_report report;
    const run_starter start = [&](weft::run_request::event_function watcher) {
        return keep_run(order, report, std::move(watcher));
    };
    ended_run ended = run_and_show(order.graph, start, showing_of(args, around), [&](ended_run& run) {
        run.before = report.before;
        run.saved = report.saved;
    });
    const std::string next = next_steps(ended, args, order);
    if (args.is_json) {
        if (!args.is_quiet) std::cerr << next;
    } else {
        if (!args.is_quiet) console::screen::write("\n");
        console::screen::write(result_text(ended, screen));
        if (!next.empty()) console::screen::write("\n" + next);
    }
    tell_failure(order.command, ended, args.requires_goal);
    return exit_code_of(ended, args.requires_goal);
}

void tell_failure(const std::string& command, const ended_run& run, bool requires_goal)
{
    if (run.result.status == weft::run_status::failed) {
        std::cerr << "weft " << command << ": " << console::harmless_line(run.result.message()) << '\n';
        const std::string remedy = run.result.why ? remedy_for(run.result.why->code) : "";
        if (!remedy.empty()) std::cerr << remedy << '\n';
    }
    if (requires_goal && run.result.goal && !run.result.goal->is_met)
        std::cerr << "weft " << command << ": the goal is not met, and --require-goal is given\n";
}

}  // namespace weft_cli
