#include <boost/test/unit_test.hpp>

#include <weft/model/rate_limits.hpp>
#include <weft/net/http_headers.hpp>

BOOST_AUTO_TEST_SUITE(rate_limits_test)

using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(limits_are_read_from_their_headers)
{
    weft::http_headers headers;
    headers.add("X-RateLimit-Limit-Requests", "500");
    headers.add("x-ratelimit-remaining-requests", "499");
    headers.add("x-ratelimit-reset-requests", "120ms");
    headers.add("x-ratelimit-limit-tokens", "30000");
    headers.add("x-ratelimit-remaining-tokens", "0");
    headers.add("x-ratelimit-reset-tokens", "6m0s");
    const weft::rate_limits limits = weft::rate_limits_of(headers);
    BOOST_TEST((limits.requests == weft::rate_limit{500, 499, 120ms}));
    BOOST_TEST((limits.tokens == weft::rate_limit{30000, 0, 360s}));
    BOOST_TEST(!limits.requests.is_exhausted());
    BOOST_TEST(limits.tokens.is_exhausted());
}

BOOST_AUTO_TEST_CASE(what_is_missing_or_nonsense_is_unknown)
{
    BOOST_TEST((weft::rate_limits_of({}) == weft::rate_limits{}));
    BOOST_TEST(!weft::rate_limits{}.requests.is_exhausted());
    weft::http_headers headers;
    headers.add("x-ratelimit-limit-requests", "many");
    headers.add("x-ratelimit-remaining-requests", "-1");
    headers.add("x-ratelimit-reset-requests", "-1");
    headers.add("x-ratelimit-remaining-tokens", "99999999999999999999999");
    BOOST_TEST((weft::rate_limits_of(headers) == weft::rate_limits{}));
}

BOOST_AUTO_TEST_SUITE_END()
