#include "assistant_routes.hpp"

#include "serve/order/assistants.hpp"
#include "serve/order/graph_schema.hpp"
#include "serve/http/bound_route.hpp"
#include "serve/wire/body_fields.hpp"
#include "serve/wire/views.hpp"

#include <weft/graph/node/node.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::size_t page_max = 1000;

/** How many a client wants, and how many it has seen. */
struct page_of_body {
    std::size_t limit;
    std::size_t offset;
};
page_of_body read_page(const object& body)
{
    return {static_cast<std::size_t>(number_member(body, "limit", 1, page_max).value_or(10)),
            static_cast<std::size_t>(number_member(body, "offset", 0, 1'000'000).value_or(0))};
}

assistant_query assistant_query_in(const object& body, std::string tenant)
{
    assistant_query query;
    query.tenant = std::move(tenant);
    query.graph = text_member(body, "graph_id");
    query.metadata_contains = object_text(object_member(body, "metadata"));
    return query;
}

task<void> search_assistants(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const page_of_body wanted = read_page(body);
    assistant_query query = assistant_query_in(body, call.tenant());
    query.count_max = wanted.offset + wanted.limit;
    const assistant_page page = co_await core.assistants.search(std::move(query));
    array result;
    for (std::size_t i = wanted.offset; i < page.assistants.size(); ++i)
        result.push_back(view_of(page.assistants[i]));
    if (page.next.empty())
        co_await call.reply(200, result);
    else
        co_await call.reply(200, result, "X-Pagination-Next", std::to_string(wanted.offset + wanted.limit));
}

task<void> count_assistants(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const std::size_t count = co_await core.assistants.count(assistant_query_in(body, call.tenant()));
    co_await call.reply(200, value(count));
}

task<void> create_assistant(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    assistant made;
    made.tenant = call.tenant();
    made.graph = required_text(body, "graph_id");
    (void)graph_of(core, made);  // an assistant of a graph that is not here could never run
    made.id = text_member(body, "assistant_id").value_or(core.next_id<run_id>().text());
    made.name = text_member(body, "name").value_or("Untitled");
    made.description = text_member(body, "description").value_or("");
    made.config = object_text(object_member(body, "config"));
    made.metadata = object_text(object_member(body, "metadata"));
    const std::string id = made.id;
    const bool is_new = co_await core.assistants.create(std::move(made));
    const bool may_exist = text_member(body, "if_exists").value_or("raise") == "do_nothing";
    if (!is_new && !may_exist)
        throw http_error{409, "assistant_exists", "there is an assistant '" + id + "' already"};
    const assistant shown = co_await require_assistant(core, call.tenant(), id, 404);
    co_await call.reply(200, view_of(shown));
}

task<void> show_assistant(serve_core& core, api_call& call)
{
    const assistant shown = co_await require_assistant(core, call.tenant(), call.part(0), 404);
    co_await call.reply(200, view_of(shown));
}

task<void> change_assistant(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    assistant changed = co_await require_assistant(core, call.tenant(), call.part(0), 404);
    if (auto graph = text_member(body, "graph_id")) changed.graph = std::move(*graph);
    (void)graph_of(core, changed);
    if (auto name = text_member(body, "name")) changed.name = std::move(*name);
    if (auto text = text_member(body, "description")) changed.description = std::move(*text);
    if (const object* const config = object_member(body, "config")) changed.config = object_text(config);
    if (const object* const more = object_member(body, "metadata")) {
        // Members join those that are there, as in threads; the SDKs rely on it.
        object metadata = object_in(changed.metadata);
        for (const auto& [name, member] : *more) metadata[name] = member;
        changed.metadata = boost::json::serialize(metadata);
    }
    const std::optional<assistant> made = co_await core.assistants.update(std::move(changed));
    if (!made) throw http_error{404, "assistant_not_found", "the assistant is gone"};
    co_await call.reply(200, view_of(*made));
}

task<void> erase_assistant(serve_core& core, api_call& call)
{
    const assistant erased = co_await require_assistant(core, call.tenant(), call.part(0), 404);
    (void)co_await core.assistants.erase(erased.tenant, erased.id);
    co_await call.reply(200, object{});
}

task<void> list_versions(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const page_of_body wanted = read_page(body);
    const assistant of = co_await require_assistant(core, call.tenant(), call.part(0), 404);
    const std::vector<assistant> all =
        co_await core.assistants.versions(of.tenant, of.id, wanted.offset + wanted.limit);
    array result;
    for (std::size_t i = wanted.offset; i < all.size(); ++i) result.push_back(view_of(all[i]));
    co_await call.reply(200, result);
}

task<void> use_version(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const auto version = number_member(body, "version", 1, 1'000'000'000);
    if (!version) refuse_member("version", "is required");
    const assistant of = co_await require_assistant(core, call.tenant(), call.part(0), 404);
    const std::optional<assistant> used =
        co_await core.assistants.use_version(of.tenant, of.id, static_cast<std::uint64_t>(*version));
    if (!used) throw http_error{404, "version_not_found", "the assistant has no such version"};
    co_await call.reply(200, view_of(*used));
}

/** The name of a node as clients draw it. */
std::string_view drawn_name(const weft::graph& of, node_index node)
{
    if (node == start_node) return "__start__";
    return node == end_node ? std::string_view{"__end__"} : of.name_of(node);
}

object node_view(std::string_view node, bool is_terminal)
{
    if (is_terminal) return {{"id", node}, {"type", "schema"}, {"data", node}};
    return {{"id", node}, {"type", "runnable"}, {"data", object{{"id", array{"weft"}}, {"name", node}}}};
}

object edge_view(const weft::graph& of, std::string_view source, const graph_edge& edge)
{
    object drawn{{"source", source}, {"target", drawn_name(of, edge.target)}};
    const bool is_conditional = edge.kind != edge_kind::plain && edge.kind != edge_kind::always;
    if (is_conditional) drawn["conditional"] = true;
    if (!edge.label.empty()) drawn["data"] = edge.label;
    return drawn;
}

task<void> draw_graph(serve_core& core, api_call& call)
{
    const assistant of = co_await require_assistant(core, call.tenant(), call.part(0), 404);
    const weft::graph graph = graph_of(core, of)->graph;
    array nodes;
    array edges;
    for (node_index i = 0; i < graph.size(); ++i) {
        const std::string_view name = drawn_name(graph, i);
        nodes.push_back(node_view(name, i == start_node));
        for (const graph_edge& edge : graph.ways_on(graph.node(i))) {
            edges.push_back(edge_view(graph, name, edge));
        }
        // Where no edge leads on a run ends, which drawings show as an edge.
        if (graph.ways_on(graph.node(i)).empty()) edges.push_back(object{{"source", name}, {"target", "__end__"}});
    }
    nodes.push_back(node_view("__end__", true));
    object drawn;
    drawn["nodes"] = std::move(nodes);
    drawn["edges"] = std::move(edges);
    co_await call.reply(200, drawn);
}

task<void> show_schemas(serve_core& core, api_call& call)
{
    const assistant of = co_await require_assistant(core, call.tenant(), call.part(0), 404);
    const object schema = schema_of_state(graph_of(core, of)->graph);
    object shown;
    shown["graph_id"] = of.graph;
    for (const char* const name : {"input_schema", "output_schema", "state_schema"}) shown[name] = schema;
    for (const char* const name : {"config_schema", "context_schema"}) {
        object& nothing = shown[name].emplace_object();
        nothing["type"] = "object";
        nothing["properties"].emplace_object();
    }
    co_await call.reply(200, shown);
}

task<void> show_subgraphs(serve_core& core, api_call& call)
{
    const assistant of = co_await require_assistant(core, call.tenant(), call.part(0), 404);
    const weft::graph graph = graph_of(core, of)->graph;
    object result;
    for (node_index i = 1; i < graph.size(); ++i) {
        const subgraph* const inner = graph.node(i).body->inner();
        if (!inner) continue;
        const object schema = schema_of_state(inner->graph);
        object& shown = result[graph.name_of(i)].emplace_object();
        shown["graph_id"] = inner->graph.name();
        for (const char* const name : {"input_schema", "output_schema", "state_schema"}) shown[name] = schema;
    }
    co_await call.reply(200, result);
}

}  // namespace

void add_assistant_routes(route_table& routes, serve_core& core)
{
    bind_route(routes, core, "POST", "/assistants", {"assistants", "create"}, create_assistant);
    bind_route(routes, core, "POST", "/assistants/search", {"assistants", "search"}, search_assistants);
    bind_route(routes, core, "POST", "/assistants/count", {"assistants", "search"}, count_assistants);
    bind_route(routes, core, "GET", "/assistants/{assistant_id}", {"assistants", "read"}, show_assistant);
    bind_route(routes, core, "PATCH", "/assistants/{assistant_id}", {"assistants", "update"}, change_assistant);
    bind_route(routes, core, "DELETE", "/assistants/{assistant_id}", {"assistants", "delete"}, erase_assistant);
    bind_route(routes, core, "POST", "/assistants/{assistant_id}/versions", {"assistants", "read"}, list_versions);
    bind_route(routes, core, "POST", "/assistants/{assistant_id}/latest", {"assistants", "update"}, use_version);
    bind_route(routes, core, "GET", "/assistants/{assistant_id}/graph", {"assistants", "read"}, draw_graph);
    bind_route(routes, core, "GET", "/assistants/{assistant_id}/schemas", {"assistants", "read"}, show_schemas);
    bind_route(routes, core, "GET", "/assistants/{assistant_id}/subgraphs", {"assistants", "read"}, show_subgraphs);
    bind_route(routes, core, "GET", "/assistants/{assistant_id}/subgraphs/{namespace}", {"assistants", "read"},
               show_subgraphs);
}

}  // namespace weft::serve_detail
