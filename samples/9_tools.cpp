// Sample 9, tools: functions that a model calls, and a graph that goes round between the model and its tools. A
// scripted endpoint on this machine stands in for the model.

#include <weft/agent/llm_node.hpp>
#include <weft/model/openai_model.hpp>
#include <weft/testing/scripted_endpoint.hpp>
#include <weft/tool/tool_node.hpp>
#include <weft/weft.hpp>

#include <boost/describe.hpp>

#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

using namespace std::chrono_literals;

// [tools]
// What a tool takes is a described struct: the model is told its JSON Schema, and gets what is wrong with its
// arguments as an answer. An optional member may be left out.
enum class scale { celsius, kelvin };
BOOST_DESCRIBE_ENUM(scale, celsius, kelvin)

struct place {
    std::string city;
    std::optional<scale> in;
};
BOOST_DESCRIBE_STRUCT(place, (), (city, in))

// A tool that waits for something is a coroutine.
weft::task<std::string> weather(place where)
{
    co_await weft::sleep_for(5ms);
    co_return "rain in " + where.city + (where.in == scale::kelvin ? ", 285 K" : ", 12 °C");
}

weft::tool_set make_tools()
{
    weft::tool_set tools;
    tools.add("weather", "The weather of a city now.", [](place where) { return weather(std::move(where)); })
        .describe("city", "in English")
        .timeout(10s)
        .idempotent();
    tools.add("umbrellas", "How many umbrellas are there.", [] { return 2; });
    return tools;
}
// [/tools]

// [graph]
inline constexpr weft::state_key<weft::list<weft::message>, weft::append> messages{"messages"};
inline constexpr weft::state_key<std::string> question{"question"};
inline constexpr weft::state_key<std::string> answer{"answer"};

// The model's node carries the conversation on. While its last message has tool calls, the node with the tools
// carries them out, side by side, and adds their results.
weft::graph make_agent(std::shared_ptr<weft::chat_model> model)
{
    const weft::tool_set tools = make_tools();
    weft::llm_node_options asking;
    asking.settings.prompt = "{question}";
    asking.settings.messages = "messages";
    asking.writes = {"messages", "answer"};
    asking.tools = tools.specs();
    return weft::graph_builder{"agent"}
        .state(messages, question, answer)
        .node("think", weft::llm_node{std::move(model), std::move(asking)})
        .node("act", weft::tool_node{tools})
        .edge(weft::start, "think")
        .edge_when("think", "act", "'tool_calls' in messages[-1]")
        .edge("think", weft::end)
        .edge("act", "think")
        .build();
}
// [/graph]

int main()
{
    using namespace weft::testing;
    scripted_endpoint endpoint;
    endpoint.when(any_request())
        .reply(text("").tool_call("weather", R"({"city": "Rome"})", "call_1").tool_call("umbrellas", "{}", "call_2"))
        .reply(text("It rains, and there are two umbrellas: take one."));
    const weft::http_client client{{.tls = {.ca_pem = endpoint.ca_pem()}}};
    weft::openai_model_options options;
    options.base_url = endpoint.url();
    options.model = "scripted";
    const weft::graph agent = make_agent(std::make_shared<weft::openai_model>(client, std::move(options)));

    const weft::run_result result =
        weft::run_blocking(agent, {question, "Do I need an umbrella in Rome?"});
    std::cout << result.message() << ':';
    for (std::string_view node : result.path()) std::cout << ' ' << node;
    std::cout << '\n';
    for (const weft::message& said : result.get(messages))
        std::cout << "  " << name_of(said.role) << ": " << said.text() << '\n';
    endpoint.check_complete();
    const bool is_answered = result.get(answer).find("take one") != std::string::npos;
    return result.ok() && is_answered ? 0 : 1;
}
