// Cookbook: tools of an MCP server for a model. The server is a program that speaks by its standard input and output.

// [program]
#include <weft/agent/react_agent.hpp>
#include <weft/base/environment.hpp>
#include <weft/base/json.hpp>
#include <weft/model/any_model.hpp>
#include <weft/model/model_environment.hpp>
#include <weft/testing/scripted_model.hpp>
#include <weft/tool/mcp/mcp_stdio_transport.hpp>
#include <weft/tool/mcp_tools.hpp>
#include <weft/weft.hpp>

#include <boost/json/serialize.hpp>

#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace json = boost::json;

// A small server, so that this runs without another program: one JSON message per line in, one out.
json::value answer_to(std::string_view method, const json::object& message)
{
    if (method == "initialize")
        return {{"protocolVersion", "2025-11-25"}, {"capabilities", {{"tools", json::object{}}}},
                {"serverInfo", {{"name", "stock"}, {"version", "1"}}}};
    if (method == "tools/list")
        return weft::parse_json(R"({"tools":[{"name":"count","description":"How many of an item are there.",
            "inputSchema":{"type":"object","properties":{"item":{"type":"string"}},"required":["item"]}}]})");
    if (method != "tools/call") return nullptr;
    const json::string& item = message.at("params").at("arguments").at("item").as_string();
    const char* const found = item == "umbrella" ? "2 umbrellas" : "none";
    return {{"content", json::array{json::object{{"type", "text"}, {"text", found}}}}};
}

int be_a_server()
{
    for (std::string line; std::getline(std::cin, line);) {
        const json::value parsed = weft::parse_json(line);
        const json::object& message = parsed.as_object();
        if (!message.contains("id")) continue;  // a notification
        json::object reply{{"jsonrpc", "2.0"}, {"id", message.at("id")}};
        json::value result = answer_to(message.at("method").as_string(), message);
        if (result.is_null()) reply.emplace("error", json::object{{"code", -32601}, {"message", "unknown method"}});
        else reply.emplace("result", std::move(result));
        std::cout << json::serialize(reply) << '\n' << std::flush;
    }
    return 0;
}

// Without a model in the environment a script answers.
std::shared_ptr<weft::chat_model> make_model()
{
    if (auto named = weft::read_any_model_environment(weft::process_environment()))
        return weft::make_model(weft::http_client{}, std::move(*named));
    using weft::testing::scripted_turn;
    auto script = std::make_shared<weft::testing::scripted_model>();
    script->then(scripted_turn{}.call("stock__count", {{"item", "umbrella"}}))
        .then(scripted_turn{"There are two umbrellas left."});
    return script;
}

// Starts the server, makes tools of its tools, and gives them to an agent. The client outlives the run.
weft::task<weft::run_result> ask(std::vector<std::string> server, std::string question)
{
    weft::mcp_client client{weft::mcp_stdio(weft::mcp_program{std::move(server)})};
    weft::mcp_tools_options options;
    options.prefix = "stock";
    options.on_refused = [](const weft::mcp_refused_tool& tool) {
        std::clog << "left out: " << tool.name << ": " << tool.reason << '\n';
    };
    const auto tools = co_await weft::mcp_tools(client, std::move(options));
    weft::react_options agent;
    agent.settings.system = "You help in a shop. Answer from what the tools say.";
    for (const std::shared_ptr<weft::tool>& each : tools) agent.tools.add(each);
    std::clog << "tools: " << agent.tools.names() << '\n';
    const weft::react_agent helper{make_model(), std::move(agent)};
    const weft::engine engine{helper.graph()};
    weft::run_request request = weft::run_request{}.input(weft::react_messages, weft::message::user(question));
    weft::run_result result = co_await engine.run(std::move(request));
    co_await client.close();  // takes leave; a server that stays is killed after `exit_patience`
    co_return result;
}

// mcp_tools [COMMAND ARGUMENTS…], such as: mcp_tools npx -y @modelcontextprotocol/server-filesystem /srv/files
int main(int count, char** words)
try {
    std::vector<std::string> server(words + 1, words + count);
    if (count == 2 && server[0] == "--serve") return be_a_server();
    if (server.empty()) server = {words[0], "--serve"};
    const weft::run_result result = weft::run_blocking(ask(std::move(server), "How many umbrellas are left?"));
    if (result.status != weft::run_status::finished) return std::cerr << result.message() << '\n', 1;
    bool has_asked_server = false;
    for (const weft::message& said : result.state.get(weft::react_messages)) {
        std::cout << name_of(said.role) << ": " << said.text() << '\n';
        has_asked_server |= said.text().find("2 umbrellas") != std::string::npos;
    }
    return has_asked_server || count > 1 ? 0 : 1;
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';  // the server did not start, ended, or is no MCP server; its last words are there
    return 1;
}
// [/program]
