#pragma once

#include "mcp_core.hpp"

#include <weft/async/task.hpp>
#include <weft/net/server/http_call.hpp>

#include <memory>

namespace weft::mcp_detail {

/** Answers one request over HTTP. */
[[nodiscard]] task<void> serve_http(std::shared_ptr<mcp_core> core, http_call& call, mcp_caller caller);

/** Serves one client over a pipe until it closes its end. */
[[nodiscard]] task<void> serve_lines(std::shared_ptr<mcp_core> core, int in, int out, mcp_caller caller);

/** The answer to `initialize`. */
[[nodiscard]] boost::json::object greeting(const mcp_core& core, const mcp_peer& client);

}  // namespace weft::mcp_detail
