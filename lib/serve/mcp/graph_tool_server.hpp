#pragma once

#include "serve/http/route_table.hpp"
#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/tool/mcp_server.hpp>

#include <span>
#include <vector>

namespace weft::serve_detail {

/** The graphs of a server as tools of the Model Context Protocol, on one loop.
 *
 *  @par Thread safety   None: it belongs to its loop.
 *  @par Lifetimes       The core outlives it, and it its tasks. */
class graph_tool_server {
public:
    explicit graph_tool_server(serve_core& core);

    /** Answers a request to `/mcp`. */
    [[nodiscard]] task<void> handle(api_call& call);
    /** What clients may call. Their parameters are read by the library, which has no declarations of them. */
    [[nodiscard]] std::span<const rpc_method> methods() const noexcept { return methods_; }
    /** Serves one client over standard input and output, until it closes the input. */
    [[nodiscard]] task<void> serve_stdio() { return server_.serve_stdio(); }
    /** Tells clients that there are other graphs. */
    void note_graphs() { server_.tell_list_changed(mcp_list::tools); }

private:
    serve_core& core_;
    mcp_server server_;
    std::vector<rpc_method> methods_;
};

void add_mcp_routes(route_table& routes, graph_tool_server& tools);

}  // namespace weft::serve_detail
