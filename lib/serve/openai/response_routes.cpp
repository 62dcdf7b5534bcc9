#include "openai_routes.hpp"

#include "compaction.hpp"
#include "openai_error.hpp"
#include "openai_ids.hpp"
#include "openai_schemas.hpp"
#include "request_fields.hpp"
#include "response_orders.hpp"
#include "response_socket.hpp"
#include "response_writer.hpp"
#include "serve/http/bound_route.hpp"
#include "serve/http/open_answer.hpp"
#include "serve/order/request_key.hpp"
#include "serve/order/runs.hpp"
#include "stored_items.hpp"

#include <weft/base/error.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;

std::string last_response_error(const std::string& why)
{
    object body;
    body["error"] = failure_error_view("unauthenticated", why);
    return boost::json::serialize(body);
}

task<void> reply_at_end(serve_core& core, api_call& call, begun_response_run begun)
{
    run_transcript said{begun.turn.graph, begun.turn.after};
    const run_ending ending = co_await hear_out(core, begun.turn.follower, said);
    (void)said.finish(ending);
    const std::int64_t now = unix_seconds(core.loop.clock().system_now());
    const response_standing standing = standing_of(ending, said, begun.frame.completed_at.value_or(now));
    const object view = response_view(begun.frame, standing, said);
    http_reply answer{200, boost::json::serialize(view), "application/json"};
    answer.headers = place_of_run(begun.turn);
    co_await call.http().reply(std::move(answer));
}

/** Begins a response; or finds the one that the same request has begun. One that is not stored cannot be found. */
task<begun_response_run> begin_or_find(serve_core& core, api_call& call, response_request request, object body)
{
    std::optional<repeatable_request> keyed;
    if (request.store) keyed = keyed_request(call, body);
    if (!keyed) co_return co_await begin_response(core, call, std::move(request));
    request_claim claim{core, std::move(*keyed)};
    const std::optional<begun_request> known = co_await claim.take();
    if (known) co_return co_await begun_before(core, call, *known);
    request.id = claim.run();
    task<begun_response_run> beginning = enter_response(core, call, std::move(request));
    co_return co_await claim.hold(std::move(beginning));
}

task<void> create_response(serve_core& core, api_call& call)
{
    object body = co_await call.read_object();
    const compaction_opener open = co_await opener_for(core, call.tenant(), body);
    response_request request = read_response_request(body, open);
    const bool streams = request.stream;
    const bool is_background = request.background;
    begun_response_run begun = co_await begin_or_find(core, call, std::move(request), std::move(body));
    if (streams) {
        run_transcript said{begun.turn.graph, begun.turn.after};
        auto writer = std::make_unique<response_writer>(std::move(begun.frame), std::move(said), std::nullopt,
                                                        seconds_of(core));
        http_headers place = place_of_run(begun.turn);
        co_await stream_run(core, call, std::move(begun.turn.follower), std::move(writer), std::move(place));
        co_return;
    }
    // It is told as queued, however fast it is: clients poll.
    if (is_background) {
        const std::shared_ptr<run_feed> feed = begun.turn.follower.feed;
        // A client that has the answer can rely on the response being there.
        (void)co_await wait_for_entry(core, feed);
        co_await call.reply(200, begun_response(begun.frame, "queued"));
        co_return;
    }
    task<void> waiting = reply_at_end(core, call, std::move(begun));
    co_await answer_while_allowed(core.access.watch(), call, std::move(waiting), last_response_error);
}

task<void> stream_known(serve_core& core, api_call& call, known_response known, std::optional<std::uint64_t> seen)
{
    run_transcript said{known.graph, known.frame.id.after};
    auto writer = std::make_unique<response_writer>(std::move(known.frame), std::move(said), seen, seconds_of(core));
    co_await stream_run(core, call, std::move(known.follower), std::move(writer));
}

task<void> show_response(serve_core& core, api_call& call)
{
    const response_view_fields& fields = fields_of<response_view_fields>();
    const bool streams = fields.stream.is_set(call);
    std::optional<std::uint64_t> seen;
    if (const auto after = fields.after.in(call)) seen = static_cast<std::uint64_t>(*after);
    known_response known = co_await require_response(core, call, call.part(0));
    if (streams) {
        co_await stream_known(core, call, std::move(known), seen);
        co_return;
    }
    const object view = co_await view_response(core, std::move(known));
    co_await call.reply(200, view);
}

task<void> cancel_response(serve_core& core, api_call& call)
{
    known_response known = co_await require_response(core, call, call.part(0));
    const std::string id = known.frame.id.text();
    if (!is_over(known.run.phase)) {
        const run_record run = known.run;
        (void)co_await cancel_run(core, run);
        (void)co_await wait_until_over(core, run);
    }
    // Anew: its feed has the end now.
    known_response after = co_await require_response(core, call, id);
    const object view = co_await view_response(core, std::move(after));
    co_await call.reply(200, view);
}

task<void> erase_response(serve_core& core, api_call& call)
{
    const known_response known = co_await require_response(core, call, call.part(0));
    if (!is_over(known.run.phase))
        throw http_error{409, "response_in_progress", "the response is under way; cancel it first"};
    run_query query;
    query.tenant = known.run.thread.tenant;
    query.thread = known.run.thread.thread;
    query.count_max = 2;
    const run_page others = co_await core.stores.service->runs().search(std::move(query));
    const thread_key thread = known.run.thread;
    (void)co_await core.stores.service->runs().remove(known.run.id);
    core.feeds.forget(known.run.id);
    // What was said is in the thread: with the last response of a chain it goes as well.
    if (known.owns_thread && others.runs.size() == 1) (void)co_await core.engine.forget(thread);
    object body;
    body["id"] = known.frame.id.text();
    body["object"] = "response";
    body["deleted"] = true;
    co_await call.reply(200, body);
}

task<void> list_input(serve_core& core, api_call& call)
{
    const known_response known = co_await require_response(core, call, call.part(0));
    array items = co_await input_items_of(core, known.run, known.graph);
    co_await call.reply(200, page_of_items(std::move(items), call));
}

}  // namespace

void add_response_routes(route_table& routes, serve_core& core)
{
    using form = good_answer::form;
    const field_set* const asked = &fields_of<response_request_fields>();
    const good_answer response{.of = &response_schema};
    const std::string one = "/v1/responses/{response_id}";
    bind_route(routes, core, "POST", "/v1/responses", {"threads", "create_run"}, create_response,
               {.summary = "Runs a graph, and answers as a model does",
                .body = asked,
                .answer = {.what = form::either, .of = &response_schema}});
    bind_route(routes, core, "GET", "/v1/responses", {"threads", "create_run"}, talk_in_responses,
               {.summary = "A WebSocket for responses, one after the other",
                .answer = {.what = form::socket, .status = 101}});
    bind_route(routes, core, "POST", "/v1/responses/input_tokens", {"threads", "read"}, count_input_tokens,
               {.summary = "Estimates the tokens of an input", .body = asked, .answer = {.of = &token_count_schema}});
    bind_route(routes, core, "POST", "/v1/responses/compact", {"threads", "read"}, compact_conversation,
               {.summary = "Seals an input as one item", .body = asked, .answer = {.of = &compaction_schema}});
    bind_route(routes, core, "GET", one, {"threads", "read"}, show_response,
               {.summary = "Shows a response, or its events",
                .query = &fields_of<response_view_fields>(),
                .answer = {.what = form::either, .of = &response_schema}});
    bind_route(routes, core, "DELETE", one, {"threads", "delete"}, erase_response,
               {.summary = "Deletes a response that is over", .answer = {.of = &deleted_schema}});
    bind_route(routes, core, "POST", one + "/cancel", {"threads", "update"}, cancel_response,
               {.summary = "Cancels a response", .answer = response});
    bind_route(routes, core, "GET", one + "/input_items", {"threads", "read"}, list_input,
               {.summary = "Lists what a response was given",
                .query = &fields_of<item_page_fields>(),
                .answer = {.of = &item_list_schema}});
}

}  // namespace weft::serve_detail
