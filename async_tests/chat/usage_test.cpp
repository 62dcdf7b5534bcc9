#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/chat/usage.hpp>

#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>
#include <boost/json/value_to.hpp>

#include <cstdint>

BOOST_AUTO_TEST_SUITE(usage_test)

using weft::tokens;

namespace {

weft::usage sample()
{
    weft::usage u;
    u.input = tokens{100};
    u.cached = tokens{60};
    u.cache_written = tokens{5};
    u.output = tokens{30};
    u.reasoning = tokens{20};
    return u;
}

}  // namespace

BOOST_AUTO_TEST_CASE(adding_adds_every_count)
{
    weft::usage sum = sample();
    sum += sample();
    sum += weft::usage::unknown();
    BOOST_TEST(sum.input.count() == 200);
    BOOST_TEST(sum.cached.count() == 120);
    BOOST_TEST(sum.cache_written.count() == 10);
    BOOST_TEST(sum.output.count() == 60);
    BOOST_TEST(sum.reasoning.count() == 40);
    BOOST_TEST(sum.unreported == 1);
    BOOST_TEST(sum.total().count() == 260);
}

BOOST_AUTO_TEST_CASE(a_sum_with_an_unreported_call_is_not_exact)
{
    BOOST_TEST(weft::usage{}.is_exact());
    BOOST_TEST((sample() + sample()).is_exact());
    BOOST_TEST(!(sample() + weft::usage::unknown()).is_exact());
}

BOOST_AUTO_TEST_CASE(an_absurd_count_does_not_turn_the_sum_round)
{
    weft::usage huge;
    huge.output = tokens{INT64_MAX};
    BOOST_TEST((huge + sample()).output.count() == INT64_MAX);
}

BOOST_AUTO_TEST_CASE(json_has_input_and_output_and_what_is_not_zero)
{
    BOOST_TEST(boost::json::serialize(weft::to_json(weft::usage{})) == R"({"input":0,"output":0})");
    BOOST_TEST(boost::json::serialize(weft::to_json(sample() + weft::usage::unknown())) ==
               R"({"input":100,"cached":60,"cache_written":5,"output":30,"reasoning":20,"unreported":1})");
}

BOOST_AUTO_TEST_CASE(json_reads_back_as_it_was)
{
    for (const weft::usage& u : {weft::usage{}, sample(), sample() + weft::usage::unknown()})
        BOOST_TEST((weft::from_json<weft::usage>(weft::to_json(u)) == u));
    BOOST_TEST((boost::json::value_to<weft::usage>(boost::json::value_from(sample())) == sample()));
}

BOOST_AUTO_TEST_CASE(a_wrong_count_is_named)
{
    BOOST_CHECK_EXCEPTION(
        (void)weft::from_json<weft::usage>(weft::parse_json(R"({"input":"many"})")), weft::error,
        [](const weft::error& e) { return e.code() == weft::errc::unexpected_json && e.where() == "$.input"; });
}

BOOST_AUTO_TEST_SUITE_END()
