#include <weft/agent/turn_agent/turn_cascade.hpp>
#include <weft/base/error.hpp>
#include <weft/model/model_error.hpp>

#include <boost/test/unit_test.hpp>

#include <stdexcept>
#include <string>

BOOST_AUTO_TEST_SUITE(turn_cascade_test)

namespace {

using namespace std::chrono_literals;
using weft::error_cascade;
using weft::model_error_action;
using weft::model_trouble;

model_trouble trouble(bool may_pass, bool is_of_endpoint = true)
{
    model_trouble what;
    what.code = weft::errc::model_overloaded;
    what.text = "overloaded";
    what.may_pass = may_pass;
    what.is_of_endpoint = is_of_endpoint;
    return what;
}

/** What is done about failures alike, as letters, with the model that is asked next. */
std::string steps(const weft::cascade_rules& rules, const model_trouble& what, std::size_t models)
{
    error_cascade cascade;
    std::string text;
    for (int i = 0; i < 6; ++i) {
        const error_cascade::step next = cascade.failed(what, {}, rules, models, 0.5);
        if (next.action == model_error_action::fail) return text + "fail";
        if (next.action == model_error_action::carry_on) return text + "carry on";
        text += std::to_string(cascade.tier) + " ";
    }
    return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(IVY_17_two_failures_of_a_model_lead_to_the_next_one_and_three_retries_are_all)
{
    const weft::cascade_rules rules;
    BOOST_TEST(steps(rules, trouble(true), 1) == "0 0 0 fail");
    BOOST_TEST(steps(rules, trouble(true), 2) == "0 1 1 fail");
    BOOST_TEST(steps(rules, trouble(true), 3) == "0 1 1 fail");
    weft::cascade_rules patient;
    patient.retries_max = 5;
    BOOST_TEST(steps(patient, trouble(true), 3) == "0 1 1 2 2 fail");
}

BOOST_AUTO_TEST_CASE(IVY_17_what_does_not_pass_goes_to_another_endpoint_or_fails)
{
    const weft::cascade_rules rules;
    BOOST_TEST(steps(rules, trouble(false), 1) == "fail");
    BOOST_TEST(steps(rules, trouble(false), 3) == "1 2 fail");
    BOOST_TEST(steps(rules, trouble(false, false), 3) == "fail");
}

BOOST_AUTO_TEST_CASE(IVY_17_a_function_decides)
{
    weft::cascade_rules rules;
    std::uint32_t failures = 0;
    rules.on_error = [&](const model_trouble& what, const weft::turn_record&) {
        failures = what.failures;
        return what.failures < 3 ? model_error_action::retry : model_error_action::carry_on;
    };
    BOOST_TEST(steps(rules, trouble(false), 1) == "0 0 carry on");
    BOOST_TEST(failures == 3u);
    rules.on_error = [](const model_trouble&, const weft::turn_record&) { return model_error_action::retry; };
    BOOST_TEST(steps(rules, trouble(false), 1) == "0 0 0 fail");
    rules.on_error = [](const model_trouble&, const weft::turn_record&) -> model_error_action {
        throw std::runtime_error{"no idea"};
    };
    error_cascade cascade;
    const error_cascade::step next = cascade.failed(trouble(true), {}, rules, 1, 0);
    BOOST_TEST((next.action == model_error_action::fail));
    BOOST_TEST(next.why == "on_error failed: no idea; it was asked about: overloaded");
}

BOOST_AUTO_TEST_CASE(what_a_provider_asks_to_wait_is_waited_within_bounds)
{
    weft::cascade_rules rules;
    rules.pause.jitter = weft::jitter::none;
    error_cascade cascade;
    BOOST_TEST((cascade.failed(trouble(true), {}, rules, 1, 0).pause == 100ms));
    BOOST_TEST((cascade.failed(trouble(true), {}, rules, 1, 0).pause == 200ms));
    model_trouble slow = trouble(true);
    slow.retry_after = 1h;
    BOOST_TEST((error_cascade{}.failed(slow, {}, rules, 1, 0).pause == 60s));
    slow.retry_after = 3s;
    BOOST_TEST((error_cascade{}.failed(slow, {}, rules, 1, 0).pause == 3s));
}

BOOST_AUTO_TEST_CASE(trouble_is_read_from_what_was_thrown)
{
    weft::model_failure failure;
    failure.code = weft::errc::model_rate_limited;
    failure.is_transient = true;
    failure.retry_after = 2s;
    const model_trouble limited{std::make_exception_ptr(weft::model_error{"a model", failure})};
    BOOST_TEST(limited.may_pass);
    BOOST_TEST((limited.retry_after == std::chrono::milliseconds{2'000}));
    BOOST_TEST(limited.text.find("a model") != std::string::npos);
    const model_trouble wrong{std::make_exception_ptr(weft::error{weft::errc::invalid_configuration})};
    BOOST_TEST(!wrong.may_pass);
    BOOST_TEST((wrong.code == weft::errc::invalid_configuration));
}

BOOST_AUTO_TEST_SUITE_END()
