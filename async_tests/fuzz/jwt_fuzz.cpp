// Fuzzes what strangers send as tokens, and what a provider sends as keys: a token that nothing has signed is never
// good, and what is wrong is told without repeating it.

#include "serve/auth/jwk_set.hpp"
#include "serve/auth/jwt_check.hpp"
#include "stream_pieces.hpp"

#include <weft/base/error.hpp>

#include <chrono>
#include <vector>

namespace {

using stream_pieces::require;
using weft::serve_detail::jwk;

constexpr std::string_view pieces[] = {
    R"({"keys":[)", R"({"kty":"RSA","n":"sXchDaQebHnPiGvyDOAT4saGEUetSyo9MKLOoWFsueri23bOdgWp4Dy1Wl","e":"AQAB"})",
    R"({"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kid":"a"})",
    R"({"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
    R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"})",
    "]}", ",", "{", "}", "\"kid\":", "\"alg\":\"none\"", "\"use\":\"enc\"", "eyJhbGciOiJub25lIn0",
        "eyJhbGciOiJFZERTQSJ9",
    "eyJhbGciOiJFZERTQSIsImtpZCI6ImEifQ", "eyJpc3MiOiJpIiwiYXVkIjoiYSIsInN1YiI6InMiLCJleHAiOjk5OTk5OTk5OTl9", ".", "..",
    "=", "-", "_", "AAAA",
};

const std::vector<jwk>& known_keys()
{
    static const std::vector<jwk> keys = weft::serve_detail::read_jwk_set(
        R"({"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kid":"a"}]})");
    return keys;
}

void check(std::string_view text)
{
    weft::jwt_options options;
    options.issuer = "i";
    options.audience = "a";
    const weft::clock::system_time_point now{std::chrono::hours{500'000}};
    const auto verdict = weft::serve_detail::check_jwt(text, known_keys(), options, now);
    // The private key of the example is published, but no fuzzer signs with it.
    require(!verdict.who && !verdict.problem.empty());
    try {
        for (const jwk& key : weft::serve_detail::read_jwk_set(text)) require(key.key != nullptr);
    } catch (const weft::error& e) {
        require(e.code() == weft::errc::invalid_configuration && !e.detail().empty());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    check({reinterpret_cast<const char*>(data), size});
    check(stream_pieces::spelled_out(pieces, data, size));
    return 0;
}
