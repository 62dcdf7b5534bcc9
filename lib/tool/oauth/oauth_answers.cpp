#include "oauth_answers.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_peek.hpp>
#include <weft/net/text/http_headers.hpp>

#include "oauth_challenge.hpp"
#include "oauth_metadata.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>

namespace weft::tool_detail {

namespace {

constexpr std::size_t token_bytes_max = 32 * 1024;
constexpr std::int64_t lifetime_max = std::int64_t{10} * 365 * 24 * 3600;

boost::json::object read_object(std::string_view body)
{
    if (body.size() > oauth_document_bytes_max) return {};
    try {
        boost::json::value read = parse_json(body);
        if (boost::json::object* object = read.if_object()) return std::move(*object);
    } catch (const error& e) {
        if (e.code() != errc::invalid_json) throw;
    }
    return {};
}

/** Whether a text can stand in a header. */
bool is_sendable(std::string_view token)
{
    return !token.empty() && token.size() <= token_bytes_max &&
           std::all_of(token.begin(), token.end(), [](char c) { return c >= 0x21 && c <= 0x7E; });
}

std::string refusal_of(int status, const boost::json::object& said)
{
    std::string text = "HTTP status " + std::to_string(status);
    for (const std::string_view name : {"error", "error_description"})
        if (const std::string_view words = peek_text(said, name); !words.empty()) text.append(", ").append(words);
    return text;
}

}  // namespace

token_answer read_token_answer(int status, std::string_view body)
{
    const boost::json::object said = read_object(body);
    token_answer answer;
    answer.error_code = peek_text(said, "error");
    const std::string_view token = peek_text(said, "access_token");
    if (status != 200 || token.empty()) {
        answer.refused = refusal_of(status, said);
        if (status == 200 && answer.error_code.empty()) answer.refused += ", without an access_token";
    } else if (!equals_ignoring_case(peek_text(said, "token_type"), "bearer")) {
        answer.refused = "its token_type is not Bearer";
    } else if (!is_sendable(token)) {
        answer.refused = "its access_token cannot stand in a header";
    }
    if (!answer.refused.empty()) return answer;
    answer.access = secret_string{token};
    answer.refresh = secret_string{peek_text(said, "refresh_token")};
    if (const std::string_view scope = peek_text(said, "scope"); is_oauth_scope(scope)) answer.scope = scope;
    if (const auto seconds = peek_count(said, "expires_in"))
        answer.expires_in = std::chrono::seconds{std::min(*seconds, lifetime_max)};
    return answer;
}

registration_answer read_registration_answer(int status, std::string_view body)
{
    const boost::json::object said = read_object(body);
    registration_answer answer;
    if (status == 200 || status == 201) answer.client.id = peek_text(said, "client_id");
    if (answer.client.id.empty()) {
        answer.refused = refusal_of(status, said);
        return answer;
    }
    answer.client.secret = secret_string{peek_text(said, "client_secret")};
    answer.client.method = peek_text(said, "token_endpoint_auth_method");
    return answer;
}

std::string registration_text(const registration_wish& wish)
{
    boost::json::object client;
    client["client_name"] = wish.name;
    client["application_type"] = wish.is_native ? "native" : "web";
    client["redirect_uris"] = boost::json::array{wish.redirect_uri};
    client["grant_types"] = boost::json::array{"authorization_code", "refresh_token"};
    client["response_types"] = boost::json::array{"code"};
    client["token_endpoint_auth_method"] = wish.method;
    if (!wish.scope.empty()) client["scope"] = wish.scope;
    return boost::json::serialize(client);
}

}  // namespace weft::tool_detail
