#include <weft/graph/state/name_index.hpp>
#include <weft/graph/state_key.hpp>

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

namespace {

using weft::name_index;

struct indexed_names {
    std::vector<std::string> names;
    name_index index;

    std::uint32_t find(const std::string& name) const
    {
        return index.find(weft::hash_of_name(name), [&](std::uint32_t n) { return names[n] == name; });
    }
    void add(const std::string& name)
    {
        index.insert(weft::hash_of_name(name), static_cast<std::uint32_t>(names.size()));
        names.push_back(name);
    }
};

BOOST_AUTO_TEST_SUITE(name_index_test)

BOOST_AUTO_TEST_CASE(an_empty_index_finds_nothing) { BOOST_TEST(indexed_names{}.find("a") == name_index::none); }

BOOST_AUTO_TEST_CASE(each_name_has_its_number_however_often_the_table_grows)
{
    indexed_names names;
    for (int i = 0; i < 5'000; ++i) names.add("node " + std::to_string(i));
    for (std::uint32_t i = 0; i < 5'000; ++i) BOOST_TEST_REQUIRE(names.find("node " + std::to_string(i)) == i);
    BOOST_TEST(names.find("node 5000") == name_index::none);
}

BOOST_AUTO_TEST_CASE(names_of_one_hash_are_told_apart_by_the_owner)
{
    name_index index;
    index.insert(7, 1);
    index.insert(7, 2);
    BOOST_TEST(index.find(7, [](std::uint32_t n) { return n == 2; }) == 2u);
    BOOST_TEST(index.find(7, [](std::uint32_t) { return false; }) == name_index::none);
}

BOOST_AUTO_TEST_CASE(room_that_is_made_keeps_what_is_there)
{
    indexed_names names;
    names.add("a");
    names.index.reserve(1'000);
    BOOST_TEST(names.find("a") == 0u);
    BOOST_TEST(names.find("b") == name_index::none);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
