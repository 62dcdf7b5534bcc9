#include <boost/test/unit_test.hpp>

#include "model/fake_models.hpp"

#include <weft/model/decorator/model_retry.hpp>

BOOST_AUTO_TEST_SUITE(model_retry_test)

namespace {

using namespace fake_models;
using weft::errc;
using weft::model_failure;
using weft::model_retry;
using weft::model_retry_policy;
using weft::model_retry_step;

const weft::time_point began{1h};

model_retry_step step_after(const model_failure& failure, bool has_passed = false,
                            const model_retry_policy& policy = {}, double uniform = 0)
{
    model_retry course{policy, began, nullptr};
    return course.after(failure, has_passed, began + 1s, uniform);
}

/** The delays of all retries, in milliseconds. */
std::vector<int> delays(const model_retry_policy& policy, const model_failure& failure, double uniform)
{
    model_retry course{policy, began, nullptr};
    std::vector<int> all;
    for (;;) {
        const model_retry_step step = course.after(failure, false, began, uniform);
        if (!step.goes_on) return all;
        all.push_back(static_cast<int>(step.delay / 1ms));
    }
}

model_failure with_code(errc code)
{
    model_failure failure;
    failure.code = code;
    failure.is_transient = weft::is_transient(code);
    return failure;
}

}  // namespace

BOOST_AUTO_TEST_CASE(before_the_first_token_what_may_pass_is_retried)
{
    for (const int code : {408, 409, 425, 429, 500, 502, 503, 504, 520, 529}) {
        model_failure failure = status(code);
        failure.is_transient = true;
        BOOST_TEST(step_after(failure).goes_on, "status " << code);
        BOOST_TEST(!step_after(failure, true).goes_on, "status " << code << " after a token");
    }
    for (const errc code : {errc::resolve_failed, errc::connect_failed, errc::connect_timeout, errc::connection_lost,
                            errc::first_byte_timeout, errc::response_truncated})
        BOOST_TEST(step_after(with_code(code)).goes_on, code);
}

BOOST_AUTO_TEST_CASE(what_will_not_pass_is_not_retried)
{
    for (const int code : {400, 401, 402, 403, 404, 413, 422})
        BOOST_TEST(!step_after(status(code)).goes_on, "status " << code);
    for (const errc code : {errc::tls_untrusted, errc::tls_wrong_host, errc::cancelled, errc::invalid_model_reply,
                            errc::model_stream_error})
        BOOST_TEST(!step_after(with_code(code)).goes_on, code);
}

BOOST_AUTO_TEST_CASE(a_cancelled_call_is_never_retried_whatever_the_policy_says)
{
    model_retry_policy policy;
    policy.is_worth_a_retry = [](const model_failure&) { return true; };
    BOOST_TEST(!step_after(with_code(errc::cancelled), false, policy).goes_on);
    BOOST_TEST(step_after(status(400), false, policy).goes_on);
}

BOOST_AUTO_TEST_CASE(what_the_endpoint_says_about_retries_weighs_more_than_the_status)
{
    model_failure failure = status(400);
    failure.is_transient = true;  // x-should-retry: true
    BOOST_TEST(step_after(failure).goes_on);
    failure = status(503);
    failure.is_transient = false;  // x-should-retry: false
    BOOST_TEST(!step_after(failure).goes_on);
}

BOOST_AUTO_TEST_CASE(after_a_token_only_those_who_can_take_it_back_start_again)
{
    const model_retry_policy policy{.restarts_after_tokens = true};
    BOOST_TEST(step_after(lost(), true, policy).goes_on);
    BOOST_TEST(!step_after(lost(), true).goes_on);
    BOOST_TEST(!step_after(lost(), true).why_not.empty());
}

BOOST_AUTO_TEST_CASE(delays_double_up_to_the_cap_and_half_of_them_is_chance)
{
    model_retry_policy policy;
    policy.attempts_max = 8;
    const std::vector<int> least{250, 500, 1000, 2000, 4000, 4000, 4000};
    BOOST_TEST(delays(policy, status(500), 0) == least, boost::test_tools::per_element());
    const std::vector<int> middle{375, 750, 1500, 3000, 6000, 6000, 6000};
    BOOST_TEST(delays(policy, status(500), 0.5) == middle, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_overloaded_endpoint_gets_more_time)
{
    model_retry_policy policy;
    policy.attempts_max = 7;
    policy.jitter_min = 1;
    const std::vector<int> expected{2000, 4000, 8000, 16000, 30000, 30000};
    BOOST_TEST(delays(policy, status(529), 0.9) == expected, boost::test_tools::per_element());
    BOOST_TEST(delays(policy, status(503), 0.9) == expected, boost::test_tools::per_element());
    BOOST_TEST(delays(policy, with_code(errc::model_overloaded), 0.9) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_hint_is_waited_for_at_least_and_a_tenth_longer_at_most)
{
    BOOST_TEST((step_after(status(429, 7s), false, {}, 0).delay == 7s));
    BOOST_TEST((step_after(status(429, 7s), false, {}, 0.5).delay == 7350ms));
    BOOST_TEST((step_after(status(429, 0ms), false, {}, 0.5).delay == 0s));
    BOOST_TEST((step_after(status(503, 1ms), false, {}, 0).delay == 1ms));
}

BOOST_AUTO_TEST_CASE(a_hint_beyond_the_limit_fails_at_once)
{
    BOOST_TEST(step_after(status(429, 60s)).goes_on);
    const model_retry_step step = step_after(status(429, 60'001ms));
    BOOST_TEST(!step.goes_on);
    BOOST_TEST(step.why_not.find("longer than allowed") != std::string_view::npos);
}

BOOST_AUTO_TEST_CASE(a_wait_beyond_the_deadline_fails_at_once)
{
    model_retry_policy policy;
    policy.elapsed_max = 6s;  // one second has passed
    BOOST_TEST(step_after(status(429, 5s), false, policy).goes_on);
    const model_retry_step step = step_after(status(429, 5s), false, policy, 0.1);
    BOOST_TEST(!step.goes_on);
    BOOST_TEST(step.why_not.find("deadline") != std::string_view::npos);
}

BOOST_AUTO_TEST_CASE(attempts_end_with_their_number_or_with_the_budget)
{
    const model_retry_policy policy;
    model_retry course{policy, began, nullptr};
    BOOST_TEST(course.attempt() == 1);
    BOOST_TEST(course.after(status(500), false, began, 0).goes_on);
    BOOST_TEST(course.after(status(500), false, began, 0).goes_on);
    BOOST_TEST(course.attempt() == 3);
    BOOST_TEST(!course.after(status(500), false, began, 0).goes_on);

    weft::extra_call_budget budget{{.share = 0, .reserve = 1}};
    model_retry bounded{policy, began, &budget};
    BOOST_TEST(bounded.after(status(500), false, began, 0).goes_on);
    const model_retry_step step = bounded.after(status(500), false, began, 0);
    BOOST_TEST(!step.goes_on);
    BOOST_TEST(step.why_not.find("budget") != std::string_view::npos);
}

BOOST_AUTO_TEST_CASE(one_attempt_means_no_retry)
{
    model_retry_policy policy;
    for (const int attempts : {0, 1}) {
        policy.attempts_max = attempts;
        BOOST_TEST(!step_after(status(500), false, policy).goes_on);
    }
}

BOOST_AUTO_TEST_CASE(PYA_13_delays_of_1_2_4_8_seconds_with_a_cap)
{
    model_retry_policy policy{.attempts_max = 5, .base = 1s, .delay_max = 30s, .overload_base = 1s,
                              .overload_delay_max = 30s, .jitter_min = 1};
    const std::vector<int> expected{1000, 2000, 4000, 8000};
    for (const int code : {429, 500, 502, 503, 529})
        BOOST_TEST(delays(policy, status(code), 0.7) == expected, boost::test_tools::per_element());
    policy.attempts_max = 8;
    const std::vector<int> capped{1000, 2000, 4000, 8000, 16000, 30000, 30000};
    BOOST_TEST(delays(policy, status(500), 0.7) == capped, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
