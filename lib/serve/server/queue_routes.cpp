#include "queue_routes.hpp"

#include "serve/http/bound_route.hpp"
#include "serve/wire/view_schemas.hpp"

#include <weft/base/json.hpp>
#include <weft/engine/trace/run_event_json.hpp>
#include <weft/store/role/queue_view.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::size_t queue_rows_max = 1'000;

const named_schema queue_schema{"Queue", [] {
    return parse_json(R"({
      "type": "object", "required": ["depths", "unclaimable"],
      "properties": {
        "depths": {"type": "array", "items": {"type": "object", "properties": {
          "graph": {"type": "string"}, "revision": {"type": "string"}, "phase": {"type": "string"},
          "count": {"type": "integer"}, "oldest": {"type": "string"}}}},
        "unclaimable": {"type": "array", "description": "Runs that no living worker can take", "items": {
          "type": "object", "properties": {"graph": {"type": "string"}, "revision": {"type": "string"},
          "count": {"type": "integer"}, "oldest": {"type": "string"}}}}
      }
    })").as_object();
}};
const named_schema workers_schema{"Workers", [] {
    return parse_json(R"({
      "type": "object", "required": ["workers"],
      "properties": {"workers": {"type": "array", "items": {"type": "object", "properties": {
        "worker_id": {"type": "string"}, "name": {"type": "string"}, "since": {"type": "string"},
        "seen": {"type": "string"}, "is_alive": {"type": "boolean"}, "runs": {"type": "integer"},
        "claims": {"type": "boolean", "description": "False: it enters runs for others, and takes none"},
        "graphs": {"type": "array", "items": {"type": "object"}}}}}}
    })").as_object();
}};
task<void> show_queue(serve_core& core, api_call& call)
{
    queue_view& queue = core.stores.service->queue();
    object shown;
    array& depths = shown["depths"].emplace_array();
    for (const queue_depth& each : co_await queue.depths(queue_rows_max)) {
        if (each.tenant != call.tenant()) continue;
        depths.push_back(object{{"graph", each.graph},
                                {"revision", each.revision},
                                {"phase", name_of(each.phase)},
                                {"count", each.count},
                                {"oldest", to_utc_text(each.oldest)}});
    }
    array& unclaimable = shown["unclaimable"].emplace_array();
    for (const unclaimable_runs& each : co_await queue.unclaimable(queue_rows_max))
        unclaimable.push_back(object{{"graph", each.graph},
                                     {"revision", each.revision},
                                     {"count", each.count},
                                     {"oldest", to_utc_text(each.oldest)}});
    co_await call.reply(200, shown);
}

task<void> show_workers(serve_core& core, api_call& call)
{
    object shown;
    array& workers = shown["workers"].emplace_array();
    for (const listed_worker& each : co_await core.stores.service->queue().workers(queue_rows_max)) {
        array graphs;
        bool claims = true;
        for (const graph_ability& one : each.graphs) {
            const bool is_graph = one != graph_ability::no_claims();
            claims = claims && is_graph;
            if (is_graph) graphs.push_back(object{{"graph", one.graph}, {"revision", one.revision}});
        }
        workers.push_back(object{{"worker_id", std::to_string(each.id)},
                                 {"name", each.name},
                                 {"since", to_utc_text(each.since)},
                                 {"seen", to_utc_text(each.seen)},
                                 {"is_alive", each.is_alive},
                                 {"runs", each.runs},
                                 {"claims", claims},
                                 {"graphs", std::move(graphs)}});
    }
    co_await call.reply(200, shown);
}

}  // namespace

void add_queue_routes(route_table& routes, serve_core& core)
{
    bind_route(routes, core, "GET", "/admin/queue", {"queue", "read"}, show_queue,
               {.summary = "How many runs of the caller's tenant stand in the queue, and which no worker can run",
                .answer = {.of = &queue_schema}});
    bind_route(routes, core, "GET", "/admin/workers", {"queue", "read"}, show_workers,
               {.summary = "The processes that perform runs", .answer = {.of = &workers_schema}});
}

}  // namespace weft::serve_detail
