#include <boost/test/unit_test.hpp>

#include <weft/async/retry_policy.hpp>

BOOST_AUTO_TEST_SUITE(retry_policy_test)

namespace {

using namespace std::chrono_literals;
using weft::errc;
using weft::retry_policy;

BOOST_AUTO_TEST_CASE(the_defaults_are_three_attempts_and_half_a_second_doubling_with_full_jitter)
{
    const retry_policy policy;
    BOOST_TEST(policy.attempts_max == 3);
    BOOST_TEST((policy.initial == 500ms));
    BOOST_TEST(policy.factor == 2.0);
    BOOST_TEST((policy.delay_max == 30s));
    BOOST_TEST((policy.jitter == weft::jitter::full));
    BOOST_TEST(policy.retry_on.empty());
}

BOOST_AUTO_TEST_CASE(attempts_max_counts_the_first_attempt)
{
    const retry_policy three{.attempts_max = 3};
    BOOST_TEST(three.retries_after(1, errc::timeout));
    BOOST_TEST(three.retries_after(2, errc::timeout));
    BOOST_TEST(!three.retries_after(3, errc::timeout));
    BOOST_TEST(!three.retries_after(4, errc::timeout));
    BOOST_TEST(!retry_policy{.attempts_max = 1}.retries_after(1, errc::timeout));
    BOOST_TEST(!retry_policy{.attempts_max = 0}.retries_after(1, errc::timeout));
}

BOOST_AUTO_TEST_CASE(without_a_list_everything_but_cancelled_is_retried)
{
    const retry_policy policy;
    BOOST_TEST(policy.retries_after(1, errc::node_failed));
    BOOST_TEST(policy.retries_after(1, errc::connect_failed));
    BOOST_TEST(policy.retries_after(1, errc::http_unavailable));
    BOOST_TEST(!policy.retries_after(1, errc::cancelled));
    BOOST_TEST(!policy.retries_after(1, errc::http_refused));
    BOOST_TEST(!policy.retries_after(1, errc::agent_refused));
}

BOOST_AUTO_TEST_CASE(with_a_list_only_what_it_names_is_retried)
{
    const retry_policy policy{.retry_on = {errc::timeout, errc::model_overloaded}};
    BOOST_TEST(policy.retries_after(1, errc::timeout));
    BOOST_TEST(policy.retries_after(2, errc::model_overloaded));
    BOOST_TEST(!policy.retries_after(1, errc::node_failed));
    BOOST_TEST(!policy.retries_after(3, errc::timeout));
}

BOOST_AUTO_TEST_CASE(delays_grow_by_the_factor_up_to_the_bound)
{
    const retry_policy policy{.initial = 1s, .factor = 3.0, .delay_max = 20s, .jitter = weft::jitter::none};
    BOOST_TEST((policy.delay_before(1, 0.5) == 0s));
    BOOST_TEST((policy.delay_before(2, 0.5) == 1s));
    BOOST_TEST((policy.delay_before(3, 0.5) == 3s));
    BOOST_TEST((policy.delay_before(4, 0.5) == 9s));
    BOOST_TEST((policy.delay_before(5, 0.5) == 20s));
    BOOST_TEST((policy.delay_before(1'000'000'000, 0.5) == 20s));
}

BOOST_AUTO_TEST_CASE(a_factor_of_one_keeps_the_delay_constant)
{
    const retry_policy policy{.initial = 250ms, .factor = 1.0, .jitter = weft::jitter::none};
    BOOST_TEST((policy.delay_before(2, 0.0) == 250ms));
    BOOST_TEST((policy.delay_before(40, 0.0) == 250ms));
}

BOOST_AUTO_TEST_CASE(full_jitter_scales_the_bounded_delay_by_the_random_number)
{
    const retry_policy policy{.initial = 1s, .factor = 2.0, .delay_max = 6s};
    BOOST_TEST((policy.delay_before(2, 0.0) == 0s));
    BOOST_TEST((policy.delay_before(2, 0.5) == 500ms));
    BOOST_TEST((policy.delay_before(3, 0.25) == 500ms));
    BOOST_TEST((policy.delay_before(10, 0.5) == 3s));
}

BOOST_AUTO_TEST_CASE(no_initial_delay_means_no_delay_at_all)
{
    const retry_policy policy{.initial = 0s, .jitter = weft::jitter::none};
    BOOST_TEST((policy.delay_before(2, 0.0) == 0s));
    BOOST_TEST((policy.delay_before(9, 0.0) == 0s));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
