#pragma once

#include <weft/base/error.hpp>
#include <weft/tool/rpc/json_rpc.hpp>

#include <boost/json/object.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace weft {

/** The two families of revisions of the Model Context Protocol. */
enum class mcp_era {
    legacy,  ///< Up to 2025-11-25: a handshake, then a session.
    modern,  ///< Since 2026-07-28: every request stands for itself.
};

/** How messages travel. */
enum class mcp_wire {
    pipe,  ///< Lines over the standard input and output of a process.
    http,  ///< Streamable HTTP.
};

/** The revisions that weft speaks, the newest first. */
inline constexpr std::array<std::string_view, 1> mcp_modern_versions{"2026-07-28"};
inline constexpr std::array<std::string_view, 4> mcp_legacy_versions{"2025-11-25", "2025-06-18", "2025-03-26",
                                                                     "2024-11-05"};

/** Who we are, in the words of the protocol. */
struct mcp_identity {
    std::string name = "weft";
    std::string version = "0.1.0";
};

/** What client and server agreed on when they met. */
struct mcp_agreement {
    mcp_era era = mcp_era::legacy;
    std::string version{};                  ///< E.g. `2025-11-25`.
    boost::json::object capabilities{};     ///< Of the server.
    std::string server_name{};              ///< As the server says; untrusted, as all that follows.
    std::string server_version{};
    std::string instructions{};             ///< For a model, if an operator wants it to see them.

    /** Whether the server has a capability, e.g. `tools`. */
    [[nodiscard]] bool offers(std::string_view capability) const noexcept;
    /** Whether the server says when a list of this capability changes. */
    [[nodiscard]] bool tells_changes_of(std::string_view capability) const noexcept;
};

/** What a server said instead of a result. */
struct mcp_refusal {
    int http_status = 0;                 ///< 0 over a pipe.
    std::optional<json_rpc_error> why{}; ///< Nothing if the body is no message.
    std::string challenge{};             ///< What `WWW-Authenticate` said, of a 401 or 403.
    std::uint64_t token_number = 0;      ///< Which token was refused, for the transport.
};

/** An error of a call to an MCP server, with what the server said. */
class mcp_error : public error {
public:
    mcp_error(errc code, std::string where, std::string detail, mcp_refusal said = {});

    [[nodiscard]] const mcp_refusal& said() const noexcept { return said_; }
    /** The JSON-RPC code of the refusal, 0 if there is none. */
    [[nodiscard]] std::int64_t rpc_code() const noexcept { return said_.why ? said_.why->code : 0; }
    /** The server has forgotten the session; a new one can be had. */
    [[nodiscard]] bool session_is_gone() const noexcept { return session_is_gone_; }
    mcp_error& mark_session_gone() noexcept { return session_is_gone_ = true, *this; }
    mcp_error& mark_token(std::uint64_t number) noexcept { return said_.token_number = number, *this; }

private:
    mcp_refusal said_;
    bool session_is_gone_ = false;
};

/** A server's error as ours: `errc::mcp_refused` with its words, made harmless for logs and models. */
[[nodiscard]] mcp_error mcp_refused(std::string where, mcp_refusal said);

/** The client's part of `params._meta` of every request of the modern era. */
void add_mcp_modern_meta(boost::json::object& params, std::string_view version, const mcp_identity& client,
                         const boost::json::object& capabilities);

}  // namespace weft
