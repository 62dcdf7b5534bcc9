#include <boost/test/unit_test.hpp>

#include <weft/agent/text/token_estimator.hpp>
#include <weft/base/json.hpp>

#include <cstdint>
#include <limits>
#include <random>

BOOST_AUTO_TEST_SUITE(token_estimator_test)

namespace {

weft::usage reported(std::int64_t input)
{
    weft::usage used;
    used.input = weft::tokens{input};
    return used;
}

}  // namespace

BOOST_AUTO_TEST_CASE(at_first_an_estimate_stands_for_itself)
{
    const weft::token_estimator estimator;
    BOOST_TEST(estimator.corrected(weft::tokens{1'000}).count() == 1'000);
    BOOST_TEST(estimator.estimate_for(weft::tokens{1'000}).count() == 1'000);
}

BOOST_AUTO_TEST_CASE(it_rises_fast_and_falls_slowly)
{
    weft::token_estimator estimator;
    estimator.learn(weft::tokens{1'000}, reported(2'000));
    BOOST_TEST(estimator.corrected(weft::tokens{1'000}).count() == 1'500);
    estimator.learn(weft::tokens{1'000}, reported(1'000));
    BOOST_TEST(estimator.corrected(weft::tokens{1'000}).count() == 1'438);  // an eighth of the way, rounded up
    for (int i = 0; i < 100; ++i) estimator.learn(weft::tokens{1'000}, reported(800));
    BOOST_TEST(estimator.corrected(weft::tokens{1'000}).count() < 810);
    BOOST_TEST(estimator.lessons == 102);
}

BOOST_AUTO_TEST_CASE(what_says_nothing_teaches_nothing)
{
    weft::token_estimator estimator;
    estimator.learn(weft::tokens{1'000}, weft::usage::unknown());
    estimator.learn(weft::tokens{1'000}, reported(0));
    estimator.learn(weft::tokens{99}, reported(900));
    weft::usage partly = reported(5'000);
    partly.unreported = 1;
    estimator.learn(weft::tokens{1'000}, partly);
    BOOST_TEST((estimator == weft::token_estimator{}));
}

BOOST_AUTO_TEST_CASE(a_count_that_cannot_be_right_does_not_run_away_with_it)
{
    weft::token_estimator estimator;
    for (int i = 0; i < 50; ++i)
        estimator.learn(weft::tokens{1'000}, reported(std::numeric_limits<std::int64_t>::max()));
    BOOST_TEST(estimator.corrected(weft::tokens{1'000}).count() == 4'000);
    for (int i = 0; i < 200; ++i) estimator.learn(weft::tokens::max(), reported(1));
    BOOST_TEST(estimator.corrected(weft::tokens{1'000}).count() <= 260);
    weft::token_estimator broken{-5, 0};
    BOOST_TEST(broken.corrected(weft::tokens{1'000}).count() == 250);
    BOOST_TEST(broken.corrected(weft::tokens::max()).count() > 0);
}

BOOST_AUTO_TEST_CASE(a_request_that_was_too_long_makes_it_expect_more)
{
    weft::token_estimator estimator;
    estimator.was_too_low();
    BOOST_TEST(estimator.corrected(weft::tokens{1'000}).count() == 1'250);
    for (int i = 0; i < 20; ++i) estimator.was_too_low();
    BOOST_TEST(estimator.corrected(weft::tokens{1'000}).count() == 4'000);
}

BOOST_AUTO_TEST_CASE(what_is_estimated_for_a_budget_stays_within_it)
{
    std::mt19937 random{7};
    for (int i = 0; i < 10'000; ++i) {
        const weft::token_estimator estimator{static_cast<std::int64_t>(256 + random() % 3'841), 0};
        const weft::tokens budget{static_cast<std::int64_t>(random() % 200'000)};
        const weft::tokens most = estimator.estimate_for(budget);
        BOOST_REQUIRE((estimator.corrected(most) <= budget));
        BOOST_REQUIRE((estimator.corrected(most + weft::tokens{1}) > budget));
    }
}

BOOST_AUTO_TEST_CASE(it_converts_to_json)
{
    const weft::token_estimator estimator{1'500, 3};
    BOOST_TEST((weft::from_json<weft::token_estimator>(weft::to_json(estimator)) == estimator));
}

BOOST_AUTO_TEST_SUITE_END()
