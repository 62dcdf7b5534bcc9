#include <boost/test/unit_test.hpp>

#include "graph/node/graph_keys.hpp"

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(state_layout_test)

BOOST_AUTO_TEST_CASE(keys_have_slots_in_the_order_of_declaration)
{
    const auto layout = all_keys();
    BOOST_TEST(layout->size() == 6u);
    BOOST_TEST(layout->find("score") == 0u);
    BOOST_TEST(layout->find("handle") == 5u);
    BOOST_TEST(layout->find("nothing") == weft::state_layout::none);
    BOOST_TEST(layout->names().front() == "score");
    BOOST_TEST((*layout)[1].name == "topic");
}

BOOST_AUTO_TEST_CASE(an_empty_layout_finds_nothing)
{
    const weft::state_layout layout;
    BOOST_TEST(layout.find("score") == weft::state_layout::none);
    BOOST_TEST(layout.size() == 0u);
}

BOOST_AUTO_TEST_CASE(the_same_key_twice_is_once_and_another_type_is_refused)
{
    weft::state_layout layout;
    constexpr weft::state_key<std::string> other_type{"score"};
    constexpr weft::state_key<std::int64_t, weft::add> other_reducer{"score"};
    BOOST_TEST(layout.add(score));
    BOOST_TEST(layout.add(score));
    BOOST_TEST(!layout.add(other_type));
    BOOST_TEST(!layout.add(other_reducer));
    BOOST_TEST(layout.size() == 1u);
}

BOOST_AUTO_TEST_CASE(many_keys_are_all_found)
{
    std::vector<std::string> names;
    for (int i = 0; i < 500; ++i) names.push_back("key" + std::to_string(i));
    weft::state_layout layout;
    for (const std::string& name : names) BOOST_REQUIRE(layout.add(weft::state_key<int>{name}));
    for (std::uint32_t i = 0; i < names.size(); ++i) BOOST_REQUIRE_EQUAL(layout.find(names[i]), i);
    BOOST_TEST(layout.find("key500") == weft::state_layout::none);
}

BOOST_AUTO_TEST_CASE(an_unknown_key_is_named_with_its_user_and_the_keys_there_are)
{
    const auto layout = all_keys();
    constexpr weft::state_key<int> unknown{"unknown"};
    BOOST_CHECK_EXCEPTION((void)layout->require(unknown, "judge"), weft::error,
                          says(weft::errc::unknown_state_key, {"'judge'", "'unknown'", "score, topic"}));
    const weft::state_layout empty;
    BOOST_CHECK_EXCEPTION((void)empty.require(unknown, "judge"), weft::error,
                          says(weft::errc::unknown_state_key, {"no keys"}));
}

BOOST_AUTO_TEST_CASE(a_key_of_another_type_is_refused)
{
    const auto layout = all_keys();
    constexpr weft::state_key<std::string> mistyped{"score"};
    BOOST_CHECK_EXCEPTION((void)layout->require(mistyped, "judge"), weft::error,
                          says(weft::errc::state_type_mismatch, {"'judge'", "'score'"}));
}

BOOST_AUTO_TEST_SUITE_END()
