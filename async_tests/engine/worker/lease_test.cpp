#include <boost/test/unit_test.hpp>

#include "engine/worker/lease.hpp"

using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(lease_test)

namespace {

weft::time_point at(std::chrono::nanoseconds moment) { return weft::time_point{} + moment; }

}  // namespace

BOOST_AUTO_TEST_CASE(P28_a_lease_ends_a_lifetime_after_its_last_answered_sign_was_sent)
{
    weft::lease lease{15s, 5s, 1s};
    BOOST_TEST(!lease.is_held(at(0s)));
    lease.sent(at(10s));
    lease.answered(true);  // however late the answer came
    BOOST_TEST(lease.is_held(at(23s)));
    BOOST_TEST((lease.next() == at(15s)));
    BOOST_TEST((lease.ends() == at(24s)));
    BOOST_TEST(!lease.is_held(at(24s)));
}

BOOST_AUTO_TEST_CASE(a_sign_without_an_answer_is_sent_again_soon_and_moves_no_end)
{
    weft::lease lease{15s, 5s, 1s};
    lease.sent(at(0s));
    lease.answered(true);
    lease.sent(at(5s));
    lease.failed(at(7s));
    BOOST_TEST((lease.next() == at(8s)));
    BOOST_TEST((lease.ends() == at(14s)));
    lease.sent(at(13s));
    lease.failed(at(13500ms));
    BOOST_TEST((lease.next() == at(14s)));  // the end comes first
}

BOOST_AUTO_TEST_CASE(who_was_given_up_holds_nothing)
{
    weft::lease lease{15s, 5s, 1s};
    lease.sent(at(0s));
    lease.answered(true);
    lease.sent(at(5s));
    lease.answered(false);
    BOOST_TEST(!lease.is_held(at(5s)));
}

BOOST_AUTO_TEST_SUITE_END()
