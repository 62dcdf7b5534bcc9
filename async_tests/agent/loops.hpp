#pragma once

#include <weft/agent/conversation/conversation.hpp>
#include <weft/agent/core/agent_event.hpp>
#include <weft/agent/event_loop.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/testing/scripted_model.hpp>
#include <weft/testing/simulation.hpp>

#include <boost/describe/class.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft_tests {

inline constexpr weft::state_key<std::string> loop_topic{"topic"};
inline constexpr weft::state_key<std::string> loop_answer{"answer"};
inline constexpr weft::state_key<std::int64_t> loop_score{"score"};
inline constexpr weft::state_key<std::string> loop_rescue{"rescue"};
inline constexpr weft::state_key<weft::conversation, weft::converse> loop_talk_key{"shared_talk"};
inline constexpr weft::state_key<weft::list<weft::handoff_summary>, weft::append> loop_hand_offs{"left_over"};

using loop_script = weft::testing::scripted_turn;
using loop_model = weft::testing::scripted_model;

/** A turn that sets an output. */
[[nodiscard]] inline loop_script sets(std::string key, boost::json::value value, std::string text = {})
{
    loop_script turn;
    if (!text.empty()) turn.text(std::move(text));
    turn.call("set_output", {{"key", std::move(key)}, {"value", std::move(value)}});
    return turn;
}

[[nodiscard]] inline std::shared_ptr<loop_model> model_of(std::vector<loop_script> turns)
{
    auto model = std::make_shared<loop_model>();
    for (loop_script& turn : turns) model->then(std::move(turn));
    return model;
}

/** A loop that is told the topic and owes the answer. */
[[nodiscard]] inline weft::event_loop_options answering()
{
    weft::event_loop_options options;
    options.settings.system = "Answer.";
    options.outputs = {weft::output_of(loop_answer, "The answer.")};
    options.reads = {"topic"};
    return options;
}

/** A tool set with `look`, which sleeps so many milliseconds and gives what it was asked for. */
struct look_arguments {
    std::string what;
    std::int64_t milliseconds = 0;
};
BOOST_DESCRIBE_STRUCT(look_arguments, (), (what, milliseconds))

inline weft::task<std::string> look_slowly(look_arguments asked)
{
    co_await weft::sleep_for(std::chrono::milliseconds{asked.milliseconds});
    std::string seen = "seen " + asked.what;
    co_return seen;
}

[[nodiscard]] inline std::shared_ptr<const weft::tool_set> looking()
{
    weft::tool_set tools;
    tools.add("look", "Looks.", [](const look_arguments& asked) { return look_slowly(asked); });
    return std::make_shared<const weft::tool_set>(std::move(tools));
}

[[nodiscard]] inline boost::json::object look_at(std::string what, std::int64_t milliseconds = 1)
{
    return {{"what", std::move(what)}, {"milliseconds", milliseconds}};
}

/** start -> write (the loop) -> end, and behind a failure `rescue`, which keeps the reason. */
[[nodiscard]] inline weft::graph graph_with(const std::shared_ptr<weft::chat_model>& model,
                                            weft::event_loop_options options, weft::node_options how = {})
{
    weft::graph_builder builder{"outer"};
    builder.state(loop_topic, loop_answer, loop_score, loop_rescue, loop_talk_key, loop_hand_offs);
    builder.initial(loop_topic, "rain").initial(loop_talk_key, weft::conversation{});
    weft::add_event_loop(builder, "write", model, std::move(options), std::move(how));
    builder.node("rescue", [](weft::node_context& node) {
        node.set(loop_rescue, node.previous_failure() ? node.previous_failure()->message : std::string{"nothing"});
    });
    builder.edge(weft::start, "write").edge_on_failure("write", "rescue");
    return builder.build();
}

/** What a run of it said and left. */
struct seen_loop {
    weft::run_result result;
    std::string path;
    std::string steps;                 ///< Of the loops, with blanks between them.
    std::vector<std::string> emitted;  ///< `kind: text`
    std::chrono::nanoseconds elapsed{};

    [[nodiscard]] std::size_t count(weft::agent_event_name kind) const
    {
        return static_cast<std::size_t>(std::count_if(emitted.begin(), emitted.end(), [&](const std::string& one) {
            return one.starts_with(std::string{kind.text()} + ": ");
        }));
    }
    [[nodiscard]] bool says(weft::agent_event_name kind, std::string_view part) const
    {
        return std::any_of(emitted.begin(), emitted.end(), [&](const std::string& one) {
            return one.starts_with(std::string{kind.text()} + ": ") && one.find(part) != std::string::npos;
        });
    }
    [[nodiscard]] std::string rescued() const
    {
        const std::string* const found = result.state.find(loop_rescue);
        return found ? *found : std::string{};
    }
    [[nodiscard]] std::string answer() const
    {
        const std::string* const found = result.state.find(loop_answer);
        return found ? *found : std::string{"none"};
    }
};

[[nodiscard]] inline seen_loop run_loop(const weft::graph& what, weft::run_request request = weft::run_request{"t"})
{
    seen_loop seen;
    const auto watch = [&seen](const weft::run_event& event) {
        if (event.what == weft::run_event::kind::output) seen.emitted.push_back(event.label + ": " + event.text);
        if (event.what == weft::run_event::kind::node_started && !event.address.empty())
            seen.steps.append(seen.steps.empty() ? "" : " ").append(event.node);
    };
    weft::testing::simulation sim{1};
    const weft::engine engine{what};
    request.on_event(watch);
    seen.result = sim.run(engine.run(std::move(request)));
    for (const std::string_view node : seen.result.path()) seen.path.append(seen.path.empty() ? "" : " ").append(node);
    seen.elapsed = sim.elapsed();
    return seen;
}

[[nodiscard]] inline seen_loop run_loop(const std::shared_ptr<loop_model>& model, weft::event_loop_options options,
                                        weft::node_options how = {})
{
    return run_loop(graph_with(model, std::move(options), std::move(how)));
}

/** All texts of a request, a line for each message: `role: text`. */
[[nodiscard]] inline std::string told(const loop_model& model, std::size_t call)
{
    std::string text;
    const std::vector<weft::chat_request> requests = model.requests();
    if (call >= requests.size()) return "no such request";
    for (const weft::message& one : requests[call].messages)
        text.append(weft::name_of(one.role)).append(": ").append(one.text()).append("\n");
    return text;
}

[[nodiscard]] inline bool is_told(const loop_model& model, std::size_t call, std::string_view part)
{
    return told(model, call).find(part) != std::string::npos;
}

[[nodiscard]] inline bool is_offered(const loop_model& model, std::size_t call, std::string_view tool)
{
    const std::vector<weft::chat_request> requests = model.requests();
    const auto& tools = requests.at(call).tools;
    return std::any_of(tools.begin(), tools.end(), [&](const weft::tool_spec& spec) { return spec.name == tool; });
}

}  // namespace weft_tests
