#include "state_routes.hpp"

#include "serve/order/checkpoint_parents.hpp"
#include "serve/http/bound_route.hpp"
#include "serve/state/message_ids.hpp"
#include "serve/state/state_wire.hpp"
#include "serve/wire/body_fields.hpp"
#include "serve/wire/views.hpp"
#include "serve/order/threads.hpp"

#include <weft/net/server/http_error.hpp>

#include <boost/json/object.hpp>

#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::object;
using boost::json::value;

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
std::optional<std::int64_t> checkpoint_in(const object& body)
{
    if (const auto id = text_member(body, "checkpoint_id")) return sequence_of(*id);
    if (const object* const checkpoint = object_member(body, "checkpoint"))
        if (const auto id = text_member(*checkpoint, "checkpoint_id")) return sequence_of(*id);
    return std::nullopt;
}

task<void> show_state_of_body(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const std::optional<std::int64_t> sequence = checkpoint_in(body);
    std::string shown = co_await state_of(core, call.thread(), sequence);
    co_await call.reply_text(200, std::move(shown));
}

task<void> edit_state(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    const stored_thread known = co_await require_thread(core, call.thread());
    // Which graph's keys the values would have to fit is not known before the first run.
    if (known.head == 0)
        throw http_error{409, "no_state", "the thread has no state yet: begin a run, whose input is the state"};
    const thread_snapshot newest = co_await core.engine.read(known.thread);
    state_update edits;
    if (const object* const values = object_member(body, "values"))
        edits = read_update(newest.graph(), *values, "body.values");
    name_messages(core.next_id<run_id>().text(), edits);
    const std::optional<std::int64_t> from = checkpoint_in(body);
    const thread_snapshot edited = co_await core.engine.edit(known.thread, std::move(edits), from);
    const object checkpoint = checkpoint_view(known.thread.thread, edited.info().sequence);
    object shown;
    shown["configurable"] = checkpoint;
    shown["checkpoint"] = checkpoint;
    shown["checkpoint_id"] = checkpoint.at("checkpoint_id");
    co_await call.reply(200, shown);
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
        const std::int64_t parent = co_await parents.of(info, std::move(before));
        std::vector<open_question> asked;
        if (info.sequence == known.head) asked = questions;
        const std::string shown =
            co_await state_view_text(thread.thread, std::move(snapshot), parent, std::move(asked));
        if (i > 0) result.push_back(',');
        result.append(shown);
    }
    result.push_back(']');
    co_return result;
}

task<void> show_history(serve_core& core, api_call& call)
{
    history_page page;
    page.count_max = call.query_number("limit", 10, 1000);
    if (const auto before = call.query("before")) page.before = sequence_of(*before);
    std::string shown = co_await history_of(core, call.thread(), page);
    co_await call.reply_text(200, std::move(shown));
}

task<void> search_history(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    history_page page;
    page.count_max = static_cast<std::size_t>(number_member(body, "limit", 1, 1000).value_or(10));
    // The SDK in Python sends a whole configuration, the one in JavaScript a checkpoint, others its id.
    const value* before = find_member(body, "before");
    if (before && before->is_object()) {
        const object* at = &before->get_object();
        if (const object* const inner = object_member(*at, "configurable")) at = inner;
        before = find_member(*at, "checkpoint_id");
    }
    if (before && before->is_string()) page.before = sequence_of(before->get_string());
    std::string shown = co_await history_of(core, call.thread(), page);
    co_await call.reply_text(200, std::move(shown));
}

}  // namespace

void add_state_routes(route_table& routes, serve_core& core)
{
    bind_route(routes, core, "GET", "/threads/{thread_id}/state", {"threads", "read"}, show_state);
    bind_route(routes, core, "POST", "/threads/{thread_id}/state", {"threads", "update"}, edit_state);
    bind_route(routes, core, "POST", "/threads/{thread_id}/state/checkpoint", {"threads", "read"}, show_state_of_body);
    bind_route(routes, core, "GET", "/threads/{thread_id}/state/{checkpoint_id}", {"threads", "read"}, show_state_at);
    bind_route(routes, core, "GET", "/threads/{thread_id}/history", {"threads", "read"}, show_history);
    bind_route(routes, core, "POST", "/threads/{thread_id}/history", {"threads", "read"}, search_history);
}

}  // namespace weft::serve_detail
