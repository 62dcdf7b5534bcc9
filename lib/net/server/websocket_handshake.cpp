#include "websocket_handshake.hpp"

#include <weft/base/error.hpp>
#include <weft/base/text/base64.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/net/text/digest.hpp>

#include <algorithm>
#include <chrono>
#include <optional>

namespace weft::net_detail {

namespace {

constexpr std::size_t websocket_key_bytes = 16;

bool is_websocket_key(std::string_view key)
{
    const std::optional<std::string> bytes = from_base64(key);
    return bytes && bytes->size() == websocket_key_bytes;
}

/** Everything that keeps the request from being a handshake. */
std::string mistakes_of_handshake(const http_request_head& head)
{
    std::string wrong;
    const auto need = [&wrong](bool is_right, std::string_view what) {
        if (!is_right) wrong.append(wrong.empty() ? "" : "; ").append(what);
    };
    need(head.method == "GET", "the method must be GET");
    need(!head.is_http_1_0, "the version of HTTP must be 1.1");
    need(head.headers.lists("connection", "upgrade"), "the header Connection must list Upgrade");
    need(is_websocket_key(head.headers.find("sec-websocket-key").value_or("")),
         "the header Sec-WebSocket-Key must be 16 bytes in base64");
    return wrong;
}

}  // namespace

std::string websocket_accept_of(std::string_view key)
{
    std::string text{key};
    text.append("258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
    return to_base64(net_detail::sha1(text));
}

void check_websocket_options(const websocket_options& options)
{
    std::string wrong;
    const auto need = [&wrong](bool is_right, std::string_view what) {
        if (!is_right) wrong.append(wrong.empty() ? "" : "; ").append(what);
    };
    need(options.ping_interval > std::chrono::nanoseconds{0}, "ping_interval must be more than zero");
    need(options.close_grace > std::chrono::nanoseconds{0}, "close_grace must be more than zero");
    need(options.message_bytes_max > 0, "message_bytes_max must be at least 1");
    for (const std::string& protocol : options.protocols)
        need(is_http_token(protocol), "protocols must be names as in headers, and '" + protocol + "' is none");
    if (!wrong.empty()) throw error{errc::invalid_configuration, "WebSocket", wrong};
}

websocket_agreement agree_on_websocket(const http_request_head& head, const std::vector<std::string>& protocols)
{
    const http_headers& given = head.headers;
    if (!given.lists("upgrade", "websocket") || given.find("sec-websocket-version").value_or("") != "13") {
        http_error refused{426, "upgrade_required", "expected a request for a WebSocket of version 13"};
        refused.header("Upgrade", "websocket").header("Sec-WebSocket-Version", "13");
        throw refused;
    }
    const std::string wrong = mistakes_of_handshake(head);
    if (!wrong.empty()) throw http_error{400, "invalid_handshake", "no request for a WebSocket: " + wrong};
    websocket_agreement agreed;
    agreed.headers.set("Upgrade", "websocket");
    agreed.headers.set("Connection", "Upgrade");
    agreed.headers.set("Sec-WebSocket-Accept", websocket_accept_of(*given.find("sec-websocket-key")));
    const auto spoken = std::find_if(protocols.begin(), protocols.end(), [&given](const std::string& protocol) {
        return given.lists("sec-websocket-protocol", protocol);
    });
    // What a client offers beside it may be a secret, and is never sent back.
    if (spoken != protocols.end()) {
        agreed.protocol = *spoken;
        agreed.headers.set("Sec-WebSocket-Protocol", *spoken);
    }
    return agreed;
}

}  // namespace weft::net_detail
