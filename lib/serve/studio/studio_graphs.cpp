#include "graph_picture.hpp"
#include "serve/http/bound_route.hpp"
#include "serve/order/graph_schema.hpp"
#include "serve/wire/view_schemas.hpp"
#include "studio_routes.hpp"
#include "studio_views.hpp"

#include <weft/graph/state/state.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;

task<void> list_graphs(serve_core& core, api_call& call)
{
    object shown;
    array& graphs = shown["graphs"].emplace_array();
    for (const hosted_graph& each : core.served->graphs)
        graphs.push_back(object{{"name", each.graph.name()}, {"description", each.graph.description()}});
    co_await call.reply(200, shown);
}

/** Keys whose values are put together from what is written: a form says so beside them. */
array reduced_keys(const graph& of)
{
    array names;
    const state_layout& layout = *of.layout();
    for (std::uint32_t slot = 0; slot < layout.size(); ++slot)
        if (layout[slot].type->has_reducer) names.push_back(boost::json::string{layout[slot].name});
    return names;
}

task<void> show_studio_graph(serve_core& core, layout_table& layouts, api_call& call)
{
    std::optional<graph> of = served_graph_of(core, call.part(0));
    if (!of) throw http_error{404, "graph_not_found", "this server has no graph '" + call.part(0) + "'"};
    const bool has_file = core.find_graph(call.part(0))->file != nullptr;
    std::string text = co_await studio_graph_text(std::move(*of), layouts);
    text.pop_back();
    text.append(has_file ? ",\"has_file\":true}" : ",\"has_file\":false}");
    co_await call.reply_text(200, std::move(text));
}

}  // namespace

task<std::string> studio_graph_text(graph of, layout_table& layouts)
{
    graph_picture picture = picture_of(of);
    const std::shared_ptr<const layout_table::layout> layout =
        co_await layout_table::of(layouts, std::move(picture.dot));
    object shown{{"name", of.name()}, {"description", of.description()}};
    shown["nodes"] = std::move(picture.nodes);
    shown["edges"] = std::move(picture.edges);
    shown["schema"] = schema_of_state(of);
    shown["reduced"] = reduced_keys(of);
    shown["why"] = layout->why;
    std::string text = boost::json::serialize(shown);
    text.pop_back();
    text.append(",\"layout\":").append(layout->json.empty() ? "null" : layout->json).push_back('}');
    co_return text;
}

void add_studio_graphs(route_table& routes, serve_core& core, const std::shared_ptr<layout_table>& layouts)
{
    const good_answer any{.of = &object_schema};
    bind_route(routes, core, "GET", "/studio/api/graphs", {"assistants", "search"}, list_graphs,
               {.summary = "The graphs of this server", .answer = any});
    routes.add({"GET", "/studio/api/graphs/{graph}", {"assistants", "read"},
                [&core, layouts](api_call& call) { return show_studio_graph(core, *layouts, call); },
                {.summary = "A graph with its nodes, its edges and where a drawing has them", .answer = any}});
}

}  // namespace weft::serve_detail
