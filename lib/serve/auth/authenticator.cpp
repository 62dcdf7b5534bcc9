#include "authenticator.hpp"

#include <weft/base/json.hpp>
#include <weft/net/options/client_identity.hpp>
#include <weft/net/server/http_call.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/serve/api_keys.hpp>

#include <boost/json/object.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace weft::serve_detail {

namespace {

constexpr std::chrono::seconds key_known_for{5};  // so long does a revoked key work
constexpr std::size_t keys_known_max = 10'000;

principal principal_of(const api_key& key)
{
    principal who;
    who.name = key.name.empty() ? "key " + key.hash.substr(0, 8) : key.name;
    who.tenant = key.tenant;
    const boost::json::value metadata = parse_json(key.metadata);
    const boost::json::value* const scopes = metadata.as_object().if_contains("scopes");
    if (!scopes) return who;
    // Scopes that cannot be read allow nothing, rather than all.
    who.scopes.clear();
    if (scopes->is_array())
        for (const boost::json::value& scope : scopes->get_array())
            if (scope.is_string()) who.scopes.emplace_back(scope.get_string());
    return who;
}

/** What stands behind `Bearer`; empty if nothing does. */
std::string_view bearer_in(const http_headers& headers)
{
    constexpr std::string_view scheme = "bearer ";
    std::string_view text = headers.find("authorization").value_or(std::string_view{});
    if (text.size() <= scheme.size() || !equals_ignoring_case(text.substr(0, scheme.size()), scheme)) return {};
    text.remove_prefix(scheme.size());
    while (text.starts_with(' ')) text.remove_prefix(1);
    return text;
}

/** Whether a certificate is of this subject. */
bool is_of(const client_identity& shown, const std::string& subject)
{
    if (subject.empty()) return false;  // certificates may have no common name
    return shown.common_name == subject || shown.fingerprint == subject ||
           std::find(shown.dns_names.begin(), shown.dns_names.end(), subject) != shown.dns_names.end();
}

http_error nobody_known(const std::string& why)
{
    http_error refused{401, "unauthenticated", why};
    refused.header("WWW-Authenticate", "Bearer");
    return refused;
}

}  // namespace

authenticator::authenticator(serial_loop& loop, const auth_options& options, document_store& documents,
                             problem_function problem)
    : loop_{loop}, options_{options}, keys_{documents}
{
    if (options.jwt) tokens_.emplace(loop, *options.jwt, jwt_authority::fetch_function{}, std::move(problem));
}

task<known_caller> authenticator::authenticate(const http_call& call)
{
    if (options_.authenticate) {
        std::optional<principal> who = co_await options_.authenticate(call);
        if (who) co_return known_caller{std::move(*who)};
    }
    if (const client_identity* const shown = call.client_certificate())
        for (const known_certificate& known : options_.certificates)
            if (is_of(*shown, known.subject))
                co_return known_caller{known.who, {credential::kind::certificate, known.subject}};
    const std::string bearer{bearer_in(call.headers())};
    std::string key{call.headers().find("x-api-key").value_or(std::string_view{})};
    if (key.empty() && is_api_key(bearer)) key = bearer;
    if (options_.api_keys && !key.empty()) {
        // Made up ones end here, without a look into the store.
        std::string hash = is_api_key(key) ? hash_of_api_key(key) : std::string{};
        std::optional<principal> who;
        if (!hash.empty()) who = co_await find_key(hash);
        if (who) co_return known_caller{std::move(*who), {credential::kind::api_key, std::move(hash)}};
        throw nobody_known("the API key is unknown, has expired or was revoked");
    }
    if (tokens_ && !bearer.empty()) {
        jwt_verdict verdict = co_await tokens_->check(bearer);
        if (verdict.who)
            co_return known_caller{std::move(*verdict.who), {credential::kind::token, {}, verdict.expires}};
        throw nobody_known(verdict.problem);
    }
    if (!options_.api_keys && !tokens_) throw nobody_known("the server does not know who calls");
    const char* const wanted = !options_.api_keys ? "Authorization: Bearer TOKEN"
                               : tokens_          ? "X-Api-Key: KEY, or Authorization: Bearer with a key or a token"
                                                  : "X-Api-Key: KEY, or Authorization: Bearer KEY";
    throw nobody_known(std::string{"the server asks who calls: send "} + wanted);
}

task<std::optional<principal>> authenticator::find_key(std::string hash)
{
    const auto known = known_.find(hash);
    if (known != known_.end() && loop_.now() < known->second.until) co_return known->second.who;
    const std::optional<api_key> found = co_await keys_.find(hash);
    if (known_.size() >= keys_known_max) known_.clear();
    known_key& place = known_[hash];
    place.who = found ? std::optional{principal_of(*found)} : std::nullopt;
    place.until = loop_.now() + key_known_for;
    co_return place.who;
}

}  // namespace weft::serve_detail
