#include "graph_tool_server.hpp"

#include "call_hooks.hpp"
#include "call_notes.hpp"
#include "graph_call.hpp"
#include "graph_tools.hpp"
#include "serve/http/bound_route.hpp"
#include "serve/http/open_answer.hpp"
#include "serve/http/own_origin.hpp"
#include "serve/wire/view_schemas.hpp"
#include "stored_sessions.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace weft::serve_detail {

namespace {

task<std::vector<mcp_tool>> list_graphs(const serve_core& core) { co_return graph_tools(core); }

mcp_server_options options_for(serve_core& core)
{
    mcp_server_options options;
    options.message_bytes_max = core.options.http.body_bytes_max;
    options.heartbeat = core.options.heartbeat;
    options.on_disconnect = core.options.mcp_disconnect;
    options.running_max = core.options.runs_max;  // each call is a run
    // The server itself has looked at both.
    options.allowed_hosts = {"*"};
    options.allowed_origins = {"*"};
    options.sessions = std::make_shared<stored_sessions>(core);
    options.session_idle_max = stored_sessions::life;
    options.source.list = [&core](mcp_server_context&) { return list_graphs(core); };
    options.source.call = [&core](mcp_server_context& context, std::string name, boost::json::object arguments) {
        return call_graph(core, context, std::move(name), std::move(arguments));
    };
    options.on_answer = [&core](mcp_caller caller, std::string, json_rpc_message answer) {
        return take_mcp_answer(core, std::move(caller), std::move(answer));
    };
    options.on_cancel = [&core](mcp_caller caller, std::string session, json_rpc_id id) {
        return cancel_mcp_call(core, std::move(caller), std::move(session), std::move(id));
    };
    options.revive = [&core](mcp_caller caller, std::string session, std::string key) {
        return revive_mcp_call(core, std::move(caller), std::move(session), std::move(key));
    };
    options.on_error = [&core](std::string_view where, std::string_view what) { core.tell_error(where, what); };
    return options;
}

/** A refusal as JSON-RPC has it. */
http_reply rpc_form(const refusal& why)
{
    const std::int64_t code = why.is_of_server ? json_rpc_code::internal_error : json_rpc_code::invalid_request;
    boost::json::object data{{"code", why.code}};
    const json_rpc_message message =
        json_rpc_message::error(std::nullopt, json_rpc_error{code, why.message, std::move(data)});
    return http_reply{why.status, message.text(), "application/json"};
}

std::string last_comment(const std::string&) { return ": the caller may not have it any longer\n\n"; }

mcp_caller mcp_caller_of(const api_call& call)
{
    mcp_caller caller;
    // No name of a tenant has a line end: two callers never look like one.
    caller.principal = call.tenant() + '\n' + call.who().name;
    caller.context = std::make_shared<const mcp_tenant>(mcp_tenant{call.tenant()});
    return caller;
}

task<void> handle_mcp(graph_tool_server& tools, api_call& call) { return tools.handle(call); }

}  // namespace

graph_tool_server::graph_tool_server(serve_core& core) : core_{core}, server_{options_for(core)}
{
    for (const std::string_view name : server_.methods()) methods_.push_back({name});
}

task<void> graph_tool_server::handle(api_call& call)
{
    require_own_origin(call.http().head(), core_.options.allowed_origin);
    task<void> work = server_.handle(call.http(), mcp_caller_of(call));
    return answer_while_allowed(core_.access.watch(), call, std::move(work), last_comment);
}

void add_mcp_routes(route_table& routes, graph_tool_server& tools)
{
    routes.refuse_as("/mcp", rpc_form);
    bind_route(routes, tools, "POST", "/mcp", {"threads", "create_run"}, handle_mcp,
               {.summary = "Carries out a method of MCP, or takes the answer to a question",
                .answer = {.what = good_answer::form::either, .of = &rpc_answer_schema, .or_status = 202},
                .methods = tools.methods(),
                .takes_results = true});
    bind_route(routes, tools, "GET", "/mcp", {"threads", "read"}, handle_mcp,
               {.summary = "Shows what the server says in a session, behind Last-Event-ID",
                .answer = {.what = good_answer::form::events}});
    bind_route(routes, tools, "DELETE", "/mcp", {"threads", "read"}, handle_mcp,
               {.summary = "Ends a session", .answer = {.what = good_answer::form::nothing, .status = 204}});
}

}  // namespace weft::serve_detail
