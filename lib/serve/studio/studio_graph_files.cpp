#include "serve/http/bound_route.hpp"
#include "serve/run/waiting_judge.hpp"
#include "serve/wire/view_schemas.hpp"
#include "studio_routes.hpp"

#include <weft/engine/checkpoint/graph_fingerprint.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/serve/graph_file_look.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;

constexpr std::size_t text_bytes_max = 256 << 10;  // a loop is held while one is read

struct studio_text_fields : field_set {
    using field_set::field_set;

    text_field text{*this, "text", "What would stand in the file", field_need::required, text_bytes_max};
};
const studio_text_fields studio_text{"body"};

array views_of(const std::vector<located_finding>& findings)
{
    array views;
    for (const located_finding& each : findings) {
        object view{{"severity", name_of(each.what.level)},
                    {"rule", each.what.rule},
                    {"message", each.what.message},
                    {"remedy", each.what.remedy},
                    {"file", each.file}};
        if (each.at) view["line"] = each.at->line;
        if (each.at) view["column"] = each.at->column;
        views.push_back(std::move(view));
    }
    return views;
}

std::shared_ptr<const hosted_graph> require_file(const serve_core& core, const std::string& name)
{
    std::shared_ptr<const hosted_graph> found = core.find_graph(name);
    if (!found || !found->file) throw http_error{404, "file_not_found", "there is no file of a graph '" + name + "'"};
    return found;
}

task<void> show_graph_file(serve_core& core, api_call& call)
{
    const graph_file_look look = require_file(core, call.part(0))->file(std::nullopt);
    const object shown{{"file", look.file}, {"text", look.text}, {"findings", views_of(look.findings)}};
    co_await call.reply(200, shown);
}

object threads_view(const waiting_threads& judged)
{
    array examples;
    for (const stuck_thread& each : judged.examples)
        examples.push_back(object{{"thread", each.thread}, {"reason", each.reason}});
    return {{"go_on", judged.go_on},
            {"stuck", judged.stuck},
            {"has_more", judged.has_more},
            {"examples", std::move(examples)}};
}

task<void> check_graph_file(serve_core& core, api_call& call)
{
    const std::string name = call.part(0);
    const std::shared_ptr<const hosted_graph> now = require_file(core, name);
    const object body = co_await call.read_object();
    const graph_file_look look = now->file(studio_text.text.needed_in(body));
    object shown{{"findings", views_of(look.findings)}};
    if (!look.graph) {
        co_await call.reply(200, shown);
        co_return;
    }
    array changes;
    if (look.graph->name() != name)
        changes.push_back(boost::json::string{"the graph is named '" + std::string{look.graph->name()} +
                                              "': a thread finds its graph by its name"});
    for (const graph_change& each : compare_graphs(now->graph, *look.graph))
        changes.push_back(boost::json::string{each.text()});
    shown["changes"] = std::move(changes);
    graph next = *look.graph;
    const waiting_threads judged = co_await judge_change(core, name, std::move(next), call.tenant());
    shown["threads"] = threads_view(judged);
    co_await call.reply(200, shown);
}

}  // namespace

void add_studio_graph_files(route_table& routes, serve_core& core)
{
    const good_answer any{.of = &object_schema};
    bind_route(routes, core, "GET", "/studio/api/graphs/{graph}/file", {"graphs", "read"}, show_graph_file,
               {.summary = "The file of a graph, and what a check finds in it", .answer = any});
    bind_route(routes, core, "POST", "/studio/api/graphs/{graph}/check", {"graphs", "read"}, check_graph_file,
               {.summary = "What a check finds in a text, and what it would change in the place of the file",
                .body = &studio_text,
                .answer = any});
}

}  // namespace weft::serve_detail
