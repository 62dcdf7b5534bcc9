#include "thread_protocol.hpp"

#include "run_orders.hpp"
#include "serve/http/bound_route.hpp"
#include "serve/http/refusal.hpp"
#include "serve/wire/body_fields.hpp"
#include "serve/wire/thread_frames.hpp"
#include "threads.hpp"

#include <weft/base/error.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/array.hpp>

#include <charconv>
#include <exception>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

/** What is wrong with a command, in the words of the protocol. */
class command_error : public std::runtime_error {
public:
    command_error(std::string code, const std::string& message) : std::runtime_error{message}, code_{std::move(code)} {}
    [[nodiscard]] const std::string& code() const noexcept { return code_; }

private:
    std::string code_;
};

/** What `run.start` says, as the body of the first protocol. */
run_body body_of_start(const object& params)
{
    object body = params;
    // Both spellings are on the wire.
    if (const value* const strategy = find_member(params, "multitaskStrategy")) body["multitask_strategy"] = *strategy;
    if (const value* const assistant = find_member(params, "assistantId")) body["assistant_id"] = *assistant;
    if (const object* const config = object_member(params, "config"))
        if (const object* const configurable = object_member(*config, "configurable"))
            if (const value* const checkpoint = find_member(*configurable, "checkpoint_id"))
                body["checkpoint_id"] = *checkpoint;
    run_body result = read_run_body(body, stream_mode::values);
    result.makes_thread = true;
    return result;
}

task<object> start_run(serve_core& core, thread_key thread, object params)
{
    run_order order = co_await order_in_thread(core, std::move(thread), body_of_start(params));
    object result;
    result["run_id"] = order.id.text();
    // From the first event on: a client may watch the thread a moment later.
    (void)core.tapes.of(*order.thread);
    (void)run_launcher{core}.launch(std::move(order));
    co_return result;
}

/** Answers by the ids of interrupts, from one answer or from a list. */
object answers_in(const object& params)
{
    object answers;
    const auto add = [&answers](const object& from) {
        const value* const response = from.if_contains("response");
        answers[required_text(from, "interrupt_id")] = response ? *response : value(nullptr);
    };
    if (const value* const several = find_member(params, "responses")) {
        if (!several->is_array()) refuse_member("params.responses", "expected a list");
        for (const value& one : several->get_array()) {
            if (!one.is_object()) refuse_member("params.responses", "expected objects");
            add(one.get_object());
        }
    } else {
        add(params);
    }
    return answers;
}

task<object> respond(serve_core& core, thread_key thread, object params)
{
    const object answers = answers_in(params);
    const stored_thread known = co_await require_thread(core, thread);
    const std::optional<run_record> active = co_await core.stores.runs->active_run(known.thread);
    const std::vector<open_question> questions = co_await core.engine.questions(known.thread);
    for (const auto& [id, answer] : answers)
        if (std::none_of(questions.begin(), questions.end(), [&](const auto& asked) { return asked.address == id; }))
            throw command_error{"no_such_interrupt", "no question '" + std::string{id} + "' is open in the thread"};
    if (!active) throw command_error{"no_such_run", "no run of the thread waits"};
    run_body body;
    body.assistant = active->graph;
    body.resume = value(answers);
    if (const object* const update = object_member(params, "update")) body.update = *update;
    if (find_member(params, "goto")) throw command_error{"not_supported", "a graph of weft goes where its edges lead"};
    run_order order = co_await order_in_thread(core, std::move(thread), std::move(body));
    (void)core.tapes.of(*order.thread);
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

task<object> carry_out(serve_core& core, thread_key thread, std::string method, object params)
{
    if (method == "run.start") return start_run(core, std::move(thread), std::move(params));
    if (method == "input.respond") return respond(core, std::move(thread), std::move(params));
    if (method == "agent.getTree") return tree_of(core, std::move(thread));
    throw command_error{"unknown_command", "there is no command '" + method +
                                               "' here; there are run.start, input.respond, agent.getTree"};
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
        return {is_argument ? "invalid_argument" : why.code == "thread_is_busy" ? "run_active" : why.code, why.message};
    }
}

task<void> receive_command(serve_core& core, api_call& call)
{
    object given;
    std::exception_ptr failure;
    try {
        given = co_await call.read_object();
    } catch (const http_error& refused) {
        failure = std::current_exception();
        if (refused.status() != 422) throw;
    }
    // Only a text that is no command has a status of its own: without an id there is nothing to answer to.
    if (failure) throw http_error{400, "invalid_json", "expected a command: an object with id, method and params"};
    object answer;
    const value* const id = find_member(given, "id");
    const bool has_id = id && (id->is_int64() || id->is_uint64());
    std::pair<std::string, std::string> fault{"invalid_argument", "id: expected a number"};
    if (has_id) {
        try {
            const object* const params = object_member(given, "params");
            std::string method = required_text(given, "method");
            object with;
            if (params) with = *params;
            if (method == "input.respond") call.audit("threads.answer");
            answer["result"] = co_await carry_out(core, call.thread(), std::move(method), std::move(with));
        } catch (...) {
            failure = std::current_exception();
        }
        if (failure) fault = fault_of(failure);
    }
    const bool is_good = has_id && !failure;
    answer["type"] = is_good ? "success" : "error";
    answer["id"] = has_id ? *id : value(nullptr);
    if (is_good) {
        answer["meta"].emplace_object()["applied_through_seq"] = 0;
    } else {
        answer["error"] = fault.first;
        answer["message"] = fault.second;
    }
    const int status = has_id ? 200 : 400;
    co_await call.reply(status, answer);
}

/** What the client has seen: `since` of the body, or what a browser sends when it connects again. */
std::uint64_t seen_by(const object& body, const http_headers& headers)
{
    constexpr std::int64_t any = std::int64_t{1} << 53;
    std::uint64_t seen = static_cast<std::uint64_t>(number_member(body, "since", 0, any).value_or(0));
    // A browser that connects again sends the body of the first time, and what it has seen since then here.
    if (const auto last = headers.find("last-event-id"))
        std::from_chars(last->data(), last->data() + last->size(), seen);
    return thread_frames::entry_of(seen);
}

task<void> watch_thread(serve_core& core, api_call& call)
{
    const object body = co_await call.read_object();
    thread_frames frames{channel_filter::read(body)};
    tape_reader reader{core.tapes.of(call.thread()), seen_by(body, call.http().headers())};
    http_headers headers;
    headers.set("Cache-Control", "no-store");
    headers.set("X-Accel-Buffering", "no");
    co_await call.http().start_stream(200, "text/event-stream", std::move(headers));
    // The first bytes tell proxies and browsers that the stream is there.
    std::string out = ": ready\n\n";
    while (!reader.is_at_end() || !out.empty()) {
        while (out.size() < 32 * 1024) {
            const tape_entry* const entry = reader.next();
            if (!entry) break;
            frames.append(out, *entry);
        }
        if (out.empty()) {
            const auto before = core.loop.now();
            co_await reader.wait(core.options.heartbeat);
            if (core.loop.now() - before >= core.options.heartbeat) out = ": heartbeat\n\n";
            continue;
        }
        co_await call.http().write(out);
        out.clear();
    }
}

}  // namespace

void add_thread_protocol_routes(route_table& routes, serve_core& core)
{
    bind_route(routes, core, "POST", "/threads/{thread_id}/commands", {"threads", "create_run"}, receive_command);
    bind_route(routes, core, "POST", "/threads/{thread_id}/stream/events", {"threads", "read"}, watch_thread);
    bind_route(routes, core, "POST", "/threads/{thread_id}/stream", {"threads", "read"}, watch_thread);
}

}  // namespace weft::serve_detail
