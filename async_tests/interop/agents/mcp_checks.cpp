// An agent whose tools come from the test server "everything" of the Model Context Protocol's own project.

#include "agent_tools.hpp"
#include "checks.hpp"

#include <weft/agent/react_agent.hpp>
#include <weft/engine/engine.hpp>
#include <weft/tool/mcp/mcp_stdio_transport.hpp>
#include <weft/tool/mcp_client.hpp>
#include <weft/tool/mcp_tools.hpp>

#include <boost/json/serialize.hpp>

#include <string>
#include <utility>
#include <vector>

namespace interop::agents {

namespace {

weft::task<weft::run_result> count_with(const mock_server& server, weft::mcp_client& client)
{
    weft::mcp_tools_options which;
    which.prefix = "all";
    which.select = [](const weft::mcp_tool& tool) { return tool.name == "echo" || tool.name == "get-sum"; };
    const std::vector<std::shared_ptr<weft::tool>> found = co_await weft::mcp_tools(client, std::move(which));
    weft::react_options options;
    options.settings.system = "You count with tools.";
    for (const std::shared_ptr<weft::tool>& tool : found) options.tools.add(tool);
    const weft::react_agent agent{server.model(), std::move(options)};
    const weft::engine engine{agent.graph()};
    weft::run_request request;
    request.input(weft::react_messages, weft::message::user("Count."));
    weft::run_result result = co_await engine.run(std::move(request));
    expect_finished("the agent with the tools of others", result, "think act think act think");
    co_await client.close();
    co_return result;
}

}  // namespace

void check_mcp_tools(mock_server& server, const std::vector<std::string>& program)
{
    weft::mcp_client client{weft::mcp_stdio(weft::mcp_program{program})};
    const weft::run_result result = weft::run_blocking(count_with(server, client));
    expect("what it counted", result.state.get(weft::react_answer), "It is 42.");

    std::string results;
    for (const weft::message& one : result.state.get(weft::react_messages)) {
        if (one.role != weft::role::tool) continue;
        results += one.tool_call_id + (one.is_error ? "! " : " ");
    }
    expect("its results", results, "call_sum call_echo call_wrong! ");

    const std::vector<seen_request> sent = server.news();
    expect("the requests of the agent with the tools of others", sent.size(), 3U);
    expect("its tools", sent.at(0).tool_names(), "all__echo all__get-sum");
    const boost::json::object schema = sent.at(0).schema_of("all__get-sum");
    expect("the schema that the server gave", schema.at("properties").at("a").at("type").as_string(), "number");
    const boost::json::array& said = sent.at(1).messages();
    expect_part("the sum", boost::json::serialize(said.at(said.size() - 2)), "42");
    expect_part("the echo", sent.at(1).last_of("tool"), "hällo");
}

}  // namespace interop::agents
