#pragma once

#include <weft/base/environment.hpp>
#include <weft/graph/graph_spec.hpp>
#include <weft/net/http_client.hpp>
#include <weft/tool/oauth/oauth_options.hpp>
#include <weft/tool/tool_set.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace weft {

/** What `mcp_servers` starts with. */
struct mcp_servers_options {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    mcp_servers_options() {}

    environment_lookup environment = process_environment();  ///< What `${NAME}` in their texts stands for.
    http_client client;                                      ///< For servers behind a URL.
    /** What a file does not say of a server with `oauth`: how a person agrees, where tokens are kept. Called with its
     *  name. Null: no person is asked, and tokens end with the process. */
    std::function<oauth_options(const std::string& server)> oauth;
};

/** The MCP servers that a graph file names, started, with their tools for a `tool_set`.
 *
 *      const weft::graph_spec spec = weft::read_graph_spec(text);
 *      const weft::mcp_servers servers{spec.mcp};
 *      weft::add_agent_kinds(registry, {.model = model, .tools = servers.tools()});
 *
 *  A tool `read_file` of the server `files` is called `files__read_file`, for nodes and for models. It is work that may
 *  destroy something and may not be called twice, whatever the server says of it.
 *
 *  A file can name any program of this machine. Start only servers of files that you trust, or that a person agreed to:
 *  what the constructor gets is started.
 *
 *  @par Errors          Of the constructor: `errc::invalid_configuration` with every variable of the environment that
 *                       is missing; `errc::mcp_unauthorized` if no token is to be had; else what the first server by
 *                       name that fails says, with its name in `where`. Then none runs any more.
 *  @par Cancellation    The constructor blocks until all servers have said what they offer, each at most as long as
 *                       `mcp_client_options` allow, and as long as a person takes. The destructor takes leave of them,
 *                       and blocks as well.
 *  @par Thread safety   The tools may be called on any loop of any OS thread; the servers are talked to on one of their
 *                       own.
 *  @par Lifetimes       Outlives the runs that call its tools.
 */
class mcp_servers {
public:
    explicit mcp_servers(const std::map<std::string, mcp_spec>& which,
                         mcp_servers_options options = mcp_servers_options{});
    ~mcp_servers();
    mcp_servers(const mcp_servers&) = delete;
    mcp_servers& operator=(const mcp_servers&) = delete;

    /** All tools that the servers offer and their specs let nodes call, by server and in its order. */
    [[nodiscard]] const std::shared_ptr<const tool_set>& tools() const noexcept { return tools_; }

private:
    struct connections;
    std::unique_ptr<connections> connections_;
    std::shared_ptr<const tool_set> tools_;
};

}  // namespace weft
