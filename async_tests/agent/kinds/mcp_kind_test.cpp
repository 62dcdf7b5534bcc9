#include <boost/test/unit_test.hpp>

#include "agent/filed_agents.hpp"
#include "agent/kinds/mcp_kind.hpp"

#include <weft/agent/kinds/mcp_servers.hpp>
#include <weft/base/json/json_text.hpp>
#include <weft/engine/memory_journal.hpp>

BOOST_AUTO_TEST_SUITE(mcp_kind_test)

using namespace weft_tests;
using namespace weft_tests::tool_agents;
using weft::errc;

namespace {

/** What the tools of the server `shop` were asked. */
struct shop {
    std::vector<std::string> asked;
    std::vector<std::string> keys;
    int failures = 0;  ///< So many calls fail first.

    [[nodiscard]] std::shared_ptr<const weft::tool_set> tools()
    {
        weft::tool_set all;
        const boost::json::object takes_place{
            {"type", "object"},
            {"properties", {{"place", {{"type", "string"}}}, {"count", {{"type", "integer"}}}}},
            {"required", {"place"}}};
        const auto price = [this](boost::json::object arguments, const weft::tool_context& context) {
            asked.push_back(weft::to_json_text(arguments));
            keys.push_back(context.idempotency_key);
            if (failures-- > 0) return weft::tool_result::error("closed");
            weft::tool_result result = weft::tool_result::text("12 coins");
            result.metadata["structured"] = {{"price", 12}};
            return result;
        };
        const auto tell = [this](boost::json::object arguments) {
            asked.push_back(weft::to_json_text(arguments));
            return std::string{"{\"a\": 1} and more"};
        };
        all.add("shop__price", "A price.", takes_place, price);
        all.add("shop__tell", "A text.", boost::json::object{{"type", "object"}}, tell);
        return std::make_shared<const weft::tool_set>(std::move(all));
    }
};

std::string file_with(std::string_view settings, std::string_view writes = "'price'",
                      std::string_view more = "'retry': {'attempts_max': 1}")
{
    return "'state': [{'name': 'place', 'type': 'string', 'initial': 'Rome'}, {'name': 'count', 'type': 'integer', "
           "'initial': 2}, {'name': 'price', 'type': 'integer'}, {'name': 'text', 'type': 'string'}, {'name': 'all', "
           "'type': 'any'}], 'nodes': [{'name': 'call', 'kind': 'mcp', 'reads': ['place', 'count'], 'writes': [" +
           std::string{writes} + "], " + std::string{more} + ", 'settings': {'server': 'shop', " +
           std::string{settings} + "}}], 'edges': [{'from': '__start__', 'to': 'call'}]";
}

weft::agent_surroundings surroundings_of(shop& from)
{
    weft::agent_surroundings around;
    around.tools = from.tools();
    return around;
}

weft::run_result run(shop& from, const std::string& members)
{
    return run_file(members, registry_around(surroundings_of(from)));
}

bool has(const std::string& text, std::string_view part)
{
    const bool is_there = text.find(part) != std::string::npos;
    if (!is_there) BOOST_TEST_MESSAGE(text);
    return is_there;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_tool_gets_what_the_node_reads_and_its_structured_content_becomes_the_writes)
{
    shop at;
    const weft::run_result result = run(at, file_with("'tool': 'price'"));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_of(result, "price").as_int64() == 12);
    BOOST_TEST(at.asked.size() == 1u);
    BOOST_TEST(at.asked.at(0) == R"({"place":"Rome","count":2})");
    BOOST_TEST(at.keys.at(0).size() == 36u);
}

BOOST_AUTO_TEST_CASE(arguments_are_templates_and_one_key_in_braces_is_its_value)
{
    shop at;
    const weft::run_result result = run(
        at, file_with("'tool': 'tell', 'arguments': {'a': '{count}', 'b': 'in {place}!', 'c': [1, {'d': '{place}'}], "
                      "'e': '{text}', 'f': true}",
                      "'text'"));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(at.asked.at(0) == R"({"a":2,"b":"in Rome!","c":[1,{"d":"Rome"}],"f":true})");
    BOOST_TEST(value_of(result, "text").as_string() == "{\"a\": 1} and more");
}

BOOST_AUTO_TEST_CASE(a_result_goes_whole_into_one_key)
{
    shop at;
    BOOST_TEST(value_of(run(at, file_with("'tool': 'price', 'into': 'all'", "'all'")), "all").at("price").as_int64() ==
               12);
}

BOOST_AUTO_TEST_CASE(a_tool_that_fails_is_called_again_as_the_node_says_and_with_the_same_key)
{
    shop at;
    at.failures = 1;
    const weft::run_result failed = run(at, file_with("'tool': 'price'"));
    BOOST_REQUIRE(failed.why);
    BOOST_TEST((failed.why->code == errc::mcp_refused));
    BOOST_TEST(has(failed.message(), "node 'call', tool 'price' of the MCP server 'shop'"));
    BOOST_TEST(has(failed.message(), "closed"));
    at.failures = 1;
    at.keys.clear();
    const std::string again = "'retry': {'attempts_max': 2, 'initial': '1ms'}";
    BOOST_TEST(run(at, file_with("'tool': 'price'", "'price'", again)).message() == "finished");
    BOOST_REQUIRE(at.keys.size() == 2u);
    BOOST_TEST(at.keys[0] == at.keys[1]);
    const weft::run_result wrong = run(at, file_with("'tool': 'price', 'arguments': {'place': 3}"));
    BOOST_TEST(has(wrong.message(), "place"));
    BOOST_TEST(at.keys.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_result_that_was_recorded_is_not_asked_for_again)
{
    shop at;
    const weft::node_registry known = registry_around(surroundings_of(at));
    const std::string members = file_with("'tool': 'price'", "'price'",
                                          "'retry': {'attempts_max': 3, 'initial': '1ms'}, 'outputs': {'check': "
                                          "'price < 5'}");
    const weft::loaded_graph loaded = weft::load_graph(spec_text(members), known);
    const auto journal = std::make_shared<weft::memory_journal>("a/b/c");
    const weft::run_result result = run_with(loaded.what, weft::run_request{}.journal(journal));
    BOOST_REQUIRE(result.why);
    BOOST_TEST((result.why->code == errc::invalid_output));
    BOOST_TEST(at.asked.size() == 1u);
}

BOOST_AUTO_TEST_CASE(the_policy_for_tools_holds)
{
    shop at;
    weft::agent_surroundings around = surroundings_of(at);
    around.tool_options.policy = [](const weft::tool_invocation&, const weft::tool_entry&) {
        return weft::tool_decision::deny("not today");
    };
    const weft::run_result result = run_file(file_with("'tool': 'price'"), registry_around(around));
    BOOST_TEST(has(result.message(), "not today"));
    BOOST_TEST(at.asked.empty());
}

BOOST_AUTO_TEST_CASE(a_run_pauses_while_a_person_is_asked_to_confirm)
{
    shop at;
    weft::agent_surroundings around = surroundings_of(at);
    around.tool_options.policy = [](const weft::tool_invocation&, const weft::tool_entry&) {
        return weft::tool_decision::confirm("it costs money");
    };
    around.tool_options.confirm = weft::confirm_by_question;
    const weft::node_registry known = registry_around(around);
    const weft::loaded_graph loaded = weft::load_graph(spec_text(file_with("'tool': 'price'")), known);
    weft::run_request first;
    first.journal(std::make_shared<weft::memory_journal>("a/b/c"));
    const weft::run_result asks = run_with(loaded.what, std::move(first));
    BOOST_TEST((asks.status == weft::run_status::paused));
    BOOST_TEST(at.asked.empty());
    BOOST_REQUIRE(asks.questions.size() == 1u);
    weft::question_answers answers;
    answers.emplace(asks.questions[0].address, true);
    weft::run_request again;
    again.resume(asks.paused_at).answers(std::move(answers));
    const weft::run_result result = run_with(loaded.what, std::move(again));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_of(result, "price").as_int64() == 12);
    BOOST_TEST(at.asked.size() == 1u);
}

BOOST_AUTO_TEST_CASE(all_mistakes_of_a_node_are_told_at_once)
{
    shop at;
    const weft::node_registry known = registry_around(surroundings_of(at));
    const auto problem = [&](std::string_view settings) { return all_mistakes(file_with(settings), known); };
    const std::string all = problem("'tool': '', 'into': 'text', 'arguments': {'a': ['{nobody}'], 'b': '{'}");
    for (const char* part : {"settings.tool: is empty", "settings.into: the node's writes do not name 'text'",
                             "settings.arguments.a[0]: line 1, column 1", "settings.arguments.b: line 1"})
        BOOST_TEST(has(all, part));
    BOOST_TEST(has(problem("'tool': 'prize'"), "settings.tool: there is no tool 'shop__prize'"));
    BOOST_TEST(has(problem("'arguments': 3"), "tool"));
    BOOST_TEST(has(all_mistakes(file_with("'tool': 'price'"), registry_around({})), "shop__price"));
}

BOOST_AUTO_TEST_CASE(a_graph_says_the_file_it_came_from)
{
    shop at;
    const weft::node_registry known = registry_around(surroundings_of(at));
    BOOST_TEST(
        survives_writing(file_with("'tool': 'price', 'arguments': {'place': '{place}'}, 'into': 'price'"), known));
    BOOST_TEST(survives_writing(file_with("'tool': 'tell'"), known));
}

BOOST_AUTO_TEST_SUITE_END()
