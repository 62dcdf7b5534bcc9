#include "run_command.hpp"

#include "exit_codes.hpp"
#include "graph_file.hpp"
#include "problem.hpp"
#include "run_input.hpp"
#include "run_registry.hpp"
#include "run_session.hpp"
#include "run_tools.hpp"

#include <weft/agent/model_route_decider.hpp>
#include <weft/engine/engine.hpp>
#include <weft/engine/spec_options.hpp>
#include <weft/graph/spec_duration.hpp>
#include <weft/graph/spec_mistake.hpp>
#include <weft/graph/subgraph.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft_cli {

namespace {

struct run_words {
    std::string file = {};
    std::vector<std::string> inputs = {};
    std::vector<std::string> stubs = {};
    std::vector<std::string> answers = {};
    std::vector<std::string> allowed = {};
    std::string log = {};
    std::string timeout = {};
    std::string prices = {};
    std::optional<std::uint32_t> steps_max = {};
    bool is_json = false;
    bool is_quiet = false;
    bool requires_goal = false;
};

weft::run_options options_of(const run_words& words, const weft::graph_spec& spec, const run_surroundings& around)
{
    weft::run_options otherwise;
    otherwise.stop_grace(std::chrono::milliseconds{200});  // whoever presses Ctrl-C does not want to wait
    weft::run_options options = weft::run_options_of(spec, std::move(otherwise));
    if (around.decider) options.decider(around.decider);
    if (words.steps_max) options.steps_max(*words.steps_max);
    if (words.timeout.empty()) return options;
    const auto span = weft::spec_duration::parse(words.timeout);
    if (!span)
        throw usage_error{"--timeout " + words.timeout + ": write a whole number and a unit, e.g. 90s, 5m or 250ms"};
    options.elapsed_max(span->span());
    return options;
}

std::map<std::string, std::string> answers_of(const run_words& words)
{
    std::map<std::string, std::string> answers;
    for (const std::string& word : words.answers) {
        auto [node, text] = split_at_equals("--answer", word);
        answers.insert_or_assign(std::move(node), std::move(text));
    }
    return answers;
}

void add_node_names(const weft::graph& graph, std::vector<std::string_view>& names)
{
    for (const std::string_view name : graph.node_names()) {
        names.push_back(name);
        const auto& body = graph.node(graph.find(name)).body;
        if (const weft::subgraph* const inner = body ? body->inner() : nullptr) add_node_names(inner->what(), names);
    }
}

/** An answer that nobody will ask for is a slip. */
void check_answers(const std::map<std::string, std::string>& answers, const weft::loaded_graph& loaded)
{
    std::vector<std::string_view> known;
    add_node_names(loaded.what, known);
    for (const auto& [name, text] : answers) {
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw usage_error{"--answer " + name + ": the graph has no node '" + name + "'" +
                              weft::known_names(name, known)};
        for (const weft::node_spec& node : loaded.spec.nodes)
            if (node.name == name && node.kind != "human" && node.kind != "subgraph")
                throw usage_error{"--answer " + name + ": this node asks nobody; it is of the kind '" + node.kind +
                                  "', and only nodes of the kind 'human' ask"};
    }
}

/** The state that a run begins with. */
boost::json::object first_state(const weft::graph& graph, const boost::json::object& inputs)
{
    weft::state first{graph.layout()};
    try {
        first.assign_json(inputs);
        return first.to_json();
    } catch (const weft::error& e) {
        throw usage_error{std::string{"the input does not fit: "} + e.what()};
    }
}

void tell_failure(const ended_run& run, bool requires_goal)
{
    if (run.result.status == weft::run_status::failed) {
        std::cerr << "weft run: " << console::harmless_line(run.result.message()) << '\n';
        const std::string remedy = run.result.why ? remedy_for(run.result.why->code) : "";
        if (!remedy.empty()) std::cerr << remedy << '\n';
    }
    if (requires_goal && run.result.goal && !run.result.goal->is_met)
        std::cerr << "weft run: the goal is not met, and --require-goal is given\n";
}

/** The file as a graph that runs. Nothing after mistakes, which were told. */
std::optional<weft::loaded_graph> load(const run_words& words, const run_surroundings& around)
{
    const stubbed_functions stubs{words.stubs};
    graph_file file = read_graph_file(words.file, make_registry(around, stubs));
    if (tell_mistakes("run", file) != all_good) return std::nullopt;
    stubs.check_names(words.file);
    return std::move(file.loaded);
}

int run_loaded(const run_words& words, const run_surroundings& around, const weft::loaded_graph& loaded)
{
    boost::json::object inputs = read_inputs(words.inputs, loaded.spec, std::cin);
    boost::json::object before = first_state(loaded.what, inputs);
    auto request = weft::run_request{}.options(options_of(words, loaded.spec, around)).input(std::move(inputs));
    session_options showing;
    showing.log = words.log;
    showing.person = around.person.get();
    if (words.is_json) showing.showing = run_showing::events;
    else if (words.is_quiet) showing.showing = run_showing::quiet;
    const console::screen screen;
    if (!words.is_quiet) {
        if (words.is_json) std::cerr << greeting_of(around) << '\n';
        else screen.write_wrapped(greeting_of(around) + "\n");
    }
    ended_run ended = run_and_show(loaded.what, std::move(request), showing);
    ended.before = std::move(before);
    if (!words.is_json) {
        if (!words.is_quiet) console::screen::write("\n");
        console::screen::write(result_text(ended, screen));
    }
    tell_failure(ended, words.requires_goal);
    return exit_code_of(ended, words.requires_goal);
}

int run(const run_words& words)
{
    try {
        run_surroundings around;
        around.model = model_of(weft::process_environment(), read_prices(words.prices));
        if (around.model) around.decider = std::make_shared<weft::model_route_decider>(around.model);
        const std::map<std::string, std::string> answers = answers_of(words);
        around.tools = allowed_tools(words.allowed);
        around.person = std::make_shared<terminal_person>(answers);
        const std::optional<weft::loaded_graph> loaded = load(words, around);
        if (!loaded) return wrong_usage;
        check_answers(answers, *loaded);
        const int exit_code = run_loaded(words, around, *loaded);
        std::cout.flush();
        // A name lookup that the system is still busy with cannot be stopped, and would be waited for.
        if (exit_code == has_failed || exit_code > has_paused) std::quick_exit(exit_code);
        return exit_code;
    } catch (const usage_error& e) {
        std::cerr << "weft run: " << console::harmless(e.what()) << '\n';
    } catch (const weft::error& e) {  // the environment names no model that can be asked
        std::cerr << "weft run: " << console::harmless(e.what()) << '\n';
    }
    return wrong_usage;
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

Examples:
  weft run hello.json --input who=Ada
  weft run triage.json --input @request.json --log run.jsonl && weft trace run.jsonl
  weft run triage.json --stub 'classify={"category": "billing"}' --stub 'answer={"answer": "Paid."}'
  weft run report.json --json | jq 'select(.kind == "output").text'

Ctrl-C stops everything and says what was cut short; a second one ends the program at once.
Exit status: 0 finished, 1 failed, 2 wrong usage or file, 3 paused, 130 stopped by Ctrl-C.)";

}  // namespace

void add_run_command(CLI::App& app, int& exit_code)
{
    const auto words = std::make_shared<run_words>();
    CLI::App& command = *app.add_subcommand("run", "Run a graph file and watch it work");
    command.add_option("FILE", words->file, "Graph file")->required()->type_name("");
    const auto add_list = [&command](const char* name, std::vector<std::string>& list, const char* about) {
        return command.add_option(name, list, about)
            ->allow_extra_args(false)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    };
    add_list("-i,--input", words->inputs, "A first value of the state; again for each further one")
        ->type_name("KEY=VALUE|@FILE");
    add_list("--stub", words->stubs, "What a node with this function of a C++ program writes, as a JSON object")
        ->type_name("FUNCTION=JSON");
    add_list("--answer", words->answers, "What a person says to this node, instead of being asked")
        ->type_name("NODE=TEXT");
    add_list("--allow", words->allowed, "What models may have done: http_fetch, files=FOLDER, files-write=FOLDER")
        ->type_name("TOOL");
    command.add_flag("--json", words->is_json, "Write events as lines of JSON, and the result as the last one");
    command.add_option("--log", words->log, "Write them to this file as well, for weft trace")->type_name("FILE");
    command.add_option("--steps-max", words->steps_max, "Visits of nodes at most; 0: no limit")->type_name("N");
    command.add_option("--timeout", words->timeout, "Time for the whole run, e.g. 90s or 5m")->type_name("SPAN");
    command.add_option("--prices", words->prices, "What models cost, for a budget of money; see MODEL_DECORATORS.md")
        ->type_name("FILE");
    command.add_flag("--require-goal", words->requires_goal, "Fail if the graph has a goal and it is not met");
    command.add_flag("-q,--quiet", words->is_quiet, "Show the result only");
    command.footer(run_footer);
    command.callback([words, &exit_code] { exit_code = run(*words); });
}

}  // namespace weft_cli
