#include <boost/test/unit_test.hpp>

#include "agent/core/number_range.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(number_range_test)

namespace {

std::vector<std::string> faults_of(std::optional<std::int64_t> number)
{
    std::vector<std::string> faults{"one from before"};
    weft::agent_detail::check_range(faults, "turns_max", number, {1, 20});
    return faults;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_number_within_its_range_and_none_are_no_fault)
{
    for (const std::int64_t right : {1, 7, 20}) BOOST_TEST(faults_of(right).size() == 1U);
    BOOST_TEST(faults_of(std::nullopt).size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_number_beyond_an_end_is_a_fault_that_names_member_and_range)
{
    for (const std::int64_t wrong : {std::numeric_limits<std::int64_t>::min(), std::int64_t{0}, std::int64_t{21}}) {
        const std::vector<std::string> faults = faults_of(wrong);
        BOOST_REQUIRE(faults.size() == 2U);
        BOOST_TEST(faults.back() == "turns_max: is out of range: it is 1 to 20");
    }
}

BOOST_AUTO_TEST_SUITE_END()
