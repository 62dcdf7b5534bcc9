#include "state_routes.hpp"

#include "serve/order/assistants.hpp"
#include "serve/order/checkpoint_parents.hpp"
#include "serve/http/bound_route.hpp"
#include "serve/run/thread_values.hpp"
#include "serve/state/message_ids.hpp"
#include "serve/wire/view_schemas.hpp"
#include "serve/wire/views.hpp"
#include "serve/order/threads.hpp"
#include "supersteps.hpp"

#include <weft/net/server/http_error.hpp>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::object;
using boost::json::value;

struct checkpoint_fields : field_set {
    using field_set::field_set;

    text_field id{*this, "checkpoint_id", "As the history names it"};
};

/** Which checkpoint a body is about. */
struct state_at_fields : field_set {
    explicit state_at_fields(std::string place) : field_set{std::move(place)} {}

    checkpoint_fields inner{place() + ".checkpoint"};
    text_field id{*this, "checkpoint_id", "As the history names it; the newest without it"};
    object_field checkpoint{*this, "checkpoint", "The same as an object", &inner};
};
const state_at_fields state_at{"body"};

struct state_change_fields : state_at_fields {
    using state_at_fields::state_at_fields;

    value_field values{*this, "values", "Each value goes through the reducer of its key",
                       R"({"anyOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}]})"};
    text_field writer{*this, "as_node", "A node of the graph; the thread stays where it stands"};
};
const state_change_fields state_change{"body"};

struct state_note_fields : field_set {
    using field_set::field_set;

    object_field metadata{*this, "metadata", "Its members join those that the thread has"};
};
const state_note_fields state_notes{"body"};

constexpr number_range history_limit{.min = 0, .max = 1000, .otherwise = 10};

struct history_query_fields : field_set {
    using field_set::field_set;

    number_field limit{*this, "limit", "How many at most", history_limit};
    text_field before{*this, "before", "The id of a checkpoint: those that are older"};
};
const history_query_fields history_query{"query"};

struct history_fields : field_set {
    using field_set::field_set;

    number_field limit{*this, "limit", "How many at most", history_limit};
    value_field before{*this, "before", "A checkpoint, or its id: those that are older",
                       R"({"anyOf": [{"type": "string"}, {"type": "object"}]})"};
};
const history_fields history_search{"body"};

task<void> show_state(serve_core& core, api_call& call)
{
    std::string shown = co_await state_of(core, call.thread(), std::nullopt);
    co_await call.reply_text(200, std::move(shown));
}

task<void> show_state_at(serve_core& core, api_call& call)
{
    std::string shown = co_await state_of(core, call.thread(), sequence_of(call.part(1)));
    co_await call.reply_text(200, std::move(shown));
}

/** The checkpoint that a body names, by its id or as an object that has it; nothing: the newest. */
std::optional<std::int64_t> checkpoint_in(const state_at_fields& fields, const object& body)
{
    // Both are looked at: a misfit is refused even where the other one counts.
    std::optional<std::string> inner;
    if (const object* const checkpoint = fields.checkpoint.in(body)) inner = fields.inner.id.in(*checkpoint);
    const auto id = fields.id.in(body);
    if (id) return sequence_of(*id);
    if (inner) return sequence_of(*inner);
    return std::nullopt;
}

task<void> show_state_of_body(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const std::optional<std::int64_t> sequence = checkpoint_in(state_at, body);
    std::string shown = co_await state_of(core, call.thread(), sequence);
    co_await call.reply_text(200, std::move(shown));
}

/** The graph of a thread that no run has begun in: as its metadata say. */
task<weft::graph> graph_of_thread(serve_core& core, stored_thread of)
{
    if (of.head != 0) {
        const thread_snapshot newest = co_await core.engine.read(std::move(of.thread));
        co_return newest.graph();
    }
    const object metadata = object_in(of.metadata);
    const value* const name = metadata.if_contains("graph_id");
    const bool is_named = name && name->is_string();
    if (!is_named)
        throw http_error{409, "no_state",
                         "the thread has no graph yet: begin a run, or name one as graph_id in its metadata"};
    assistant named;
    named.graph = name->get_string();
    co_return graph_of(core, named)->graph;
}

task<void> edit_state(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const std::optional<std::int64_t> from = checkpoint_in(state_change, body);
    const std::optional<std::string> writer = state_change.writer.in(body);
    const stored_thread known = co_await require_thread(core, call.thread());
    const weft::graph graph = co_await graph_of_thread(core, known);
    if (writer) require_writer(graph, *writer, state_change.writer.place());
    state_update edits;
    if (const value* const values = state_change.values.in(body))
        add_written(edits, graph, *values, state_change.values.place());
    name_messages(core.next_id<run_id>().text(), edits);
    // Without a checkpoint there is nothing to go back to, and a change is the beginning.
    task<thread_snapshot> editing = known.head == 0
                                        ? core.engine.begin(known.thread, std::string{graph.name()}, std::move(edits))
                                        : core.engine.edit(known.thread, std::move(edits), from);
    const thread_snapshot edited = co_await std::move(editing);
    co_await note_values(core, known.thread, edited.state());
    const object checkpoint = checkpoint_view(known.thread.thread, edited.info().sequence);
    object shown;
    shown["configurable"] = checkpoint;
    shown["checkpoint"] = checkpoint;
    shown["checkpoint_id"] = checkpoint.at("checkpoint_id");
    co_await call.reply(200, shown);
}

/** What the SDK in JavaScript calls to note something about a thread. */
task<void> note_state(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const object* const metadata = state_notes.metadata.in(body);
    const stored_thread known = co_await require_thread(core, call.thread());
    if (metadata) {
        thread_change change;
        change.metadata = boost::json::serialize(*metadata);
        (void)co_await core.stores.service->threads().update(known.thread, std::move(change));
    }
    const stored_thread shown = co_await require_thread(core, call.thread());
    co_await call.reply(200, view_of(shown));
}

task<std::string> history_of(serve_core& core, thread_key thread, history_page page)
{
    const stored_thread known = co_await require_thread(core, thread);
    const std::vector<open_question> questions = co_await core.engine.questions(known.thread);
    const std::vector<checkpoint_info> all = co_await core.engine.history(known.thread, page);
    checkpoint_parents parents{core, thread};
    std::string result = "[";
    for (std::size_t i = 0; i < all.size(); ++i) {
        const checkpoint_info& info = all[i];
        thread_snapshot snapshot = co_await core.engine.read(known.thread, info.sequence);
        std::optional<checkpoint_info> before;
        if (i + 1 < all.size()) before = all[i + 1];
        checkpoint_origin origin = co_await parents.of(info, std::move(before));
        std::vector<open_question> asked;
        if (info.sequence == known.head) asked = questions;
        const std::string shown =
            co_await state_view_text(thread.thread, std::move(snapshot), std::move(origin), std::move(asked));
        if (i > 0) result.push_back(',');
        result.append(shown);
    }
    result.push_back(']');
    co_return result;
}

task<void> show_history(serve_core& core, api_call& call)
{
    history_page page;
    page.count_max = history_query.limit.or_default(call);
    if (const auto before = history_query.before.in(call)) page.before = sequence_of(*before);
    std::string shown = co_await history_of(core, call.thread(), page);
    co_await call.reply_text(200, std::move(shown));
}

/** The SDK in Python sends a whole configuration, the one in JavaScript a checkpoint, others its id. */
std::optional<std::int64_t> oldest_seen(const object& body)
{
    const value* before = history_search.before.in(body);
    if (before && before->is_object()) {
        const object& at = before->get_object();
        const value* const inner = at.if_contains("configurable");
        before = (inner && inner->is_object() ? inner->get_object() : at).if_contains("checkpoint_id");
        if (!before || before->is_null()) return std::nullopt;
    }
    if (!before) return std::nullopt;
    if (!before->is_string()) history_search.before.refuse("expected a checkpoint, or its id");
    return sequence_of(before->get_string());
}

task<void> search_history(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    history_page page;
    page.count_max = history_search.limit.or_default(body);
    if (const auto before = oldest_seen(body)) page.before = *before;
    std::string shown = co_await history_of(core, call.thread(), page);
    co_await call.reply_text(200, std::move(shown));
}

}  // namespace

void add_state_routes(route_table& routes, serve_core& core)
{
    const good_answer state{.of = &state_schema};
    const good_answer states{good_answer::form::list, &state_schema};
    bind_route(routes, core, "GET", "/threads/{thread_id}/state", {"threads", "read"}, show_state,
               {.summary = "Shows where a thread stands", .answer = state});
    bind_route(routes, core, "POST", "/threads/{thread_id}/state", {"threads", "update"}, edit_state,
               {.summary = "Changes values", .body = &state_change, .answer = {.of = &checkpoint_schema}});
    bind_route(routes, core, "PATCH", "/threads/{thread_id}/state", {"threads", "update"}, note_state,
               {.summary = "Notes something about a thread", .body = &state_notes, .answer = {.of = &thread_schema}});
    bind_route(routes, core, "POST", "/threads/{thread_id}/state/checkpoint", {"threads", "read"}, show_state_of_body,
               {.summary = "Shows where a thread stood", .body = &state_at, .answer = state});
    bind_route(routes, core, "GET", "/threads/{thread_id}/state/{checkpoint_id}", {"threads", "read"}, show_state_at,
               {.summary = "Shows where a thread stood", .answer = state});
    bind_route(routes, core, "GET", "/threads/{thread_id}/history", {"threads", "read"}, show_history,
               {.summary = "Shows where a thread stood, newest first", .query = &history_query, .answer = states});
    bind_route(routes, core, "POST", "/threads/{thread_id}/history", {"threads", "read"}, search_history,
               {.summary = "Shows where a thread stood, newest first", .body = &history_search, .answer = states});
}

}  // namespace weft::serve_detail
