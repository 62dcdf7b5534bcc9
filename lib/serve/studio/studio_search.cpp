#include "serve/http/bound_route.hpp"
#include "serve/wire/run_notes.hpp"
#include "serve/wire/view_schemas.hpp"
#include "serve/wire/views.hpp"
#include "studio_routes.hpp"
#include "studio_views.hpp"

#include <weft/base/json.hpp>
#include <weft/base/utf8.hpp>
#include <weft/graph/node/question.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;

constexpr std::size_t inbox_runs_max = 100;
constexpr std::size_t searched_max = 500;  // rows of each list: what is older is found by the filters of the lists
constexpr std::size_t hits_max = 50;

task<void> list_questions(serve_core& core, api_call& call)
{
    run_query query;
    query.tenant = call.tenant();
    query.phases = {run_phase::waiting};
    query.count_max = inbox_runs_max;
    const run_page page = co_await core.stores.service->runs().search(std::move(query));
    object shown;
    array& questions = shown["questions"].emplace_array();
    for (const stored_run& run : page.runs) {
        const std::vector<open_question> open = co_await core.engine.questions(run.thread);
        for (const open_question& each : open) {
            object view = studio_run_view(run);
            view["id"] = each.address;
            view["asked_at"] = iso_time(each.asked_at);
            view["question"] = to_json(each.asked);
            view["refused"] = each.refused;
            questions.push_back(std::move(view));
        }
    }
    shown["has_more"] = !page.next.empty();
    co_await call.reply(200, shown);
}

struct studio_search_fields : field_set {
    using field_set::field_set;

    text_field text{*this, "q", "What ids, metadata, values and messages contain", field_need::required, 200};
};
const studio_search_fields studio_search{"query"};

bool is_same_letter(char a, char b) noexcept
{
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/** The text around what is looked for; nothing if it is not there. */
std::optional<std::string> found_in(std::string_view text, std::string_view wanted)
{
    constexpr std::ptrdiff_t before = 40;
    constexpr std::ptrdiff_t behind = 80;
    const auto at = std::search(text.begin(), text.end(), wanted.begin(), wanted.end(), is_same_letter);
    if (at == text.end()) return std::nullopt;
    const auto first = at - std::min(before, at - text.begin());
    const auto last = at + std::min(behind, text.end() - at);
    return repaired_utf8(std::string_view{first, last});
}

/** Adds a hit for the first of the texts that has what is looked for. @return  Whether there was one. */
bool add_hit(array& to, object hit, std::string_view wanted,
             std::initializer_list<std::pair<std::string_view, std::string_view>> texts)
{
    for (const auto& [where, text] : texts) {
        std::optional<std::string> found = found_in(text, wanted);
        if (!found) continue;
        hit["where"] = where;
        hit["text"] = std::move(*found);
        to.push_back(std::move(hit));
        return true;
    }
    return false;
}

std::string shown_metadata(std::string_view metadata)
{
    object shown = object_in(metadata);
    run_notes::erase_own(shown);
    return boost::json::serialize(shown);
}

task<void> search_all(serve_core& core, api_call& call)
{
    const std::string wanted = studio_search.text.in(call).value_or("");
    array hits;
    run_query runs;
    runs.tenant = call.tenant();
    runs.count_max = searched_max;
    const run_page run_rows = co_await core.stores.service->runs().search(std::move(runs));
    for (const stored_run& run : run_rows.runs) {
        if (hits.size() >= hits_max || !is_shown_run(run)) continue;
        (void)add_hit(hits, object{{"kind", "run"}, {"run", studio_run_view(run)}}, wanted,
                      {{"id", run.id.text()}, {"graph", run.graph}, {"message", run.message},
                       {"metadata", shown_metadata(run.metadata)}});
    }
    thread_query threads;
    threads.tenant = call.tenant();
    threads.count_max = searched_max;
    const thread_page thread_rows = co_await core.stores.service->threads().search(std::move(threads));
    for (const stored_thread& thread : thread_rows.threads) {
        if (hits.size() >= hits_max) break;
        object hit{{"kind", "thread"}, {"thread_id", thread.thread.thread}, {"changed", iso_time(thread.changed)}};
        (void)add_hit(hits, std::move(hit), wanted,
                      {{"id", thread.thread.thread}, {"values", thread.values},
                       {"metadata", shown_metadata(thread.metadata)}});
    }
    const bool has_more = hits.size() >= hits_max || !run_rows.next.empty() || !thread_rows.next.empty();
    const object shown{{"hits", std::move(hits)}, {"searched", searched_max}, {"has_more", has_more}};
    co_await call.reply(200, shown);
}

}  // namespace

void add_studio_search(route_table& routes, serve_core& core)
{
    const good_answer any{.of = &object_schema};
    bind_route(routes, core, "GET", "/studio/api/questions", {"threads", "search"}, list_questions,
               {.summary = "Open questions of all runs", .answer = any});
    bind_route(routes, core, "GET", "/studio/api/search", {"threads", "search"}, search_all,
               {.summary = "Finds a text in the newest runs and threads", .query = &studio_search, .answer = any});
}

}  // namespace weft::serve_detail
