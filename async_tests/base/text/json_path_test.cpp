#include <boost/test/unit_test.hpp>

#include <weft/base/text/json_path.hpp>

using weft::json_path;

BOOST_AUTO_TEST_SUITE(json_path_test)

BOOST_AUTO_TEST_CASE(a_path_names_members_and_items_from_the_root)
{
    const json_path whole;
    BOOST_TEST(whole.text() == "$");
    BOOST_TEST(whole.depth() == 0u);
    const json_path branches{whole, "branches"};
    const std::size_t index = 3;
    const json_path fourth{branches, index};
    const json_path name{fourth, "first_name2"};
    BOOST_TEST(name.text() == "$.branches[3].first_name2");
    BOOST_TEST(name.depth() == 3u);
    const json_path nested{fourth, index};
    BOOST_TEST(nested.text() == "$.branches[3][3]");
}

BOOST_AUTO_TEST_CASE(unusual_names_are_quoted)
{
    const json_path whole;
    BOOST_TEST((json_path{whole, "a b"}.text() == R"($["a b"])"));
    BOOST_TEST((json_path{whole, "a.b"}.text() == R"($["a.b"])"));
    BOOST_TEST((json_path{whole, "2nd"}.text() == R"($["2nd"])"));
    BOOST_TEST((json_path{whole, ""}.text() == R"($[""])"));
    BOOST_TEST((json_path{whole, "say \"hi\"\n"}.text() == R"($["say \"hi\"\n"])"));
}

BOOST_AUTO_TEST_CASE(steps_lead_from_the_whole_value)
{
    const weft::json_path whole;
    const weft::json_path nodes{whole, "nodes"};
    const weft::json_path third{nodes, std::size_t{3}};
    const std::vector<weft::json_path::step> steps = third.steps();
    BOOST_TEST(whole.steps().empty());
    BOOST_REQUIRE(steps.size() == 2u);
    BOOST_TEST(steps[0].name == "nodes");
    BOOST_TEST(steps[0].index == weft::json_path::step::no_index);
    BOOST_TEST(steps[1].index == 3u);
}

BOOST_AUTO_TEST_SUITE_END()
