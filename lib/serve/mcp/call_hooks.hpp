#pragma once

#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/tool/mcp_server/mcp_peer.hpp>
#include <weft/tool/rpc/json_rpc.hpp>

#include <optional>
#include <string>

/** What clients say of calls that may be followed on another loop, or in another process: the run knows whose it is. */
namespace weft::serve_detail {

/** Takes what a client said to the question of a run. A person who declines a question that needs an answer ends the
 *  run.
 *  @return      False: the question is not open, or not of the caller's tenant.
 *  @par Errors  `http_error` 422: the answer does not fit. */
[[nodiscard]] task<bool> take_mcp_answer(serve_core& core, mcp_caller caller, json_rpc_message answer);

/** Cancels the run of a call. */
[[nodiscard]] task<void> cancel_mcp_call(serve_core& core, mcp_caller caller, std::string session, json_rpc_id id);

/** The call whose stream has a key; nothing if it is none of this session. */
[[nodiscard]] task<std::optional<json_rpc_message>> revive_mcp_call(serve_core& core, mcp_caller caller,
                                                                    std::string session, std::string key);

}  // namespace weft::serve_detail
