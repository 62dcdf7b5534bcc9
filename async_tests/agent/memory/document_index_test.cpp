#include <boost/test/unit_test.hpp>

#include "documents.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_text.hpp>

BOOST_AUTO_TEST_SUITE(document_index_test)

namespace {

using weft::semantic_query;
using weft_tests::shared_documents;

std::string all_of(shared_documents& documents)
{
    std::string text;
    for (const weft::stored_item& item : documents.sim.run(documents.all.space().list(1'000)))
        text += item.key.space.back() + "/" + item.key.name + " ";
    return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(passages_of_a_document_are_found_with_their_place)
{
    shared_documents documents;
    BOOST_TEST(documents.index("weather.md", weft_tests::weather_page, {{"language", "en"}}) == 2u);
    BOOST_TEST(documents.index("money.md", weft_tests::money_page) == 1u);
    const auto found = documents.sim.run(documents.all.search(semantic_query{"air that moves"}));
    BOOST_REQUIRE(found.size() == 3u);
    BOOST_TEST(weft::to_json_text(found[0].item.value) ==
               R"({"language":"en","document":"weather.md","heading":"Weather > Wind","line":7,)"
               R"("text":"Wind is air that moves."})");
    const auto by_heading = documents.sim.run(documents.all.search(semantic_query{"Money"}));
    BOOST_TEST(by_heading[0].item.value.at("document").as_string() == "money.md");
    semantic_query english{"loan"};
    english.contains = R"({"language": "en"})";
    BOOST_TEST(documents.sim.run(documents.all.search(std::move(english))).size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_document_takes_the_place_of_what_it_was)
{
    shared_documents documents;
    std::string long_text;
    for (int i = 0; i < 600; ++i) long_text += "# Part " + std::to_string(i) + "\ntext\n";
    BOOST_TEST(documents.index("a", long_text) == 600u);
    BOOST_TEST(documents.index("a/b", "other") == 1u);
    BOOST_TEST(documents.index("a", weft_tests::weather_page) == 2u);
    BOOST_TEST(all_of(documents) == "a/000000 a/000001 a/b/000000 ");
    BOOST_TEST(documents.index("a", "") == 0u);
    BOOST_TEST(all_of(documents) == "a/b/000000 ");
    BOOST_TEST(documents.sim.run(weft::forget_document(documents.all, "a/b")) == 1u);
    BOOST_TEST(documents.sim.run(weft::forget_document(documents.all, "a/b")) == 0u);
    BOOST_TEST(all_of(documents) == "");
    BOOST_CHECK_THROW(documents.index("", "text"), weft::error);
}

BOOST_AUTO_TEST_SUITE_END()
