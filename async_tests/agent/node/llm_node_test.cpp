#include <boost/test/unit_test.hpp>

#include "agent/agents.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/agent/llm_node.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/testing/async_test_case.hpp>

using namespace weft_tests;
using namespace std::chrono_literals;
using weft::role;

BOOST_AUTO_TEST_SUITE(llm_node_test)

namespace {

const std::string draft_node =
    "'kind': 'llm', 'writes': ['draft'], 'settings': {'system': 'You write.', 'prompt': 'About {topic}.'}";

seen_run run_with(std::string_view node, const std::shared_ptr<scripted_model>& model, boost::json::object input = {})
{
    return run_members(one_node(node), agent_registry(model), std::move(input));
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/** Members of a node that writes these keys. */
std::string writing(std::string_view keys, std::string_view more = "")
{
    return "'kind': 'llm', 'settings': {'prompt': 'x'}, 'writes': [" + std::string{keys} + "]" + std::string{more};
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_text_key_gets_the_text_of_the_reply)
{
    const auto model = says({{"Rivers {flow}."}});
    const seen_run seen = run_with(draft_node, model);
    BOOST_TEST(seen.value("draft") == "\"Rivers {flow}.\"");
    BOOST_TEST(model->said(0, role::system) == "You write.");
    BOOST_TEST(model->said(0, role::user) == "About rivers.");
    BOOST_TEST(!model->asked[0].output.has_value());
    BOOST_TEST(!model->asked[0].temperature.has_value());
    BOOST_TEST(model->asked[0].model == "");
}

BOOST_AUTO_TEST_CASE(settings_reach_the_model)
{
    const auto model = says({{"x"}});
    (void)run_with("'kind': 'llm', 'writes': ['draft'], 'settings': {'prompt': 'x', 'temperature': 0.25, 'output_max': "
                   "99, 'model': 'small', 'scripted': ['not used']}",
                   model);
    BOOST_TEST(*model->asked[0].temperature == 0.25);
    BOOST_TEST(model->asked[0].output_max->count() == 99);
    BOOST_TEST(model->asked[0].model == "small");
    BOOST_TEST(model->said(0, role::system) == "nothing");
}

BOOST_AUTO_TEST_CASE(the_reply_is_emitted_as_it_comes_with_its_usage)
{
    const seen_run seen = run_with(draft_node, says({{"Rivers flow."}}));
    const std::vector<std::string> expected{"output: Rive", "output: rs f", "output: low.",
                                            "usage: {\"input\":7,\"output\":3}"};
    BOOST_TEST(seen.emitted == expected, boost::test_tools::per_element());
    const seen_run again = run_with(draft_node, says({{.text = "Right.", .is_retracted = true}}));
    BOOST_TEST(again.emitted[0] == "output: wrong");
    BOOST_TEST(again.emitted[1] == "retract: ");
    BOOST_TEST(again.value("draft") == "\"Right.\"");
}

BOOST_AUTO_TEST_CASE(calls_and_tokens_are_taken_from_the_budget_of_the_file)
{
    const auto with = [](std::string_view budget) {
        const std::string members = one_node(draft_node) + ", 'limits': {'budget': " + std::string{budget} + "}";
        return run_members(members, agent_registry(says({{"Rivers flow."}})), {});
    };
    const seen_run enough = with("{'tokens': 5000, 'model_calls': 1}");
    BOOST_TEST(enough.result.message() == "finished");
    BOOST_REQUIRE(enough.result.spent);
    BOOST_TEST(enough.result.spent->tokens.count() == 10);
    BOOST_TEST(enough.result.spent->model_calls == 1);
    BOOST_TEST((with("{'tokens': 20}").code() == weft::errc::budget_exhausted));
    const seen_run poor = with("{'model_calls': 0}");
    BOOST_TEST((poor.code() == weft::errc::budget_exhausted));
    BOOST_TEST(poor.all("output") == "");
}

BOOST_AUTO_TEST_CASE(other_keys_come_as_one_json_object)
{
    const auto model = says({{"Sure:\n```json\n{\"score\": 0.5, \"draft\": \"d\", \"count\": 3, \"good\": true, "
                              "\"meta\": {\"a\": 1}, \"what\": null, \"tags\": \"new\"}\n```\nDone."}});
    const seen_run seen = run_with(writing("'score', 'draft', 'count', 'good', 'meta', 'what', 'tags'"), model);
    BOOST_TEST(seen.result.message() == "finished");
    BOOST_TEST(seen.result.state.get(score_key) == 0.5);
    BOOST_TEST(seen.value("draft") == "\"d\"");
    BOOST_TEST(seen.value("count") == "3");
    BOOST_TEST(seen.value("meta") == "{\"a\":1}");
    BOOST_TEST(seen.value("what") == "null");
    BOOST_TEST(seen.value("tags") == "[\"new\"]");  // joined by the reducer
}

BOOST_AUTO_TEST_CASE(the_model_is_told_what_the_object_must_look_like)
{
    const auto model = says({{R"({"score": 1, "count": 2})"}});
    (void)run_with("'kind': 'llm', 'settings': {'system': 'You judge.', 'prompt': 'x'}, 'writes': ['score', 'count']",
                   model);
    BOOST_TEST(model->said(0, role::system) ==
               "You judge.\n\nAnswer with one JSON object and nothing else. Its members:\n"
               "- \"score\": a number; from 0 to 1\n- \"count\": a whole number");
    BOOST_REQUIRE(model->asked[0].output.has_value());
    BOOST_TEST(model->asked[0].output->strict);
    BOOST_TEST(boost::json::serialize(model->asked[0].output->schema) ==
               R"({"type":"object","properties":{"score":{"type":"number","description":"from 0 to 1"},)"
               R"("count":{"type":"integer"}},"required":["score","count"],"additionalProperties":false})");
    const auto loose = says({{R"({"meta": {}})"}});
    (void)run_with(writing("'meta'"), loose);
    BOOST_TEST(!loose->asked[0].output->strict);
}

BOOST_AUTO_TEST_CASE(one_key_that_is_no_text_is_asked_as_an_object_too)
{
    BOOST_TEST(run_with(writing("'score'"), says({{R"({"score": 0.75})"}})).result.state.get(score_key) == 0.75);
    BOOST_TEST((run_with(writing("'score'"), says({{"0.75"}})).code() == weft::errc::invalid_model_reply));
}

BOOST_AUTO_TEST_CASE(an_answer_that_does_not_fit_fails_the_node_and_writes_nothing)
{
    const auto failing = [](std::string reply) {
        seen_run seen = run_with(writing("'draft', 'score'"), says({{std::move(reply)}}));
        BOOST_TEST((seen.code() == weft::errc::invalid_model_reply));
        BOOST_TEST(seen.value("draft") == "nothing");
        BOOST_TEST(seen.tells("node 'n'"));
        return seen;
    };
    BOOST_TEST(failing(R"({"draft": "d"})").tells("key 'score'"));
    BOOST_TEST(failing(R"({"draft": "d"})").tells("no such member: {\"draft\": \"d\"}"));
    BOOST_TEST(failing(R"({"draft": "d", "score": "high"})").tells("expected a number: "));
    BOOST_TEST(failing(R"({"draft": "d", "score": "high"})").tells("the answer has \"high\""));
    BOOST_TEST(failing(R"({"draft": 3, "score": 1})").tells("key 'draft'"));
    BOOST_TEST(failing("I cannot say.").tells("no JSON object in the answer: I cannot say."));
    BOOST_TEST(failing(R"({"draft": "cut)").tells("no JSON object"));
}

BOOST_AUTO_TEST_CASE(nullable_keys_may_be_left_out)
{
    const std::string node = writing("'draft', 'score'", ", 'outputs': {'nullable': ['score']}");
    const auto model = says({{R"({"draft": "d", "score": null})"}});
    const seen_run seen = run_with(node, model);
    BOOST_TEST(seen.value("draft") == "\"d\"");
    BOOST_TEST(seen.value("score") == "nothing");
    BOOST_TEST(has(boost::json::serialize(model->asked[0].output->schema), R"("type":["number","null"])"));
    BOOST_TEST(run_with(node, says({{R"({"draft": "d"})"}})).result.message() == "finished");
    BOOST_TEST((run_with(node, says({{R"({"score": 1})"}})).code() == weft::errc::invalid_model_reply));
}

BOOST_AUTO_TEST_CASE(a_retry_tells_the_model_what_was_wrong)
{
    const auto model = says({{"no idea"}, {R"({"score": 0.5})"}});
    const seen_run seen = run_with(writing("'score'", ", 'retry': {'attempts_max': 2}"), model);
    BOOST_TEST(seen.result.message() == "finished");
    BOOST_TEST(seen.result.retries == 1u);
    BOOST_TEST(model->said(0, role::user) == "x");
    BOOST_TEST(model->said(1, role::user).starts_with("x\n\nYour last answer could not be used: node 'n', key "
               "'score': "));
    const auto checked = says({{R"({"score": 2})"}, {R"({"score": 1})"}});
    (void)run_with(writing("'score'", ", 'retry': {'attempts_max': 2}, 'outputs': {'check': 'score <= 1'}"), checked);
    BOOST_TEST(has(checked->said(1, role::user), "could not be used"));
    const auto broken = says({{.fails = weft::errc::model_overloaded}, {R"({"score": 1})"}});
    (void)run_with(writing("'score'", ", 'retry': {'attempts_max': 2}"), broken);
    BOOST_TEST(broken->said(1, role::user) == "x");
}

BOOST_AUTO_TEST_CASE(replies_without_text_fail_and_say_why)
{
    const seen_run refused = run_with(draft_node, says({{.refusal = "I must not."}}));
    BOOST_TEST((refused.code() == weft::errc::invalid_model_reply));
    BOOST_TEST(refused.tells("the model refuses: I must not."));
    const seen_run empty = run_with(draft_node, says({{.text = " \n", .stop = weft::stop_reason::content_filter}}));
    BOOST_TEST((empty.code() == weft::errc::invalid_model_reply));
    BOOST_TEST(empty.tells("it stopped with 'content_filter'"));
    const seen_run cut = run_with(draft_node, says({{.text = "half", .stop = weft::stop_reason::length}}));
    BOOST_TEST(cut.value("draft") == "\"half\"");
    BOOST_TEST(cut.all("warning") == "the reply was cut at the limit of tokens: raise output_max");
}

BOOST_AUTO_TEST_CASE(a_failed_call_fails_the_node_and_its_usage_is_told)
{
    const seen_run seen = run_with(draft_node, says({{.text = "half", .fails = weft::errc::connection_lost}}));
    BOOST_TEST((seen.code() == weft::errc::connection_lost));
    BOOST_TEST(seen.value("draft") == "nothing");
    BOOST_TEST(seen.all(weft::agent_event::usage) == R"({"input":7,"output":3})");
}

BOOST_AUTO_TEST_CASE(without_a_template_the_prompt_is_what_the_node_reads)
{
    const auto model = says({{"x"}});
    (void)run_with("'kind': 'llm', 'writes': ['draft'], 'reads': ['topic', 'score']", model, {{"score", 0.5}});
    BOOST_TEST(model->said(0, role::user) == "{\n  \"topic\": \"rivers\",\n  \"score\": 0.5\n}");
    const auto all = says({{"x"}});
    (void)run_with("'kind': 'llm', 'writes': ['draft']", all, {{"count", 2}, {"draft", "old"}});
    BOOST_TEST(all->said(0, role::user) == "{\n  \"topic\": \"rivers\",\n  \"count\": 2\n}");
    const auto own = says({{"x"}});
    (void)run_with("'kind': 'llm', 'writes': ['draft'], 'reads': ['draft']", own, {{"draft", "old"}});
    BOOST_TEST(own->said(0, role::user) == "{\n  \"draft\": \"old\"\n}");
    const auto nothing = says({{"x"}});
    (void)run_with("'kind': 'llm', 'writes': ['draft'], 'reads': []", nothing);
    BOOST_TEST(nothing->said(0, role::user) == "{}");
}

BOOST_AUTO_TEST_CASE(a_template_key_without_value_is_warned_of)
{
    const auto model = says({{"x"}});
    const seen_run seen = run_with("'kind': 'llm', 'writes': ['draft'], 'settings': {'system': '{what}', 'prompt': "
                                   "'<{score}{what}>'}", model);
    BOOST_TEST(model->said(0, role::user) == "<>");
    BOOST_TEST(seen.all(weft::agent_event::warning) == "the prompt names 'what', which has no value"
                                      "the prompt names 'score', which has no value");
}

BOOST_AUTO_TEST_CASE(a_revision_sees_the_last_output_and_the_note)
{
    const std::string loop =
        "'state': [{'name': 'draft', 'type': 'string'}, {'name': 'score', 'type': 'number'}], 'nodes': [{'name': 'w', "
        "'kind': 'llm', 'feedback': true, 'visits_max': 2, 'writes': [KEYS], 'settings': {'prompt': 'Write.'}}, "
        "{'name': 'b', 'kind': 'join'}], 'edges': [{'from': '__start__', 'to': 'w'}, {'from': 'w', 'to': 'b'}, "
        "{'from': 'b', 'to': 'w'}], 'limits': {'steps_max': 4, 'at_limit': 'return_last'}";
    const auto with = [&](std::string_view keys) {
        std::string text = loop;
        return text.replace(text.find("KEYS"), 4, keys);
    };
    const auto model = says({{"one"}, {"two"}});
    (void)run_members(with("'draft'"), agent_registry(model));
    BOOST_TEST(model->said(0, role::user) == "Write.");
    BOOST_TEST(model->said(1, role::user) ==
               "Write.\n\nYour last output:\none\n\nGraph state 'w' visit #2. Prior visit's output is provided above; "
               "refine your response based on it.");
    const auto object = says({{R"({"draft": "d", "score": 0.5})"}});
    (void)run_members(with("'draft', 'score'"), agent_registry(object));
    BOOST_TEST(has(object->said(1, role::user), "Your last output:\n{\"draft\": \"d\", \"score\": 0.5}\n\nGraph "
               "state"));
}

BOOST_AUTO_TEST_CASE(cpp_graphs_use_the_node_too)
{
    const auto model = says({{"Rivers flow."}});
    weft::llm_node_options options{.settings = {.prompt = "About {topic}."}, .writes = {"draft"}};
    static constexpr weft::state_key<std::string> topic{"topic"};
    static constexpr weft::state_key<std::vector<std::string>, weft::append> lines{"draft"};
    const weft::graph graph = weft::graph_builder{"g"}
                                  .state(topic, lines)
                                  .node("n", weft::llm_node{model, std::move(options)})
                                  .edge(weft::start, "n")
                                  .build();
    const seen_run seen = run_graph(graph, {}, {{"topic", "rain"}});
    BOOST_TEST(seen.value("draft") == "[\"Rivers flow.\"]");
    BOOST_TEST(model->said(0, role::user) == "About rain.");
}

BOOST_AUTO_TEST_CASE(templates_with_unknown_keys_are_refused_when_a_graph_is_built)
{
    const auto mistakes = [](weft::llm_settings settings) {
        weft::graph_builder builder{"g"};
        builder.state(weft::state_key<std::string>{"topic"}, weft::state_key<std::string>{"text"})
            .node("n", weft::llm_node{nullptr, {.settings = std::move(settings), .writes = {"text"}}})
            .edge(weft::start, "n");
        auto built = builder.try_build();
        const auto* const found = std::get_if<std::vector<std::string>>(&built);
        return found ? *found : std::vector<std::string>{};
    };
    BOOST_TEST(mistakes({.system = "About {topic}", .prompt = "{topic}"}).empty());
    const auto found = mistakes({.system = "About {tpoic}", .prompt = "{topic}\n{txt}"});
    BOOST_REQUIRE(found.size() == 2u);
    BOOST_TEST(found[0] == "node 'n': system: line 1, column 7: there is no key 'tpoic' (did you mean 'topic'?); "
                           "known: topic, text");
    BOOST_TEST(found[1].find("node 'n': prompt: line 2, column 1: there is no key 'txt'") == 0u);
}

BOOST_AUTO_TEST_CASE(options_that_are_wrong_are_refused)
{
    using options = weft::llm_node_options;
    const auto code = [](options what) {
        try {
            (void)weft::llm_node{nullptr, std::move(what)};
        } catch (const weft::error& e) {
            return e.code();
        }
        return weft::errc{};
    };
    BOOST_TEST((code(options{}) == weft::errc::invalid_configuration));
    BOOST_TEST((code(options{.settings = {.prompt = "{"}, .writes = {"x"}}) == weft::errc::invalid_configuration));
    weft::graph_builder builder{"g"};
    builder.node("n", weft::llm_node{nullptr, {.writes = {"lost"}}}).edge(weft::start, "n");
    BOOST_TEST((run_graph(builder.build(), {}, {}).code() == weft::errc::unknown_state_key));
    static constexpr weft::state_key<std::shared_ptr<int>> cache{"cache", weft::transient};
    weft::graph_builder other{"g"};
    other.state(cache).node("n", weft::llm_node{nullptr, {.writes = {"cache"}}}).edge(weft::start, "n");
    BOOST_TEST((run_graph(other.build(), {}, {}).code() == weft::errc::state_conversion));
}

BOOST_AUTO_TEST_CASE(a_stop_reaches_the_model)
{
    weft::testing::simulation sim{1};
    const weft::engine engine{weft::load_graph(spec_text(one_node(draft_node)), agent_registry(says({{"x"}}))).what};
    std::stop_source stop;
    stop.request_stop();
    const weft::run_result before = sim.run(engine.run(weft::run_request{}.stop(stop.get_token())));
    BOOST_TEST((before.status == weft::run_status::cancelled));
    BOOST_TEST((sim.elapsed() == 0s));
    weft::run_options options;
    options.elapsed_max(500ms);
    const weft::run_result while_waiting = sim.run(engine.run(weft::run_request{}.options(options)));
    BOOST_TEST((while_waiting.why->code == weft::errc::run_timeout));
    BOOST_TEST((sim.elapsed() == 500ms));
}

WEFT_ASYNC_TEST_CASE(a_run_may_be_destroyed_at_any_moment)
{
    const auto model = says({{"no"}, {R"({"score": 1})"}});
    const weft::loaded_graph loaded = weft::load_graph(
        spec_text(one_node(writing("'score'", ", 'retry': {'attempts_max': 2}"))), agent_registry(model));
    const weft::engine engine{loaded.what};
    const weft::run_result result = co_await engine.run(weft::run_request{});
    BOOST_TEST(result.message() == "finished");
}

BOOST_AUTO_TEST_SUITE_END()
