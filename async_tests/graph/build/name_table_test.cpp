#include "graph/build/name_table.hpp"

#include <weft/graph/edge/edge.hpp>

#include <boost/test/unit_test.hpp>

namespace {

using weft::graph_detail::name_table;

BOOST_AUTO_TEST_SUITE(name_table_test)

BOOST_AUTO_TEST_CASE(the_start_and_the_end_are_there)
{
    const name_table names;
    BOOST_TEST(names.find(weft::start) == name_table::start);
    BOOST_TEST(names.find(weft::end) == name_table::end);
    BOOST_TEST(names.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_name_that_is_added_again_keeps_its_number)
{
    name_table names;
    const auto plan = names.add("plan");
    const auto write = names.add("write");
    BOOST_TEST(plan != write);
    BOOST_TEST(names.add("plan") == plan);
    BOOST_TEST(names[write] == "write");
    BOOST_TEST(names.find("wrote") == name_table::none);
}

BOOST_AUTO_TEST_CASE(a_copy_is_a_table_of_its_own)
{
    name_table names;
    name_table copy = names;
    const auto added = copy.add("plan");
    BOOST_TEST(copy.find("plan") == added);
    BOOST_TEST(names.find("plan") == name_table::none);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
