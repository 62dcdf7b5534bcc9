#include "response_orders.hpp"

#include "openai_error.hpp"
#include "openai_ids.hpp"
#include "spoken_messages.hpp"
#include "stored_items.hpp"
#include "serve/order/runs.hpp"
#include "serve/order/threads.hpp"
#include "serve/run/run_history.hpp"
#include "serve/wire/run_notes.hpp"
#include "serve/wire/views.hpp"

#include <weft/base/json/json_peek.hpp>
#include <weft/net/server/http_error.hpp>

#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;

/** Where a response is to go on. */
struct response_place {
    response_place() {}

    thread_key thread = {};
    bool is_new = false;       ///< The thread is to be made.
    bool owns_thread = false;
};

[[noreturn]] void refuse_previous(const std::string& id)
{
    refuse_parameter("previous_response_id", "there is no response '" + id + "'", "previous_response_not_found");
}

object notes_of(const run_record& run)
{
    const object metadata = object_in(run.metadata);
    const object* const notes = peek_object(metadata, run_notes::openai);
    return notes ? *notes : object{};
}

thread_key new_response_thread(serve_core& core, api_call& call) { return call.thread(core.next_id<run_id>().text()); }

/** The run of a response that the caller may see; nothing: there is none. */
task<std::optional<run_record>> find_response_run(serve_core& core, api_call& call, std::optional<response_id> id)
{
    if (!id) co_return std::nullopt;
    std::optional<run_record> found = co_await core.stores.runs->find_run(id->run);
    if (found && found->thread.tenant != call.tenant()) found.reset();
    // A change of the state by hand holds a thread as a run does, and is none.
    if (found && object_in(found->metadata).contains(run_notes::kind)) found.reset();
    co_return found;
}

constexpr std::string_view claim_kind = "openai_next";
/** By then the store shows the run of the one that was first. */
constexpr std::chrono::minutes claim_life{1};
constexpr std::size_t claims_swept_max = 20;

/** Whether nothing else follows a response that is the last one of its thread. Of two requests at once, in whichever
 *  processes, the thread goes on with one: the other one would wait behind it, and be told what was said there. */
task<bool> is_first_behind(serve_core& core, std::string tenant, std::string response)
{
    document_store& documents = core.stores.service->documents();
    (void)co_await documents.erase_due(std::string{claim_kind}, claims_swept_max);
    std::vector<document_change> changes(1);
    changes[0].key = document_key{std::string{claim_kind}, std::move(tenant), std::move(response)};
    changes[0].body = "{}";
    changes[0].due = core.loop.clock().system_now() + claim_life;
    changes[0].expected = 0;
    co_return co_await documents.write(std::move(changes));
}

task<response_place> place_behind(serve_core& core, api_call& call, std::string previous)
{
    const std::optional<run_record> found =
        co_await find_response_run(core, call, response_id::parse(previous));
    if (!found) refuse_previous(previous);
    response_place place;
    place.thread = found->thread;
    const object notes = notes_of(*found);
    place.owns_thread = peek_flag(notes, "owns_thread", false);
    const std::optional<run_record> active = co_await core.stores.runs->active_run(found->thread);
    if (active && active->id == found->id) {
        // What waits is answered where it waits.
        if (active->phase == run_phase::waiting) co_return place;
        throw http_error{409, "response_in_progress",
                         "previous_response_id: the response is under way; wait for its end, or cancel it"};
    }
    const std::optional<std::int64_t> end = co_await last_checkpoint(core, found->thread, found->id);
    const std::optional<stored_thread> known = co_await core.stores.service->threads().find(found->thread);
    if (!known) refuse_previous(previous);
    // Nothing came behind it: the thread goes on, for the first that asks.
    if (!active && end && known->head == *end) {
        const bool is_first = co_await is_first_behind(core, call.tenant(), std::move(previous));
        if (is_first) co_return place;
    }
    place.thread = new_response_thread(core, call);
    place.owns_thread = true;
    place.is_new = true;
    // A run that made no checkpoint has left nothing to go on with.
    if (!end) co_return place;
    place.is_new = false;
    const thread_key to = place.thread;
    (void)co_await core.engine.fork(found->thread, *end, to);
    co_return place;
}

task<response_place> place_of(serve_core& core, api_call& call, std::string previous, std::string conversation)
{
    response_place place;
    if (!previous.empty()) co_return co_await place_behind(core, call, std::move(previous));
    if (conversation.empty()) {
        place.thread = new_response_thread(core, call);
        place.is_new = true;
        place.owns_thread = true;
        co_return place;
    }
    place.thread = call.thread(thread_of_conversation(conversation));
    const std::optional<stored_thread> known = co_await core.stores.service->threads().find(place.thread);
    if (!known)
        throw http_error{404, "conversation_not_found",
                         "conversation: there is no conversation '" + conversation + "'"};
    co_return place;
}

openai_turn turn_of(response_request& request)
{
    openai_turn turn;
    turn.id = request.id;
    turn.model = request.model;
    turn.input = std::move(request.input);
    turn.instructions = std::move(request.instructions);
    turn.tools = std::move(request.tools);
    turn.sent_tools = std::move(request.sent_tools);
    return turn;
}

task<run_order> order_stored(serve_core& core, api_call& call, response_request& request)
{
    const response_place place = co_await place_of(core, call, request.previous, request.conversation);
    if (!request.conversation.empty()) request.echo["conversation"] = object{{"id", request.conversation}};
    openai_turn turn = turn_of(request);
    bool has_pending = false;
    if (!request.conversation.empty()) {
        const stored_thread known = co_await require_thread(core, place.thread);
        array pending = wire_messages(pending_messages(known));
        has_pending = !pending.empty();
        put_before(std::move(pending), turn.input);
    }
    object notes;
    notes["echo"] = request.echo;
    notes["owns_thread"] = place.owns_thread;
    turn.notes[run_notes::openai] = std::move(notes);
    const thread_key thread = place.thread;
    run_order order = co_await order_turn(core, thread, std::move(turn), place.is_new);
    if (has_pending) {
        array none;
        co_await keep_pending_messages(core, thread, std::move(none));
    }
    co_return order;
}

/** Whether a run has waited at an event: a response begins behind it. */
bool is_pause(const run_feed& feed, std::uint64_t id)
{
    const std::shared_ptr<const feed_event>* const found = feed.after(id - 1);
    return found && (*found)->what.id == id && (*found)->what.what == run_event::kind::run_paused;
}

}  // namespace

task<begun_response_run> begin_response(serve_core& core, api_call& call, response_request request)
{
    begun_response_run begun;
    begun.frame.created_at = unix_seconds(core.loop.clock().system_now());
    run_order order;
    if (request.store) {
        order = co_await order_stored(core, call, request);
    } else {
        openai_turn turn = turn_of(request);
        if (!request.previous.empty()) {
            array before = co_await messages_of_response(core, call, request.previous);
            put_before(std::move(before), turn.input);
        }
        order = co_await order_turn_alone(core, call.tenant(), std::move(turn));
    }
    begun.turn = co_await launch_turn(core, call, std::move(order));
    begun.frame.id = response_id{begun.turn.run, begun.turn.after};
    begun.frame.echo = std::move(request.echo);
    co_return begun;
}

begun_request begun_by(const begun_response_run& begun) { return begun_by(begun.turn); }

task<begun_response_run> enter_response(serve_core& core, api_call& call, response_request request)
{
    begun_response_run begun = co_await begin_response(core, call, std::move(request));
    const std::shared_ptr<run_feed> feed = begun.turn.follower.feed;
    const std::optional<run_record> entered = co_await wait_for_entry(core, feed);
    if (entered) begun.frame.created_at = unix_seconds(entered->created);
    co_return begun;
}

task<begun_response_run> begun_before(serve_core& core, api_call& call, begun_request known)
{
    const response_id id{known.run, known.after};
    known_response found = co_await require_response(core, call, id.text());
    begun_response_run begun;
    begun.turn.follower = std::move(found.follower);
    begun.turn.graph = std::move(found.graph);
    begun.turn.run = known.run;
    begun.turn.after = known.after;
    begun.frame = std::move(found.frame);
    co_return begun;
}

std::function<std::int64_t()> seconds_of(serve_core& core)
{
    return [&core] { return unix_seconds(core.loop.clock().system_now()); };
}

task<array> messages_of_response(serve_core& core, api_call& call, std::string id)
{
    const std::optional<run_record> found = co_await find_response_run(core, call, response_id::parse(id));
    const std::shared_ptr<const hosted_graph> graph = found ? core.find_graph(found->graph) : nullptr;
    if (!graph) refuse_previous(id);
    const std::optional<std::int64_t> end = co_await last_checkpoint(core, found->thread, found->id);
    if (!end) co_return array{};
    const thread_snapshot left = co_await core.engine.read(found->thread, *end);
    co_return wire_messages(messages_from(left.state(), graph->chat.messages_key(), 0));
}

task<known_response> require_response(serve_core& core, api_call& call, std::string id)
{
    const std::optional<response_id> wanted = response_id::parse(id);
    const http_error refused{404, "response_not_found", "there is no response '" + id + "'"};
    std::optional<run_record> found = co_await find_response_run(core, call, wanted);
    if (!found) throw refused;
    known_response known;
    known.run = std::move(*found);
    known.graph = core.find_graph(known.run.graph);
    known.frame.id = *wanted;
    known.frame.created_at = unix_seconds(known.run.created);
    if (is_over(known.run.phase) || known.run.phase == run_phase::waiting)
        known.frame.completed_at = unix_seconds(known.run.changed);
    const object notes = notes_of(known.run);
    known.owns_thread = peek_flag(notes, "owns_thread", false);
    const object* const echo = peek_object(notes, "echo");
    known.frame.echo = echo ? *echo : default_response_echo(known.run.graph);
    known.follower = co_await join_run(core, known.run);
    // Events are numbered from there for all clients alike: only where the run has waited a response begins.
    if (wanted->after > 0 && !is_pause(*known.follower.feed, wanted->after)) throw refused;
    known.follower.after = wanted->after;
    co_return known;
}

task<object> view_response(serve_core& core, known_response of)
{
    run_transcript said{of.graph, of.frame.id.after};
    const std::int64_t changed = unix_seconds(of.run.changed);
    run_ending ending;
    if (of.follower.feed->is_closed()) {
        ending = co_await hear_out(core, of.follower, said);
        // One that waited when it was cancelled has told its feed nothing more.
        if (!said.is_past() && ending.phase == run_phase::waiting && is_over(of.run.phase)) ending.phase = of.run.phase;
        (void)said.finish(ending);
    } else {
        // Under way: as far as it has come. A feed of another process's run that no client follows has no more than
        // this look has read: held and let go of, it is gone for the next one.
        const std::shared_ptr<void> held = core.follower.follow(of.run.thread, of.follower.feed);
        feed_reader reader{of.follower.feed, of.follower.after};
        while (const std::shared_ptr<const feed_event> event = reader.next()) (void)said.take(event->what);
        ending.phase = said.is_past() ? run_phase::waiting : of.run.phase;
        if (said.is_past()) (void)said.finish(ending);
    }
    co_return response_view(of.frame, standing_of(ending, said, changed), said);
}

}  // namespace weft::serve_detail
