#pragma once

#include <weft/tool/mcp/mcp_protocol.hpp>

#include <boost/json/object.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace weft {

/** What a client has said about itself: in its handshake, or with each request of the modern era. */
struct mcp_peer {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    mcp_peer() {}

    mcp_era era = mcp_era::legacy;
    std::string version{};               ///< The revision that both speak, e.g. `2025-11-25`.
    boost::json::object capabilities{};  ///< Of the client.
    std::string name{};                  ///< Of its program; untrusted.
    std::string log_level{};             ///< The least that it wants to hear; empty: it has not said.

    /** Whether it can ask a person with a form (`form`), or send one to a page (`url`). */
    [[nodiscard]] bool elicits(std::string_view mode = "form") const noexcept;
    /** Whether it has a model asked for the server. */
    [[nodiscard]] bool samples() const noexcept;
    [[nodiscard]] bool has_roots() const noexcept;
    /** Whether it wants log messages of a level (`debug` … `emergency`). In the legacy era a client that has not said
     *  gets all; in the modern one it gets none. */
    [[nodiscard]] bool hears(std::string_view level) const noexcept;
};

/** Whether the protocol knows a level of log messages. */
[[nodiscard]] bool is_mcp_log_level(std::string_view level) noexcept;

/** On whose behalf a request came in, as the program that mounts the server knows it.
 *
 *  A session belongs to the principal that opened it: for another one it is not there. */
struct mcp_caller {
    mcp_caller() {}

    std::string principal{};                ///< Empty: the program does not ask.
    std::shared_ptr<const void> context{};  ///< Whatever handlers need to know of it.
};

}  // namespace weft
