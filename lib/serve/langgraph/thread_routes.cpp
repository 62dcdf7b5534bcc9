#include "thread_routes.hpp"

#include "serve/http/bound_route.hpp"
#include "serve/http/url_text.hpp"
#include "serve/wire/page_fields.hpp"
#include "serve/wire/view_schemas.hpp"
#include "serve/wire/views.hpp"
#include "serve/order/threads.hpp"
#include "supersteps.hpp"
#include "thread_ttl.hpp"

#include <weft/graph/node/event_question.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::array<std::string_view, 2> if_exists_names{"raise", "do_nothing"};
constexpr std::array phases{thread_phase::idle, thread_phase::busy, thread_phase::waiting, thread_phase::failed};
constexpr std::array<std::string_view, 4> phase_names{"idle", "busy", "interrupted", "error"};
constexpr std::array<std::string_view, 2> order_names{"asc", "desc"};

struct new_thread_fields : field_set {
    using field_set::field_set;

    text_field id{*this, "thread_id", "A new one is made without it"};
    object_field metadata{*this, "metadata", "By which the thread is found"};
    text_field graph{*this, "graph_id", "Goes into the metadata"};
    word_field if_exists{*this, "if_exists", "What to do if there is such a thread", if_exists_names};
    value_field ttl{*this, "ttl", "How long the thread stays, in minutes from now on", ttl_schema_text};
    value_field supersteps{*this, "supersteps", "The past of a thread that comes from elsewhere",
                           supersteps_schema_text};
};
const new_thread_fields new_thread{"body"};

struct thread_change_fields : field_set {
    using field_set::field_set;

    object_field metadata{*this, "metadata", "Its members join those that are there"};
    value_field ttl{*this, "ttl", "How long the thread stays, in minutes from now on", ttl_schema_text};
};
const thread_change_fields thread_changes{"body"};

struct thread_filter_fields : field_set {
    using field_set::field_set;

    object_field metadata{*this, "metadata", "What the metadata contain"};
    object_field values{*this, "values", "What the newest values contain"};
    word_field status{*this, "status", "What the thread is doing", phase_names};
};
const thread_filter_fields thread_filter{"body"};

struct thread_search_fields : paged<thread_filter_fields> {
    using paged::paged;

    texts_field ids{*this, "ids", "Only these threads"};
    texts_field select{*this, "select", "Only these members of each"};
    word_field order{*this, "sort_order", "By when they were made; desc if it is left out", order_names};
};
const thread_search_fields thread_search{"body"};

struct thread_view_fields : field_set {
    using field_set::field_set;

    text_field include{*this, "include", "ttl: how long the thread stays"};
};
const thread_view_fields thread_views{"query"};

struct thread_event_fields : field_set {
    using field_set::field_set;

    text_field name{*this, "name", "What nodes wait for: letters, digits, _, - and .", field_need::required};
    value_field payload{*this, "payload", "What they get"};
};
const thread_event_fields thread_event{"body"};

task<void> set_ttl(serve_core& core, stored_thread of, wanted_ttl wanted)
{
    thread_lifetime_table lifetimes{core.stores.service->documents()};
    co_await lifetimes.set(std::move(of), wanted.lifetime, wanted.at_end);
}

std::string graph_in(const object& metadata)
{
    const value* const graph = metadata.if_contains("graph_id");
    return graph && graph->is_string() ? std::string{graph->get_string()} : std::string{};
}

/** Fills a thread that was just made; one that cannot be filled goes again. */
task<void> fill_thread(serve_core& core, thread_key thread, superstep_list past)
{
    std::exception_ptr failure;
    try {
        co_await write_supersteps(core, thread, std::move(past));
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure) co_return;
    (void)co_await core.engine.forget(thread);
    std::rethrow_exception(failure);
}

task<void> create_thread(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const std::string id = new_thread.id.in(body).value_or(core.next_id<run_id>().text());
    if (id.empty()) new_thread.id.refuse("must not be empty");
    object metadata;
    if (const object* const given = new_thread.metadata.in(body)) metadata = *given;
    if (const auto graph = new_thread.graph.in(body)) metadata["graph_id"] = *graph;
    const bool may_exist = new_thread.if_exists.in(body) == std::size_t{1};
    // All is read before the thread is made: what is wrong leaves none behind.
    const std::optional<wanted_ttl> ttl = read_ttl(new_thread.ttl, body);
    superstep_list past = read_supersteps(core, new_thread.supersteps, body, graph_in(metadata));
    const bool is_new =
        co_await core.stores.service->threads().create(call.thread(id), boost::json::serialize(metadata));
    if (!is_new && !may_exist) throw http_error{409, "thread_exists", "there is a thread '" + id + "' already"};
    // One that was there keeps its own past, and its time.
    if (is_new) co_await fill_thread(core, call.thread(id), std::move(past));
    const stored_thread shown = co_await require_thread(core, call.thread(id));
    if (is_new && ttl) co_await set_ttl(core, shown, *ttl);
    co_await call.reply(200, view_of(shown));
}

thread_query thread_query_in(const object& body, std::string tenant)
{
    thread_query query;
    query.tenant = std::move(tenant);
    query.metadata_contains = thread_filter.metadata.text_or_empty(body);
    query.values_contain = thread_filter.values.text_or_empty(body);
    if (const auto status = thread_filter.status.in(body)) query.phases = {phases[*status]};
    return query;
}

task<std::vector<stored_thread>> threads_of_ids(serve_core& core, const api_call& call, std::vector<std::string> ids)
{
    std::vector<stored_thread> result;
    for (std::string& id : ids) {
        std::optional<stored_thread> found =
            co_await core.stores.service->threads().find(call.thread(std::move(id)));
        if (found) result.push_back(std::move(*found));
    }
    co_return result;
}

task<void> search_threads(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const wanted_page wanted{thread_search, body};
    const member_selection members{thread_search.select, body};
    std::vector<stored_thread> found;
    bool has_more = false;
    thread_query query = thread_query_in(body, call.tenant());
    if (thread_search.order.in(body) == std::size_t{0}) query.order = list_order::oldest_first;
    if (thread_search.ids.is_in(body)) {
        found = co_await threads_of_ids(core, call, thread_search.ids.in(body));
    } else {
        query.count_max = wanted.end();
        thread_page page = co_await core.stores.service->threads().search(std::move(query));
        found = std::move(page.threads);
        has_more = !page.next.empty();
    }
    array result;
    for (std::size_t i = wanted.offset; i < found.size() && result.size() < wanted.limit; ++i)
        result.push_back(members.of(view_of(found[i])));
    co_await reply_page(call, std::move(result), wanted, has_more);
}

task<void> count_threads(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const std::size_t count = co_await core.stores.service->threads().count(thread_query_in(body, call.tenant()));
    co_await call.reply(200, value(count));
}

bool wants_ttl(const api_call& call)
{
    const std::vector<std::string> named = comma_separated(thread_views.include.in(call).value_or(""));
    return std::find(named.begin(), named.end(), "ttl") != named.end();
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
    if (wants_ttl(call)) {
        std::optional<object> ttl = co_await ttl_view(core, shown);
        if (ttl) view["ttl"] = std::move(*ttl);
    }
    co_await call.reply(200, view);
}

/** Adds members to the metadata of a thread. */
task<void> join_metadata(serve_core& core, thread_key thread, object metadata)
{
    thread_change change;
    change.metadata = boost::json::serialize(metadata);
    (void)co_await core.stores.service->threads().update(std::move(thread), std::move(change));
}

/** The SDKs ask for no answer where their caller wants none. */
task<void> reply_changed(serve_core& core, api_call& call)
{
    if (call.http().headers().find("prefer").value_or("") == "return=minimal") {
        co_await call.reply_nothing(204);
        co_return;
    }
    const stored_thread shown = co_await require_thread(core, call.thread());
    co_await call.reply(200, view_of(shown));
}

task<void> change_thread(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const object* const metadata = thread_changes.metadata.in(body);
    const std::optional<wanted_ttl> ttl = read_ttl(thread_changes.ttl, body);
    const stored_thread known = co_await require_thread(core, call.thread());
    if (metadata) co_await join_metadata(core, known.thread, *metadata);
    if (ttl) co_await set_ttl(core, known, *ttl);
    co_await reply_changed(core, call);
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
    std::string name = thread_event.name.needed_in(body);
    if (!is_event_name(name)) thread_event.name.refuse("expected 1 to 64 letters, digits, _, - and .");
    const stored_thread known = co_await require_thread(core, call.thread());
    const value* const payload = thread_event.payload.in(body);
    value given = payload ? *payload : value{};
    co_await core.engine.deliver_event(known.thread, std::move(name), std::move(given));
    const object nothing;
    co_await call.reply(202, nothing);
}

}  // namespace

void add_thread_routes(route_table& routes, serve_core& core)
{
    using form = good_answer::form;
    bind_route(routes, core, "POST", "/threads", {"threads", "create"}, create_thread,
               {.summary = "Makes a thread", .body = &new_thread, .answer = {.of = &thread_schema}});
    bind_route(routes, core, "POST", "/threads/search", {"threads", "search"}, search_threads,
               {.summary = "Finds threads", .body = &thread_search, .answer = {form::list, &thread_schema}});
    bind_route(routes, core, "POST", "/threads/count", {"threads", "search"}, count_threads,
               {.summary = "Counts threads", .body = &thread_filter, .answer = {.of = &count_schema}});
    bind_route(routes, core, "GET", "/threads/{thread_id}", {"threads", "read"}, show_thread,
               {.summary = "Shows a thread", .query = &thread_views, .answer = {.of = &thread_schema}});
    bind_route(routes, core, "PATCH", "/threads/{thread_id}", {"threads", "update"}, change_thread,
               {.summary = "Changes what is noted about a thread",
                .body = &thread_changes,
                .answer = {.of = &thread_schema, .or_status = 204}});
    bind_route(routes, core, "DELETE", "/threads/{thread_id}", {"threads", "delete"}, erase_thread,
               {.summary = "Deletes a thread with all that it has", .answer = {.what = form::nothing, .status = 204}});
    bind_route(routes, core, "POST", "/threads/{thread_id}/copy", {"threads", "create"}, copy_thread,
               {.summary = "Copies a thread as it stands", .answer = {.of = &thread_schema}});
    bind_route(routes, core, "POST", "/threads/{thread_id}/events", {"threads", "update"}, receive_event,
               {.summary = "Delivers an event to nodes that wait for it",
                .body = &thread_event,
                .answer = {.of = &object_schema, .status = 202}});
}

}  // namespace weft::serve_detail
