#include <boost/test/unit_test.hpp>

#include "documents.hpp"

#include <weft/agent/document_tools.hpp>
#include <weft/base/error.hpp>

BOOST_AUTO_TEST_SUITE(document_tools_test)

namespace {

using weft_tests::shared_documents;

weft::tool_result called(shared_documents& documents, weft::document_tools_options options,
                         boost::json::object arguments)
{
    weft::tool_set tools;
    weft::add_document_tools(tools, std::move(options));
    weft::tool_invocation call;
    call.arguments = std::move(arguments);
    return documents.sim.run(tools.find("search_documents")->work->call(std::move(call)));
}

weft::document_tools_options searching(const shared_documents& documents)
{
    weft::document_tools_options options;
    options.documents = documents.pointer();
    return options;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_model_finds_passages_by_meaning)
{
    shared_documents documents;
    documents.index("weather.md", weft_tests::weather_page);
    documents.index("money.md", weft_tests::money_page);
    const weft::tool_result found =
        called(documents, searching(documents), {{"query", "which air moves?"}, {"at_most", 1}});
    BOOST_TEST(found.readable() == "[weather.md:7, Weather > Wind]\nWind is air that moves.\n");
    weft::document_tools_options strict = searching(documents);
    strict.score_min = 0.9F;
    BOOST_TEST(called(documents, strict, {{"query", "bicycles"}}).readable() == "no document says anything like it");
    weft::document_tools_options filtered = searching(documents);
    filtered.contains = R"({"document": "money.md"})";
    BOOST_TEST(called(documents, filtered, {{"query", "air"}}).readable().find("[money.md:3, Money]") == 0u);
}

BOOST_AUTO_TEST_CASE(an_answer_has_a_bound_in_passages_and_bytes)
{
    shared_documents documents;
    std::string page;
    for (int i = 0; i < 9; ++i) page += "# Rain " + std::to_string(i) + "\nrain\n";
    documents.index("rain.md", page);
    weft::document_tools_options options = searching(documents);
    options.found_max = 3;
    const std::string three = called(documents, options, {{"query", "rain"}, {"at_most", 9}}).readable();
    BOOST_TEST(std::count(three.begin(), three.end(), '[') == 3);
    options.found_bytes_max = 60;
    const std::string cut = called(documents, options, {{"query", "rain"}}).readable();
    BOOST_TEST(cut.find("1 more, which are too long") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_call_that_cannot_search_says_why)
{
    shared_documents documents;
    BOOST_TEST(called(documents, searching(documents), {{"query", ""}}).is_error);
    const auto refused = [](const weft::error& e) { return e.code() == weft::errc::invalid_configuration; };
    BOOST_CHECK_EXCEPTION(called(documents, {}, {{"query", "x"}}), weft::error, refused);
}

BOOST_AUTO_TEST_SUITE_END()
