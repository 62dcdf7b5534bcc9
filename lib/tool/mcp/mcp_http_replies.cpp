#include "mcp_http_replies.hpp"

#include <weft/base/error.hpp>

#include "tool/rpc/mcp_text.hpp"

#include <algorithm>

namespace weft::mcp_detail {

namespace {

constexpr std::size_t body_text_max = 500;

std::optional<json_rpc_error> rpc_error_in(std::string_view body)
{
    try {
        const json_rpc_message read = json_rpc_message::parse(body);
        if (read.what() == json_rpc_message::kind::error) return read.why();
    } catch (const error&) {
        // Proxies answer with pages of their own.
    }
    return std::nullopt;
}

constexpr std::size_t challenge_bytes_max = 16 * 1024;

/** All that `WWW-Authenticate` says, with commas between the headers. */
std::string challenge_of(const http_response_head& head)
{
    std::string all;
    for (std::size_t i = 0; i < head.headers.size() && all.size() < challenge_bytes_max; ++i) {
        const http_headers::field field = head.headers[i];
        if (!equals_ignoring_case(field.name, "WWW-Authenticate")) continue;
        all.append(all.empty() ? "" : ", ").append(field.value);
    }
    return all;
}

std::string credentials_text(const std::string& challenge, const secret_string& sent)
{
    std::string text = sent.empty() ? "give it a token, or `oauth`: the server wants a bearer token"
                                    : "renew the token, or give it `oauth`: the server refuses the token";
    if (!challenge.empty()) text += "; it says: " + sent.scrub(harmless_text(challenge, body_text_max));
    return text;
}

/** Some servers answer with 400 where the specification has 404 for a session that is not there any more. */
bool says_session_is_gone(const http_response_head& head, const std::optional<json_rpc_error>& why)
{
    if (head.status == 404) return true;
    if (head.status != 400 || !why) return false;
    std::string words = why->message;
    std::transform(words.begin(), words.end(), words.begin(),
                   [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
    return words.find("session") != std::string::npos;
}

}  // namespace

reply_kind kind_of(const http_response_head& head)
{
    const std::string type = head.media_type();
    if (type == "text/event-stream") return reply_kind::stream;
    if (type == "application/json" || type.ends_with("+json")) return reply_kind::document;
    if (head.status == 202 || head.status == 204 || type.empty()) return reply_kind::nothing;
    return reply_kind::wrong;
}

mcp_error refusal_of(const http_response_head& head, std::string_view body, const secret_string& sent,
                     const std::string& label, bool has_session)
{
    mcp_refusal said{head.status, rpc_error_in(body)};
    if (said.why) said.why->message = sent.scrub(said.why->message);
    if (head.status == 401 || head.status == 403) said.challenge = challenge_of(head);
    if (head.status == 401 || !said.challenge.empty()) {
        std::string text = credentials_text(said.challenge, sent);
        return mcp_error{errc::mcp_unauthorized, label, std::move(text), std::move(said)};
    }
    if (head.status >= 300 && head.status < 400) {
        const auto to = head.headers.find("Location");
        return mcp_error{errc::mcp_refused, label,
                         "redirects are not followed" +
                             (to ? "; put the new address into `url`: " + harmless_text(*to, body_text_max)
                                 : std::string{}),
                         std::move(said)};
    }
    const bool is_gone = has_session && says_session_is_gone(head, said.why);
    mcp_error refused = mcp_refused(label, said);
    if (!said.why && !body.empty())
        refused = mcp_error{errc::mcp_refused, label,
                            "HTTP status " + std::to_string(head.status) + ": " +
                                sent.scrub(harmless_text(body, body_text_max)),
                            std::move(said)};
    if (is_gone) refused.mark_session_gone();
    return refused;
}

mcp_error wrong_reply(const http_response_head& head, const std::string& label)
{
    return mcp_error{errc::invalid_configuration, label,
                     "the URL answers a request with HTTP status " + std::to_string(head.status) + " and '" +
                         harmless_text(head.media_type(), 100) + "', as no MCP server does; check its `url`"};
}

std::optional<std::string> session_of(const http_response_head& head)
{
    const auto id = head.headers.find("Mcp-Session-Id");
    if (!id || id->empty() || id->size() > 1024) return std::nullopt;
    if (!std::all_of(id->begin(), id->end(), [](char c) { return c >= 0x21 && c <= 0x7E; })) return std::nullopt;
    return std::string{*id};
}

}  // namespace weft::mcp_detail
