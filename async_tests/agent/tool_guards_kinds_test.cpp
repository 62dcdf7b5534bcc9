#include <boost/test/unit_test.hpp>

#include "filed_agents.hpp"

#include <weft/tool/call/remote_results.hpp>

#include <boost/json/serialize.hpp>

using namespace weft_tests;
using weft::testing::scripted_turn;

BOOST_AUTO_TEST_SUITE(tool_guards_kinds_test)

using namespace weft_tests::tool_agents;

namespace {

const std::string rome_is_forbidden = "'guards': {'tool_call': [{'name': 'places', 'words': ['Rome']}]}";
const std::string rain_is_forbidden = "'guards': {'tool_result': [{'name': 'dry', 'words': ['rain']}]}";

scripted_turn asks_for_rome() { return scripted_turn{}.call("weather", {{"city", "Rome"}}, "w"); }

/** A tool `weather` that counts its calls. */
struct counted_weather {
    std::shared_ptr<int> calls = std::make_shared<int>(0);

    [[nodiscard]] weft::agent_surroundings around(std::shared_ptr<weft::chat_model> model) const
    {
        weft::tool_set tools;
        tools.add("weather", "The weather of a city.", [calls = calls](const city_of_tool& at) {
            ++*calls;
            return "rain in " + at.city;
        });
        tools.add_remote("approve", "Asks the accountant.",
                         boost::json::object{{"type", "object"}, {"properties", boost::json::object{}}});
        weft::agent_surroundings around;
        around.model = std::move(model);
        around.tools = std::make_shared<const weft::tool_set>(std::move(tools));
        return around;
    }
};

void check_trip(const weft::run_result& result, std::string_view name)
{
    BOOST_TEST((result.status == weft::run_status::failed));
    BOOST_REQUIRE(result.why);
    BOOST_TEST((result.why->code == weft::errc::guardrail_tripped), result.message());
    BOOST_TEST(result.message().find("the text has the word '" + std::string{name} + "'") != std::string::npos,
               result.message());
}

/** A node `a` of a kind, with guardrails. */
struct guarded_kind {
    std::string kind;
    std::string before;  ///< Settings, up to the guardrails.
    std::string behind = "";
    std::string writes = "'answer'";

    [[nodiscard]] std::string with(const std::string& guards) const
    {
        return file_of(kind, before + ", " + guards + behind, writes);
    }
};

std::vector<guarded_kind> guarded_kinds()
{
    return {{"react", "'prompt': 'Well?', 'tools': ['weather']", "", "'messages', 'answer'"},
            {"team", "'prompt': 'Well?', 'members': [{'name': 'x', 'tools': ['weather']", "}]", "'messages', 'answer'"},
            {"supervisor", "'prompt': 'Well?', 'workers': [{'name': 'x'}], 'tools': ['weather']", "",
             "'messages', 'answer'"},
            {"turn_agent", "'prompt': 'Well?', 'tools': ['weather']"},
            {"event_loop", "'prompt': 'Well?', 'tools': ['weather']"},
            {"agent", "'prompt': 'Well?', 'tools': ['weather']"}};
}

std::string loop_with_tools(std::string_view settings)
{
    return std::string{file_keys} +
           "'nodes': [{'name': 'ask', 'kind': 'llm', 'writes': ['messages', 'answer'], 'settings': {'prompt': 'Well?', "
           "'messages': 'messages', 'tools': ['weather', 'approve']}}, {'name': 'act', 'kind': 'tool', 'settings': {" +
           std::string{settings} +
           "}}], 'edges': [{'from': '__start__', 'to': 'ask'}, {'from': 'ask', 'to': 'act', 'when': "
           "'\\'tool_calls\\' in messages[-1]'}, {'from': 'ask', 'to': '__end__'}, {'from': 'act', 'to': 'ask'}]";
}

}  // namespace

BOOST_AUTO_TEST_CASE(P50_guardrails_of_files_look_at_the_tools_of_every_kind_of_agent)
{
    for (const guarded_kind& one : guarded_kinds()) BOOST_TEST_CONTEXT(one.kind)
    {
        const counted_weather weather;
        const auto model = script();
        model->then(asks_for_rome());
        check_trip(run_file(one.with(rome_is_forbidden), registry_around(weather.around(model))), "rome");
        BOOST_TEST(*weather.calls == 0);
        const auto further = script();
        further->then(asks_for_rome());
        check_trip(run_file(one.with(rain_is_forbidden), registry_around(weather.around(further))), "rain");
        BOOST_TEST(*weather.calls == 1);
        BOOST_TEST(tells(one.with("'guards': {'tool_result': [{'name': 'x', 'words': ['y']}, {'name': ''}]}"),
                         "guards.tool_result[1].name: is empty"));
        if (one.kind != "event_loop")  // which no file has words for yet
            BOOST_TEST(survives_writing(one.with(rome_is_forbidden), registry_with(script())));
    }
}

BOOST_AUTO_TEST_CASE(guardrails_of_a_tool_node)
{
    const counted_weather weather;
    const auto model = script();
    model->then(asks_for_rome());
    check_trip(run_file(loop_with_tools(rome_is_forbidden), registry_around(weather.around(model))), "rome");
    BOOST_TEST(*weather.calls == 0);
    const auto calm = script();
    calm->then(scripted_turn{}.call("weather", {{"city", "Oslo"}})).then(scripted_turn{"Take an umbrella."});
    const weft::run_result result =
        run_file(loop_with_tools(rome_is_forbidden), registry_around(weather.around(calm)));
    BOOST_TEST(value_of(result, "answer").as_string() == "Take an umbrella.");
    BOOST_TEST(tells(file_of("tool", "'guards': {'tool_call': [{'name': 'x'}]}", "'messages'"),
                     "settings.guards.tool_call[0].rule: there is nothing to check"));
    BOOST_TEST(tells(file_of("tool", "'guards': {'input': []}", "'messages'"), "input"));
    BOOST_TEST(survives_writing(file_of("tool", "'calls_max': 3, " + rain_is_forbidden, "'messages'"),
                                registry_with(script())));
}

BOOST_AUTO_TEST_CASE(a_rule_for_tools_is_checked_by_the_model)
{
    const counted_weather weather;
    const auto model = script();
    const auto checks = [](std::string verdict) {
        return scripted_turn{std::move(verdict)}.expects([](const weft::chat_request& request) {
            BOOST_TEST(request.messages[0].text().find("It is about Rome.") != std::string::npos);
            BOOST_TEST(request.model == "small");
        });
    };
    model->then(asks_for_rome()).then(checks(R"({"trips": false, "reason": ""})")).then(scripted_turn{"It rains."});
    const std::string file =
        file_of("react", "'prompt': 'Well?', 'tools': ['weather'], 'guards': {'tool_call': [{'name': 'places', "
                         "'rule': 'It is about Rome.', 'model': 'small'}]}");
    const weft::run_result passed = run_file(file, registry_around(weather.around(model)));
    BOOST_TEST(passed.message() == "finished");
    BOOST_TEST(*weather.calls == 1);
    model->assert_complete();
    const auto other = script();
    other->then(asks_for_rome()).then(checks(R"({"trips": true, "reason": "Rome it is"})"));
    const weft::run_result tripped = run_file(file, registry_around(weather.around(other)));
    BOOST_TEST((tripped.why && tripped.why->code == weft::errc::guardrail_tripped), tripped.message());
    BOOST_TEST(*weather.calls == 1);
}

BOOST_AUTO_TEST_CASE(guardrails_of_an_agents_model_in_files)
{
    const auto model = script();
    model->then(scripted_turn{"It rains."});
    const std::string of_reply = "'prompt': 'Well?', 'guards': {'output': [{'name': 'dry', 'words': ['rains']}]}";
    check_trip(run_file(file_of("react", of_reply), registry_with(model)), "rains");
    const std::string of_wish = "'prompt': 'About rain?', 'workers': [{'name': 'x'}], "
                                "'guards': {'input': [{'name': 'dry', 'words': ['rain']}]}";
    check_trip(run_file(file_of("supervisor", of_wish), registry_with(script())), "rain");
}

BOOST_AUTO_TEST_CASE(results_that_others_post_are_looked_at_before_a_model_reads_them)
{
    const counted_weather weather;
    const auto run_with_result = [&](const std::string& posted) {
        const auto model = script();
        model->then(scripted_turn{}.call("approve", {}, "r")).then(scripted_turn{"Then do it."});
        std::string members = loop_with_tools("'remote': 'act', " + rain_is_forbidden);
        const weft::loaded_graph loaded =
            weft::load_graph(spec_text(members), registry_around(weather.around(model)));
        weft::testing::simulation sim{1};
        const weft::engine engine{loaded.what};
        weft::run_result at = sim.run(engine.run(weft::run_request{}));
        for (int i = 0; i < 3 && at.status == weft::run_status::paused; ++i) {
            weft::remote_results results{at.state.get(weft::react_messages)};
            weft::run_request again;
            again.resume(at.paused_at);
            if (results.post("r", weft::tool_result::text(posted)))
                again.input(weft::react_messages, results.messages().front());
            at = sim.run(engine.run(std::move(again)));
        }
        return at;
    };
    BOOST_TEST(value_of(run_with_result("granted"), "answer").as_string() == "Then do it.");
    check_trip(run_with_result("rain is granted"), "rain");
}

BOOST_AUTO_TEST_SUITE_END()
