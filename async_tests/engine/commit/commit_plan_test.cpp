#include <boost/test/unit_test.hpp>

#include <weft/base/clock.hpp>

#include "engine/commit/commit_plan.hpp"

using weft::commit_plan;
using weft::errc;
using weft::write_state;
using step = weft::commit_plan::step;

BOOST_AUTO_TEST_SUITE(commit_plan_test)

namespace {

weft::checkpoint_id some_id(std::uint8_t number)
{
    weft::unique_id id;
    id.bytes[0] = number;
    return weft::checkpoint_id{id};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_commit_that_is_answered_is_done)
{
    commit_plan plan{some_id(1), 4};
    BOOST_TEST((plan.next() == step::write));
    plan.written({write_state::ok, 5});
    BOOST_TEST((plan.next() == step::done));
    BOOST_TEST(plan.head() == 5);
}

BOOST_AUTO_TEST_CASE(a_refusal_means_that_the_thread_is_lost)
{
    for (const write_state state : {write_state::fenced, write_state::stale_head}) {
        commit_plan plan{some_id(1), 4};
        plan.written({state, 9});
        BOOST_TEST((plan.next() == step::lost));
    }
}

BOOST_AUTO_TEST_CASE(a_store_that_does_not_answer_is_asked_again_and_nothing_was_done)
{
    commit_plan plan{some_id(1), 4};
    plan.threw(errc::store_unavailable);
    plan.threw(errc::store_unavailable);
    BOOST_TEST((plan.next() == step::write));
    BOOST_TEST(plan.fruitless() == 2);
    BOOST_TEST(!plan.is_in_doubt());
    plan.written({write_state::ok, 5});
    BOOST_TEST((plan.next() == step::done));
    BOOST_TEST(plan.fruitless() == 0);
}

BOOST_AUTO_TEST_CASE(an_unknown_outcome_is_looked_up_and_not_repeated_blindly)
{
    commit_plan plan{some_id(1), 4};
    plan.threw(errc::store_outcome_unknown);
    BOOST_TEST((plan.next() == step::look_up));
    BOOST_TEST((plan.wanted() == some_id(1)));
    plan.threw(errc::store_unavailable);
    BOOST_TEST((plan.next() == step::look_up));
    plan.found(5);
    BOOST_TEST((plan.next() == step::done));
    BOOST_TEST(plan.head() == 5);
}

BOOST_AUTO_TEST_CASE(a_write_that_was_not_found_is_made_again_and_a_late_one_is_recognized)
{
    commit_plan plan{some_id(1), 4};
    plan.threw(errc::store_outcome_unknown);
    plan.found(std::nullopt);
    BOOST_TEST((plan.next() == step::write));
    plan.written({write_state::stale_head, 5});  // the first one came through after all
    BOOST_TEST((plan.next() == step::look_up));
    plan.found(5);
    BOOST_TEST((plan.next() == step::done));
    BOOST_TEST(plan.head() == 5);
}

BOOST_AUTO_TEST_CASE(a_history_that_grew_without_us_is_a_loss_even_after_doubt)
{
    commit_plan plan{some_id(1), 4};
    plan.threw(errc::store_outcome_unknown);
    plan.found(std::nullopt);
    plan.written({write_state::stale_head, 5});
    plan.found(std::nullopt);
    BOOST_TEST((plan.next() == step::lost));
}

BOOST_AUTO_TEST_CASE(an_earlier_write_in_doubt_moves_the_head_for_the_next_one)
{
    commit_plan plan{some_id(2), 4, some_id(1)};
    plan.written({write_state::stale_head, 5});
    BOOST_TEST((plan.next() == step::look_up));
    BOOST_TEST((plan.wanted() == some_id(1)));
    plan.found(5);
    BOOST_TEST((plan.next() == step::write));
    BOOST_TEST(plan.head() == 5);
    plan.written({write_state::ok, 6});
    BOOST_TEST((plan.next() == step::done));
}

BOOST_AUTO_TEST_CASE(other_errors_fail_the_commit)
{
    commit_plan plan{some_id(1), 4};
    plan.threw(errc::store_full);
    BOOST_TEST((plan.next() == step::failed));
    BOOST_TEST((plan.why() == errc::store_full));
}

BOOST_AUTO_TEST_CASE(a_duplicate_is_our_own_write)
{
    commit_plan plan{some_id(1), 4};
    plan.written({write_state::duplicate, 5});
    BOOST_TEST((plan.next() == step::done));
    BOOST_TEST(plan.head() == 5);
}

BOOST_AUTO_TEST_SUITE_END()
