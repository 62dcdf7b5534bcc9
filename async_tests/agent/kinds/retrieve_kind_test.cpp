#include <boost/test/unit_test.hpp>

#include "agent/kinds/retrieve_kind.hpp"
#include "agent/memories.hpp"
#include "agent/memory/documents.hpp"

BOOST_AUTO_TEST_SUITE(retrieve_kind_test)

using namespace weft_tests;
using namespace weft_tests::tool_agents;

namespace {

/** A file with keys `question`, `text`, `list` and `n`, and one node of the kind. */
std::string file_with(std::string_view settings, std::string_view writes = "'text'")
{
    return "'state': [{'name': 'question', 'type': 'string'}, {'name': 'text', 'type': 'string'}, "
           "{'name': 'list', 'type': 'list'}, {'name': 'n', 'type': 'integer'}], 'nodes': [{'name': 'find', 'kind': "
           "'retrieve', 'writes': [" +
           std::string{writes} + "], 'settings': {" + std::string{settings} +
           "}}], 'edges': [{'from': '__start__', 'to': 'find'}]";
}

weft::node_registry registry_over(std::shared_ptr<const weft::semantic_items> documents)
{
    weft::agent_surroundings around;
    around.documents = std::move(documents);
    return registry_around(around);
}

struct indexed : weft_tests::shared_documents {
    indexed()
    {
        index("weather.md", weft_tests::weather_page, {{"language", "en"}});
        index("money.md", weft_tests::money_page);
    }
    [[nodiscard]] weft::run_result run(const std::string& file, const char* question)
    {
        const weft::node_registry registry = registry_over(pointer());
        const weft::loaded_graph loaded = weft::load_graph(spec_text(file), registry);
        const weft::engine engine{loaded.what};
        weft::run_request request;
        if (question) request.input({{"question", question}});
        return sim.run(engine.run(std::move(request)));
    }
};

std::string problem(std::string_view settings, std::string_view writes = "'text'")
{
    return all_mistakes(file_with(settings, writes), registry_over(nullptr));
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(a_node_writes_the_passages_that_a_question_is_about)
{
    indexed documents;
    const weft::run_result text =
        documents.run(file_with("'query': '{question}', 'items_max': 2"), "what is the price of a loan?");
    BOOST_TEST(text.message() == "finished");
    const std::string found{value_of(text, "text").as_string()};
    BOOST_TEST(found.find("[money.md:3, Money]\nInterest is the price of a loan.\n\n[weather.md:") == 0u);
    const weft::run_result list =
        documents.run(file_with("'query': '{question}', 'items_max': 1", "'list'"), "air that moves");
    const boost::json::value one = value_of(list, "list").at(0);
    BOOST_TEST(one.at("name").as_string() == "weather.md/000001");
    BOOST_TEST(one.at("value").at("line").as_int64() == 7);
    BOOST_TEST(one.at("score").as_double() > 0.5);
}

BOOST_AUTO_TEST_CASE(a_namespace_a_filter_and_a_score_narrow_the_search)
{
    indexed documents;
    const auto count = [&](std::string_view settings, const char* question = "water that falls from clouds") {
        const weft::run_result result = documents.run(
            file_with("'query': '{question}', " + std::string{settings}, "'list'"), question);
        return result.ok() ? value_of(result, "list").as_array().size() : 99u;
    };
    BOOST_TEST(count("'items_max': 9") == 3u);
    BOOST_TEST(count("'space': ['money.md']") == 1u);
    BOOST_TEST(count("'space': ['{question}']", "weather.md") == 2u);
    BOOST_TEST(count("'contains': {'language': 'en'}") == 2u);
    BOOST_TEST(count("'score_min': 0.5") == 1u);
    BOOST_TEST(count("'score_min': 0.5", "") == 0u);  // no question, no passages
}

BOOST_AUTO_TEST_CASE(a_run_that_cannot_search_says_what_is_missing)
{
    indexed documents;
    const weft::run_result unknown = documents.run(file_with("'query': '{question}'"), nullptr);
    BOOST_TEST((unknown.why && unknown.why->code == weft::errc::missing_state_value));
    const weft::node_registry registry = registry_over(nullptr);
    const weft::loaded_graph loaded = weft::load_graph(spec_text(file_with("'query': 'x'")), registry);
    const weft::engine engine{loaded.what};
    const weft::run_result blind = documents.sim.run(engine.run({}));
    BOOST_TEST((blind.why && blind.why->code == weft::errc::invalid_configuration));
    BOOST_TEST(has(blind.message(), "WEFT_EMBEDDING_MODEL"));
}

BOOST_AUTO_TEST_CASE(mistakes_are_told_where_they_stand)
{
    BOOST_TEST(has(problem("'items_max': 3"), "query"));
    BOOST_TEST(has(problem("'query': ''"), "say what is looked for"));
    BOOST_TEST(has(problem("'query': '{questoin}'"), "question"));
    BOOST_TEST(has(problem("'query': 'x', 'items_max': 0"), "from 1 to 1000"));
    BOOST_TEST(has(problem("'query': 'x', 'score_min': 2"), "a cosine"));
    BOOST_TEST(has(problem("'query': 'x', 'space': ['a', '']"), "a name is empty"));
    BOOST_TEST(has(problem("'query': 'x', 'space': ['{nobody}']"), "nobody"));
    BOOST_TEST(has(problem("'query': 'x', 'contains': 1"), "contains"));
    BOOST_TEST(has(problem("'query': 'x'", "'text', 'list'"), "no other"));
    BOOST_TEST(has(problem("'query': 'x'", "'n'"), "string, list or any"));
}

BOOST_AUTO_TEST_CASE(a_graph_says_the_file_it_came_from)
{
    const weft::node_registry registry = registry_over(nullptr);
    const std::string file =
        spec_text(file_with("'query': '{question}', 'space': ['a'], 'contains': {'x': 1}, 'score_min': 0.5"));
    const weft::loaded_graph loaded = weft::load_graph(file, registry);
    BOOST_TEST((weft::spec_of(loaded.what, registry).nodes[0].settings == loaded.spec.nodes[0].settings));
}

BOOST_AUTO_TEST_SUITE_END()
