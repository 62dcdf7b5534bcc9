#include "agents.hpp"

#include "harness/bench.hpp"
#include "harness/cpu_clock.hpp"
#include "harness/memory.hpp"

#include <weft/agent/llm_node.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/engine/engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/model/chat_model.hpp>
#include <weft/tool/tool_node.hpp>

#include <boost/describe.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace weft_bench {

struct agent_place {
    std::string city;
};
BOOST_DESCRIBE_STRUCT(agent_place, (), (city))

namespace {

constexpr weft::state_key<weft::list<weft::message>, weft::append> messages{"messages"};
constexpr weft::state_key<std::string> question{"question"};
constexpr weft::state_key<std::string> answer{"answer"};

/** Calls the tool until it has said `turns` replies, and then answers. */
class turning_model final : public weft::chat_model {
public:
    explicit turning_model(const agents_load& load) : load_{load} {}
    [[nodiscard]] std::string_view label() const noexcept override { return "turning"; }

private:
    weft::task<weft::chat_reply> do_reply(weft::chat_request request, weft::chat_sink&) override
    {
        // The system's text, the user's message, and a call and its result for each turn before.
        return reply_after(load_, static_cast<int>(request.messages.size() / 2) - 1);
    }

    static weft::task<weft::chat_reply> reply_after(agents_load load, int turn)
    {
        co_await weft::sleep_for(load.delay);
        co_return reply_in(load, turn);
    }

    static weft::chat_reply reply_in(const agents_load& load, int turn)
    {
        weft::chat_reply reply;
        if (turn + 1 < load.turns) {
            reply.message.role = weft::role::assistant;
            weft::tool_call call;
            call.id = "call-" + std::to_string(turn);
            call.name = "weather";
            call.arguments = R"({"city":"Paris"})";
            reply.message.tool_calls.push_back(std::move(call));
            reply.stop = weft::stop_reason::tool_calls;
        } else {
            reply.message = weft::message::assistant("It rains in Paris.");
            reply.stop = weft::stop_reason::stop;
        }
        reply.usage.input = weft::tokens{20};
        reply.usage.output = weft::tokens{10};
        return reply;
    }

    agents_load load_;
};

weft::graph agent_graph(const agents_load& load)
{
    weft::tool_set tools;
    tools.add("weather", "The weather of a city.", [](const agent_place& place) { return "rain in " + place.city; });
    weft::llm_node_options asking;
    asking.settings.system = "You are a helpful assistant.";
    asking.settings.prompt = "{question}";
    asking.settings.messages = "messages";
    asking.writes = {"messages", "answer"};
    asking.tools = tools.specs();
    const auto calls_tools = [](const weft::state_view& state) {
        return !state.get(messages).back().tool_calls.empty();
    };
    return weft::graph_builder{"agent"}
        .state(messages, question, answer)
        .node("think", weft::llm_node{std::make_shared<turning_model>(load), std::move(asking)})
        .node("act", weft::tool_node{std::move(tools)})
        .edge(weft::start, "think")
        .edge_when("think", "act", calls_tools)
        .edge("think", weft::end)
        .edge("act", "think")
        .build();
}

weft::task<void> run_agent(const weft::engine& engine, std::size_t messages_expected, int& done)
{
    weft::run_request request;
    request.input(question, std::string{"What is the weather in Paris?"});
    weft::task<weft::run_result> running = engine.run(std::move(request));
    const weft::run_result& result = co_await running;
    require(result.ok(), "an agent failed");
    require(result.state.get(messages).size() == messages_expected, "an agent took another number of turns");
    ++done;
}

weft::task<void> run_agents(const weft::engine& engine, const agents_load& load, int count)
{
    const weft::task_context& context = co_await weft::this_task::context();
    int done = 0;
    weft::scope children{context};
    const auto messages_expected = static_cast<std::size_t>(2 * load.turns);
    for (int i = 0; i < count; ++i) children.spawn(run_agent(engine, messages_expected, done));
    co_await children.join();
    require(done == count, "not every agent came to its end");
}

}  // namespace

boost::json::object measure_agents(const agents_load& load)
{
    const weft::graph graph = agent_graph(load);
    const weft::engine engine{graph};
    weft::run_blocking(run_agents(engine, load, std::min(load.agents, 100)));  // the pages of the code
    const double bytes_before = resident_bytes();
    const double cpu_before = process_cpu_us();
    const double wall_before = wall_ms();
    weft::run_blocking(run_agents(engine, load, load.agents));
    const double cpu = process_cpu_us() - cpu_before;
    const double wall = wall_ms() - wall_before;
    return {{"system", "weft"},
            {"agents", load.agents},
            {"turns", load.turns},
            {"cpu_us", cpu / load.agents},
            {"bytes", (resident_bytes_max() - bytes_before) / load.agents},
            {"wall_ms", wall}};
}

}  // namespace weft_bench
