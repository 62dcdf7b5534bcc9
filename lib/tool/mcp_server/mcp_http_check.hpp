#pragma once

#include <weft/net/options/http_request_head.hpp>
#include <weft/tool/mcp/mcp_headers.hpp>
#include <weft/tool/mcp_server/mcp_peer.hpp>
#include <weft/tool/rpc/json_rpc.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace weft::mcp_detail {

/** Why a request over HTTP is refused before it is looked at further. */
struct http_refusal {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    http_refusal() {}
    http_refusal(int status, json_rpc_error why) : status{status}, why{std::move(why)} {}

    int status = 400;
    json_rpc_error why{};
};

/** The names of hosts and the origins that may call; see `mcp_server_options`. */
[[nodiscard]] std::optional<http_refusal> check_caller_of(const http_request_head& head,
                                                          std::span<const std::string> hosts,
                                                          std::span<const std::string> origins);

/** Whether the head of a `POST` says what the protocol wants: JSON, and an answer of either form. */
[[nodiscard]] std::optional<http_refusal> check_post_head(const http_headers& headers);

/** Of which era a message is. What names the modern revision, in a header or in `_meta`, is modern. */
[[nodiscard]] mcp_era era_of(const http_headers& headers, const json_rpc_message& message);
/** The same without headers. */
[[nodiscard]] mcp_era era_of(const json_rpc_message& message);

/** What a request of the modern era says of its client.
 *  @param wire  Over HTTP, headers must say the same as the body.
 *  @par Source  MCP 2026-07-28, "Transports", "Versioning". */
struct modern_request {
    mcp_peer client{};
    std::optional<http_refusal> refused{};
};
[[nodiscard]] modern_request read_modern_request(const json_rpc_message& message, const http_headers* headers);

/** Whether the headers of arguments (`x-mcp-header`) are those that the body has. */
[[nodiscard]] std::optional<http_refusal> check_argument_headers(const http_headers& headers,
                                                                 const mcp_argument_headers& rules,
                                                                 const json_rpc_message& message);

/** Whether a header of the legacy era names a revision that is spoken here; without one it is. */
[[nodiscard]] std::optional<http_refusal> check_legacy_version(const http_headers& headers);

/** What a client says in `initialize`, and the revision that is agreed on: its own if it is spoken here, else ours.
 *  @par Errors   `mcp_rejection`. */
[[nodiscard]] mcp_peer read_initialize(const boost::json::object& params);

/** The status of HTTP that goes with an answer of the modern era. */
[[nodiscard]] int status_of(const json_rpc_message& answer, mcp_era era) noexcept;

}  // namespace weft::mcp_detail
