#pragma once

#include <weft/async/task.hpp>
#include <weft/net/server/http_call.hpp>
#include <weft/tool/mcp/mcp_client_options.hpp>
#include <weft/tool/mcp/mcp_types.hpp>
#include <weft/tool/mcp_server/mcp_refusals.hpp>
#include <weft/tool/mcp_server/mcp_server_context.hpp>
#include <weft/tool/mcp_server/mcp_server_options.hpp>
#include <weft/tool/tool_runner.hpp>
#include <weft/tool/tool_set.hpp>

#include <boost/json/object.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

namespace mcp_detail {
class mcp_core;
}

/** Serves tools, resources and prompts to clients of the Model Context Protocol, of both its eras, over a pipe or HTTP.
 *
 *      weft::tool_set tools;
 *      tools.add("add", "Adds two numbers.", [](sum_of what) { return what.a + what.b; });
 *      weft::mcp_server server;
 *      server.add_tools(std::move(tools));
 *      weft::run_blocking(server.serve_stdio());
 *
 *  Over HTTP it answers the calls of an `http_server` for one path, such as `/mcp`:
 *
 *      weft::http_server http{loop, [&](weft::http_call& call) { return server.handle(call); }};
 *
 *  A call of a tool goes on when the connection of its client breaks, and the client may come back for the rest (legacy
 *  era, `Last-Event-ID`). In the modern era the end of the connection cancels the call, as the protocol has it.
 *
 *  @par Errors          Functions that add: `errc::invalid_configuration` for a name, an address or a schema that
 *                       cannot be used, or that is there already.
 *  @par Cancellation    A stop of `handle` or `serve_stdio` leaves calls of the legacy era under way.
 *  @par Thread safety   None: it belongs to the loop of its first call.
 *  @par Lifetimes       Outlives the tasks that it gives out, and is destroyed on its loop; calls under way end then.
 *  @par Source          MCP 2025-11-25 (and 2025-06-18, 2025-03-26, 2024-11-05 over pipes) and 2026-07-28.
 *  @par Example         samples/27_mcp_server.cpp [serve]
 */
class mcp_server {
public:
    /** Answers `tools/call`. What it throws is the text of a result that is an error, but for `mcp_rejection`. */
    using tool_function = std::function<task<mcp_call_result>(mcp_server_context&, boost::json::object arguments)>;
    /** Answers `resources/read`. @param parts  What stands for the variables of a template. */
    using resource_function = std::function<task<std::vector<mcp_resource_content>>(
        mcp_server_context&, std::string uri, boost::json::object parts)>;
    /** Answers `prompts/get`. @param arguments  Texts; those that are required are there. */
    using prompt_function = std::function<task<mcp_prompt_text>(mcp_server_context&, boost::json::object arguments)>;

    explicit mcp_server(mcp_server_options options = mcp_server_options{});
    ~mcp_server();
    mcp_server(const mcp_server&) = delete;
    mcp_server& operator=(const mcp_server&) = delete;

    /** How tools of a set are run for clients: as for models, but with results as they are. */
    [[nodiscard]] static tool_runner_options runner_defaults();

    /** Adds all tools of a set. What they emit as `progress` is progress of the call; other kinds are log lines. */
    mcp_server& add_tools(tool_set tools, tool_runner_options runner = runner_defaults());
    /** Adds a tool. Arguments that its input schema does not accept are refused before the function is called. */
    mcp_server& add_tool(mcp_tool definition, tool_function function);
    mcp_server& add_resource(mcp_resource definition, resource_function function);
    /** @param definition   Its template has variables as `{name}`; each stands for one or more characters but `/`. */
    mcp_server& add_resource_template(mcp_resource_template definition, resource_function function);
    mcp_server& add_prompt(mcp_prompt definition, prompt_function function);

    /** The methods that it has, of both eras, and the notifications that it takes. */
    [[nodiscard]] std::vector<std::string_view> methods() const;

    /** Answers a request over HTTP: `POST`, `GET` and `DELETE` of the path that clients know.
     *  @param caller   On whose behalf, for a program that asks. */
    [[nodiscard]] task<void> handle(http_call& call, mcp_caller caller = mcp_caller{});

    /** Serves one client over standard input and output, until it closes the input. Nothing else may write to standard
     *  output.
     *  @par Errors   `errc::invalid_configuration`  the streams cannot be read or written. */
    [[nodiscard]] task<void> serve_stdio();
    /** The same over other file descriptors, which stay the caller's. */
    [[nodiscard]] task<void> serve_pipe(int in, int out, mcp_caller caller = mcp_caller{});

    /** Tells clients that a list has changed: of a source, or of resources that come and go. */
    void tell_list_changed(mcp_list which);
    /** Tells clients that subscribe to a resource that it has changed. */
    void tell_resource_updated(std::string_view uri);

private:
    std::shared_ptr<mcp_detail::mcp_core> core_;
};

}  // namespace weft
