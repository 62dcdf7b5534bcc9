#include <boost/test/unit_test.hpp>

#include <weft/base/memory/sort_stably.hpp>

#include <memory>
#include <random>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(sort_stably_test)

BOOST_AUTO_TEST_CASE(equal_items_keep_their_order)
{
    std::mt19937 random{3};
    for (std::size_t size = 0; size < 200; size += 7) {
        std::vector<std::pair<int, std::size_t>> items;
        for (std::size_t i = 0; i < size; ++i) items.emplace_back(static_cast<int>(random() % 5), i);
        std::vector<std::pair<int, std::size_t>> expected = items;
        std::sort(expected.begin(), expected.end());  // by the place of each among equal ones
        weft::sort_stably(items, [](const auto& a, const auto& b) { return a.first < b.first; });
        BOOST_TEST((items == expected));
    }
}

BOOST_AUTO_TEST_CASE(items_are_only_moved)
{
    std::vector<std::unique_ptr<int>> items;
    for (const int number : {3, 1, 2}) items.push_back(std::make_unique<int>(number));
    weft::sort_stably(items, [](const auto& a, const auto& b) { return *a < *b; });
    BOOST_TEST((*items[0] == 1 && *items[1] == 2 && *items[2] == 3));
}

BOOST_AUTO_TEST_SUITE_END()
