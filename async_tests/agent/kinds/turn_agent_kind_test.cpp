#include <boost/test/unit_test.hpp>

#include "agent/agents.hpp"
#include "agent/kinds/turn_agent_kind.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/base/json.hpp>
#include <weft/graph/graph_spec_writer.hpp>
#include <weft/model/decorator/priced_model.hpp>
#include <weft/testing/scripted_model.hpp>

#include <boost/describe/class.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(turn_agent_kind_test)

namespace {

using turn_script = weft::testing::scripted_turn;
using turn_model = weft::testing::scripted_model;

struct seen_place {
    int x = 0;
};
BOOST_DESCRIBE_STRUCT(seen_place, (), (x))

std::shared_ptr<const weft::tool_set> looking_tools()
{
    const auto tools = std::make_shared<weft::tool_set>();
    tools->add("look", "Looks.", [](const seen_place& at) {
        if (at.x < 0) throw weft::error{weft::errc::connection_lost, "look", "there is nothing"};
        return "seen " + std::to_string(at.x);
    });
    tools->add("dig", "Digs.", [](const seen_place&) { return std::string{"a hole"}; });
    return tools;
}

weft::node_registry registry_for(std::shared_ptr<weft::chat_model> model)
{
    weft::node_registry registry;
    weft::add_agent_kinds(registry, {.model = std::move(model), .tools = looking_tools()});
    return registry;
}

std::shared_ptr<turn_model> model_that(std::vector<turn_script> turns)
{
    const auto model = std::make_shared<turn_model>();
    for (turn_script& turn : turns) model->then(std::move(turn));
    return model;
}

turn_script looks_at(int x) { return turn_script{}.call("look", {{"x", x}}); }

/** A node `n` that is an agent; see `one_node`. */
std::string agent_node(std::string_view settings, std::string_view more = "'writes': ['draft']")
{
    return one_node("'kind': 'turn_agent', 'settings': {" + std::string{settings} + "}, " + std::string{more});
}

seen_run run_agent(const std::shared_ptr<turn_model>& model, std::string_view settings,
                   std::string_view more = "'writes': ['draft']")
{
    return run_members(agent_node(settings, more), registry_for(model));
}

std::vector<std::string> mistakes_of(std::string_view settings, std::string_view more = "'writes': ['draft']")
{
    return mistakes_in(spec_text(agent_node(settings, more)), registry_for(std::make_shared<turn_model>()));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_file_describes_an_agent_with_tools)
{
    const auto model = model_that({looks_at(1), turn_script{"It rains."}});
    const seen_run seen = run_agent(model, "'system': 'You know {topic}.', 'prompt': 'Tell of {topic}.', 'tools': "
                                           "['look'], 'model': 'small', 'temperature': 0.5, 'output_max': 50");
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_TEST(seen.value("draft") == "\"It rains.\"");
    BOOST_REQUIRE_NO_THROW(model->assert_complete());
    const auto requests = model->requests();
    BOOST_TEST(requests[0].messages[0].text() == "You know rivers.");
    BOOST_TEST(requests[0].messages[1].text() == "Tell of rivers.");
    BOOST_TEST(requests[0].tools.size() == 1u);
    BOOST_TEST(requests[0].model == "small");
    BOOST_TEST((requests[0].temperature == 0.5));
    BOOST_TEST((requests[0].output_max == weft::tokens{50}));
    BOOST_TEST(requests[1].messages[3].text() == "seen 1");
    BOOST_TEST(seen.all(weft::agent_event::message_delta) == "It rains.");
}

BOOST_AUTO_TEST_CASE(an_answer_gives_values_to_several_keys)
{
    const auto model = model_that({turn_script{R"(```json
{"draft": "Rivers.", "score": 0.5}
```)"}});
    const seen_run seen = run_agent(model, "'prompt': 'x'", "'writes': ['draft', 'score']");
    BOOST_TEST(seen.value("draft") == "\"Rivers.\"");
    BOOST_TEST(seen.value("score") == "5E-1");
    const std::string told = model->requests()[0].messages[0].text();
    BOOST_TEST(told.find("from 0 to 1") != std::string::npos);

    const seen_run wrong = run_agent(model_that({turn_script{"no JSON"}}), "", "'writes': ['draft', 'score']");
    BOOST_TEST((wrong.code() == weft::errc::invalid_model_reply));
}

BOOST_AUTO_TEST_CASE(a_budget_that_is_used_up_fails_the_node_and_has_its_edge)
{
    const std::string node = agent_node("'budget': {'turns': 1, 'tokens': 5000, 'time': '5m', 'working_time': '4m', "
                                        "'tool_calls': 7}, 'tools': ['look']");
    const seen_run failed = run_members(node, registry_for(model_that({looks_at(1)})));
    BOOST_TEST((failed.code() == weft::errc::budget_exhausted));
    BOOST_TEST(failed.tells("the agent has no answer: the agent's budget of turns is used up"));

    std::string with_edge = node;
    with_edge.replace(with_edge.find("], 'edges': ["), 13,
                      ", {'name': 'rest', 'kind': 'set', 'settings': {'values': {'draft': 'none'}}}], "
                      "'edges': [{'from': 'n', 'to': 'rest', 'kind': 'on_budget'}, ");
    const seen_run led_on = run_members(with_edge, registry_for(model_that({looks_at(1)})));
    BOOST_TEST(led_on.path == "n rest");
    BOOST_TEST(led_on.value("draft") == "\"none\"");
}

namespace {

/** Two turns at 300 micros each, and an answer, with prices or without. */
seen_run run_priced(bool has_prices, std::string_view usd)
{
    const char* const table = R"({"models":[{"match":"*","input":1,"output":0}]})";
    weft::priced_model_options prices;
    if (has_prices)
        prices.prices = std::make_shared<const weft::price_table>(weft::price_table::from(weft::parse_json(table)));
    prices.model = "m";
    const auto turns = model_that({looks_at(1).used(weft::tokens{300}, weft::tokens{1}),
                                   looks_at(2).used(weft::tokens{300}, weft::tokens{1}),
                                   turn_script{"Seen."}.used(weft::tokens{1}, weft::tokens{1})});
    const std::string settings = "'tools': ['look'], 'budget': {'usd': " + std::string{usd} + "}";
    return run_members(agent_node(settings), registry_for(std::make_shared<weft::priced_model>(turns, prices)));
}

}  // namespace

BOOST_AUTO_TEST_CASE(IVY_25_a_cap_on_the_cost_ends_the_agent_after_the_turn_that_reaches_it)
{
    const seen_run capped = run_priced(true, "0.0006");
    BOOST_TEST((capped.code() == weft::errc::budget_exhausted));
    BOOST_TEST(capped.tells("the agent's budget of cost is used up"));
    BOOST_TEST(run_priced(true, "0.0007").value("draft") == "\"Seen.\"");
}

BOOST_AUTO_TEST_CASE(IVY_25_a_cap_on_the_cost_without_prices_is_refused_with_the_remedy)
{
    const seen_run unpriced = run_priced(false, "0.0006");
    BOOST_TEST(unpriced.result.message() != "finished");
    BOOST_TEST(unpriced.tells("has no price: add it to the table of prices"));
    weft::node_registry registry;
    weft::add_agent_kinds(registry, {.model = model_that({}), .knows_prices = false, .tools = looking_tools()});
    const auto mistakes = mistakes_in(spec_text(agent_node("'budget': {'usd': 0.5}")), registry);
    BOOST_REQUIRE(mistakes.size() == 1u);
    BOOST_TEST(lacks(mistakes, {"$.nodes[0].settings.budget.usd: limits the cost", "--prices FILE"}) == "");
    BOOST_TEST(mistakes_in(spec_text(agent_node("'budget': {'tokens': 500}")), registry).empty());
}

BOOST_AUTO_TEST_CASE(IVY_26_files_limit_elapsed_and_working_time)
{
    const auto resting = [](std::string_view budget) {
        turn_script slow = looks_at(1);
        slow.wait(std::chrono::minutes{1});
        return run_agent(model_that({slow, turn_script{"Seen."}}),
                         "'tools': ['look'], 'budget': {" + std::string{budget} + "}");
    };
    BOOST_TEST(resting("'working_time': '60s'").value("draft") == "\"Seen.\"");
    BOOST_TEST(resting("'working_time': '59s'").tells("the agent's budget of working time is used up"));
    BOOST_TEST(resting("'time': '59s'").tells("the agent's budget of time is used up"));
}

BOOST_AUTO_TEST_CASE(an_agent_that_fails_says_why)
{
    const seen_run repeated = run_agent(model_that({looks_at(-1), looks_at(-1)}), "'tools': ['look']");
    BOOST_TEST((repeated.code() == weft::errc::invalid_output));
    BOOST_TEST(repeated.tells("the same call failed in two turns in a row"));

    turn_script down;
    down.fails(weft::errc::model_overloaded);
    const auto model = model_that({down, down});
    const seen_run failed = run_agent(model, "'retries_max': 1");
    BOOST_TEST((failed.code() == weft::errc::model_overloaded));
    BOOST_TEST(model->requests().size() == 2u);

    // What a person, or a service that tries again, is to do about it depends on what the model failed with.
    using weft::errc;
    for (const errc why : {errc::model_unauthorized, errc::tls_untrusted, errc::connect_failed}) {
        turn_script refused;
        refused.fails(why);
        BOOST_TEST((run_agent(model_that({refused}), "'retries_max': 0").code() == why));
    }

    const seen_run silent = run_agent(model_that({turn_script{" "}}), "'nudges_max': 0");
    BOOST_TEST((silent.code() == weft::errc::invalid_output));
}

BOOST_AUTO_TEST_CASE(IVY_17_models_of_a_file_stand_in_for_one_another)
{
    turn_script down;
    down.fails(weft::errc::model_overloaded);
    const auto model = model_that({down, down, turn_script{"Done."}});
    const seen_run seen = run_agent(model, "'models': ['capable', 'balanced']");
    BOOST_TEST(seen.value("draft") == "\"Done.\"");
    const auto requests = model->requests();
    BOOST_REQUIRE(requests.size() == 3u);
    BOOST_TEST(requests[1].model == "capable");
    BOOST_TEST(requests[2].model == "balanced");
}

BOOST_AUTO_TEST_CASE(an_agent_hands_over_to_another_node)
{
    std::string node = agent_node("'hands_over': {'poet': 'when it must rhyme'}");
    node.replace(node.find("], 'edges': ["), 13,
                 ", {'name': 'poet', 'kind': 'set', 'settings': {'expressions': {'topic': 'draft'}}}], 'edges': [");
    const auto model = model_that({turn_script{}.text("To you.").call("transfer_to_poet")});
    const seen_run seen = run_members(node, registry_for(model));
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_TEST(seen.path == "n poet");
    BOOST_TEST(seen.value("topic") == "\"To you.\"");
    BOOST_TEST(lacks(mistakes_of("'hands_over': {'nobody': 'x'}"), {"nobody"}) == "");
}

BOOST_AUTO_TEST_CASE(without_a_model_it_rehearses)
{
    const auto run = [](std::string_view settings, std::string_view more = "'writes': ['draft']") {
        return run_members(agent_node(settings, more), registry_for(nullptr));
    };
    const seen_run plain = run("'prompt': 'Tell of {topic}.'");
    BOOST_TEST(plain.value("draft").find("no model is configured. It would have been asked: Tell of rivers.") !=
               std::string::npos);
    const seen_run scripted =
        run("'tools': ['look'], 'scripted': ['<tool_call>{\\\"name\\\": \\\"look\\\", \\\"arguments\\\": "
            "{\\\"x\\\": 4}}</tool_call>', 'Seen.']");
    BOOST_TEST(scripted.value("draft") == "\"Seen.\"");
    BOOST_TEST(scripted.all("tool_end").find("look") != std::string::npos);
    const seen_run shaped = run("", "'writes': ['draft', 'score']");
    BOOST_TEST((shaped.result.status == weft::run_status::finished), shaped.result.message());
}

BOOST_AUTO_TEST_CASE(mistakes_of_a_file_are_told)
{
    BOOST_TEST(mistakes_of("'prompt': '{topic}'").empty());
    BOOST_TEST(lacks(mistakes_of("'prompt': '{topc}'"), {"settings.prompt", "there is no key 'topc'"}) == "");
    BOOST_TEST(lacks(mistakes_of("'tools': ['lok']"), {"$.nodes[0].settings.tools", "look"}) == "");
    BOOST_TEST(lacks(mistakes_of("'sistem': 'x'"), {"$.nodes[0].settings", "sistem", "'system'"}) == "");
    BOOST_TEST(lacks(mistakes_of("'budget': {'turns': -1}"), {"$.nodes[0].settings.budget.turns: is -1"}) == "");
    BOOST_TEST(lacks(mistakes_of("'budget': {'usd': -1}"), {"$.nodes[0].settings.budget.usd: is from"}) == "");
    BOOST_TEST(lacks(mistakes_of("'budget': {'time': 'soon'}"), {"$.nodes[0].settings.budget.time"}) == "");
    BOOST_TEST(lacks(mistakes_of("'nudges_max': -1"), {"$.nodes[0].settings.nudges_max"}) == "");
    BOOST_TEST(lacks(mistakes_of("'result_chars_max': 0"), {"$.nodes[0].settings.result_chars_max"}) == "");
    BOOST_TEST(lacks(mistakes_of("'temperature': -1"), {"settings.temperature: is negative"}) == "");
    BOOST_TEST(lacks(mistakes_of("'model': 'a', 'models': ['b']"), {"settings.model: there are models"}) == "");
    BOOST_TEST(lacks(mistakes_of("", "'writes': []"), {"no writes"}) == "");
    BOOST_TEST(mistakes_of("'prompt': '{topc}', 'tools': ['lok'], 'temperature': -1").size() == 3u);
}

BOOST_AUTO_TEST_CASE(a_graph_of_a_file_with_an_agent_says_itself_again)
{
    const weft::node_registry registry = registry_for(nullptr);
    const std::string text = spec_text(agent_node(
        "'system': 'x', 'prompt': '{topic}', 'tools': ['look'], 'models': ['a'], 'budget': {'turns': 3, 'time': '5m'}, "
        "'nudges_max': 1, 'retries_max': 2, 'result_chars_max': 100, 'temperature': 0.5, 'output_max': 9, 'scripted': "
        "['y']",
        "'writes': ['draft'], 'reads': ['topic'], 'timeout': '1h'"));
    const weft::loaded_graph loaded = weft::load_graph(text, registry);
    const weft::graph_spec said = weft::spec_of(loaded.what, registry);
    BOOST_REQUIRE(said.nodes.size() == 1u);
    BOOST_TEST((said.nodes[0] == loaded.spec.nodes[0]));
    const weft::loaded_graph again = weft::load_graph(said, registry);
    BOOST_TEST((weft::spec_of(again.what, registry) == said));
}

BOOST_AUTO_TEST_CASE(an_agent_may_take_longer_than_other_nodes)
{
    const auto timeout_in = [](std::string_view more) {
        const auto loaded = weft::load_graph(spec_text(agent_node("", more)), registry_for(nullptr));
        return loaded.what.node(loaded.what.find("n")).options->timeout;
    };
    BOOST_TEST((timeout_in("'writes': ['draft']") == std::chrono::minutes{90}));
    BOOST_TEST((timeout_in("'writes': ['draft'], 'timeout': '5s'") == std::chrono::seconds{5}));
}

BOOST_AUTO_TEST_SUITE_END()
