#include "openai_routes.hpp"

#include "completion_request.hpp"
#include "completion_writer.hpp"
#include "openai_error.hpp"
#include "openai_ids.hpp"
#include "openai_orders.hpp"
#include "openai_schemas.hpp"
#include "request_fields.hpp"
#include "serve/http/bound_route.hpp"
#include "serve/http/open_answer.hpp"
#include "serve/order/assistants.hpp"
#include "serve/order/request_key.hpp"
#include "serve/order/sent_tools.hpp"
#include "serve/wire/run_notes.hpp"

#include <weft/net/server/http_error.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;

constexpr std::size_t models_a_page = 100;
constexpr std::size_t models_max = 10'000;

/** An assistant as a model: the one of a graph has the graph's name, others have their ids. */
object model_view(const assistant& of, const weft::graph& graph)
{
    object view;
    view["id"] = of.id == assistant_id_of(of.graph) ? of.graph : of.id;
    view["object"] = "model";
    view["created"] = unix_seconds(of.created);
    view["owned_by"] = "weft";
    view["supported_parameters"] = tool_parameters_of(graph);
    return view;
}

task<void> list_models(serve_core& core, api_call& call)
{
    array data;
    assistant_query query;
    query.tenant = call.tenant();
    query.order = list_order::oldest_first;
    query.count_max = models_a_page;
    for (;;) {
        assistant_query asked = query;
        assistant_page page = co_await core.assistants.search(std::move(asked));
        for (const assistant& each : page.assistants)
            // What clients find in the list they can ask: an assistant whose graph is gone is not in it.
            if (const auto graph = core.find_graph(each.graph)) data.push_back(model_view(each, graph->graph));
        if (page.next.empty() || data.size() >= models_max) break;
        query.after = std::move(page.next);
    }
    object body;
    body["object"] = "list";
    body["data"] = std::move(data);
    co_await call.reply(200, body);
}

task<void> show_model(serve_core& core, api_call& call)
{
    const assistant found = co_await require_model(core, call.tenant(), call.part(0));
    const std::shared_ptr<const hosted_graph> graph = graph_of(core, found);
    co_await call.reply(200, model_view(found, graph->graph));
}

/** In a thread clients send the whole history again: what is new stands behind the assistant's last message. */
conversation_input news_of(conversation_input all)
{
    std::size_t first = all.messages.size();
    while (first > 0 && all.messages[first - 1].at("role") != "assistant") --first;
    conversation_input news;
    for (std::size_t i = first; i < all.messages.size(); ++i) {
        news.messages.push_back(std::move(all.messages[i]));
        news.places.push_back(std::move(all.places[i]));
    }
    return news;
}

task<run_order> order_completion(serve_core& core, api_call& call, completion_request request, run_id id)
{
    openai_turn turn;
    turn.id = id;
    turn.model = std::move(request.model);
    turn.tools = std::move(request.tools);
    turn.sent_tools = std::move(request.sent_tools);
    turn.notes = std::move(request.metadata);
    run_notes::erase_own(turn.notes);
    // Without a thread nothing is stored, and each request has the whole history: as with a model.
    if (request.thread.empty()) {
        turn.input = std::move(request.input);
        co_return co_await order_turn_alone(core, call.tenant(), std::move(turn));
    }
    const thread_key thread = call.thread(request.thread);
    const std::optional<stored_thread> known = co_await core.stores.service->threads().find(thread);
    // The first time the thread gets all that was said before.
    const bool is_new = !known || known->head == 0;
    turn.input = is_new ? std::move(request.input) : news_of(std::move(request.input));
    co_return co_await order_turn(core, thread, std::move(turn), true);
}

task<begun_turn> enter_completion(serve_core& core, api_call& call, completion_request request, run_id id)
{
    run_order order = co_await order_completion(core, call, std::move(request), id);
    co_return co_await enter_turn(core, call, std::move(order));
}

/** Begins a turn; or finds the one that the same request has begun. Without a thread it cannot be found. */
task<begun_turn> begin_or_find_turn(serve_core& core, api_call& call, completion_request request,
                                    std::optional<repeatable_request> keyed)
{
    if (!keyed) {
        run_order order = co_await order_completion(core, call, std::move(request), run_id{});
        co_return co_await launch_turn(core, call, std::move(order));
    }
    request_claim claim{core, std::move(*keyed)};
    const std::optional<begun_request> known = co_await claim.take();
    if (known) co_return co_await turn_before(core, call, *known);
    task<begun_turn> beginning = enter_completion(core, call, std::move(request), claim.run());
    co_return co_await claim.hold(std::move(beginning));
}

/** A graph that asks something can only be answered in a thread. */
void require_answerable(const run_ending& ending, const run_follower& follower)
{
    const question* const asked = follower.thread ? nullptr : question_for_person(ending);
    if (asked) throw http_error{409, "question_without_thread", question_without_thread(asked->text)};
}

void refuse_failed(const run_ending& ending)
{
    // No status of HTTP says it; this one is what proxies write into their logs.
    if (ending.phase == run_phase::cancelled) throw http_error{499, "cancelled", "the run was cancelled"};
    if (!is_told_as_error(ending)) return;
    throw http_error{500, ending.error.empty() ? std::string{"server_error"} : ending.error, ending.message};
}

task<void> reply_whole(serve_core& core, api_call& call, begun_turn begun, completion_frame frame)
{
    // From the events, as a stream is: both say the same.
    run_transcript said{begun.graph, begun.after};
    const run_ending ending = co_await hear_out(core, begun.follower, said);
    require_answerable(ending, begun.follower);
    refuse_failed(ending);
    (void)said.finish(ending);
    http_reply answer{200, boost::json::serialize(completion_view(frame, said)), "application/json"};
    answer.headers = place_of_run(begun);
    co_await call.http().reply(std::move(answer));
}

std::string last_error(const std::string& why)
{
    object body;
    body["error"] = failure_error_view("unauthenticated", why);
    return boost::json::serialize(body);
}

/** A run that is not kept ends with its client, who alone would get its answer. */
task<void> stop_if_gone(serve_core& core, api_call& call, task<void> waiting, std::stop_source stop)
{
    std::exception_ptr failure;
    try {
        co_await answer_while_allowed(core.access.watch(), call, std::move(waiting), last_error);
    } catch (...) {
        failure = std::current_exception();
    }
    if (!failure) co_return;
    if (call.http().is_gone()) stop.request_stop();
    std::rethrow_exception(failure);
}

task<void> complete_chat(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    completion_request request = read_completion_request(body);
    completion_frame frame;
    frame.model = request.model;
    frame.includes_usage = request.includes_usage;
    frame.is_kept = !request.thread.empty();
    const bool streams = request.stream;
    std::optional<repeatable_request> keyed;
    if (frame.is_kept) keyed = keyed_request(call, body);
    const bool comes_again = keyed.has_value();
    begun_turn begun = co_await begin_or_find_turn(core, call, std::move(request), std::move(keyed));
    frame.id = completion_id_of(begun.run);
    frame.created = unix_seconds(begun.created.value_or(core.loop.clock().system_now()));
    // The protocol has no other word for it: a client that wants no more of a completion closes the connection. One
    // that has named the request may have lost it.
    begun.follower.stops_with_client = !comes_again;
    if (!streams) {
        std::stop_source stop = begun.follower.stop;
        call.http().stop_when_gone();
        task<void> waiting = reply_whole(core, call, std::move(begun), std::move(frame));
        co_await stop_if_gone(core, call, std::move(waiting), std::move(stop));
        co_return;
    }
    run_transcript said{begun.graph, begun.after};
    auto writer = std::make_unique<completion_writer>(std::move(frame), std::move(said));
    http_headers place = place_of_run(begun);
    co_await stream_run(core, call, std::move(begun.follower), std::move(writer), std::move(place));
}

}  // namespace

void add_completion_routes(route_table& routes, serve_core& core)
{
    bind_route(routes, core, "GET", "/v1/models", {"assistants", "search"}, list_models,
               {.summary = "Lists assistants as models", .answer = {.of = &model_list_schema}});
    bind_route(routes, core, "GET", "/v1/models/{model}", {"assistants", "read"}, show_model,
               {.summary = "Shows an assistant as a model", .answer = {.of = &model_schema}});
    bind_route(routes, core, "POST", "/v1/chat/completions", {"threads", "create_run"}, complete_chat,
               {.summary = "Runs a graph, and answers as a model does",
                .body = &fields_of<completion_fields>(),
                .answer = {.what = good_answer::form::either, .of = &completion_schema}});
}

void add_openai_routes(route_table& routes, serve_core& core)
{
    // Also what is not there: clients read the error of a wrong path as JSON.
    routes.refuse_as("/v1", openai_form);
    add_completion_routes(routes, core);
    add_response_routes(routes, core);
    add_conversation_routes(routes, core);
}

}  // namespace weft::serve_detail
