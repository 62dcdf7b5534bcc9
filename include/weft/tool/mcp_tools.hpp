#pragma once

#include <weft/base/chrono.hpp>
#include <weft/tool/mcp_client.hpp>
#include <weft/tool/tool.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** A tool whose definition is not the one that was approved. */
struct mcp_tool_change {
    std::string server{};
    std::string approved{};     ///< Fingerprint of the definition that was approved; empty if none ever was.
    std::string fingerprint{};  ///< Of the definition as it is now.
    mcp_tool definition{};
};

/** A tool of a server that no `tool_set` takes. */
struct mcp_refused_tool {
    std::string name{};    ///< The server's.
    std::string reason{};  ///< What is wrong with it, e.g. with its input schema.
};

/** How tools are made of a server's tools. */
struct mcp_tools_options {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    mcp_tools_options() {}

    /** In front of each name, with `__` between; at most 24 of `[A-Za-z0-9_-]`. Empty: nothing. */
    std::string prefix;
    /** Which tools are wanted; empty: all. */
    std::function<bool(const mcp_tool&)> select;

    /** Fingerprints that were approved before, by the server's names of the tools. */
    std::map<std::string, std::string> approved;
    /** Decides about a definition that is not approved: when the tools are made, if `approved` names the tool with
     *  another fingerprint, and before a call, if the server changed the definition meanwhile. Empty: the answer is no.
     *  Called on the client's loop. */
    std::function<task<bool>(mcp_tool_change change)> approve;

    /** Called for each tool that is left out because no `tool_set` would take it, on the client's loop. */
    std::function<void(const mcp_refused_tool&)> on_refused;

    /** The server's claims that a tool is harmless are believed. Else each of its tools counts as one that may destroy
     *  something and may not be called twice. */
    bool trusts_hints = false;
    std::optional<std::chrono::nanoseconds> timeout;  ///< Of each call; else the client's.
};

/** A digest (SHA-256, in hex) of what a model is told about a tool: name, title, description, schemas, hints. */
[[nodiscard]] std::string mcp_fingerprint(const mcp_tool& definition);

/** The name under which a model knows a server's tool: `prefix__name` in `[A-Za-z0-9_-]`, other characters replaced by
 *  `_`; a longer one than 64 is cut and ends with a part of its digest. */
[[nodiscard]] std::string mcp_tool_name(std::string_view prefix, std::string_view name);

/** Makes tools for a `tool_set` of the tools of a server.
 *
 *  A tool that `tool_set::add` would refuse, as for an input schema that cannot be used, is left out: the others of the
 *  server stay usable. `mcp_tools_options::on_refused` and `mcp_client_options::on_noise` say which and why.
 *
 *  A tool whose definition changes after it was approved is not called any more, until `approve` says yes: what was
 *  harmless when it was reviewed may have become something else. The text for the model stays as it was when the
 *  tools were made.
 *
 *  @return   In the server's order; what was refused or not approved is left out.
 *
 *  @par Errors
 *    - `errc::invalid_configuration`  two tools get the same name, or the prefix cannot be one.
 *    - Those of `mcp_client::tools`.
 *  @par Thread safety   The tools may be called on any loop of any OS thread: the work is done on the client's loop,
 *                       which must run.
 *  @par Lifetimes       The client and its loop outlive the tools.
 */
[[nodiscard]] task<std::vector<std::shared_ptr<tool>>> mcp_tools(mcp_client& client, mcp_tools_options options);

}  // namespace weft
