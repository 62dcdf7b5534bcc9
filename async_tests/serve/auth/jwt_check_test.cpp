#include "serve/auth/jwt_check.hpp"

#include "serve/auth/test_tokens.hpp"

#include <weft/base/error.hpp>
#include <weft/base/text/base64.hpp>

#include <boost/test/unit_test.hpp>

#include <chrono>

BOOST_AUTO_TEST_SUITE(jwt_check_test)

using namespace std::chrono_literals;
using weft::serve_detail::check_jwt;
using weft::serve_detail::jwk;
using weft::serve_detail::jwt_verdict;
using weft::serve_detail::read_jwk_set;

constexpr std::string_view good_claims =
    R"({"iss":"https://login.example","aud":"weft","sub":"ann","exp":2000,"nbf":1000,)"
    R"("org":"acme","scope":"threads:read store:*"})";

weft::jwt_options options()
{
    return {.issuer = "https://login.example", .audience = "weft", .tenant_claim = "org", .scope_claim = "scope"};
}

weft::clock::system_time_point at(std::chrono::seconds since_epoch)
{
    return weft::clock::system_time_point{since_epoch};
}

std::string changed(std::string_view from, std::string_view what, std::string_view to)
{
    std::string text{from};
    text.replace(text.find(what), what.size(), to);
    return text;
}

BOOST_AUTO_TEST_CASE(a_token_of_each_algorithm_says_who_calls)
{
    for (const char* const algorithm : {"RS256", "PS256", "ES256", "EdDSA"}) {
        BOOST_TEST_CONTEXT(algorithm) {
            const test_signer signer{algorithm, "k1"};
            const std::vector<jwk> keys = read_jwk_set(signer.jwk_set());
            BOOST_TEST_REQUIRE(keys.size() == 1);
            const jwt_verdict verdict = check_jwt(signer.token(good_claims), keys, options(), at(1500s));
            BOOST_TEST(verdict.problem == "");
            BOOST_TEST_REQUIRE(verdict.who.has_value());
            BOOST_TEST(verdict.who->name == "ann");
            BOOST_TEST(verdict.who->tenant == "acme");
            BOOST_TEST(verdict.who->may("threads", "read"));
            BOOST_TEST(verdict.who->may("store", "put"));
            BOOST_TEST(!verdict.who->may("threads", "create_run"));
        }
    }
}

BOOST_AUTO_TEST_CASE(the_examples_of_the_rfcs_are_signed_well)
{
    const std::vector<jwk> keys = read_jwk_set(R"({"keys":[
        {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
         "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},
        {"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]})");
    const std::string claims =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
    const std::string signature =
        "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
    // RFC 7515 A.3: its claims name no audience, so that is what is wrong with it.
    weft::jwt_options of_joe{.issuer = "joe", .audience = "weft"};
    const auto problem = [&](const std::string& token) { return check_jwt(token, keys, of_joe, at(1000s)).problem; };
    BOOST_TEST(problem("eyJhbGciOiJFUzI1NiJ9." + claims + '.' + signature) == "the token is for another audience");
    BOOST_TEST(problem("eyJhbGciOiJFUzI1NiJ9." + claims + '.' + changed(signature, "DtEh", "DtEi")) ==
               "the signature of the token is wrong");
    // RFC 8037 A.4: what it signs is no claims.
    BOOST_TEST(problem("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-"
                       "09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg") == "the token is no JWT");
}

BOOST_AUTO_TEST_CASE(claims_that_are_not_for_this_server_are_refused_with_the_reason)
{
    const test_signer signer{"EdDSA", "k1"};
    const std::vector<jwk> keys = read_jwk_set(signer.jwk_set());
    const auto problem = [&](std::string_view claims, std::chrono::seconds now) {
        return check_jwt(signer.token(claims), keys, options(), at(now)).problem;
    };
    BOOST_TEST(problem(good_claims, 2029s) == "");  // clocks differ
    BOOST_TEST(problem(good_claims, 2030s) == "the token has expired");
    BOOST_TEST(problem(good_claims, 970s) == "");
    BOOST_TEST(problem(good_claims, 969s) == "the token is not valid yet");
    BOOST_TEST(problem(changed(good_claims, "login.example", "evil.example"), 1500s) ==
               "the token is of another issuer");
    BOOST_TEST(problem(changed(good_claims, R"("weft")", R"(["other","weft"])"), 1500s) == "");
    BOOST_TEST(problem(changed(good_claims, R"("weft")", R"(["other"])"), 1500s) ==
               "the token is for another audience");
    BOOST_TEST(problem(changed(good_claims, R"("exp":2000,)", ""), 1500s) == "the token has no end (exp)");
    BOOST_TEST(problem(changed(good_claims, R"("exp":2000)", R"("exp":"2000")"), 1500s) ==
               "the token has no end (exp)");
    BOOST_TEST(problem(changed(good_claims, R"("sub":"ann",)", ""), 1500s) ==
               "the token does not say whom it stands for (sub)");
    BOOST_TEST(problem(changed(good_claims, R"("org":"acme",)", ""), 1500s) == "the token names no tenant (org)");
    BOOST_TEST(problem("[]", 1500s) == "the token is no JWT");
}

BOOST_AUTO_TEST_CASE(a_token_does_not_choose_how_it_is_checked)
{
    const test_signer signer{"RS256", "k1"};
    const test_signer other{"RS256", "k1"};
    const std::vector<jwk> keys = read_jwk_set(signer.jwk_set());
    const auto verdict = [&](const std::string& token) { return check_jwt(token, keys, options(), at(1500s)); };
    BOOST_TEST(verdict(other.token(good_claims)).problem == "the signature of the token is wrong");
    const std::string none = weft::to_base64url(R"({"alg":"none"})") + '.' + weft::to_base64url(good_claims) + '.';
    BOOST_TEST(verdict(none).is_key_unknown);
    BOOST_TEST(verdict(signer.token(good_claims, R"({"alg":"HS256","kid":"k1"})")).is_key_unknown);
    BOOST_TEST(verdict(signer.token(good_claims, R"({"alg":"PS256","kid":"k1"})")).is_key_unknown);
    BOOST_TEST(verdict(signer.token(good_claims, R"({"alg":"RS256","kid":"k2"})")).is_key_unknown);
    BOOST_TEST(verdict(signer.token(good_claims, R"({"alg":"RS256"})")).problem == "");
    BOOST_TEST(verdict(signer.token(good_claims, R"({"alg":"RS256","kid":"k1","crit":["exp"]})")).problem ==
               "the token needs an extension that the server does not have");
    for (const char* const text : {"", ".", "..", "a.b", "a.b.c.d", "!!.!!.!!"}) BOOST_TEST(!verdict(text).who);
    BOOST_TEST(!verdict(std::string(100'000, 'a')).who);
}

BOOST_AUTO_TEST_CASE(a_set_keeps_the_keys_that_verify_tokens)
{
    const test_signer signer{"ES256", "k1"};
    const std::string others =
        R"({"kty":"oct","k":"c2VjcmV0"},{"kty":"RSA","n":"AQAB","e":"AQAB"},{"kty":"EC","crv":"P-521"},)";
    BOOST_TEST(read_jwk_set(R"({"keys":[)" + others + signer.jwk() + "]}").size() == 1);
    BOOST_TEST(read_jwk_set(changed(signer.jwk_set(), "\"sig\"", "\"enc\"")).empty());
    for (const char* const text : {"", "[]", "{}", R"({"keys":{}})", R"({"keys":[1]})"})
        BOOST_CHECK_EXCEPTION((void)read_jwk_set(text), weft::error, [](const weft::error& e) {
            return e.code() == weft::errc::invalid_configuration && e.where() == "JWK set";
        });
}

BOOST_AUTO_TEST_SUITE_END()
