#include "ag_ui_routes.hpp"

#include "ag_ui_writer.hpp"
#include "agent_input.hpp"
#include "serve/http/bound_route.hpp"
#include "serve/order/assistants.hpp"
#include "serve/order/run_following.hpp"
#include "serve/order/run_orders.hpp"
#include "serve/order/runs.hpp"
#include "serve/order/sent_tools.hpp"
#include "serve/state/state_wire.hpp"
#include "serve/wire/run_notes.hpp"
#include "thread_lookup.hpp"
#include "turn_plan.hpp"

#include <weft/base/error.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

/** A request, and what is known when it is carried out. */
struct agent_request {
    agent_request() {}

    agent_input input = {};
    assistant used = {};
    std::shared_ptr<const hosted_graph> graph = {};
    thread_lookup found = {};
    agent_turn turn = {};
};

/** A refusal in the words of the protocol: the event that ends a run. */
http_reply agent_refusal(const refusal& why)
{
    const object body{{"type", "RUN_ERROR"}, {"message", why.message}, {"code", why.code}};
    return http_reply{why.status, boost::json::serialize(body), "application/json"};
}

agent_run_names names_of(const agent_request& request, const std::string& own_run)
{
    agent_run_names names;
    names.thread = request.input.thread;
    names.run = request.input.run;
    names.parent_run = request.input.parent_run;
    names.own_run = own_run;
    names.speaks_v1 = request.input.speaks_v1;
    return names;
}

/** The new messages, as values of the graph. */
object input_of(const agent_request& request)
{
    const chat_graph& chat = request.graph->chat;
    array messages;
    const agent_message* last = nullptr;
    for (const std::size_t place : request.turn.added) {
        const agent_message& message = request.input.messages[place];
        messages.push_back(message.form);
        if (message.role == role::user) last = &message;
    }
    // A graph without a conversation may need no text: it runs on its state.
    const bool has_text = !chat.messages_key().empty() ? !messages.empty() : last != nullptr;
    return has_text ? chat.input(std::move(messages), last ? last->text : std::string{}) : object{};
}

/** What the client has changed in the state that it was told, and what goes with its request. */
state_update changes_of(const agent_request& request)
{
    const weft::graph& of = request.graph->graph;
    const state known = request.found.values.value_or(state{of.layout()});
    const state_layout& keys = known.layout();
    const chat_graph& chat = request.graph->chat;
    const std::string& messages = chat.messages_key();
    const std::string& tools = chat.client_tools_key();
    object changed;
    for (const auto& [name, given] : request.input.state) {
        if (name == messages || name == tools) continue;  // they come by themselves
        const std::uint32_t slot = keys.find(name);
        const bool has_value = slot != state_layout::none && known.at(slot);
        if (!has_value && given.is_null()) continue;
        if (has_value && value_for_client(*keys[slot].type, keys[slot].name, *known.at(slot)) == given) continue;
        changed[name] = given;
    }
    if (of.layout()->find(surroundings_key) != state_layout::none && !request.input.surroundings.empty())
        changed[surroundings_key] = request.input.surroundings;
    // A run goes on with the tools that it began with.
    if (!tools.empty() && request.turn.what != agent_turn::kind::answer)
        changed[tools] = require_sound_tools(
            of, sent_tools_of(request.input.surroundings),
            [](std::string_view place, std::string why) {
                throw http_error{422, "invalid_body", "body." + std::string{place} + ": " + std::move(why)};
            });
    return read_values(of, changed, "body.state");
}

void add_items(state_update& to, state_update more)
{
    for (state_update::item& item : more.items()) to.items().push_back(std::move(item));
}

run_body body_of(const agent_request& request)
{
    run_body body;
    body.assistant = request.used.id;
    body.makes_thread = true;
    object values = input_of(request);
    switch (request.turn.what) {
    case agent_turn::kind::answer: body.resume = request.turn.answers; break;
    case agent_turn::kind::post: body.update = std::move(values); break;
    default: body.input = std::move(values); break;
    }
    std::vector<std::size_t> noted = request.turn.added;
    body.metadata[run_notes::request] = note_of_request(request.input.run, request.input, noted);
    return body;
}

/** What a client learns by the stream, for its request was well-formed: the thread has changed meanwhile. */
bool is_told_in_stream(const http_error& refused) noexcept
{
    return refused.code() == "no_interrupt" || refused.status() == 409;
}

task<run_follower> begin_run(serve_core& core, api_call& call, const agent_request& request)
{
    const bool is_answer = request.turn.what == agent_turn::kind::answer;
    run_body body = body_of(request);
    state_update changes = changes_of(request);  // before the thread is made
    if (request.turn.what == agent_turn::kind::again) {
        std::string message = request.input.messages.back().id;
        body.checkpoint = co_await checkpoint_before_answer(core, call.thread(request.input.thread),
                                                            request.graph, std::move(message));
        // A thread whose history is gone is answered where it stands.
        if (body.checkpoint) body.input.reset();
    }
    run_order order = co_await order_in_thread(core, call.thread(request.input.thread), std::move(body));
    add_items(order.input, std::move(changes));
    if (is_answer) {
        call.audit("threads.answer");
        // What a person says beside an answer goes along with it.
        add_items(order.input, read_update(request.graph->graph, input_of(request), "body.messages"));
    }
    run_follower follower;
    follower.thread = order.thread;
    order.trace = call.trace();
    // A run that goes on has told its beginning before.
    if (const auto before = core.feeds.find(order.id)) follower.after = before->last_id();
    follower.feed = run_launcher{core}.launch(std::move(order));
    co_return follower;
}

task<run_follower> follow_known(serve_core& core, const agent_request& request)
{
    const thread_lookup& found = request.found;
    const run_record& run = found.of_request ? *found.of_request : *found.active;
    if (request.turn.what == agent_turn::kind::cancel) (void)co_await cancel_run(core, run);
    // As it is now: a cancel may have ended it.
    std::optional<run_record> now = co_await core.stores.runs->find_run(run.id);
    if (!now) now = run;
    run_record joined = std::move(*now);
    co_return co_await join_run(core, std::move(joined));
}

task<void> refuse_in_stream(api_call& call, agent_run_names names, std::string code, std::string why)
{
    http_headers headers;
    forbid_buffering(headers);
    const std::string text = refused_stream(names, code, why);
    co_await call.http().start_stream(200, "text/event-stream", std::move(headers));
    co_await call.http().end_stream(text);
}

task<agent_request> understand(serve_core& core, api_call& call)
{
    agent_request request;
    const object given = co_await call.read_object();
    request.input = read_agent_input(given);
    request.used = co_await require_assistant(core, call.tenant(), call.part(0), 404);
    request.graph = graph_of(core, request.used);
    request.found =
        co_await look_up(core, call.thread(request.input.thread), request.graph, request.input.run);
    request.turn = plan_turn(request.input, request.found.conversation);
    co_return request;
}

task<void> run_agent(serve_core& core, api_call& call)
{
    const agent_request request = co_await understand(core, call);
    agent_run_names names = names_of(request, {});
    run_follower follower;
    std::string code = request.turn.code;
    std::string why = request.turn.why;
    if (code.empty()) {
        const bool joins =
            request.turn.what == agent_turn::kind::join || request.turn.what == agent_turn::kind::cancel;
        try {
            if (joins) follower = co_await follow_known(core, request);
            else follower = co_await begin_run(core, call, request);
        } catch (const http_error& refused) {
            if (!is_told_in_stream(refused)) throw;
            code = refused.code();
            why = refused.what();
        }
    }
    if (!code.empty()) {
        co_await refuse_in_stream(call, std::move(names), std::move(code), std::move(why));
        co_return;
    }
    names.own_run = follower.feed->run().text();
    http_headers headers;
    headers.set("Content-Location", place_of_run(names.thread, follower.feed->run()));
    auto writer = std::make_unique<ag_ui_writer>(std::move(names), request.graph);
    co_await stream_run(core, call, std::move(follower), std::move(writer), std::move(headers));
}

}  // namespace

void add_ag_ui_routes(route_table& routes, serve_core& core)
{
    routes.refuse_as("/ag-ui", agent_refusal);
    bind_route(routes, core, "POST", "/ag-ui/{assistant_id}", {"threads", "create_run"}, run_agent,
               {.summary = "Runs an assistant for a client of AG-UI, and shows what happens",
                .body = &agent_input_fields(),
                .answer = {.what = good_answer::form::events}});
}

}  // namespace weft::serve_detail
