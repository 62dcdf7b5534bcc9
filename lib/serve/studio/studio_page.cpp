#include "serve/http/bound_route.hpp"
#include "studio_files.hpp"
#include "studio_routes.hpp"

#include <weft/net/server/http_error.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace weft::serve_detail {

namespace {

// What models and tools wrote is on the page: nothing but its own files is script or style, and no text becomes markup.
constexpr std::string_view studio_policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'";

task<void> send_studio_file(api_call& call, std::string_view name)
{
    const auto files = studio_files();
    const auto found = std::find_if(files.begin(), files.end(), [&](const auto& each) { return each.name == name; });
    if (found == files.end()) throw http_error{404, "not_found", "the studio has no file " + std::string{name}};
    const bool is_known = call.http().headers().find("if-none-match").value_or("") == found->etag;
    http_reply answer{is_known ? 304 : 200, is_known ? std::string{} : std::string{found->text},
                      std::string{found->content_type}};
    answer.headers.set("ETag", found->etag);
    answer.headers.set("Cache-Control", "no-cache");  // another version of weft may have other files
    answer.headers.set("Content-Security-Policy", studio_policy);
    answer.headers.set("X-Content-Type-Options", "nosniff");
    answer.headers.set("Referrer-Policy", "no-referrer");
    answer.headers.set("Cross-Origin-Opener-Policy", "same-origin");
    return call.http().reply(std::move(answer));
}

task<void> show_studio_file(serve_core&, api_call& call) { return send_studio_file(call, call.part(0)); }

/** Files are found relative to the page, so that a proxy may have the server below a path of its own. */
task<void> show_studio(serve_core&, api_call& call)
{
    if (call.http().path().ends_with('/')) return send_studio_file(call, "index.html");
    http_reply answer{308};
    answer.headers.set("Location", "studio/");
    return call.http().reply(std::move(answer));
}

}  // namespace

void add_studio_page(route_table& routes, serve_core& core)
{
    using form = good_answer::form;
    bind_route(routes, core, "GET", "/studio", {}, show_studio,
               {.summary = "The studio, a page for browsers", .answer = {.what = form::nothing, .or_status = 308}});
    bind_route(routes, core, "GET", "/studio/{file}", {}, show_studio_file,
               {.summary = "A file of the studio", .answer = {.what = form::nothing}});
}

void add_studio_routes(route_table& routes, serve_core& core)
{
    add_studio_page(routes, core);
    add_studio_runs(routes, core);
    add_studio_search(routes, core);
    const auto layouts = std::make_shared<layout_table>();
    add_studio_graphs(routes, core, layouts);
    add_studio_graph_files(routes, core);
    add_studio_saving(routes, core, layouts);
}

}  // namespace weft::serve_detail
