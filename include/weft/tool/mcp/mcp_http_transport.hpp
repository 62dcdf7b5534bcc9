#pragma once

#include <weft/base/chrono.hpp>
#include <weft/net/http_client.hpp>
#include <weft/net/secret_string.hpp>
#include <weft/tool/mcp/mcp_transport.hpp>
#include <weft/tool/oauth/oauth_options.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace weft {

/** An MCP server behind a URL. */
struct mcp_endpoint {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    mcp_endpoint() {}
    explicit mcp_endpoint(std::string address) : url{std::move(address)} {}

    std::string url;                             ///< E.g. `https://mcp.example/mcp`.
    secret_string token;                         ///< For `Authorization: Bearer …`; empty: none.
    std::optional<oauth_options> oauth;          ///< Where tokens come from, instead of `token`; nothing: no OAuth.
    std::map<std::string, std::string> headers;  ///< Further ones, of every request.

    std::size_t message_bytes_max = 16 * 1024 * 1024;
    /** How often in a row a broken stream is taken up again without anything new coming of it. */
    int resumes_max = 5;
    /** Before a broken stream is taken up again, unless the server names another time; doubled with each failure. */
    std::chrono::nanoseconds resume_delay = std::chrono::seconds{1};
    /** For the farewell to the server. */
    std::chrono::nanoseconds close_time_max = std::chrono::seconds{2};
};

/** The transport to a URL ("streamable HTTP"): each message is a POST, which is answered with a document or a stream.
 *
 *  In the legacy era it keeps the session's id, listens to the stream for messages that belong to no request where the
 *  server has one, takes a broken stream up again where it left off, and ends the session at the end. In the modern era
 *  a stream that breaks before its answer is an error, since what became of the request is not known.
 *
 *  With `oauth` a request that the server refuses with 401, or with 403 and `insufficient_scope`, gets a token and is
 *  made again, three times at most. Waiting for a person does not count towards the timeout of a request. Only requests
 *  to the endpoint's own URL bear the token.
 *
 *  @par Errors
 *    - `errc::invalid_url`, `invalid_configuration`   from this call; `invalid_configuration` also when the URL answers
 *                                                     as no MCP server does.
 *    - `errc::mcp_unauthorized`    the server wants a token, or another one; with `oauth`: none is to be had, and why.
 *    - `errc::response_truncated`  the answer was lost with its stream.
 *    - Those of `http_client::send` and `http_response`.
 *  @par Source          MCP 2025-11-25 and 2026-07-28, "Transports", streamable HTTP; "Authorization".
 */
[[nodiscard]] std::unique_ptr<mcp_transport> mcp_http(http_client client, mcp_endpoint endpoint);

}  // namespace weft
