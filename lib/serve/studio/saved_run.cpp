#include "saved_run.hpp"

#include "studio_files.hpp"
#include "studio_views.hpp"

#include <weft/base/text/base64.hpp>
#include <weft/serve/run_as_html.hpp>
#include <weft/store/service_store.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace weft::serve_detail {

namespace {

// What stands in the file is known when it is made: the nonce tells its own parts from anything else.
constexpr std::string_view saved_head = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'nonce-weft' data:;
 style-src 'nonce-weft'; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script';
 trusted-types 'none'">
<meta name="color-scheme" content="light dark"><title>weft studio</title>
)";

/** Modules of a file have no place of their own: they know each other by bare names, which the import map has. */
std::string with_bare_imports(std::string_view text)
{
    std::string changed;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t found = text.find("./", at);
        const std::string_view before = text.substr(0, found);
        const bool is_import = before.ends_with("from '") || before.ends_with("from\"");
        changed.append(text.substr(at, found == text.npos ? text.npos : found - at));
        if (found == text.npos) break;
        changed.append(is_import ? "weft/" : "./");
        at = found + 2;
    }
    return changed;
}

/** JSON between the tags of a script: nothing in it may end the script. */
void append_inert(std::string& to, std::string_view json)
{
    for (const char c : json) {
        if (c == '<') to.append("\\u003c");
        else to.push_back(c);
    }
}

/** What the log of a run has, as a list of what its stream tells. */
task<std::string> logged_events(run_event_log& log, run_record run)
{
    constexpr std::size_t events_a_page = 500;
    std::string events = "[";
    std::uint64_t after = 0;
    for (bool has_more = true; has_more;) {
        const event_page page = co_await log.read(run.id, after, events_a_page);
        const bool is_cut = page.state == event_log_state::pruned && page.first > after + 1;
        if (is_cut) events.append("[\"gap\",{}],");
        if (is_cut) after = page.first - 1;
        for (const stored_event& each : page.events) {
            events.append("[\"message\",").append(each.data).append("],");
            after = each.id;
        }
        has_more = is_cut || page.events.size() == events_a_page;
    }
    const boost::json::object last{{"phase", name_of(run.phase)}, {"message", run.message}};
    co_return events.append("[\"end\",").append(boost::json::serialize(last)).append("]]");
}

std::string page_of(const boost::json::object& run, std::string_view graph, std::string_view events)
{
    std::string page{saved_head};
    boost::json::object imports;
    for (const studio_file& file : studio_files()) {
        if (file.name.ends_with(".css"))
            page.append("<style nonce=\"weft\">\n").append(file.text).append("</style>\n");
        if (file.name.ends_with(".mjs"))
            imports["weft/" + std::string{file.name}] =
                "data:text/javascript;base64," + to_base64(with_bare_imports(file.text));
    }
    page.append("<script type=\"importmap\" nonce=\"weft\">{\"imports\":");
    append_inert(page, boost::json::serialize(imports));
    page.append("}</script>\n<script type=\"application/json\" id=\"saved\">{\"run\":");
    append_inert(page, boost::json::serialize(run));
    page.append(",\"graph\":");
    append_inert(page, graph);
    page.append(",\"events\":");
    append_inert(page, events);
    page.append("}</script>\n</head><body><div id=\"app\"></div>\n"
                "<script type=\"module\" nonce=\"weft\">import 'weft/app.mjs';</script>\n</body></html>\n");
    return page;
}

}  // namespace

task<std::string> saved_run(run_event_log& log, run_record run, std::optional<graph> of, layout_table& layouts)
{
    const std::string events = co_await logged_events(log, run);
    std::string drawn = "null";
    if (of) drawn = co_await studio_graph_text(*of, layouts);
    co_return page_of(studio_run_detail(run, of), drawn, events);
}

}  // namespace weft::serve_detail

namespace weft {

task<std::string> run_as_html(service_store& service, run_record run, graph of)
{
    serve_detail::layout_table layouts;
    std::optional<graph> known{std::move(of)};
    co_return co_await serve_detail::saved_run(service.run_events(), std::move(run), std::move(known), layouts);
}

}  // namespace weft
