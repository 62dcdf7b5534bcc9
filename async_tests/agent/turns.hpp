#pragma once

#include <weft/agent/core/agent_event.hpp>
#include <weft/agent/turn_agent.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/testing/scripted_model.hpp>
#include <weft/testing/simulation.hpp>

#include <boost/describe/class.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft_tests {

using weft::testing::scripted_turn;
using turn_model = std::shared_ptr<weft::testing::scripted_model>;

[[nodiscard]] inline turn_model turns_of(std::vector<scripted_turn> turns)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    for (scripted_turn& turn : turns) model->then(std::move(turn));
    return model;
}

/** A turn that calls `look` with a number. */
[[nodiscard]] inline scripted_turn looks(int x, std::string id = {})
{
    scripted_turn turn;
    turn.call("look", boost::json::object{{"x", x}}, std::move(id));
    return turn;
}

struct looked_at {
    int x = 0;
};
BOOST_DESCRIBE_STRUCT(looked_at, (), (x))

/** `look` answers with its number and fails for negative ones; `rest` takes a minute. */
[[nodiscard]] inline weft::tool_set turn_tools()
{
    weft::tool_set tools;
    tools.add("look", "Looks.", [](const looked_at& at) {
        if (at.x < 0) throw weft::error{weft::errc::connection_lost, "look", "there is nothing"};
        return "seen " + std::to_string(at.x);
    });
    tools.add("rest", "Rests.", [](const looked_at&) -> weft::task<std::string> {
        co_await weft::sleep_for(std::chrono::minutes{1});
        co_return "rested";
    });
    return tools;
}

[[nodiscard]] inline weft::turn_agent_options turn_options(std::vector<turn_model> models)
{
    weft::turn_agent_options options;
    for (turn_model& model : models) options.models.push_back(std::move(model));
    options.tools = turn_tools();
    options.calls.timeout = std::chrono::minutes{10};
    return options;
}

/** What a run of an agent said and left. */
struct turn_run {
    weft::turn_agent_result result;
    std::vector<std::string> events;  ///< Kinds, in order.
    std::vector<std::string> texts;   ///< Of each.

    [[nodiscard]] std::string path() const
    {
        std::string text;
        for (const std::string_view node : result.run.path()) text.append(text.empty() ? "" : " ").append(node);
        return text;
    }
    [[nodiscard]] std::ptrdiff_t count(weft::agent_event_name kind) const
    {
        return std::count(events.begin(), events.end(), kind);
    }
    /** The events but for pieces of text and what calls took, with blanks between them. */
    [[nodiscard]] std::string story() const
    {
        std::string text;
        for (const std::string& kind : events)
            if (kind != weft::agent_event::message_delta && kind != weft::agent_event::usage)
                text.append(text.empty() ? "" : " ").append(kind);
        return text;
    }
    [[nodiscard]] std::string outcome() const { return weft::to_json(result.outcome).as_string().c_str(); }
    [[nodiscard]] std::string trouble() const { return weft::to_json(result.trouble).as_string().c_str(); }
    /** The first event of a kind, as JSON; null if there is none. */
    [[nodiscard]] boost::json::value told(weft::agent_event_name kind) const
    {
        const auto at = std::find(events.begin(), events.end(), kind);
        if (at == events.end()) return nullptr;
        return weft::parse_json(texts[static_cast<std::size_t>(at - events.begin())]);
    }
    /** The conversation: who speaks and what, a line each. */
    [[nodiscard]] std::string talk() const
    {
        std::string text;
        for (const weft::conversation_entry& entry : result.conversation)
            text.append(name_of(entry.message.role)).append(": ").append(entry.message.text()).append("\n");
        return text;
    }
};

[[nodiscard]] inline turn_run run_turns(weft::testing::simulation& sim, const weft::turn_agent& agent,
                                        weft::run_request request)
{
    turn_run seen;
    const auto watch = [&seen](const weft::run_event& event) {
        if (event.what != weft::run_event::kind::output) return;
        seen.events.push_back(event.label);
        seen.texts.push_back(event.text);
    };
    request.on_event(watch);
    seen.result = sim.run(agent.run(std::move(request)));
    return seen;
}

[[nodiscard]] inline turn_run run_turns(weft::turn_agent_options options, std::string task = "Go.")
{
    weft::testing::simulation sim{1};
    const weft::turn_agent agent{std::move(options)};
    return run_turns(sim, agent, agent.request(std::move(task), "t"));
}

/** The text of the last message of a request. */
[[nodiscard]] inline std::string last_said(const turn_model& model, std::size_t request)
{
    return model->requests().at(request).messages.back().text();
}

}  // namespace weft_tests
