#pragma once

#include <cstdint>

namespace weft {

/** What the end of its connection is to a call over HTTP of a client of MCP 2026-07-28, which has no other word for it.
 *  @par Source   MCP 2026-07-28, basic/patterns/cancellation, "Transport-Specific Cancellation". */
enum class mcp_on_disconnect : std::uint8_t {
    cancel,   ///< The call is cancelled, as the protocol has it.
    forsake,  ///< Nothing waits for its result: `mcp_server_context::is_cancelled_by_client` is false.
};

}  // namespace weft
