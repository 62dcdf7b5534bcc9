#include "commands.hpp"

#include "graph/run_input.hpp"
#include "run/run_session.hpp"
#include "run/run_setup.hpp"
#include "run/run_telemetry.hpp"
#include "serve/studio_process.hpp"
#include "store/store_problem.hpp"
#include "terminal/console.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/list_option.hpp"
#include "thread/saved_session.hpp"

#include <weft/engine/engine.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace weft_cli {

namespace {

/** What only a run that begins takes. */
struct beginning_args : run_args {
    std::string on_busy = "reject";
    std::string idempotency_key = {};
    bool begins_anew = false;
    bool shows_studio = false;
};

weft::busy_policy policy_named(const std::string& name)
{
    if (name == "queue") return weft::busy_policy::queue;
    return name == "replace" ? weft::busy_policy::replace : weft::busy_policy::reject;
}

/** Whether nodes of the file use memory by what the file says. */
bool remembers(const weft::graph_spec& spec)
{
    const auto is_of_memory = [](const weft::node_spec& node) {
        return node.kind == "remember" || node.kind == "recall" || node.kind == "forget";
    };
    return spec.memory || std::any_of(spec.nodes.begin(), spec.nodes.end(), is_of_memory);
}

/** What a run that is not kept uses, and what watches it; null: nothing does. */
struct run_company {
    run_memory& memory;
    std::shared_ptr<weft::telemetry> telemetry;
    std::string_view graph;
};

weft::task<weft::run_result> run_in_company(const weft::engine& engine, weft::run_request request,
                                            const run_company& with)
{
    run_memory& memory = with.memory;
    weft::serial_loop& loop = co_await weft::this_task::loop();
    if (with.telemetry) with.telemetry->watch(request, loop, with.graph);
    weft::task<void> opening = memory.open(nullptr, {});
    co_await std::move(opening);
    struct at_end {
        run_memory& memory;
        ~at_end() { memory.close(); }
    } const closing{memory};
    weft::run_result result = co_await engine.run(std::move(request));
    co_return result;
}

/** A run that is not kept. */
int run_once(const run_args& args, const run_surroundings& around, const weft::loaded_graph& loaded)
{
    boost::json::object inputs = read_inputs(args.inputs, loaded.spec, std::cin);
    boost::json::object before = first_state(loaded.what, inputs);
    const auto request = weft::run_request{}.options(options_of(args, loaded.spec, around)).input(std::move(inputs));
    session_options showing;
    showing.log = args.log;
    showing.person = around.person.get();
    if (args.is_json) showing.showing = run_showing::events;
    else if (args.is_quiet) showing.showing = run_showing::quiet;
    const console::screen screen;
    if (!args.is_quiet) {
        if (args.is_json) std::cerr << greeting_of(around) << '\n';
        else screen.write_wrapped(greeting_of(around) + "\n");
    }
    if (!args.is_quiet && args.memory.empty() && remembers(loaded.spec))
        std::cerr << "weft run: what is remembered ends with this run: --memory FILE, or --thread NAME, keeps it\n";
    const weft::engine engine{loaded.what};
    const run_company with{*around.memory, telemetry_of(args.otlp, "run", false), loaded.what.name()};
    const run_starter start = [&](weft::run_request::event_function watcher) {
        return run_in_company(engine, weft::run_request{request}.on_event(std::move(watcher)), with);
    };
    ended_run ended = run_and_show(std::string{loaded.what.name()}, start, showing);
    ended.before = std::move(before);
    if (!args.is_json) {
        if (!args.is_quiet) console::screen::write("\n");
        console::screen::write(result_text(ended, screen));
    }
    tell_failure("run", ended, args.requires_goal);
    if (!ended.result.questions.empty())
        std::cerr << "weft run: it waits for an answer or an event, which reaches only runs that are kept: --thread "
                     "NAME keeps it\n";
    return exit_code_of(ended, args.requires_goal);
}

void check_keeping(const beginning_args& args)
{
    const bool keeps = !args.thread.empty();
    const bool is_meant = !args.store.store.empty() || !args.store.tenant.empty() || !args.store.keys.empty() ||
                          !args.idempotency_key.empty() || args.on_busy != "reject" || !args.migration.empty() ||
                          args.begins_anew;
    if (!keeps && is_meant)
        throw usage_error{"--thread is missing: only runs of a thread are kept; name it, e.g. --thread trip-1"};
}

saved_run_order order_of(const beginning_args& args, const store_place& place)
{
    saved_run_order order;
    order.place = place;
    order.thread = weft::thread_key{args.thread, place.tenant};
    order.busy = policy_named(args.on_busy);
    order.idempotency_key = args.idempotency_key;
    order.begins_anew = args.begins_anew;
    return order;
}

int run_as_said(const beginning_args& args)
{
    check_keeping(args);
    const bool keeps = !args.thread.empty();
    const std::map<std::string, std::string> said = said_by_node(args.answers);
    std::optional<saved_run_order> order;
    if (keeps) order = order_of(args, store_place::of(args.store, weft::process_environment()));
    file_text file = read_graph_text(args.file);
    const run_surroundings around = surroundings_of(args, file, said);
    const std::optional<weft::loaded_graph> loaded = load_for_run("run", args, std::move(file), around, keeps);
    if (!loaded) return wrong_usage;
    check_answers(said, *loaded);
    if (!order) return run_once(args, around, *loaded);
    order->said = said;
    return run_and_keep(args, around, make_order(args, around, *loaded, std::move(*order)));
}

/** The page shows the run and takes answers, and the run has a thread of its own. */
void refuse_beside_studio(const beginning_args& args)
{
    const std::pair<const char*, bool> others[]{
        {"--answer", !args.answers.empty()},    {"--json", args.is_json},
        {"--log", !args.log.empty()},           {"--quiet", args.is_quiet},
        {"--require-goal", args.requires_goal}, {"--thread", !args.thread.empty()},
        {"--on-busy", args.on_busy != "reject"}, {"--idempotency-key", !args.idempotency_key.empty()},
        {"--anew", args.begins_anew},           {"--durability", args.durability != "every_step"},
        {"--migration", !args.migration.empty()}, {"--tenant", !args.store.tenant.empty()}};
    for (const auto& [name, is_given] : others)
        if (is_given)
            throw usage_error{std::string{name} + ": it does not go with --studio, where a page shows the run, takes "
                                                  "answers and gives it a thread of its own; leave one of them out"};
    if (args.store.store.empty() && !args.store.keys.empty())
        throw usage_error{"--keys: without --store nothing is kept that could be sealed"};
}

int run_with_page(const beginning_args& args)
{
    refuse_beside_studio(args);
    store_place place;
    place.what = store_place::kind::memory;
    place.where = "";
    if (!args.store.store.empty()) place = store_place::of(args.store, weft::process_environment());
    return run_in_studio(args, place);
}

int run(const beginning_args& args)
{
    try {
        const int exit_code = args.shows_studio ? run_with_page(args) : run_as_said(args);
        std::cout.flush();
        // A name lookup that the system is still busy with cannot be stopped, and would be waited for.
        if (exit_code == has_failed || exit_code > has_paused) std::quick_exit(exit_code);
        return exit_code;
    } catch (const usage_error& e) {
        return tell_wrong("run", e);
    } catch (const weft::error& e) {  // the environment names no model that can be asked, or the store says no
        return tell_wrong("run", e);
    }
}

constexpr const char* run_footer =
    R"(Values: of a key of the type string the text as it is; of any other key JSON, e.g. --input urgency=9
--input 'tags=["a", "b"]'. @FILE is a JSON object of values by key, @- the same on standard input.

Which model answers:
  WEFT_LLM_URL      base URL of an OpenAI-compatible endpoint, up to and without /chat/completions
  WEFT_LLM_API_KEY  its key, if it wants one
  WEFT_LLM_MODEL    the model to ask
  OPENAI_API_KEY    alone: asks OpenAI; ANTHROPIC_API_KEY and GEMINI_API_KEY likewise
  WEFT_LLM_PROVIDER openai (the default), openai_responses, anthropic, gemini or ollama: whose API the endpoint has
  none of these     nobody is asked: replies are scripted, which costs nothing

Functions that a file names belong to a C++ program. --stub says by hand what a node with one writes.

With --thread the run is kept after every step, by default in the file weft.db: Ctrl-C, a crash or a question lose
nothing. weft resume goes on, and so does the same command again; weft threads, history, show, fork look at it.

With --studio a page shows the run, takes answers and begins further ones; its address is printed. It stays when the run
is over, until Ctrl-C. Runs and page are in the memory of the program, unless --store names a store: then weft serve
--studio shows them later.

Examples:
  weft run hello.json --input who=Ada
  weft run trip.json --thread trip-1
  weft run trip.json --thread trip-1 --store postgresql://me@host/db --on-busy queue
  weft run triage.json --input @request.json --log run.jsonl && weft trace run.jsonl
  weft run assistant.json --input user=ada --memory memory.db
  weft run triage.json --stub 'classify={"category": "billing"}' --stub 'answer={"answer": "Paid."}'
  weft run trip.json --input place=Lisbon --studio
  weft run report.json --json | jq 'select(.kind == "output").text'

Ctrl-C stops everything and says what was cut short; a second one ends the program at once.
Exit status: 0 finished, 1 failed, or its thread or store is busy or away, 2 wrong usage or file, 3 paused or waiting
for answers, 130 stopped by Ctrl-C; with --studio by how the run stood then.)";

}  // namespace

void add_run_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<beginning_args>();
    CLI::App& command = *app.add_subcommand("run", "Run a graph file and watch it work");
    command.add_option("FILE", args->file, "Graph file")->required()->type_name("");
    add_run_options(command, *args);
    add_list(command, "--answer", args->answers, "What a person says to this node, instead of being asked")
        ->type_name("NODE=TEXT");
    command.add_flag("--studio", args->shows_studio,
                     "Show the run on a page that only this machine reaches, until Ctrl-C; in memory, or in --store");
    const char* const kept = "Kept runs";
    command.add_option("--thread", args->thread, "Keep the run, under this name: it survives the program")
        ->type_name("NAME")
        ->group(kept);
    command.add_option("--on-busy", args->on_busy, "If the thread has a run under way")
        ->check(CLI::IsMember({"reject", "queue", "replace"}))
        ->type_name("POLICY")
        ->capture_default_str()
        ->group(kept);
    command
        .add_option("--idempotency-key", args->idempotency_key,
                    "A second run with this key gives the first one's result")
        ->type_name("KEY")
        ->group(kept);
    command
        .add_flag("--anew", args->begins_anew,
                  "Begin at the graph's start, though the thread's last run failed or was stopped and could go on")
        ->group(kept);
    add_keeping_options(command, *args);
    command.footer(run_footer);
    command.callback([args, &exit_code] { exit_code = run(*args); });
}

}  // namespace weft_cli
