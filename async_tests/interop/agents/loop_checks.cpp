// The event loop: its tools, its outputs, and who judges.

#include "agent_tools.hpp"
#include "checks.hpp"

#include <weft/agent/event_loop.hpp>
#include <weft/engine/engine.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace interop::agents {

namespace {

constexpr weft::state_key<std::string> topic{"topic"};
constexpr weft::state_key<std::string> report{"report"};

weft::event_loop_options writing()
{
    weft::tool_set tools;
    add_weather(tools);
    weft::event_loop_options write;
    write.settings.system = "Write one sentence about the weather of {topic}.";
    write.settings.limits.iterations_max = 10;
    write.reads = {"topic"};
    write.outputs = {weft::output_of(report, "The sentence.")};
    write.tools = std::make_shared<const weft::tool_set>(std::move(tools));
    return write;
}

/** Runs a loop. @return   The actions of the judges, and who they were: `retry by rules, accept by model`. */
std::string run_writing(const mock_server& server, weft::event_loop_options how)
{
    weft::graph_builder builder{"newsroom"};
    builder.state(topic, report);
    weft::add_event_loop(builder, "write", server.model(), std::move(how));
    builder.edge(weft::start, "write");
    const weft::graph newsroom = builder.build();

    std::string verdicts;
    weft::run_request request{"news"};
    request.input(topic, "Oslo").on_event([&verdicts](const weft::run_event& event) {
        if (event.label != "judge_verdict") return;
        const boost::json::value said = boost::json::parse(event.text);
        verdicts.append(verdicts.empty() ? "" : ", ").append(said.at("action").as_string().c_str());
        verdicts.append(" by ").append(said.at("by").as_string().c_str());
    });
    const weft::run_result result = weft::run_blocking(newsroom, std::move(request));
    expect_finished("the event loop", result, "write");
    const std::string* const written = result.state.find(report);
    expect("its output", written ? *written : "", "It rains in Oslo, at 7 degrees.");
    return verdicts;
}

weft::task<weft::verdict> wants_degrees(weft::judged_turn turn)
{
    weft::verdict said;
    said.by = "thermometer";
    const boost::json::value* const found = turn.outputs.if_contains("report");
    if (found && found->as_string().find("degrees") != boost::json::string::npos) co_return said;
    said.action = weft::judgement::retry;
    if (found) said.feedback = "Say how warm it is.";
    co_return said;
}

void expect_turn(const seen_request& request, const std::string& shape)
{
    expect_shape("a turn of the loop", request, shape);
    expect_part("what it is told to do", request.system(), "Write one sentence about the weather of Oslo.");
    expect_part("the tools that it is offered", request.tool_names(), "set_output weather");
    if (request.api == dialect::gemini) return;
    const boost::json::object schema = request.schema_of("set_output");
    expect_part("the outputs that it may set", boost::json::serialize(schema), "report");
}

/** The feedback stands behind the result; in a request to Anthropic both are one message, which the mock takes apart
 *  in its own way. */
void expect_feedback(const mock_server& server, const seen_request& request)
{
    const std::string before = "system user assistant[call_oslo] tool[call_oslo] assistant[call_out_1]";
    const bool is_anthropic = server.which() == dialect::anthropic;
    expect_turn(request, before + (is_anthropic ? " user tool[call_out_1]" : " tool[call_out_1] user"));
    expect("what it is told by the judge", request.last_of("user"), "[Judge feedback]: Say how warm it is.");
}

}  // namespace

void check_event_loop(mock_server& server)
{
    weft::event_loop_options write = writing();
    write.settings.criteria = "It says how warm it is.";
    expect("the verdicts of rules and a model", run_writing(server, std::move(write)),
           "retry by rules, retry by model, accept by model");

    std::vector<seen_request> loop, judges;
    for (seen_request& request : server.news())
        (request.system().starts_with("You judge") ? judges : loop).push_back(std::move(request));
    expect("the turns of the loop", loop.size(), 3U);
    expect_turn(loop.at(0), "system user");
    expect_part("what it is told first", loop.at(0).last_of("user"), "topic: Oslo");
    expect_turn(loop.at(1), "system user assistant[call_oslo] tool[call_oslo]");
    expect_feedback(server, loop.at(2));

    expect("the calls of the judge", judges.size(), 2U);
    expect_shape("what a judge sees", judges.at(0), "system user");
    expect("whether a judge has tools", judges.at(0).tool_names(), "");
    expect_part("the criteria", judges.at(0).last_of("user"), "It says how warm it is.");
    expect_part("the output that is judged", judges.at(1).last_of("user"), "report: It rains in Oslo, at 7 degrees.");
}

void check_own_judge(mock_server& server)
{
    weft::event_loop_options write = writing();
    write.judge = wants_degrees;
    expect("the verdicts of one's own judge", run_writing(server, std::move(write)),
           "retry by thermometer, retry by thermometer, accept by thermometer");
    const std::vector<seen_request> sent = server.news();
    expect("the turns with one's own judge", sent.size(), 3U);
    expect_feedback(server, sent.at(2));
}

}  // namespace interop::agents
