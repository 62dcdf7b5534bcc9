#include <boost/test/unit_test.hpp>

#include "engine/scheduler/save_gate.hpp"

using weft::checkpoint_kind;
using weft::save_gate;

BOOST_AUTO_TEST_SUITE(save_gate_test)

namespace {

weft::schedule_limits holding()
{
    weft::schedule_limits limits;
    limits.saves = true;
    limits.holds_for_save = true;
    return limits;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_change_is_saved_once)
{
    save_gate gate{holding()};
    BOOST_TEST(!gate.begin_step());
    gate.note_change(checkpoint_kind::node_complete, 3);
    BOOST_TEST(gate.has_unsaved());
    const auto save = gate.begin_step();
    BOOST_TEST_REQUIRE(save.has_value());
    BOOST_TEST((save->moment == checkpoint_kind::node_complete));
    BOOST_TEST(save->node == 3u);
    BOOST_TEST(gate.is_saving());
    gate.saved();
    BOOST_TEST(!gate.is_saving());
    BOOST_TEST(!gate.begin_step());
}

BOOST_AUTO_TEST_CASE(changes_during_a_save_are_covered_by_the_next_one)
{
    save_gate gate{holding()};
    gate.note_change(checkpoint_kind::node_complete, 3);
    BOOST_TEST(gate.begin_step().has_value());
    gate.note_change(checkpoint_kind::node_complete, 4);
    gate.note_change(checkpoint_kind::node_start, 5);
    BOOST_TEST(!gate.begin_step());  // one at a time
    gate.saved();
    const auto next = gate.begin_step();
    BOOST_TEST_REQUIRE(next.has_value());
    BOOST_TEST(next->node == 5u);
    gate.saved();
    BOOST_TEST(!gate.begin_step());
}

BOOST_AUTO_TEST_CASE(a_gate_that_does_not_hold_remembers_no_change)
{
    weft::schedule_limits limits;
    limits.saves = true;
    save_gate gate{limits};
    gate.note_change(checkpoint_kind::node_complete, 3);
    BOOST_TEST(!gate.has_unsaved());
}

BOOST_AUTO_TEST_CASE(a_start_is_saved_once_until_something_changes)
{
    weft::schedule_limits limits = holding();
    BOOST_TEST(!save_gate{limits}.is_start_due());
    limits.saves_starts = true;
    save_gate gate{limits};
    BOOST_TEST(gate.is_start_due());
    BOOST_TEST((gate.begin_start(2).moment == checkpoint_kind::node_start));
    BOOST_TEST(!gate.is_start_due());
    gate.saved();
    BOOST_TEST(!gate.is_start_due());
    gate.note_change(checkpoint_kind::node_complete, 2);
    BOOST_TEST(gate.is_start_due());
}

BOOST_AUTO_TEST_CASE(the_end_is_saved_once_and_awaited)
{
    BOOST_TEST(!save_gate{holding()}.awaits_end());
    weft::schedule_limits limits = holding();
    limits.saves_end = true;
    save_gate gate{limits};
    BOOST_TEST(gate.awaits_end());
    BOOST_TEST(gate.begin_end());
    BOOST_TEST(!gate.begin_end());
    BOOST_TEST(gate.awaits_end());  // it is under way
    gate.saved();
    BOOST_TEST(!gate.awaits_end());
}

BOOST_AUTO_TEST_CASE(a_save_that_fails_is_the_last_one)
{
    weft::schedule_limits limits = holding();
    limits.saves_end = true;
    save_gate gate{limits};
    gate.note_change(checkpoint_kind::node_complete, 3);
    BOOST_TEST(gate.begin_step().has_value());
    BOOST_TEST(gate.give_up());  // the end waited for it
    gate.note_change(checkpoint_kind::node_complete, 4);
    BOOST_TEST(!gate.begin_step());
    BOOST_TEST(!gate.is_start_due());
    BOOST_TEST(!gate.awaits_end());

    save_gate at_end{limits};
    BOOST_TEST(at_end.begin_end());
    BOOST_TEST(at_end.give_up());
    BOOST_TEST(!at_end.awaits_end());

    save_gate without_end{holding()};
    without_end.note_change(checkpoint_kind::node_complete, 3);
    BOOST_TEST(without_end.begin_step().has_value());
    BOOST_TEST(!without_end.give_up());
}

BOOST_AUTO_TEST_SUITE_END()
