#pragma once

#include "engine/nodes.hpp"

#include <weft/agent/react_agent.hpp>
#include <weft/engine/engine.hpp>
#include <weft/testing/scripted_model.hpp>
#include <weft/testing/simulation.hpp>

#include <boost/describe/class.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft_tests::tool_agents {

using weft_tests::path_of;

/** What a tool about a city takes. */
struct city_of_tool {
    std::string city;
};
BOOST_DESCRIBE_STRUCT(city_of_tool, (), (city))

[[nodiscard]] inline std::shared_ptr<weft::testing::scripted_model> script()
{
    return std::make_shared<weft::testing::scripted_model>();
}

/** An agent with the tool `weather`. */
[[nodiscard]] inline weft::react_options weather_agent(std::string name = "agent")
{
    weft::react_options options;
    options.name = std::move(name);
    options.settings.system = "You are " + options.name + ".";
    options.tools.add("weather", "The weather of a city.", [](const city_of_tool& at) { return "rain in " + at.city; });
    return options;
}

[[nodiscard]] inline weft::run_result run_with(const weft::graph& what, weft::run_request request)
{
    weft::testing::simulation sim{1};
    const weft::engine engine{what};
    return sim.run(engine.run(std::move(request)));
}

[[nodiscard]] inline weft::run_result ask(const weft::graph& what, std::string question)
{
    return run_with(what, weft::run_request{}.input(weft::react_messages, weft::message::user(std::move(question))));
}

/** The newest message of a role in a request; `nothing` if there is none. */
[[nodiscard]] inline std::string last_of(const weft::chat_request& request, weft::role speaker)
{
    std::string text = "nothing";
    for (const weft::message& one : request.messages)
        if (one.role == speaker) text = one.text();
    return text;
}

/** `user: … / assistant: … / tool: …` */
[[nodiscard]] inline std::string told(const weft::list<weft::message>& said)
{
    std::string text;
    for (const weft::message& one : said) {
        text.append(text.empty() ? "" : " / ").append(name_of(one.role)).append(": ");
        text += one.text();
        for (const weft::tool_call& call : one.tool_calls) text += "[" + call.name + "]";
    }
    return text;
}

}  // namespace weft_tests::tool_agents
