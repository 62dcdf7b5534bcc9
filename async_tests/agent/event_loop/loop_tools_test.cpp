#include <boost/test/unit_test.hpp>

#include <weft/base/json.hpp>

#include "agent/event_loop/loop_tools.hpp"

#include <boost/json/serialize.hpp>

#include <memory>

BOOST_AUTO_TEST_SUITE(loop_tools_test)

namespace {

constexpr weft::state_key<std::string> report{"report"};
constexpr weft::state_key<std::int64_t> score{"score"};
constexpr weft::state_key<boost::json::object> facts{"facts"};

weft::loop_tool_options three_outputs()
{
    weft::loop_tool_options options;
    options.outputs = {weft::output_of(report, "The report."), weft::output_of(score), weft::nullable_output_of(facts)};
    return options;
}

weft::loop_tool_answer call(const weft::loop_tools& tools, weft::event_loop_memory& memory, std::string name,
                            std::string arguments)
{
    return tools.call({.id = "c1", .name = std::move(name), .arguments = std::move(arguments)}, memory);
}

std::string words(const weft::loop_tool_answer& answer)
{
    return (answer.result.is_error ? "error: " : "") + answer.result.readable();
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string offered(const weft::loop_tools& tools)
{
    std::string names;
    for (const weft::tool_spec& spec : tools.specs()) names.append(names.empty() ? "" : " ").append(spec.name);
    return names;
}

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_37_set_output_gives_a_declared_key_its_value)
{
    const weft::loop_tools tools{three_outputs()};
    weft::event_loop_memory memory;
    const auto answer = call(tools, memory, "set_output", R"({"key":"report","value":"It rains."})");
    BOOST_TEST(words(answer) == "Output 'report' is set.");
    BOOST_TEST(answer.event == "output_key_set");
    BOOST_TEST(answer.event_text == "report");
    BOOST_TEST(memory.turn.set_outputs);
    BOOST_TEST(memory.outputs.at("report").as_string() == "It rains.");
}

BOOST_AUTO_TEST_CASE(HIV_37_an_unknown_key_is_an_error_that_lists_the_keys)
{
    const weft::loop_tools tools{three_outputs()};
    weft::event_loop_memory memory;
    const auto answer = call(tools, memory, "set_output", R"({"key":"repotr","value":1})");
    BOOST_TEST(words(answer) == "error: Invalid output key 'repotr'. Valid: report, score, facts.");
    BOOST_TEST(memory.outputs.empty());
    BOOST_TEST(!memory.turn.set_outputs);
}

BOOST_AUTO_TEST_CASE(HIV_37_json_in_a_text_counts_where_it_fits_better)
{
    const weft::loop_tools tools{three_outputs()};
    weft::event_loop_memory memory;
    (void)call(tools, memory, "set_output", R"({"key":"score","value":"7"})");
    BOOST_TEST(memory.outputs.at("score").to_number<int>() == 7);
    (void)call(tools, memory, "set_output", R"({"key":"facts","value":"{\"river\":\"Po\"}"})");
    BOOST_TEST(memory.outputs.at("facts").at("river").as_string() == "Po");
    (void)call(tools, memory, "set_output", R"({"key":"report","value":"7"})");
    BOOST_TEST(memory.outputs.at("report").as_string() == "7");
}

BOOST_AUTO_TEST_CASE(HIV_37_a_value_that_does_not_fit_is_refused_with_the_reason)
{
    const weft::loop_tools tools{three_outputs()};
    weft::event_loop_memory memory;
    BOOST_TEST(has(words(call(tools, memory, "set_output", R"({"key":"score","value":"many"})")),
                   "error: The value does not fit the output 'score'"));
    BOOST_TEST(has(words(call(tools, memory, "set_output", R"({"key":"score","value":null})")), "cannot be null"));
    BOOST_TEST(!call(tools, memory, "set_output", R"({"key":"facts","value":null})").result.is_error);
    BOOST_TEST(has(words(call(tools, memory, "set_output", R"({"key":"score"})")), "error: The arguments of"));
    BOOST_TEST(has(words(call(tools, memory, "set_output", "score=7")), "not a JSON object"));
    BOOST_TEST(!memory.outputs.contains("score"));
}

BOOST_AUTO_TEST_CASE(HIV_37_a_long_value_is_spilled_where_a_text_fits)
{
    weft::loop_tool_options options = three_outputs();
    options.spill = std::make_shared<weft::memory_spill_store>();
    const weft::loop_tools tools{options};
    weft::event_loop_memory memory;
    const std::string longer(2'001, 'x');
    (void)call(tools, memory, "set_output", R"({"key":"report","value":")" + longer + R"("})");
    const std::string kept = memory.outputs.at("report").as_string().c_str();
    BOOST_TEST(kept.size() < 400u);
    BOOST_TEST(has(kept, "2001 characters"));
    const std::size_t from = kept.find("read_result(\"") + 13;
    const auto whole = options.spill->find(kept.substr(from, kept.find('"', from) - from));
    BOOST_REQUIRE(whole.has_value());
    BOOST_TEST(*whole == longer);
    const std::string exact(2'000, 'x');
    (void)call(tools, memory, "set_output", R"({"key":"report","value":")" + exact + R"("})");
    BOOST_TEST(memory.outputs.at("report").as_string().size() == 2'000u);
    (void)call(tools, memory, "set_output", R"({"key":"facts","value":{"a":")" + longer + R"("}})");
    BOOST_TEST(memory.outputs.at("facts").is_object());  // a reference would not fit the key
}

BOOST_AUTO_TEST_CASE(HIV_37_ask_user_puts_one_question_in_a_turn)
{
    const weft::loop_tools tools{{.faces_client = true}};
    BOOST_TEST(offered(tools) == "ask_user ask_user_multiple escalate");
    weft::event_loop_memory memory;
    BOOST_TEST(!call(tools, memory, "ask_user", R"({"question":"Where?","options":["Rome","Oslo"]})").result.is_error);
    BOOST_REQUIRE(memory.asks.size() == 1u);
    BOOST_TEST(memory.asks[0].text == "Where?");
    BOOST_TEST(memory.asks[0].options.size() == 2u);
    BOOST_TEST(has(words(call(tools, memory, "ask_user", R"({"question":"When?"})")), "error: A question"));
    BOOST_TEST(memory.asks.size() == 1u);
}

BOOST_AUTO_TEST_CASE(HIV_37_ask_user_refuses_wrong_numbers_of_options_and_questions)
{
    const weft::loop_tools tools{{.faces_client = true}};
    weft::event_loop_memory memory;
    BOOST_TEST(call(tools, memory, "ask_user", R"({"question":"Q","options":["a"]})").result.is_error);
    BOOST_TEST(call(tools, memory, "ask_user", R"({"question":"Q","options":["a","b","c","d"]})").result.is_error);
    BOOST_TEST(call(tools, memory, "ask_user", R"({"question":" "})").result.is_error);
    BOOST_TEST(call(tools, memory, "ask_user_multiple", R"({"questions":[{"id":"a","prompt":"A?"}]})")
                   .result.is_error);
    const std::string twice = R"({"questions":[{"id":"a","prompt":"A?"},{"id":"a","prompt":"B?"}]})";
    BOOST_TEST(has(words(call(tools, memory, "ask_user_multiple", twice)), "Two questions have the id 'a'"));
    BOOST_TEST(memory.asks.empty());
    const std::string two = R"({"questions":[{"id":"a","prompt":"A?"},{"id":"b","prompt":"B?"}]})";
    BOOST_TEST(!call(tools, memory, "ask_user_multiple", two).result.is_error);
    BOOST_TEST(memory.asks.at(0).fields.size() == 2u);
}

BOOST_AUTO_TEST_CASE(HIV_37_an_internal_node_is_told_that_nobody_is_there)
{
    const weft::loop_tools tools{{}};
    BOOST_TEST(offered(tools) == "escalate");
    weft::event_loop_memory memory;
    const auto answer = call(tools, memory, "ask_user", R"({"question":"Where?"})");
    BOOST_TEST(has(words(answer), "You are an internal node"));
    BOOST_TEST(answer.event == "node_input_blocked");
    BOOST_TEST(memory.asks.empty());
}

BOOST_AUTO_TEST_CASE(HIV_37_escalate_keeps_reason_and_context)
{
    const weft::loop_tools tools{{}};
    weft::event_loop_memory memory;
    BOOST_TEST(call(tools, memory, "escalate", R"({"reason":" "})").result.is_error);
    BOOST_TEST(memory.escalation.empty());
    const auto answer = call(tools, memory, "escalate", R"({"reason":"no access","context":"ask IT"})");
    BOOST_TEST(memory.escalation == "no access — ask IT");
    BOOST_TEST(answer.event == "escalation_requested");
}

BOOST_AUTO_TEST_CASE(HIV_38_delegation_is_for_known_agents_and_absent_in_a_sub_agent)
{
    weft::loop_tool_options options;
    options.agents = {{"finder", "finds"}};
    const weft::loop_tools tools{options};
    BOOST_TEST(offered(tools) == "escalate delegate_to_sub_agent");
    weft::event_loop_memory memory;
    BOOST_TEST(words(call(tools, memory, "delegate_to_sub_agent", R"({"agent_id":"fider","task":"x"})")) ==
               "error: There is no sub-agent 'fider'. Valid: finder.");
    BOOST_TEST(call(tools, memory, "delegate_to_sub_agent", R"({"agent_id":"finder","task":"find it"})").is_open);
    BOOST_REQUIRE(memory.delegations.size() == 1u);
    BOOST_TEST((memory.delegations[0] == weft::loop_delegation{"c1", "finder", "find it"}));
    options.is_sub_agent = true;
    BOOST_TEST(offered(weft::loop_tools{options}) == "report_to_parent");
}

BOOST_AUTO_TEST_CASE(HIV_38_report_to_parent_may_wait_or_end_the_work)
{
    const weft::loop_tools tools{{.is_sub_agent = true}};
    weft::event_loop_memory memory;
    BOOST_TEST(!call(tools, memory, "report_to_parent", R"({"message":"half","data":{"n":1}})").is_open);
    BOOST_TEST(call(tools, memory, "report_to_parent", R"({"message":"go on?","wait_for_response":true})").is_open);
    BOOST_REQUIRE(memory.asks.size() == 1u);
    BOOST_TEST(memory.asks[0].answers_call);
    BOOST_TEST(!memory.is_marked_complete);
    (void)call(tools, memory, "report_to_parent", R"({"message":"done","mark_complete":true})");
    BOOST_TEST(memory.is_marked_complete);
    BOOST_REQUIRE(memory.reports.size() == 3u);
    BOOST_TEST(boost::json::serialize(memory.reports[0].data) == R"({"n":1})");
}

BOOST_AUTO_TEST_CASE(a_memory_survives_a_checkpoint)
{
    const weft::loop_tools tools{three_outputs()};
    weft::event_loop_memory memory;
    memory.iteration = 7;
    (void)call(tools, memory, "set_output", R"({"key":"facts","value":{"a":[1,2]}})");
    (void)memory.doom.take({{.id = "x", .name = "look", .arguments = "{}"}});
    memory.asks.push_back({.call_id = "c", .text = "Q"});
    const boost::json::value written = weft::to_json(memory);
    BOOST_TEST(written == weft::to_json(weft::from_json<weft::event_loop_memory>(written)));
}

BOOST_AUTO_TEST_SUITE_END()
