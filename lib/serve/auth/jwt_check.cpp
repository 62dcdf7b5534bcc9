#include "jwt_check.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/text/base64.hpp>

#include <boost/json/object.hpp>

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::object;
using boost::json::value;

constexpr std::size_t token_bytes_max = 8 * 1024;
constexpr std::size_t scopes_max = 200;

/** The parts of a token. @par Lifetimes  Views of its text. */
struct jwt_sections {
    std::string_view signed_text;  // head and claims, with their dot
    std::string_view head;
    std::string_view claims;
    std::string_view signature;
};

std::optional<jwt_sections> sections_of(std::string_view token)
{
    const std::size_t first = token.find('.');
    const std::size_t last = token.rfind('.');
    if (token.size() > token_bytes_max || first == token.npos || first == last) return std::nullopt;
    jwt_sections parts{token.substr(0, last), token.substr(0, first), token.substr(first + 1, last - first - 1),
                    token.substr(last + 1)};
    if (parts.claims.find('.') != parts.claims.npos) return std::nullopt;
    return parts;
}

std::optional<object> object_in_base64(std::string_view text)
{
    const std::optional<std::string> json = from_base64url(text);
    if (!json) return std::nullopt;
    try {
        value parsed = parse_json(*json);
        if (parsed.is_object()) return std::move(parsed.get_object());
    } catch (const error&) {
        // It is no JSON: no token.
    }
    return std::nullopt;
}

/** The signature of ES256 is two numbers side by side; OpenSSL wants them in DER. Empty if it is none. */
std::string der_of(std::string_view raw)
{
    if (raw.size() != 64) return {};
    const auto* const bytes = reinterpret_cast<const unsigned char*>(raw.data());
    const std::unique_ptr<ECDSA_SIG, decltype(&ECDSA_SIG_free)> pair{ECDSA_SIG_new(), &ECDSA_SIG_free};
    ECDSA_SIG_set0(pair.get(), BN_bin2bn(bytes, 32, nullptr), BN_bin2bn(bytes + 32, 32, nullptr));
    unsigned char* encoded = nullptr;
    const int size = i2d_ECDSA_SIG(pair.get(), &encoded);
    std::string result;
    if (size > 0) result.assign(reinterpret_cast<const char*>(encoded), static_cast<std::size_t>(size));
    OPENSSL_free(encoded);
    return result;
}

bool is_signed_by(const jwk& by, std::string_view text, std::string signature)
{
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
    EVP_PKEY_CTX* details = nullptr;  // the context's
    const EVP_MD* const digest = by.algorithm == jwt_algorithm::eddsa ? nullptr : EVP_sha256();
    if (EVP_DigestVerifyInit(context.get(), &details, digest, nullptr, by.key.get()) != 1) return false;
    if (by.algorithm == jwt_algorithm::ps256) {
        const bool is_set = EVP_PKEY_CTX_set_rsa_padding(details, RSA_PKCS1_PSS_PADDING) == 1 &&
                            EVP_PKEY_CTX_set_rsa_pss_saltlen(details, RSA_PSS_SALTLEN_DIGEST) == 1;
        if (!is_set) return false;
    }
    if (by.algorithm == jwt_algorithm::es256) signature = der_of(signature);
    return EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
                            reinterpret_cast<const unsigned char*>(text.data()), text.size()) == 1;
}

std::string_view claim_text(const object& claims, std::string_view name)
{
    const value* const found = claims.if_contains(name);
    return found && found->is_string() ? std::string_view{found->get_string()} : std::string_view{};
}

std::optional<double> claim_number(const object& claims, std::string_view name)
{
    const value* const found = claims.if_contains(name);
    if (!found || !found->is_number()) return std::nullopt;
    return found->to_number<double>();
}

bool is_for(const object& claims, std::string_view audience)
{
    const value* const found = claims.if_contains("aud");
    if (!found) return false;
    if (found->is_string()) return found->get_string() == audience;
    if (!found->is_array()) return false;
    const auto is_it = [&](const value& one) { return one.is_string() && one.get_string() == audience; };
    return std::any_of(found->get_array().begin(), found->get_array().end(), is_it);
}

/** What is wrong with the claims; empty: nothing. */
std::string problem_of(const object& claims, const jwt_options& options, clock::system_time_point now)
{
    const double moment = std::chrono::duration<double>(now.time_since_epoch()).count();
    const double leeway = static_cast<double>(options.leeway.count());
    const std::optional<double> end = claim_number(claims, "exp");
    const std::optional<double> begin = claim_number(claims, "nbf");
    if (claim_text(claims, "iss") != options.issuer) return "the token is of another issuer";
    if (!is_for(claims, options.audience)) return "the token is for another audience";
    if (claim_text(claims, "sub").empty()) return "the token does not say whom it stands for (sub)";
    if (!end) return "the token has no end (exp)";
    if (moment >= *end + leeway) return "the token has expired";
    if (begin && moment < *begin - leeway) return "the token is not valid yet";
    return {};
}

std::vector<std::string> scopes_of(const object& claims, const std::string& name)
{
    if (name.empty()) return {"*"};
    std::vector<std::string> scopes;
    const value* const found = claims.if_contains(name);
    if (found && found->is_array())
        for (const value& one : found->get_array())
            if (one.is_string() && scopes.size() < scopes_max) scopes.emplace_back(one.get_string());
    std::string_view text = claim_text(claims, name);
    while (!text.empty() && scopes.size() < scopes_max) {
        const std::string_view scope = text.substr(0, text.find(' '));
        if (!scope.empty()) scopes.emplace_back(scope);
        text.remove_prefix(std::min(scope.size() + 1, text.size()));
    }
    return scopes;
}

jwt_verdict refused_token(std::string why) { return {.problem = std::move(why)}; }

}  // namespace

jwt_verdict check_jwt(std::string_view token, const std::vector<jwk>& keys, const jwt_options& options,
                      clock::system_time_point now)
{
    const std::optional<jwt_sections> parts = sections_of(token);
    const std::optional<object> head = parts ? object_in_base64(parts->head) : std::nullopt;
    const std::optional<std::string> signature = parts ? from_base64url(parts->signature) : std::nullopt;
    if (!head || !signature) return refused_token("the token is no JWT");
    // What a token declares critical has to be understood, and nothing is.
    if (head->contains("crit")) return refused_token("the token needs an extension that the server does not have");
    const std::string_view id = claim_text(*head, "kid");
    const std::string_view algorithm = claim_text(*head, "alg");
    const auto may_be = [&](const jwk& key) {
        return (id.empty() || key.id == id) && name_of(key.algorithm) == algorithm;
    };
    if (std::none_of(keys.begin(), keys.end(), may_be)) {
        jwt_verdict verdict =
            refused_token("the token is signed with a key, or an algorithm, that the server does not know");
        verdict.is_key_unknown = true;
        return verdict;
    }
    const bool is_signed = std::any_of(keys.begin(), keys.end(), [&](const jwk& key) {
        return may_be(key) && is_signed_by(key, parts->signed_text, *signature);
    });
    if (!is_signed) return refused_token("the signature of the token is wrong");
    const std::optional<object> claims = object_in_base64(parts->claims);
    if (!claims) return refused_token("the token is no JWT");
    std::string problem = problem_of(*claims, options, now);
    if (!problem.empty()) return refused_token(std::move(problem));
    principal who;
    who.name = claim_text(*claims, "sub");
    who.scopes = scopes_of(*claims, options.scope_claim);
    if (!options.tenant_claim.empty()) who.tenant = claim_text(*claims, options.tenant_claim);
    // Without it the caller would land among those of no tenant.
    if (!options.tenant_claim.empty() && who.tenant.empty())
        return refused_token("the token names no tenant (" + options.tenant_claim + ")");
    // Further in the future than clocks can say is no end.
    const double end = claim_number(*claims, "exp").value_or(0) + static_cast<double>(options.leeway.count());
    constexpr double seconds_max = 9e9;
    jwt_verdict good{.who = std::move(who)};
    if (end < seconds_max)
        good.expires = clock::system_time_point{std::chrono::seconds{static_cast<std::int64_t>(end)}};
    return good;
}

}  // namespace weft::serve_detail
