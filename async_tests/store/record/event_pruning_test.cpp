#include <boost/test/unit_test.hpp>

#include "store/record/event_pruning.hpp"

BOOST_AUTO_TEST_SUITE(event_pruning_test)

namespace {

using weft::event_log_limits;
using weft::event_log_state;
using weft::event_pruning;

/** How many of `count` events of a size go. */
std::size_t taken_of(std::size_t count, std::size_t size, const event_log_limits& limits)
{
    event_pruning pruning{count, count * size, limits};
    std::size_t taken = 0;
    while (pruning.takes(size)) ++taken;
    return taken;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_log_within_its_limits_keeps_all)
{
    BOOST_TEST(taken_of(8, 10, {.events_max = 8, .bytes_max = 80}) == 0u);
    BOOST_TEST(taken_of(0, 10, {.events_max = 8, .bytes_max = 80}) == 0u);
}

BOOST_AUTO_TEST_CASE(a_log_that_exceeds_one_limit_is_pruned_to_seven_eighths_of_both)
{
    BOOST_TEST(taken_of(9, 1, {.events_max = 8, .bytes_max = 80}) == 2u);
    BOOST_TEST(taken_of(9, 10, {.events_max = 100, .bytes_max = 80}) == 2u);
    BOOST_TEST(taken_of(9, 10, {.events_max = 8, .bytes_max = 40}) == 6u);
}

BOOST_AUTO_TEST_CASE(the_newest_event_stays_whatever_the_limits_are)
{
    BOOST_TEST(taken_of(5, 100, {.events_max = 0, .bytes_max = 0}) == 4u);
    BOOST_TEST(taken_of(1, 100, {.events_max = 1, .bytes_max = 10}) == 0u);
}

BOOST_AUTO_TEST_CASE(a_reader_is_told_of_a_gap_only_if_it_missed_events)
{
    BOOST_TEST((weft::state_for_reader(0, 1, 5) == event_log_state::ok));
    BOOST_TEST((weft::state_for_reader(2, 3, 5) == event_log_state::ok));
    BOOST_TEST((weft::state_for_reader(1, 3, 5) == event_log_state::pruned));
    BOOST_TEST((weft::state_for_reader(5, 5, 5) == event_log_state::ok));
    BOOST_TEST((weft::state_for_reader(0, 0, 0) == event_log_state::ok));
}

BOOST_AUTO_TEST_SUITE_END()
