// Sample 14, a loop with a judge: a model works in turns, with tools and a sub-agent, until its work is accepted. A
// scripted model stands in for a real one, so that the sample needs no key.

#include <weft/testing/scripted_model.hpp>
#include <weft/weft.hpp>

#include <weft/agent/event_loop.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <utility>

using weft::testing::scripted_model;
using weft::testing::scripted_turn;

inline constexpr weft::state_key<std::string> topic{"topic"};
inline constexpr weft::state_key<std::string> report{"report"};
inline constexpr weft::state_key<std::string> trouble{"trouble"};

struct city {
    std::string name;
};
BOOST_DESCRIBE_STRUCT(city, (), (name))

// [judge]
// A judge of one's own sees the turn and says what is to become of it. Without one, the rules and, if there are
// `criteria`, a model judge.
weft::task<weft::verdict> needs_a_number(weft::judged_turn turn)
{
    weft::verdict said;
    said.by = "needs_a_number";
    const boost::json::value* const found = turn.outputs.if_contains("report");
    const std::string text = found && found->is_string() ? std::string{found->as_string()} : std::string{};
    if (text.find_first_of("0123456789") == std::string::npos) {
        said.action = turn.iteration < 6 ? weft::judgement::retry : weft::judgement::escalate;
        said.feedback = "Say how many degrees it has.";
    }
    co_return said;
}
// [/judge]

// [loop]
// The node: what it is to do, what it is told, what it owes, and what it may use. `escalate`, a stall or too many turns
// fail the node, and then the failure edge is taken.
weft::graph newsroom(const std::shared_ptr<weft::chat_model>& model)
{
    weft::tool_set tools;
    tools.add("weather", "The weather of a city.", [](const city& where) { return "rain in " + where.name; });

    weft::sub_agent archivist;
    archivist.id = "archivist";
    archivist.when = "knows what was measured";
    archivist.how.settings.system = "You look things up in the archive.";
    archivist.how.outputs = {{.name = "found", .description = "What the archive says."}};

    weft::event_loop_options write;
    write.settings.system = "Write one sentence about the weather of {topic}.";
    write.settings.limits.iterations_max = 10;
    write.reads = {"topic"};
    write.outputs = {weft::output_of(report, "The sentence.")};
    write.tools = std::make_shared<const weft::tool_set>(std::move(tools));
    write.judge = needs_a_number;
    write.sub_agents = {archivist};

    weft::graph_builder builder{"newsroom"};
    builder.state(topic, report, trouble);
    weft::add_event_loop(builder, "write", model, std::move(write));
    builder.node("call_the_editor", [](weft::node_context& ctx) { ctx.set(trouble, ctx.previous_failure()->message); });
    builder.edge(weft::start, "write").edge_on_failure("write", "call_the_editor");
    return builder.build();
}
// [/loop]

// What a real model might do, turn by turn.
std::shared_ptr<scripted_model> a_writer()
{
    auto model = std::make_shared<scripted_model>();
    model->then(scripted_turn{"Let me look."}.call("weather", {{"name", "Oslo"}}))
        .then(scripted_turn{}.call("set_output", {{"key", "report"}, {"value", "It rains in Oslo."}}))
        .then(scripted_turn{"I ask the archive."}.call("delegate_to_sub_agent",
                                                       {{"agent_id", "archivist"}, {"task", "How warm is Oslo?"}}))
        .then(scripted_turn{"It says 7 degrees."}.call("set_output", {{"key", "found"}, {"value", "7 degrees"}}))
        .then(scripted_turn{}.call("set_output", {{"key", "report"}, {"value", "It rains in Oslo, at 7 degrees."}}));
    return model;
}

int main()
{
    const std::shared_ptr<scripted_model> model = a_writer();
    const auto tell = [](const weft::run_event& event) {
        if (event.what != weft::run_event::kind::output) return;
        const std::string& kind = event.label;
        if (kind == "judge_verdict" || kind == "internal_output" || kind == "output_key_set")
            std::cout << "  " << kind << ": " << event.text << "\n";
    };
    const weft::run_result result = weft::run_blocking(
        newsroom(model), weft::run_request{"a conversation"}.input(topic, "Oslo").on_event(tell));
    if (!result.ok()) return std::cout << result.message() << "\n", 1;
    const std::string* const written = result.state.find(report);
    std::cout << (written ? *written : result.get(trouble)) << "\n";
    model->assert_complete();
    return written ? 0 : 1;
}
