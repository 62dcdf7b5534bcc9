#include <boost/test/unit_test.hpp>

#include <weft/model/chat/rate_limits.hpp>
#include <weft/net/text/http_headers.hpp>

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

BOOST_AUTO_TEST_CASE(resets_of_anthropic_are_times_by_its_own_clock)
{
    weft::http_headers headers;
    headers.add("Date", "Sun, 22 Nov 2026 08:49:37 GMT");
    headers.add("anthropic-ratelimit-requests-limit", "50");
    headers.add("anthropic-ratelimit-requests-remaining", "49");
    headers.add("anthropic-ratelimit-requests-reset", "2026-11-22T09:49:39.5+01:00");
    headers.add("anthropic-ratelimit-tokens-limit", "90000");
    headers.add("anthropic-ratelimit-tokens-remaining", "80000");
    headers.add("anthropic-ratelimit-tokens-reset", "2026-11-22T08:49:30Z");
    const weft::rate_limits limits = weft::anthropic_rate_limits_of(headers);
    BOOST_TEST((limits.requests == weft::rate_limit{50, 49, 2s}));
    BOOST_TEST((limits.tokens == weft::rate_limit{90000, 80000, 0s}));

    headers.add("anthropic-ratelimit-input-tokens-limit", "40000");
    headers.add("anthropic-ratelimit-input-tokens-remaining", "30000");
    headers.add("anthropic-ratelimit-output-tokens-limit", "8000");
    headers.add("anthropic-ratelimit-output-tokens-remaining", "0");
    headers.add("anthropic-ratelimit-output-tokens-reset", "2026-11-22T08:50:37-00:00");
    BOOST_TEST((weft::anthropic_rate_limits_of(headers).tokens == weft::rate_limit{8000, 0, 60s}));
}

BOOST_AUTO_TEST_CASE(times_that_are_none_say_nothing)
{
    for (const char* reset : {"", "soon", "2026-11-22", "2026-11-22T08:50:37", "2026-13-22T08:50:37Z",
                              "2026-11-31T08:50:37Z", "2026-11-22T24:50:37Z", "2026-11-22T08:50:37Zx",
                              "2026-11-22T08:50:61Z", "2026-11-22T08:50:37+24:00", "26-11-22T08:50:37Z"}) {
        weft::http_headers headers;
        headers.add("Date", "Sun, 22 Nov 2026 08:49:37 GMT");
        headers.add("anthropic-ratelimit-requests-reset", reset);
        BOOST_TEST_CONTEXT(reset) BOOST_TEST(!weft::anthropic_rate_limits_of(headers).requests.reset_after.has_value());
    }
    weft::http_headers no_date;
    no_date.add("anthropic-ratelimit-requests-reset", "2026-11-22T08:50:37Z");
    BOOST_TEST((weft::anthropic_rate_limits_of(no_date) == weft::rate_limits{}));
}

BOOST_AUTO_TEST_SUITE_END()
