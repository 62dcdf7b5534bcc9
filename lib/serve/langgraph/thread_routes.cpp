#include "thread_routes.hpp"

#include "serve/http/bound_route.hpp"
#include "serve/wire/body_fields.hpp"
#include "serve/wire/views.hpp"
#include "serve/order/threads.hpp"

#include <weft/graph/node/event_question.hpp>
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

task<void> create_thread(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const std::string id = text_member(body, "thread_id").value_or(core.next_id<run_id>().text());
    if (id.empty()) refuse_member("thread_id", "must not be empty");
    // Passed over, a thread would stay that was to go, and one would be empty that was to have a past.
    if (find_member(body, "ttl")) refuse_member("ttl", "threads do not end by themselves here; delete or prune them");
    if (find_member(body, "supersteps"))
        refuse_member("supersteps", "a thread gets its past from runs here; begin one with the values as its input");
    object metadata;
    if (const object* const given = object_member(body, "metadata")) metadata = *given;
    if (const auto graph = text_member(body, "graph_id")) metadata["graph_id"] = *graph;
    const bool is_new =
        co_await core.stores.service->threads().create(call.thread(id), boost::json::serialize(metadata));
    const bool may_exist = text_member(body, "if_exists").value_or("raise") == "do_nothing";
    if (!is_new && !may_exist) throw http_error{409, "thread_exists", "there is a thread '" + id + "' already"};
    const stored_thread shown = co_await require_thread(core, call.thread(id));
    co_await call.reply(200, view_of(shown));
}

thread_query thread_query_in(const object& body, std::string tenant)
{
    thread_query query;
    query.tenant = std::move(tenant);
    query.metadata_contains = object_text(object_member(body, "metadata"));
    query.values_contain = object_text(object_member(body, "values"));
    if (const auto status = text_member(body, "status")) {
        constexpr std::array phases{thread_phase::idle, thread_phase::busy, thread_phase::waiting,
                                    thread_phase::failed};
        for (const thread_phase phase : phases)
            if (status_for_client(phase) == *status) query.phases = {phase};
        if (query.phases.empty()) refuse_member("status", "expected one of idle, busy, interrupted, error");
    }
    if (text_member(body, "sort_order").value_or("desc") == "asc") query.order = list_order::oldest_first;
    return query;
}

task<std::vector<stored_thread>> threads_of_ids(serve_core& core, const api_call& call, const array& ids)
{
    std::vector<stored_thread> result;
    for (const value& id : ids) {
        if (!id.is_string()) refuse_member("ids", "expected strings");
        std::optional<stored_thread> found =
            co_await core.stores.service->threads().find(call.thread(std::string{id.get_string()}));
        if (found) result.push_back(std::move(*found));
    }
    co_return result;
}

/** Only the members that `select` names, if it is there. */
object selected(object of, const object& body)
{
    const value* const select = find_member(body, "select");
    if (!select || !select->is_array()) return of;
    object result;
    for (const value& name : select->get_array())
        if (name.is_string() && of.contains(name.get_string()))
            result[name.get_string()] = std::move(of[name.get_string()]);
    return result;
}

task<void> search_threads(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const auto limit = static_cast<std::size_t>(number_member(body, "limit", 1, 1000).value_or(10));
    const auto offset = static_cast<std::size_t>(number_member(body, "offset", 0, 1'000'000).value_or(0));
    std::vector<stored_thread> found;
    bool has_more = false;
    if (const value* const ids = find_member(body, "ids"); ids && ids->is_array()) {
        found = co_await threads_of_ids(core, call, ids->get_array());
    } else {
        thread_query query = thread_query_in(body, call.tenant());
        query.count_max = offset + limit;
        thread_page page = co_await core.stores.service->threads().search(std::move(query));
        found = std::move(page.threads);
        has_more = !page.next.empty();
    }
    array result;
    for (std::size_t i = offset; i < found.size() && result.size() < limit; ++i)
        result.push_back(selected(view_of(found[i]), body));
    if (has_more)
        co_await call.reply(200, result, "X-Pagination-Next", std::to_string(offset + limit));
    else
        co_await call.reply(200, result);
}

task<void> count_threads(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const std::size_t count = co_await core.stores.service->threads().count(thread_query_in(body, call.tenant()));
    co_await call.reply(200, value(count));
}

task<void> show_thread(serve_core& core, api_call& call)
{
    const stored_thread shown = co_await require_thread(core, call.thread());
    object view = view_of(shown);
    object interrupts;
    if (shown.phase == thread_phase::waiting) {
        const std::vector<open_question> questions = co_await core.engine.questions(shown.thread);
        for (const open_question& question : questions) {
            array& asked = interrupts[question.address].emplace_array();
            asked.push_back(interrupt_view(question));
        }
    }
    view["interrupts"] = std::move(interrupts);
    co_await call.reply(200, view);
}

task<void> change_thread(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const stored_thread known = co_await require_thread(core, call.thread());
    if (const object* const metadata = object_member(body, "metadata")) {
        thread_change change;
        change.metadata = boost::json::serialize(*metadata);
        (void)co_await core.stores.service->threads().update(known.thread, std::move(change));
    }
    const stored_thread shown = co_await require_thread(core, call.thread());
    co_await call.reply(200, view_of(shown));
}

task<void> erase_thread(serve_core& core, api_call& call)
{
    const stored_thread known = co_await require_thread(core, call.thread());
    (void)co_await core.engine.forget(known.thread);
    co_await call.reply_nothing(204);
}

task<void> copy_thread(serve_core& core, api_call& call)
{
    const stored_thread from = co_await require_thread(core, call.thread());
    const std::string id = core.next_id<run_id>().text();
    const bool is_made = co_await core.stores.service->threads().copy(from.thread, call.thread(id),
                                                                      core.next_id<checkpoint_id>());
    if (!is_made) throw http_error{404, "thread_not_found", "the thread is gone"};
    const stored_thread shown = co_await require_thread(core, call.thread(id));
    co_await call.reply(200, view_of(shown));
}

task<void> receive_event(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    std::string name = text_member(body, "name").value_or("");
    if (!is_event_name(name)) refuse_member("name", "expected 1 to 64 letters, digits, _, - and .");
    const stored_thread known = co_await require_thread(core, call.thread());
    const value* const payload = find_member(body, "payload");
    value given = payload ? *payload : value{};
    co_await core.engine.deliver_event(known.thread, std::move(name), std::move(given));
    const object nothing;
    co_await call.reply(202, nothing);
}

}  // namespace

void add_thread_routes(route_table& routes, serve_core& core)
{
    bind_route(routes, core, "POST", "/threads", {"threads", "create"}, create_thread);
    bind_route(routes, core, "POST", "/threads/search", {"threads", "search"}, search_threads);
    bind_route(routes, core, "POST", "/threads/count", {"threads", "search"}, count_threads);
    bind_route(routes, core, "GET", "/threads/{thread_id}", {"threads", "read"}, show_thread);
    bind_route(routes, core, "PATCH", "/threads/{thread_id}", {"threads", "update"}, change_thread);
    bind_route(routes, core, "DELETE", "/threads/{thread_id}", {"threads", "delete"}, erase_thread);
    bind_route(routes, core, "POST", "/threads/{thread_id}/copy", {"threads", "create"}, copy_thread);
    bind_route(routes, core, "POST", "/threads/{thread_id}/events", {"threads", "update"}, receive_event);
}

}  // namespace weft::serve_detail
