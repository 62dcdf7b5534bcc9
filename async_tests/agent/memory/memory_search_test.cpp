#include <boost/test/unit_test.hpp>

#include <weft/store/memory_items.hpp>
#include <weft/testing/simulation.hpp>

#include <weft/agent/memory/memory_search.hpp>

#include <memory>

BOOST_AUTO_TEST_SUITE(memory_search_test)

namespace {

/** Things about a user, each a second younger than the one before. */
struct facts {
    facts()
    {
        put("city", "Ada lives in Lima.");
        put("food", "Ada likes soup, and no meat.");
        put("food-allergy", "Nuts.");
        put("pet", "A cat.");
        sim.run(space.below({"work"}).put("boss", boost::json::object{{"name", "Ada's boss is Bo"}}));
    }
    void put(std::string name, const char* text)
    {
        sim.run(space.put(std::move(name), text));
        sim.clock().advance(std::chrono::seconds{1});
    }
    std::string found(weft::memory_query asked)
    {
        std::string names;
        for (const weft::stored_item& item : sim.run(weft::search_memory(space, std::move(asked))))
            names.append(names.empty() ? "" : " ").append(name_in(space, item.key));
        return names;
    }
    std::string words(std::string text)
    {
        weft::memory_query asked;
        asked.words = std::move(text);
        return found(std::move(asked));
    }

    weft::testing::simulation sim{1};
    weft::item_space space{std::make_shared<weft::memory_items>(), "acme", {"users", "ada"}};
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(M1_items_with_most_of_the_words_come_first, facts)
{
    BOOST_TEST(words("what FOOD does ada like") == "food work/boss food-allergy city");
    BOOST_TEST(words("cat") == "pet");
    BOOST_TEST(words("train") == "");
}

BOOST_FIXTURE_TEST_CASE(M1_without_words_the_newest_come_first, facts)
{
    BOOST_TEST(words("") == "work/boss pet food-allergy food city");
    weft::memory_query two;
    two.items_max = 2;
    BOOST_TEST(found(two) == "work/boss pet");
}

BOOST_FIXTURE_TEST_CASE(M1_names_can_be_asked_for_by_their_beginning, facts)
{
    weft::memory_query asked;
    asked.prefix = "food";
    BOOST_TEST(found(asked) == "food-allergy food");
    asked.prefix = "work/";
    BOOST_TEST(found(asked) == "work/boss");
}

BOOST_FIXTURE_TEST_CASE(M1_a_search_looks_at_so_many_items_and_no_more, facts)
{
    for (int i = 0; i < 450; ++i) put("n" + std::to_string(1000 + i), "a number");
    weft::memory_query asked;
    asked.words = "number";
    asked.items_max = 1'000;
    asked.scanned_max = 403;  // with the three before, across pages
    const std::string some = found(asked);
    BOOST_TEST(std::count(some.begin(), some.end(), ' ') == 399);
    asked.scanned_max = 10'000;
    const std::string every = found(asked);
    BOOST_TEST(std::count(every.begin(), every.end(), ' ') == 449);
}

BOOST_AUTO_TEST_CASE(M1_equal_texts_have_one_name)
{
    BOOST_TEST(weft::memory_name_of("likes soup") == weft::memory_name_of("likes soup"));
    BOOST_TEST(weft::memory_name_of("likes soup") != weft::memory_name_of("likes nuts"));
}

BOOST_AUTO_TEST_SUITE_END()
