#pragma once

#include <weft/tool/mcp/mcp_protocol.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace weft {

/** Which era to try with a server. */
enum class mcp_era_choice {
    automatic,    ///< Ask in the modern way; a server that does not understand gets the handshake of the legacy era.
    legacy_only,
    modern_only,
};

/** Finds out which era and revision a server speaks: decides what to ask next from what was answered. Does no I/O.
 *
 *      while (handshake.next() is a request) {
 *          ask for handshake.next() with handshake.version(), and tell the answer
 *      }
 *
 *  Anything but a discovery or an error of the modern era means that the server is of the legacy era, except over
 *  HTTP silence and statuses that say nothing about eras. In difference to the specification, which takes each status
 *  2xx for modern, a server that answers discovery with a status 200 and an error such as "method not found" is taken
 *  as legacy: a modern one must have discovery.
 *
 *  @par Thread safety   As a value.
 *  @par Source          MCP 2026-07-28, "Versioning", era detection; MCP 2025-11-25, "Lifecycle".
 */
class mcp_handshake {
public:
    enum class step {
        discover,    ///< Send `server/discover` in the modern way.
        initialize,  ///< Send `initialize`, then, after `done`, the notification `initialized`.
        done,        ///< See `agreement`.
        failed,      ///< See `failure`.
    };

    /** @param where   The server, for errors. */
    mcp_handshake(mcp_wire wire, mcp_era_choice choice, std::string where);

    [[nodiscard]] step next() const noexcept { return next_; }
    /** The revision to ask with. */
    [[nodiscard]] const std::string& version() const noexcept { return version_; }

    void on_result(const boost::json::value& result);
    void on_refusal(const mcp_refusal& said);
    /** No answer came in time. */
    void on_silence();

    /** After `step::done`. */
    [[nodiscard]] const mcp_agreement& agreement() const noexcept { return agreement_; }
    /** After `step::failed`: `errc::mcp_unsupported`, `mcp_refused` or `timeout`. */
    [[nodiscard]] const mcp_error& failure() const { return *failure_; }

private:
    void discovered(const boost::json::object& result);
    void initialized(const boost::json::object& result);
    void discovery_refused(const mcp_refusal& said);
    void choose_among(const boost::json::array& supported, bool may_ask_again);
    void go_legacy(std::string_view version);
    void agree(mcp_era era, std::string version, const boost::json::object& result);
    void fail(errc code, std::string detail, mcp_refusal said = {});

    mcp_wire wire_;
    mcp_era_choice choice_;
    std::string where_;
    step next_;
    std::string version_;
    mcp_agreement agreement_;
    std::optional<mcp_error> failure_;
};

}  // namespace weft
