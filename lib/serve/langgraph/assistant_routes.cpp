#include "assistant_routes.hpp"

#include "serve/order/assistants.hpp"
#include "serve/order/graph_schema.hpp"
#include "serve/http/bound_route.hpp"
#include "serve/wire/page_fields.hpp"
#include "serve/wire/view_schemas.hpp"
#include "serve/wire/views.hpp"

#include <weft/graph/node/node.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::array<std::string_view, 2> assistant_exists_names{"raise", "do_nothing"};

struct assistant_filter_fields : field_set {
    using field_set::field_set;

    text_field graph{*this, "graph_id", "Only of this graph"};
    object_field metadata{*this, "metadata", "What the metadata contain"};
};
const assistant_filter_fields assistant_filter{"body"};
const paged<assistant_filter_fields> assistant_search{"body"};

struct assistant_change_fields : field_set {
    using field_set::field_set;

    text_field graph{*this, "graph_id", "A graph of this server", field_need::required};
    text_field name{*this, "name", "For people"};
    text_field description{*this, "description", "For people"};
    object_field config{*this, "config", "As the runs get it"};
    object_field metadata{*this, "metadata", "By which it is found; of one that is there, it joins what there is"};
};
const assistant_change_fields assistant_changes{"body"};

struct new_assistant_fields : assistant_change_fields {
    using assistant_change_fields::assistant_change_fields;

    text_field id{*this, "assistant_id", "A new one is made without it"};
    word_field if_exists{*this, "if_exists", "What to do if there is such an assistant", assistant_exists_names};
};
const new_assistant_fields new_assistant{"body"};

const paged<field_set> assistant_versions{"body"};

struct version_fields : field_set {
    using field_set::field_set;

    number_field version{*this, "version", "Which one counts",
                         {.min = 1, .max = 1'000'000'000, .need = field_need::required}};
};
const version_fields latest_version{"body"};

assistant_query assistant_query_in(const object& body, std::string tenant)
{
    assistant_query query;
    query.tenant = std::move(tenant);
    query.graph = assistant_filter.graph.in(body);
    query.metadata_contains = assistant_filter.metadata.text_or_empty(body);
    return query;
}

task<void> search_assistants(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const wanted_page wanted{assistant_search, body};
    assistant_query query = assistant_query_in(body, call.tenant());
    query.count_max = wanted.end();
    const assistant_page page = co_await core.assistants.search(std::move(query));
    array result;
    for (std::size_t i = wanted.offset; i < page.assistants.size(); ++i)
        result.push_back(view_of(page.assistants[i]));
    co_await reply_page(call, std::move(result), wanted, !page.next.empty());
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
    made.graph = new_assistant.graph.needed_in(body);
    (void)graph_of(core, made);  // an assistant of a graph that is not here could never run
    made.id = new_assistant.id.in(body).value_or(core.next_id<run_id>().text());
    made.name = new_assistant.name.in(body).value_or("Untitled");
    made.description = new_assistant.description.in(body).value_or("");
    made.config = new_assistant.config.text_or_empty(body);
    made.metadata = new_assistant.metadata.text_or_empty(body);
    const bool may_exist = new_assistant.if_exists.in(body) == std::size_t{1};
    const std::string id = made.id;
    const bool is_new = co_await core.assistants.create(std::move(made));
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
    const assistant_change_fields& fields = assistant_changes;
    if (fields.graph.is_in(body)) changed.graph = fields.graph.needed_in(body);
    (void)graph_of(core, changed);
    if (auto name = fields.name.in(body)) changed.name = std::move(*name);
    if (auto text = fields.description.in(body)) changed.description = std::move(*text);
    if (fields.config.is_in(body)) changed.config = fields.config.text_or_empty(body);
    if (const object* const more = fields.metadata.in(body)) {
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
    const wanted_page wanted{assistant_versions, body};
    const assistant of = co_await require_assistant(core, call.tenant(), call.part(0), 404);
    const std::vector<assistant> all =
        co_await core.assistants.versions(of.tenant, of.id, wanted.end());
    array result;
    for (std::size_t i = wanted.offset; i < all.size(); ++i) result.push_back(view_of(all[i]));
    co_await call.reply(200, result);
}

task<void> use_version(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const auto version = static_cast<std::uint64_t>(latest_version.version.in(body).value());
    const assistant of = co_await require_assistant(core, call.tenant(), call.part(0), 404);
    const std::optional<assistant> used =
        co_await core.assistants.use_version(of.tenant, of.id, version);
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

struct subgraph_fields : field_set {
    using field_set::field_set;

    flag_field recurses{*this, "recurse", "Also the graphs within those"};
};
const subgraph_fields subgraph_query{"query"};

/** Adds the graphs within the nodes of a graph by their namespaces: names of nodes, joined by `|`. */
void add_subgraphs(object& to, const weft::graph& of, const std::string& above, bool recurses)
{
    for (node_index i = 1; i < of.size(); ++i) {
        const subgraph* const inner = of.node(i).body->inner();
        if (!inner) continue;
        const std::string space = above + std::string{of.name_of(i)};
        const object schema = schema_of_state(inner->graph);
        object& shown = to[space].emplace_object();
        shown["graph_id"] = inner->graph.name();
        for (const char* const name : {"input_schema", "output_schema", "state_schema"}) shown[name] = schema;
        if (recurses) add_subgraphs(to, inner->graph, space + '|', true);
    }
}

task<void> show_subgraphs(serve_core& core, api_call& call)
{
    const bool recurses = subgraph_query.recurses.is_set(call);
    const assistant of = co_await require_assistant(core, call.tenant(), call.part(0), 404);
    object result;
    add_subgraphs(result, graph_of(core, of)->graph, {}, recurses);
    co_await call.reply(200, result);
}

/** One of them, and with `recurse` those within it. */
task<void> show_subgraph(serve_core& core, api_call& call)
{
    const bool recurses = subgraph_query.recurses.is_set(call);
    const assistant of = co_await require_assistant(core, call.tenant(), call.part(0), 404);
    const std::string& space = call.part(1);
    object all;
    add_subgraphs(all, graph_of(core, of)->graph, {}, true);
    if (!all.contains(space))
        throw http_error{404, "subgraph_not_found", "there is no graph within the node '" + space + "'"};
    object result;
    for (const auto& [name, shown] : all) {
        const bool is_within = recurses && std::string_view{name}.starts_with(space + '|');
        if (name == space || is_within) result[name] = shown;
    }
    co_await call.reply(200, result);
}

}  // namespace

void add_assistant_routes(route_table& routes, serve_core& core)
{
    using form = good_answer::form;
    const good_answer one{.of = &assistant_schema};
    const good_answer any{.of = &object_schema};
    bind_route(routes, core, "POST", "/assistants", {"assistants", "create"}, create_assistant,
               {.summary = "Makes an assistant of a graph", .body = &new_assistant, .answer = one});
    bind_route(routes, core, "POST", "/assistants/search", {"assistants", "search"}, search_assistants,
               {.summary = "Finds assistants", .body = &assistant_search, .answer = {form::list, &assistant_schema}});
    bind_route(routes, core, "POST", "/assistants/count", {"assistants", "search"}, count_assistants,
               {.summary = "Counts assistants", .body = &assistant_filter, .answer = {.of = &count_schema}});
    bind_route(routes, core, "GET", "/assistants/{assistant_id}", {"assistants", "read"}, show_assistant,
               {.summary = "Shows an assistant", .answer = one});
    bind_route(routes, core, "PATCH", "/assistants/{assistant_id}", {"assistants", "update"}, change_assistant,
               {.summary = "Makes a new version of an assistant",
                .body = &assistant_changes,
                .is_partial = true,
                .answer = one});
    bind_route(routes, core, "DELETE", "/assistants/{assistant_id}", {"assistants", "delete"}, erase_assistant,
               {.summary = "Deletes an assistant", .answer = any});
    bind_route(routes, core, "POST", "/assistants/{assistant_id}/versions", {"assistants", "read"}, list_versions,
               {.summary = "Lists the versions of an assistant, newest first",
                .body = &assistant_versions,
                .answer = {form::list, &assistant_schema}});
    bind_route(routes, core, "POST", "/assistants/{assistant_id}/latest", {"assistants", "update"}, use_version,
               {.summary = "Says which version of an assistant counts", .body = &latest_version, .answer = one});
    bind_route(routes, core, "GET", "/assistants/{assistant_id}/graph", {"assistants", "read"}, draw_graph,
               {.summary = "Shows the nodes and edges of an assistant's graph", .answer = any});
    bind_route(routes, core, "GET", "/assistants/{assistant_id}/schemas", {"assistants", "read"}, show_schemas,
               {.summary = "Shows what the state of an assistant's graph has, as JSON Schema", .answer = any});
    bind_route(routes, core, "GET", "/assistants/{assistant_id}/subgraphs", {"assistants", "read"}, show_subgraphs,
               {.summary = "Shows the graphs within the nodes of an assistant's graph",
                .query = &subgraph_query,
                .answer = any});
    bind_route(routes, core, "GET", "/assistants/{assistant_id}/subgraphs/{namespace}", {"assistants", "read"},
               show_subgraph,
               {.summary = "Shows the graph within a node, by the names of nodes that lead to it, joined by |",
                .query = &subgraph_query,
                .answer = any});
}

}  // namespace weft::serve_detail
