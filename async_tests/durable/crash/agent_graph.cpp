#include "agent_graph.hpp"

#include "telling_model.hpp"

#include <weft/agent/turn_agent.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/tool/mcp/mcp_stdio_transport.hpp>
#include <weft/tool/mcp_tools.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <utility>

namespace weft_crash {

namespace {

constexpr std::int64_t talks = 3;  // of writer and critic

constexpr weft::state_key<std::string> topic{"topic"};
constexpr weft::state_key<std::string> found{"found"};
constexpr weft::state_key<std::string> wanted{"wanted"};
constexpr weft::state_key<std::string> draft{"draft"};
constexpr weft::state_key<std::string> critique{"critique"};
constexpr weft::state_key<std::int64_t> talk{"talk"};

using notes_ptr = std::shared_ptr<const weft_tests::ledger>;

struct looked_for {
    std::string what;
    std::string thread;
};
BOOST_DESCRIBE_STRUCT(looked_for, (), (what, thread))

weft::turn_agent make_agent(std::string name, std::vector<std::vector<std::string>> calls, weft::tool_set tools,
                            const notes_ptr& notes)
{
    weft::turn_agent_options options;
    options.name = name;
    auto model = std::make_shared<telling_model>(std::move(name), notes);
    model->calls(std::move(calls));
    options.models.push_back(std::move(model));
    options.tools = std::move(tools);
    return weft::turn_agent{std::move(options)};
}

weft::tool_set tools_of(std::vector<std::shared_ptr<weft::tool>> archive, const notes_ptr& notes)
{
    weft::tool_set tools;
    tools.add("look", "Looks something up.", [notes](looked_for asked, weft::tool_context& of) {
        notes->note({"effect", of.thread, "look." + asked.what, of.idempotency_key});
        return "seen " + asked.what;
    });
    for (std::shared_ptr<weft::tool>& tool : archive) tools.add(std::move(tool));
    return tools;
}

/** The agent as a node: its task is the value of one key, its answer that of another one. */
weft::subgraph node_of(const weft::turn_agent& agent, std::string task, std::string answer)
{
    weft::subgraph inside = agent.as_node();
    inside.inputs = {{"task", std::move(task)}};
    inside.outputs = {{std::move(answer), "answer"}};
    return inside;
}

weft::graph desk_graph(std::vector<std::shared_ptr<weft::tool>> archive, const notes_ptr& notes)
{
    const weft::turn_agent researcher =
        make_agent("researcher", {{"look", "archive__fetch"}, {"archive__file", "look"}, {"archive__fetch"}},
                   tools_of(std::move(archive), notes), notes);
    const weft::turn_agent writer = make_agent("writer", {{"look"}}, tools_of({}, notes), notes);
    const weft::turn_agent critic = make_agent("critic", {}, {}, notes);
    weft::graph_builder builder{"desk"};
    builder.state(topic, found, wanted, draft, critique, talk);
    builder.node("open", [](weft::node_context& at) {
        at.set(topic, "Tell of rain. " + thread_mark(std::string{at.thread()}));
    });
    builder.node("research", node_of(researcher, "topic", "found"));
    builder.node("ask", [](weft::node_context& at) {
        at.set(talk, at.value_or(talk, 0) + 1);
        at.set(wanted, at.get(found) + "; " + at.value_or(critique, std::string{"nothing was said yet"}));
    });
    builder.node("write", node_of(writer, "wanted", "draft"));
    builder.node("judge", node_of(critic, "draft", "critique"));
    builder.edge(weft::start, "open").edge("open", "research").edge("research", "ask").edge("ask", "write");
    builder.edge("write", "judge");
    builder.edge_when("judge", "ask", [](const weft::state_view& at) { return at.value_or(talk, 0) < talks; });
    return builder.edge("judge", weft::end).build();
}

}  // namespace

weft::task<agents_at_work> hire_agents(notes_ptr notes, std::string ledger)
{
    weft::mcp_program program;
    program.command = {"/proc/self/exe", "--archive", std::move(ledger)};
    agents_at_work hired;
    hired.archive = std::make_unique<weft::mcp_client>(weft::mcp_stdio(std::move(program)));
    co_await hired.archive->connect();
    weft::mcp_tools_options options;
    options.prefix = "archive";
    options.trusts_hints = true;
    std::vector<std::shared_ptr<weft::tool>> tools = co_await weft::mcp_tools(*hired.archive, std::move(options));
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(desk_graph(std::move(tools), notes));
    hired.graphs = std::move(graphs);
    co_return hired;
}

}  // namespace weft_crash
