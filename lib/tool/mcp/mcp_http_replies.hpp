#pragma once

#include <weft/net/options/http_response_head.hpp>
#include <weft/tool/mcp/mcp_http_transport.hpp>

#include <optional>
#include <string>
#include <string_view>

/** What an HTTP response means to an MCP client; decides, and reads nothing. */
namespace weft::mcp_detail {

enum class reply_kind {
    document,  ///< One message in JSON.
    stream,    ///< Messages as server-sent events.
    nothing,   ///< Accepted, without a word.
    wrong,     ///< A success that no MCP server gives.
};

[[nodiscard]] reply_kind kind_of(const http_response_head& head);

/** The error that a response without success is.
 *  @param body         As much of it as was read.
 *  @param sent         The token that the request bore, which texts must not repeat.
 *  @param has_session  Whether the request named a session. */
[[nodiscard]] mcp_error refusal_of(const http_response_head& head, std::string_view body, const secret_string& sent,
                                   const std::string& label, bool has_session);

/** The error that a success of the kind `wrong` is. */
[[nodiscard]] mcp_error wrong_reply(const http_response_head& head, const std::string& label);

/** The session's id in a response, if it may be sent back. */
[[nodiscard]] std::optional<std::string> session_of(const http_response_head& head);

}  // namespace weft::mcp_detail
