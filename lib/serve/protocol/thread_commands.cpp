#include "thread_commands.hpp"

#include "command_fields.hpp"
#include "serve/http/refusal.hpp"
#include "serve/order/run_orders.hpp"
#include "serve/order/threads.hpp"
#include "serve/run/run_history.hpp"

#include <weft/agent/core/live_surroundings.hpp>
#include <weft/base/error.hpp>

#include <boost/json/array.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::object;
using boost::json::value;

const start_fields start_params{"params"};
const start_config_fields start_config{"params.config"};
const respond_fields respond_params{"params"};
const surroundings_fields surroundings_params{"params"};

/** What `run.start` says, as the body of the first protocol. */
run_body body_of_start(const object& params)
{
    object body = params;
    const start_fields& fields = start_params;
    if (const value* const strategy = fields.strategy_alias.in(params)) body[fields.strategy.name()] = *strategy;
    if (const value* const assistant = fields.assistant_alias.in(params)) body[fields.assistant.name()] = *assistant;
    if (const object* const config = fields.config.in(params))
        if (const object* const configurable = start_config.configurable.in(*config))
            if (fields.checkpoint_id.is_in(*configurable))
                body[fields.checkpoint_id.name()] = configurable->at(fields.checkpoint_id.name());
    run_body result = read_run_body(body, stream_mode::values, fields);
    result.makes_thread = true;
    return result;
}

task<object> start_run(serve_core& core, thread_key thread, object params)
{
    run_order order = co_await order_in_thread(core, std::move(thread), body_of_start(params));
    object result;
    result["run_id"] = order.id.text();
    // From the first event on: a client may watch the thread a moment later.
    (void)co_await whole_tape_of(core, *order.thread);
    (void)run_launcher{core}.launch(std::move(order));
    co_return result;
}

/** Answers by the ids of interrupts, from one answer or from a list. */
object resume_answers(const object& params)
{
    object answers;
    const response_fields& fields = respond_params.one;
    const auto add = [&](const object& from) {
        const value* const response = fields.response.in(from);
        answers[fields.interrupt.needed_in(from)] = response ? *response : value(nullptr);
    };
    const value* const several = respond_params.several.in(params);
    if (!several) {
        add(params);
        return answers;
    }
    if (!several->is_array()) respond_params.several.refuse("expected a list");
    for (const value& one : several->get_array()) {
        if (!one.is_object()) respond_params.several.refuse("expected objects");
        add(one.get_object());
    }
    return answers;
}

task<object> respond(serve_core& core, thread_key thread, object params)
{
    const object answers = resume_answers(params);
    const stored_thread known = co_await require_thread(core, thread);
    const std::optional<run_record> active = co_await core.stores.runs->active_run(known.thread);
    const std::vector<open_question> questions = co_await core.engine.questions(known.thread);
    for (const auto& [id, answer] : answers)
        if (std::none_of(questions.begin(), questions.end(), [&](const auto& asked) { return asked.address == id; }))
            throw command_error{"no_such_interrupt", "no question '" + std::string{id} + "' is open in the thread"};
    if (!active) throw command_error{"no_such_run", "no run of the thread waits"};
    run_body body;
    body.place = respond_params.place();
    body.assistant = active->graph;
    body.resume = value(answers);
    if (const object* const update = respond_params.update.in(params)) body.update = *update;
    if (respond_params.go_to.in(params))
        throw command_error{"not_supported", "a graph of weft goes where its edges lead"};
    run_order order = co_await order_in_thread(core, std::move(thread), std::move(body));
    (void)co_await whole_tape_of(core, *order.thread);
    (void)run_launcher{core}.launch(std::move(order));
    co_return object{};
}

task<object> tree_of(serve_core& core, thread_key thread)
{
    const std::optional<run_record> active = co_await core.stores.runs->active_run(std::move(thread));
    object root;
    root["namespace"].emplace_array();
    // Graphs within nodes come and go with their visits: clients learn of them from the lifecycle channel.
    root["status"] = !active ? "completed" : active->phase == run_phase::waiting ? "interrupted" : "running";
    root["graph_name"] = active ? active->graph : std::string{};
    object result;
    result["tree"] = std::move(root);
    co_return result;
}

/** A page of a person tells what happens on it, while the agent works. */
task<object> tell_surroundings(serve_core& core, thread_key thread, object params)
{
    // A name alone is no thread: what is told of it would wait for a thread to come.
    (void)co_await require_thread(core, thread);
    if (!core.options.live)
        throw command_error{"not_supported", "the agents of this server are told nothing of their surroundings"};
    const std::string subject = surroundings_params.subject.needed_in(params);
    core.options.live->tell(thread, subject, surroundings_params.text.in(params).value_or(std::string{}));
    co_return object{};
}

task<object> carry_out(serve_core& core, thread_key thread, std::string method, object params)
{
    if (method == "run.start") return start_run(core, std::move(thread), std::move(params));
    if (method == "input.respond") return respond(core, std::move(thread), std::move(params));
    if (method == "surroundings.tell") return tell_surroundings(core, std::move(thread), std::move(params));
    if (method == "agent.getTree") return tree_of(core, std::move(thread));
    throw command_error{"unknown_command", "there is no command '" + method +
                                               "' here; there are run.start, input.respond, surroundings.tell, "
                                               "agent.getTree, and on a WebSocket subscription.subscribe, "
                                               "subscription.unsubscribe"};
}

/** The code of what was thrown; what only concerns the server is thrown on. */
std::pair<std::string, std::string> fault_of(const std::exception_ptr& thrown)
{
    try {
        std::rethrow_exception(thrown);
    } catch (const command_error& e) {
        return {e.code(), e.what()};
    } catch (...) {
        const refusal why = refusal_for(thrown);
        if (why.is_of_server) throw;
        const bool is_argument = why.status == 422 || why.status == 404;
        if (why.status == 403) return {"permission_denied", why.message};
        return {is_argument ? "invalid_argument" : why.code == "thread_is_busy" ? "run_active" : why.code, why.message};
    }
}

task<object> try_command(serve_core& core, command_caller caller, object given, connection_commands own)
{
    const std::string method = thread_command_of_message().method.needed_in(given);
    const object* const named = thread_command_of_message().params.in(given);
    object params;
    if (named) params = *named;
    const bool is_reading = method != "run.start" && method != "input.respond" && method != "surroundings.tell";
    caller_gate::pass place;
    if (caller.admit) place = caller.admit(is_reading ? "read" : "create_run");
    if (own) {
        std::optional<object> result = co_await own(method, params);
        if (result) co_return std::move(*result);
    }
    if (method == "input.respond" && caller.audit) caller.audit("threads.answer");
    co_return co_await carry_out(core, std::move(caller.thread), method, std::move(params));
}

}  // namespace

const thread_command_fields& thread_command_of_message()
{
    static const thread_command_fields fields{""};
    return fields;
}

object command_fault(value id, std::string_view code, std::string_view message)
{
    return {{"type", "error"}, {"id", std::move(id)}, {"error", code}, {"message", message}};
}

task<object> answer_command(serve_core& core, command_caller caller, object given, connection_commands own)
{
    const value* const named = given.if_contains(thread_command_of_message().id.name());
    if (!named || !(named->is_int64() || named->is_uint64()))
        co_return command_fault(nullptr, "invalid_argument", "id: expected a number");
    value id = *named;
    object result;
    std::exception_ptr failure;
    try {
        result = co_await try_command(core, std::move(caller), std::move(given), std::move(own));
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure) {
        const std::pair<std::string, std::string> fault = fault_of(failure);
        co_return command_fault(std::move(id), fault.first, fault.second);
    }
    object answer{{"type", "success"}, {"id", std::move(id)}, {"result", std::move(result)}};
    answer["meta"].emplace_object()["applied_through_seq"] = 0;
    co_return answer;
}

}  // namespace weft::serve_detail
