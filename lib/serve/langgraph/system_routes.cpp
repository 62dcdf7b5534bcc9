#include "system_routes.hpp"

#include "serve/http/bound_route.hpp"
#include "serve/wire/view_schemas.hpp"

namespace weft::serve_detail {

namespace {

using boost::json::object;

task<void> show_ok(serve_core&, api_call& call) { return call.reply(200, object{{"ok", true}}); }

task<void> show_info(serve_core& core, api_call& call)
{
    // The version is that of the protocol: clients look at it to see what they may call.
    return call.reply(200, object{{"version", "0.6.0"},
                                  {"langgraph_py_version", nullptr},
                                  {"flags", object{{"assistants", true},
                                                   {"crons", true},
                                                   {"langsmith", false},
                                                   {"langsmith_tracing_replicas", false}}},
                                  {"host", object{{"kind", "self-hosted"}, {"server", "weft"}}},
                                  {"graphs", core.served->graphs.size()}});
}

task<void> show_ready(serve_core& core, api_call& call)
{
    const bool is_ready = !core.is_draining && core.engine.takes_runs();
    const object shown{{"ready", is_ready}};
    return is_ready ? call.reply(200, shown) : call.reply(503, shown, "Retry-After", "1");
}

}  // namespace

void add_system_routes(route_table& routes, serve_core& core)
{
    const good_answer any{.of = &object_schema};
    bind_route(routes, core, "GET", "/ok", {}, show_ok, {.summary = "Whether the server lives", .answer = any});
    bind_route(routes, core, "GET", "/livez", {}, show_ok, {.summary = "Whether the server lives", .answer = any});
    bind_route(routes, core, "GET", "/readyz", {}, show_ready,
               {.summary = "Whether the server takes runs", .answer = any});
    bind_route(routes, core, "GET", "/info", {"server", "read"}, show_info,
               {.summary = "What the server is, and has", .answer = any});
}

}  // namespace weft::serve_detail
