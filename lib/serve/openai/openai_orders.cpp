#include "openai_orders.hpp"

#include "openai_error.hpp"
#include "openai_ids.hpp"
#include "serve/order/assistants.hpp"
#include "serve/order/run_orders.hpp"
#include "serve/order/runs.hpp"
#include "serve/order/sent_tools.hpp"
#include "serve/state/state_wire.hpp"
#include "serve/order/threads.hpp"
#include "serve/run/run_history.hpp"
#include "spoken_messages.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/tool/call/client_call.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

/** What is open in a thread when a turn comes. */
struct open_calls_of_thread {
    std::vector<open_question> questions = {};
    std::vector<std::string> question_ids = {};  // of the calls that stand for them
    std::vector<bool> are_calls = {};            // whether they are for results of the client's own tools
    std::set<std::string, std::less<>> calls = {};
};

/** Answers and outputs of a turn, apart from what else it says. */
struct sorted_turn {
    object answers = {};             // by the address of their question
    array messages = {};             // for the conversation
    bool says_something = false;     // beside outputs
};

/** Whether a graph has a key for what clients say beside messages. */
bool takes(const weft::graph& graph, std::string_view key, std::string_view json_type)
{
    const std::uint32_t slot = graph.layout()->find(key);
    if (slot == state_layout::none) return false;
    const key_type& type = *(*graph.layout())[slot].type;
    if (type.is_transient || has_messages(type)) return false;
    if (!type.value->schema) return true;
    const value schema = type.value->schema();
    const value* const kind = schema.is_object() ? schema.get_object().if_contains("type") : nullptr;
    return !kind || *kind == value(json_type);
}

/** The values that a turn gives to a graph: what is said, and what the graph wants to know beside. */
object input_of(const hosted_graph& of, const openai_turn& turn, array messages)
{
    const weft::graph& graph = of.graph;
    const chat_graph& chat = of.chat;
    const bool has_place = takes(graph, "instructions", "string");
    if (!turn.instructions.empty() && !has_place && !chat.messages_key().empty()) {
        object first;
        first["role"] = "system";
        first["content"] = turn.instructions;
        messages.insert(messages.begin(), std::move(first));
    }
    object values = chat.input(std::move(messages), turn.input.text());
    // Those of the turn before do not count any more.
    if (has_place) values["instructions"] = turn.instructions;
    if (takes(graph, "tools", "array")) values["tools"] = turn.tools;
    if (!chat.client_tools_key().empty())
        values[chat.client_tools_key()] = require_sound_tools(
            graph, turn.sent_tools, [](std::string_view place, std::string why) { refuse_parameter(place, why); });
    return values;
}

/** The answer to a question, which comes as a text: what the kind of question takes as a text stays one. */
value answer_in(const open_question& question, const value& content, std::string_view place)
{
    std::string text;
    if (content.is_string()) text = content.get_string();
    value answer = value(text);
    if (question.asked.kind != question_kind::free_text) {
        try {
            answer = parse_json(text);
        } catch (const error&) {
            answer = value(text);  // one of the options, without quotation marks
        }
    }
    try {
        check_answer(question.asked, answer, question.address);
    } catch (const error& wrong) {
        refuse_parameter(place, wrong.what(), "invalid_answer");
    }
    return answer;
}

/** Calls of the messages so far, which outputs may answer. */
void note_calls(std::set<std::string, std::less<>>& calls, const object& message)
{
    const value* const given = message.if_contains("tool_calls");
    if (!given) return;
    for (const value& call : given->get_array()) calls.emplace(call.at("id").as_string());
}

[[noreturn]] void refuse_closed_call(std::string_view place, std::string_view id)
{
    refuse_parameter(place, "no call with the id " + std::string{id} + " is open: it was answered, is another run's, "
                            "or there never was one", "tool_call_not_found");
}

sorted_turn sort_turn(const openai_turn& turn, const open_calls_of_thread& open)
{
    sorted_turn result;
    std::set<std::string, std::less<>> calls = open.calls;
    for (std::size_t i = 0; i < turn.input.messages.size(); ++i) {
        const object& message = turn.input.messages[i].get_object();
        const std::string& place = turn.input.places[i];
        if (message.at("role") != "tool") {
            note_calls(calls, message);
            result.messages.push_back(message);
            result.says_something = true;
            continue;
        }
        const std::string_view id = message.at("tool_call_id").get_string();
        const auto asked = std::find(open.question_ids.begin(), open.question_ids.end(), id);
        if (asked != open.question_ids.end()) {
            const auto index = static_cast<std::size_t>(asked - open.question_ids.begin());
            const open_question& question = open.questions[index];
            if (result.answers.contains(question.address)) refuse_closed_call(place, id);
            result.answers[question.address] =
                open.are_calls[index] ? message.at("content") : answer_in(question, message.at("content"), place);
            continue;
        }
        // Each call is answered once: what comes again is refused as well.
        if (calls.erase(std::string{id}) == 0) refuse_closed_call(place, id);
        result.messages.push_back(message);
    }
    return result;
}

/** A call that stays without an output keeps a model from going on. */
void require_all_answered(const openai_turn& turn, const open_calls_of_thread& open)
{
    for (const std::string& id : open.calls) {
        const auto answers = [&](const value& message) {
            const value* const given = message.get_object().if_contains("tool_call_id");
            return given && given->get_string() == id;
        };
        if (!std::any_of(turn.input.messages.begin(), turn.input.messages.end(), answers))
            refuse_parameter("input", "no output was found for the call " + id, "missing_tool_output");
    }
}

/** A turn of a model goes on when all of its calls have their results. */
void require_all_results(const sorted_turn& given, const open_calls_of_thread& open)
{
    std::string missing;
    for (std::size_t i = 0; i < open.question_ids.size(); ++i)
        if (open.are_calls[i] && !given.answers.contains(open.questions[i].address))
            missing.append(missing.empty() ? "" : ", ").append(open.question_ids[i]);
    if (!missing.empty())
        refuse_parameter("input", "no output was found for the calls " + missing + ": send all of them together",
                         "missing_tool_output");
}

void require_no_open_question(const sorted_turn& given, const open_calls_of_thread& open)
{
    require_all_results(given, open);
    if (open.question_ids.empty() || !given.answers.empty()) return;
    refuse_parameter("input", "no output was found for the call " + open.question_ids.front() + ": the graph asks '" +
                                  open.questions.front().asked.text + "'", "missing_tool_output");
}

task<open_calls_of_thread> open_in_thread(serve_core& core, thread_key thread, std::optional<run_record> active,
                                          std::string key)
{
    open_calls_of_thread open;
    const std::optional<stored_thread> known = co_await core.stores.service->threads().find(thread);
    // A thread without a checkpoint has said nothing yet.
    if (!known || known->head == 0) co_return open;
    if (active && active->phase == run_phase::waiting) {
        open.questions = co_await core.engine.questions(thread);
        for (const open_question& question : open.questions) {
            const std::optional<tool_call> call = client_call_in(question.asked.about);
            open.question_ids.push_back(call ? call->id : question_call_id(active->id, question.address));
            open.are_calls.push_back(call.has_value());
            // The other calls of the message are carried out by the node that asks.
            if (call) key.clear();
        }
    }
    if (key.empty()) co_return open;
    const thread_snapshot now = co_await core.engine.read(thread);
    for (const tool_call& call : open_calls(now.state(), key)) open.calls.insert(call.id);
    co_return open;
}

run_body begin_body(const assistant& of, const openai_turn& turn)
{
    run_body body;
    body.id = turn.id;
    body.assistant = of.id;
    body.metadata = turn.notes;
    return body;
}

}  // namespace

task<assistant> require_model(serve_core& core, std::string tenant, std::string model)
{
    std::string why;
    try {
        co_return co_await require_assistant(core, std::move(tenant), std::move(model), 404);
    } catch (const http_error& refused) {
        if (refused.status() != 404) throw;
        why = refused.what();
    }
    throw http_error{404, "model_not_found", "model: " + why};
}

task<run_order> order_turn(serve_core& core, thread_key thread, openai_turn turn, bool makes_thread)
{
    const assistant used = co_await require_model(core, thread.tenant, turn.model);
    const std::shared_ptr<const hosted_graph> graph = graph_of(core, used);
    const chat_graph& chat = graph->chat;
    const std::optional<run_record> active = co_await core.stores.runs->active_run(thread);
    const bool waits = active && active->phase == run_phase::waiting;
    if (active && !waits)
        // In line it would be answered with words that its client has not seen.
        throw http_error{409, "conversation_locked", "a run is under way there; wait for it, or cancel it"};
    const open_calls_of_thread open = co_await open_in_thread(core, thread, active, chat.messages_key());
    sorted_turn given = sort_turn(turn, open);
    run_body body = begin_body(used, turn);
    body.makes_thread = makes_thread;
    require_no_open_question(given, open);
    // What waits goes on when it gets what it waits for. What waits for nothing gives way to what is said.
    const bool goes_on = waits && (!given.answers.empty() || (!open.calls.empty() && !given.messages.empty()));
    if (!goes_on || given.says_something) require_all_answered(turn, open);
    if (goes_on) {
        if (!given.answers.empty()) body.resume = std::move(given.answers);
        if (!given.messages.empty() && !chat.messages_key().empty())
            body.update = chat.input(std::move(given.messages), {});
    } else {
        body.input = input_of(*graph, turn, std::move(given.messages));
    }
    co_return co_await order_in_thread(core, std::move(thread), std::move(body));
}

task<run_order> order_turn_alone(serve_core& core, std::string tenant, openai_turn turn)
{
    const assistant used = co_await require_model(core, tenant, turn.model);
    const std::shared_ptr<const hosted_graph> graph = graph_of(core, used);
    const open_calls_of_thread none;
    sorted_turn given = sort_turn(turn, none);
    run_body body = begin_body(used, turn);
    body.input = input_of(*graph, turn, std::move(given.messages));
    co_return co_await order_alone(core, std::move(tenant), std::move(body), false);
}

task<begun_turn> launch_turn(serve_core& core, api_call& call, run_order order)
{
    begun_turn begun;
    begun.graph = order.graph;
    begun.run = order.id;
    begun.follower.thread = order.thread;
    order.trace = call.trace();
    if (order.what == run_order::kind::answer) call.audit("threads.answer");
    // A run that goes on has told its beginning in an earlier response.
    if (order.what != run_order::kind::begin) {
        const std::optional<run_record> record = co_await core.stores.runs->find_run(order.id);
        if (record) {
            const std::shared_ptr<run_feed> before = co_await whole_feed_of(core, *record);
            begun.after = before->last_id();
        }
    }
    begun.follower.after = begun.after;
    if (!order.thread) {
        begun.follower.stop = std::stop_source{};
        order.stop = begun.follower.stop.get_token();
    }
    begun.follower.feed = run_launcher{core}.launch(std::move(order));
    co_return begun;
}

task<begun_turn> enter_turn(serve_core& core, api_call& call, run_order order)
{
    begun_turn begun = co_await launch_turn(core, call, std::move(order));
    const std::shared_ptr<run_feed> feed = begun.follower.feed;
    const std::optional<run_record> entered = co_await wait_for_entry(core, feed);
    if (entered) begun.created = entered->created;
    co_return begun;
}

task<begun_turn> turn_before(serve_core& core, api_call& call, begun_request known)
{
    const std::optional<run_record> run = co_await core.stores.runs->find_run(known.run);
    if (!run || run->thread.tenant != call.tenant())
        throw http_error{404, "run_not_found", "the run of the request is gone"};
    begun_turn begun;
    begun.run = known.run;
    begun.after = known.after;
    begun.created = run->created;
    begun.graph = core.find_graph(run->graph);
    begun.follower = co_await join_run(core, *run);
    begun.follower.after = known.after;
    co_return begun;
}

begun_request begun_by(const begun_turn& begun) { return {begun.run, begun.after}; }

http_headers place_of_run(const begun_turn& of)
{
    http_headers headers;
    if (!of.follower.thread) return headers;
    headers.set("Content-Location", place_of_run(of.follower.thread->thread, of.run));
    return headers;
}

task<run_ending> hear_out(serve_core& core, run_follower follower, run_transcript& said)
{
    feed_reader reader{follower.feed, follower.after};
    for (;;) {
        while (const std::shared_ptr<const feed_event> event = reader.next()) (void)said.take(event->what);
        if (said.is_past() || reader.is_at_end()) break;
        co_await wait_for_more(core, reader, follower);
    }
    run_ending ending;
    if (said.is_past()) {
        ending.phase = run_phase::waiting;
        co_return ending;
    }
    ending = *follower.feed->ending();
    require_end(ending);
    co_await read_outcome(core, follower, ending);
    co_return ending;
}

}  // namespace weft::serve_detail
