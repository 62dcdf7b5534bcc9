#include "serve/auth/jwt_authority.hpp"

#include "net/test_loop.hpp"
#include "serve/auth/test_tokens.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <memory>

BOOST_AUTO_TEST_SUITE(jwt_authority_test)

using namespace std::chrono_literals;
using weft::serve_detail::jwt_authority;
using weft::serve_detail::jwt_verdict;

constexpr std::string_view claims = R"({"iss":"i","aud":"weft","sub":"ann","exp":99999999999})";

/** An issuer whose keys can change, and which can be down. */
struct issuer {
    std::string keys;
    bool is_down = false;
    int fetches = 0;

    jwt_authority::fetch_function fetch()
    {
        return [this]() -> weft::task<std::string> {
            ++fetches;
            co_await weft::sleep_for(1ms);
            if (is_down) throw weft::error{weft::errc::connect_failed, "issuer", "is down"};
            co_return keys;
        };
    }
};

weft::jwt_options options() { return {.issuer = "i", .audience = "weft", .fetch_pause = 1s}; }

BOOST_AUTO_TEST_CASE(keys_are_fetched_once_for_all_who_wait_and_again_for_a_new_key)
{
    hand_clock clock;
    test_loop loop{clock};
    const test_signer first{"EdDSA", "k1"};
    const test_signer second{"EdDSA", "k2"};
    issuer of{first.jwk_set()};
    jwt_authority authority{loop.loop(), options(), of.fetch()};
    started a{loop, authority.check(first.token(claims))};
    started b{loop, authority.check(first.token(claims))};
    loop.advance(1ms);
    BOOST_TEST(a.result().who.has_value());
    BOOST_TEST(b.result().who.has_value());
    BOOST_TEST(of.fetches == 1);

    of.keys = second.jwk_set();
    started too_soon{loop, authority.check(second.token(claims))};
    BOOST_TEST(too_soon.result().is_key_unknown);
    BOOST_TEST(of.fetches == 1);
    loop.advance(1s);
    started later{loop, authority.check(second.token(claims))};
    loop.advance(1ms);
    BOOST_TEST(later.result().who.has_value());
    BOOST_TEST(of.fetches == 2);
}

BOOST_AUTO_TEST_CASE(known_keys_stay_while_the_issuer_is_down)
{
    hand_clock clock;
    test_loop loop{clock};
    const test_signer signer{"ES256", "k1"};
    issuer of{signer.jwk_set()};
    weft::jwt_options brief = options();
    brief.keys_lifetime = 0s;
    std::string problem;
    jwt_authority authority{loop.loop(), brief, of.fetch(), [&](std::string_view what) { problem = what; }};
    started first{loop, authority.check(signer.token(claims))};
    loop.advance(1ms);
    BOOST_TEST(first.result().who.has_value());
    of.is_down = true;
    loop.advance(1s);
    started second{loop, authority.check(signer.token(claims))};
    loop.advance(1ms);
    BOOST_TEST(second.result().who.has_value());
    BOOST_TEST(of.fetches == 2);
    BOOST_TEST(problem.find("is down") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(all_mistakes_of_the_options_are_told_at_once)
{
    test_loop loop;
    weft::jwt_options wrong;
    wrong.jwks_url = "http://login.example/keys";
    wrong.jwks = "{}";
    wrong.fetch_pause = 0s;
    BOOST_CHECK_EXCEPTION((jwt_authority{loop.loop(), wrong}), weft::error, [](const weft::error& e) {
        const std::string_view text = e.what();
        for (const char* const part : {"issuer", "audience", "give one of them", "fetch_pause", "https only"})
            BOOST_TEST(text.find(part) != text.npos, part << " in " << text);
        return e.code() == weft::errc::invalid_configuration;
    });
}

BOOST_AUTO_TEST_SUITE_END()
