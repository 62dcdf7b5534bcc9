#include "run_setup.hpp"

#include "graph/graph_file.hpp"
#include "graph/mcp_sign_in.hpp"
#include "graph/problem.hpp"
#include "graph/run_input.hpp"
#include "graph/run_tools.hpp"
#include "run_telemetry.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/list_option.hpp"

#include <weft/agent/memory/document_index.hpp>
#include <weft/agent/node/model_route_decider.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/run/spec_options.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/graph/spec/spec_mistake.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

namespace weft_cli {

namespace {

void add_node_names(const weft::graph& graph, std::vector<std::string_view>& names)
{
    for (const std::string_view name : graph.node_names()) {
        names.push_back(name);
        const auto& body = graph.node(graph.find(name)).body;
        if (const weft::subgraph* const inner = body ? body->inner() : nullptr) add_node_names(inner->graph, names);
    }
}

constexpr const char* keeping_group = "Kept runs";

bool has_mistakes(const run_surroundings& around, const run_args& args, const file_text& file)
{
    const weft::node_registry registry = make_registry(around, stubbed_functions{args.stubs}, true);
    return !make_graph_file(args.file, file, registry).mistakes.empty();
}

void add_tools(run_surroundings& around, const run_args& args, const file_text& file)
{
    const std::optional<server_specs> servers = servers_of(args.file, file);
    const std::shared_ptr<weft::tool_set> tools =
        allowed_tools(args.allowed, servers.value_or(server_specs{}), around.documents);
    around.tools = tools;
    const server_specs started = servers ? allowed_servers(args.allowed, *servers) : server_specs{};
    if (started.empty()) return;
    around.tools = foreseen_tools(args.allowed, *servers);
    if (has_mistakes(around, args, file)) return;  // the reading that follows tells them; nothing was started
    weft::mcp_servers_options options;
    options.oauth = sign_in_at_terminal(args.mcp_tokens);
    around.servers = std::make_shared<const weft::mcp_servers>(started, std::move(options));
    tools->add(*around.servers->tools());
    around.tools = tools;
}

}  // namespace

void add_node_options(CLI::App& command, run_args& args)
{
    add_list(command, "--stub", args.stubs, "What a node with this function of a C++ program writes, as a JSON object")
        ->type_name("FUNCTION=JSON");
    add_comma_list(command, "--allow", args.allowed,
                   "Tools for models: http_fetch, files=FOLDER, files-write=FOLDER, mcp=SERVER of the file; http=HOST: "
                   "a service of your own for nodes of the kind http")
        ->type_name("TOOL");
    command.add_option("--mcp-tokens", args.mcp_tokens,
                       "Keep the OAuth tokens of MCP servers in this file, which only its owner may read")
        ->type_name("FILE");
    add_otlp_option(command, args.otlp);
}

void add_run_options(CLI::App& command, run_args& args)
{
    add_list(command, "-i,--input", args.inputs, "A first value of the state; again for each further one")
        ->type_name("KEY=VALUE|@FILE");
    add_node_options(command, args);
    command.add_flag("--json", args.is_json, "Write events as lines of JSON, and the result as the last one");
    command.add_option("--log", args.log, "Write them to this file as well, for weft trace")->type_name("FILE");
    command.add_option("--steps-max", args.steps_max, "Visits of nodes at most; 0: no limit")->type_name("N");
    command.add_option("--timeout", args.timeout, "Time for the whole run, e.g. 90s or 5m")->type_name("SPAN");
    command.add_option("--prices", args.prices, "What models cost, for a budget of money; see MODEL_DECORATORS.md")
        ->type_name("FILE");
    command
        .add_option("--memory", args.memory,
                    "Where agents' memory and cached results go: a file, or PostgreSQL's URL; else with the thread")
        ->type_name("FILE|URL");
    command.add_flag("--require-goal", args.requires_goal, "Fail if the graph has a goal and it is not met");
    command.add_flag("-q,--quiet", args.is_quiet, "Show the result only");
}

void add_keeping_options(CLI::App& command, run_args& args)
{
    add_store_options(command, args.store);
    command.add_option("--durability", args.durability, "When it is kept; async waits for nothing, on_exit loses more")
        ->check(CLI::IsMember({"every_step", "async", "on_exit"}))
        ->type_name("MODE")
        ->capture_default_str()
        ->group(keeping_group);
    command.add_option("--keep-last", args.keep_last, "Checkpoints that stay when the run ends; 0: all")
        ->type_name("N")
        ->capture_default_str()
        ->group(keeping_group);
    command.add_option("--migration", args.migration, "What was renamed since the thread ran; see weft compat --help")
        ->type_name("FILE")
        ->group(keeping_group);
}

run_surroundings surroundings_of(const run_args& args, const file_text& file,
                                 std::map<std::string, std::string> said)
{
    run_surroundings around;
    around.model = model_of(weft::process_environment(), read_prices(args.prices), args.limiter);
    around.knows_prices = !args.prices.empty();
    if (around.model) around.decider = std::make_shared<weft::model_route_decider>(around.model);
    const bool outlives = !args.memory.empty() || !args.thread.empty();
    around.memory = std::make_shared<run_memory>(store_args{args.memory, args.store.tenant, args.store.keys},
                                                 outlives);
    if (std::shared_ptr<weft::embedding_model> model = embeddings_of(weft::process_environment()))
        around.documents = std::make_shared<const weft::semantic_items>(around.memory->documents(), std::move(model),
                                                                        weft::document_fields());
    around.trusts = allowed_hosts(args.allowed);
    around.live = args.live;
    add_tools(around, args, file);
    around.person = std::make_shared<terminal_person>(std::move(said));
    return around;
}

std::optional<weft::loaded_graph> load_for_run(std::string_view command, const run_args& args,
                                               file_text file, const run_surroundings& around,
                                               bool questions_are_kept)
{
    const stubbed_functions stubs{args.stubs};
    graph_file made =
        make_graph_file(args.file, std::move(file), make_registry(around, stubs, questions_are_kept));
    if (tell_mistakes(command, made) != all_good) return std::nullopt;
    stubs.check_names(args.file);
    return std::move(made.loaded);
}

weft::run_options options_of(const run_args& args, const weft::graph_spec& spec, const run_surroundings& around)
{
    weft::run_options otherwise;
    otherwise.stop_grace(std::chrono::milliseconds{200});  // Ctrl-C should end the program soon
    weft::run_options options = weft::run_options_of(spec, std::move(otherwise));
    if (around.decider) options.decider(around.decider);
    if (around.memory) options.memory(around.memory->space());
    if (args.steps_max) options.steps_max(*args.steps_max);
    if (args.timeout.empty()) return options;
    options.elapsed_max(span_of("--timeout", args.timeout, "90s, 5m or 250ms"));
    return options;
}

std::map<std::string, std::string> said_by_node(const std::vector<std::string>& args)
{
    std::map<std::string, std::string> said;
    for (const std::string& word : args) {
        auto [node, text] = split_at_equals("--answer", word);
        said.insert_or_assign(std::move(node), std::move(text));
    }
    return said;
}

void check_answers(const std::map<std::string, std::string>& said, const weft::loaded_graph& loaded)
{
    std::vector<std::string_view> known;
    add_node_names(loaded.what, known);
    for (const auto& [name, text] : said) {
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw usage_error{"--answer " + name + ": the graph has no node '" + name + "'" +
                              weft::known_names(name, known)};
        for (const weft::node_spec& node : loaded.spec.nodes)
            if (node.name == name && node.kind != "human" && node.kind != "subgraph")
                throw usage_error{"--answer " + name + ": this node asks nobody; it is of the kind '" + node.kind +
                                  "', and only nodes of the kind 'human' ask"};
    }
}

std::map<std::string, std::string> said_to_nodes(const std::vector<std::string>& args,
                                                 const weft::loaded_graph& loaded)
{
    std::vector<std::string_view> known;
    add_node_names(loaded.what, known);
    std::map<std::string, std::string> said;
    for (const std::string& word : args) {
        const std::size_t at = word.find('=');
        if (at == word.npos) continue;
        const std::string name = word.substr(0, at);
        const bool is_node = std::find(known.begin(), known.end(), name) != known.end();
        if (is_node) said.insert_or_assign(name, word.substr(at + 1));
    }
    return said;
}

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

}  // namespace weft_cli
