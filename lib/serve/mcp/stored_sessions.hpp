#pragma once

#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/tool/mcp_server/mcp_server_options.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace weft::serve_detail {

/** Keeps the sessions of MCP's clients in the store, so that all loops and processes on it know them. What is not used
 *  for a day is gone.
 *
 *  @par Lifetimes   The core outlives it. */
class stored_sessions final : public mcp_session_store {
public:
    static constexpr std::chrono::hours life{24};  ///< After the last use.

    explicit stored_sessions(serve_core& core) noexcept : core_{core} {}

    [[nodiscard]] task<void> save(std::string id, std::string principal, mcp_peer client) override;
    [[nodiscard]] task<std::optional<mcp_peer>> find(std::string id, std::string principal) override;
    [[nodiscard]] task<void> erase(std::string id, std::string principal) override;

private:
    serve_core& core_;
};

}  // namespace weft::serve_detail
