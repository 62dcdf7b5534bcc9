#include <weft/tool/oauth/oauth_tokens.hpp>

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_peek.hpp>

#include <boost/json/serialize.hpp>

namespace weft {

secret_string oauth_tokens::to_text() const
{
    boost::json::object out;
    const auto put = [&out](std::string_view name, std::string_view value) {
        if (!value.empty()) out[name] = value;
    };
    put("access_token", access.reveal());
    put("refresh_token", refresh.reveal());
    put("scope", scope);
    put("issuer", issuer);
    put("client_id", client.id);
    put("client_secret", client.secret.reveal());
    put("token_endpoint_auth_method", client.method);
    put("redirect_uri", client.redirect_uri);
    if (expires_at)
        out["expires_at"] = std::chrono::duration_cast<std::chrono::seconds>(expires_at->time_since_epoch()).count();
    return secret_string{boost::json::serialize(out)};
}

std::optional<oauth_tokens> oauth_tokens::from_text(std::string_view text)
{
    boost::json::value read;
    try {
        read = parse_json(text);
    } catch (const error& e) {
        if (e.code() != errc::invalid_json) throw;
    }
    const boost::json::object* const in = read.if_object();
    if (!in) return std::nullopt;
    oauth_tokens tokens;
    tokens.access = secret_string{peek_text(*in, "access_token")};
    tokens.refresh = secret_string{peek_text(*in, "refresh_token")};
    tokens.scope = peek_text(*in, "scope");
    tokens.issuer = peek_text(*in, "issuer");
    tokens.client.id = peek_text(*in, "client_id");
    tokens.client.secret = secret_string{peek_text(*in, "client_secret")};
    tokens.client.method = peek_text(*in, "token_endpoint_auth_method");
    tokens.client.redirect_uri = peek_text(*in, "redirect_uri");
    constexpr std::int64_t year_9999 = 253'402'300'799;
    if (const auto seconds = peek_count(*in, "expires_at"); seconds && *seconds < year_9999)
        tokens.expires_at = clock::system_time_point{std::chrono::seconds{*seconds}};
    return tokens;
}

}  // namespace weft
