#include "saved_run.hpp"
#include "serve/http/bound_route.hpp"
#include "studio_routes.hpp"
#include "studio_views.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace weft::serve_detail {

namespace {

task<void> send_saved_run(serve_core& core, layout_table& layouts, api_call& call)
{
    const run_record run = co_await require_any_run(core, call.tenant(), call.part(0));
    std::optional<graph> of = served_graph_of(core, run.graph);
    std::string page = co_await saved_run(core.stores.service->run_events(), run, std::move(of), layouts);
    http_reply answer{200, std::move(page), "text/html; charset=utf-8"};
    answer.headers.set("Content-Disposition", "attachment; filename=\"run-" + run.id.text() + ".html\"");
    answer.headers.set("X-Content-Type-Options", "nosniff");
    co_await call.http().reply(std::move(answer));
}

}  // namespace

void add_studio_saving(route_table& routes, serve_core& core, const std::shared_ptr<layout_table>& layouts)
{
    routes.add({"GET", "/studio/api/runs/{run_id}/file", {"threads", "read"},
                [&core, layouts](api_call& call) { return send_saved_run(core, *layouts, call); },
                {.summary = "A run as one file that a browser shows without a server",
                 .answer = {.what = good_answer::form::nothing}}});
}

}  // namespace weft::serve_detail
