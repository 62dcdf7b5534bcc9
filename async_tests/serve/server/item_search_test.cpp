#include "net/test_loop.hpp"
#include "serve/server/server_life.hpp"

#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/store/memory_items.hpp>
#include <weft/testing/model/word_embedding_model.hpp>

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>

BOOST_AUTO_TEST_SUITE(item_search_test)

weft::graph idle_graph()
{
    return weft::graph_builder{"idle"}.node("n", [](weft::node_context&) {}).edge(weft::start, "n").build();
}

/** The keys of the items that a search has found, best first. */
std::string keys_of(const answer& found)
{
    BOOST_TEST_REQUIRE(found.status == 200, found.body);
    std::string keys;
    const boost::json::value whole = found.json();
    for (const boost::json::value& item : whole.at("items").as_array())
        keys.append(keys.empty() ? "" : " ").append(item.at("key").as_string());
    return keys;
}

struct searched_life : life {
    searched_life(test_loop& loop, weft::memory_store& store, weft::memory_items& items, weft::server_options options)
        : life{loop, store, {idle_graph()}, std::move(options), &items}
    {
    }

    void put(std::string key, std::string value, std::string_view more = {})
    {
        const answer done = send("PUT", "/store/items", R"({"namespace":["docs"],"key":")" + key + R"(","value":)" +
                                                            value + std::string{more} + '}');
        BOOST_TEST_REQUIRE(done.status == 204, done.body);
    }
    answer search(std::string_view query, std::string_view more = {})
    {
        return post("/store/items/search", R"({"namespace_prefix":["docs"],"query":")" + std::string{query} + '"' +
                                               std::string{more} + '}');
    }
};

BOOST_AUTO_TEST_CASE(items_are_found_by_meaning)
{
    test_loop loop;
    weft::memory_store store;
    weft::memory_items items;
    weft::server_options options;
    options.embeddings = std::make_shared<weft::testing::word_embedding_model>();
    options.embedded_fields = {"/text"};
    searched_life server{loop, store, items, std::move(options)};
    server.put("rain", R"({"text":"rain is water from clouds","kind":"weather"})");
    server.put("wind", R"({"text":"wind is air that moves","kind":"weather"})");
    server.put("loan", R"({"text":"interest is the price of a loan","kind":"money"})");
    server.put("hidden", R"({"text":"water water water"})", R"(,"index":false)");
    server.put("titled", R"({"text":"nothing of that","about":{"title":"clouds and water"}})",
               R"(,"index":["about.title"])");
    server.put("empty", R"({"other":"water"})");

    const answer found = server.search("water from clouds", R"(,"limit":2)");
    BOOST_TEST(keys_of(found) == "rain titled");
    const boost::json::array best = found.json().at("items").as_array();
    BOOST_TEST(best[0].at("score").to_number<double>() >= best[1].at("score").to_number<double>());
    BOOST_TEST(keys_of(server.search("water from clouds", R"(,"limit":1,"offset":1)")) == "titled");
    BOOST_TEST(keys_of(server.search("the price of water", R"(,"limit":1,"filter":{"kind":"money"})")) == "loan");
    BOOST_TEST(server.search("water", R"(,"limit":1000,"offset":1)").status == 422);
    // Without a question all items are listed, those without a meaning too.
    const answer all = server.post("/store/items/search", R"({"namespace_prefix":["docs"]})");
    BOOST_TEST(all.json().at("items").as_array().size() == 6U);
}

BOOST_AUTO_TEST_CASE(without_a_model_a_search_by_meaning_is_refused_with_the_reason)
{
    test_loop loop;
    weft::memory_store store;
    weft::memory_items items;
    searched_life server{loop, store, items, {}};
    server.put("rain", R"({"text":"rain"})");
    const answer refused = server.search("rain");
    BOOST_TEST(refused.status == 422);
    BOOST_TEST(refused.body.find("no embedding model") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
