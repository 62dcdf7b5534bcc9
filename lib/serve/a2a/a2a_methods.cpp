#include "a2a_methods.hpp"

#include "a2a_answers.hpp"
#include "a2a_fault.hpp"
#include "a2a_fields.hpp"
#include "a2a_orders.hpp"
#include "serve/http/open_answer.hpp"
#include "serve/order/assistants.hpp"
#include "serve/order/runs.hpp"
#include "serve/wire/run_notes.hpp"
#include "serve/wire/views.hpp"

#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/net/server/http_error.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::chrono::seconds cancel_wait_max{5};

/** What is needed to answer one call. */
struct a2a_session {
    serve_core& core;
    a2a_push_sender& pushes;
    api_call& call;
    a2a_method_call asked;
};

std::string answer_text(const a2a_envelope& in, value result)
{
    if (!in.is_rpc) return boost::json::serialize(result);
    return boost::json::serialize(object{{"jsonrpc", "2.0"}, {"id", in.id}, {"result", std::move(result)}});
}

std::string answer_type(const a2a_envelope& in) { return in.is_rpc ? "application/json" : "application/a2a+json"; }

task<void> reply_result(a2a_session& of, value result)
{
    http_reply answer{200, answer_text(of.asked.envelope, std::move(result)), answer_type(of.asked.envelope)};
    return of.call.http().reply(std::move(answer));
}

bool is_legacy(const a2a_session& of) noexcept { return of.asked.envelope.dialect == a2a_dialect::v03; }

object task_result(const a2a_session& of, const a2a_task& shown, std::optional<std::size_t> history_length)
{
    object view = view_of(shown, history_length);
    return is_legacy(of) ? legacy_task(std::move(view)) : view;
}

/** The result of `SendMessage`. */
object sent_result(const a2a_session& of, const a2a_task& shown, std::optional<std::size_t> history_length)
{
    object view = task_result(of, shown, history_length);
    return is_legacy(of) ? view : object{{"task", std::move(view)}};
}

/** Without an id in the path the message says whom it is for, as the skills of the card are named; else the only one
 *  there is. */
std::string agent_of(const a2a_session& of, const a2a_send& send)
{
    if (!of.asked.agent.empty()) return of.asked.agent;
    if (!send.tenant.empty()) return send.tenant;
    const value* const skill = send.message.metadata.if_contains("skill");
    if (skill && skill->is_string()) return std::string{skill->get_string()};
    return of.core.served->graphs.size() == 1 ? std::string{of.core.served->graphs.front().graph.name()}
                                              : std::string{};
}

task<a2a_begun> begin_for(a2a_session& of, a2a_send& send)
{
    of.core.access.require_allowed(of.call.who(), of.call.http(), "threads", "create_run");
    if (send.push) of.pushes.check(*send.push, "configuration");
    std::string agent = agent_of(of, send);
    send.message.trace = of.call.trace();
    a2a_begun begun = co_await begin_a2a_task(of.core, of.call.tenant(), std::move(agent), std::move(send.message));
    if (begun.is_answer) of.call.audit("threads.answer");
    if (send.push && !begun.is_known) {
        send.push->task = begun.task.id.text();
        (void)co_await of.pushes.enter(of.call.tenant(), std::move(*send.push), of.asked.envelope.dialect);
    }
    co_return begun;
}

// A client that waits for long gets blanks meanwhile, so that no proxy closes the connection.
task<void> reply_at_end(a2a_session& of, a2a_begun begun, std::optional<std::size_t> history_length)
{
    http_call& http = of.call.http();
    feed_reader reader{begun.follower.feed, begun.follower.after};
    bool is_streaming = false;
    auto last_sign = of.core.loop.now();
    while (!begun.follower.feed->is_closed()) {
        while (reader.next()) {}
        co_await wait_for_more(of.core, reader, begun.follower);
        const bool is_silent = of.core.loop.now() - last_sign >= of.core.options.heartbeat;
        if (begun.follower.feed->is_closed() || !is_silent) continue;
        if (!is_streaming) {
            http_headers headers;
            forbid_buffering(headers);
            co_await http.start_stream(200, answer_type(of.asked.envelope), std::move(headers));
        }
        is_streaming = true;
        co_await http.write("\n");
        last_sign = of.core.loop.now();
    }
    run_ending ending = co_await wait_for_end(of.core, begun.follower);
    a2a_task left = a2a_task_at_end(std::move(begun.task), std::move(ending));
    left.at = of.core.loop.clock().system_now();
    object result = sent_result(of, left, history_length);
    if (!is_streaming) {
        co_await reply_result(of, std::move(result));
        co_return;
    }
    const std::string text = answer_text(of.asked.envelope, std::move(result));
    co_await http.end_stream(text);
}

std::string last_result(const std::string& why)
{
    refusal refused;
    refused.status = 401;
    refused.code = "unauthenticated";
    refused.message = why;
    int status = 0;
    return boost::json::serialize(a2a_http_error(refused, status));
}

task<void> send_message(a2a_session& of)
{
    a2a_send send = read_a2a_send(of.asked.params, of.asked.envelope.dialect);
    a2a_begun begun = co_await begin_for(of, send);
    const bool is_over = begun.is_known && is_terminal(begun.task.state);
    if (send.returns_at_once || is_over) {
        co_await reply_result(of, sent_result(of, begun.task, send.history_length));
        co_return;
    }
    task<void> waiting = reply_at_end(of, std::move(begun), send.history_length);
    co_await answer_while_allowed(of.core.access.watch(), of.call, std::move(waiting), last_result);
}

// The stream of a message that came before tells all from the beginning: its client has lost what it had.
task<void> stream_message(a2a_session& of)
{
    a2a_send send = read_a2a_send(of.asked.params, of.asked.envelope.dialect);
    a2a_begun begun = co_await begin_for(of, send);
    begun.task.values.reset();  // what was said is said again
    if (begun.is_known && !is_terminal(begun.task.state)) begun.task.state = a2a_state::submitted;
    auto writer = std::make_unique<a2a_writer>(of.asked.envelope, std::move(begun.task), send.history_length);
    co_await stream_run(of.core, of.call, std::move(begun.follower), std::move(writer));
}

task<run_record> require_task(a2a_session& of, std::string_view action,
                              const text_field& name = fields_of<a2a_task_name_fields>().id)
{
    of.core.access.require_allowed(of.call.who(), of.call.http(), "threads", action);
    std::string id = name.needed_in(of.asked.params);
    return require_a2a_task(of.core, of.call.tenant(), std::move(id));
}

task<void> get_task(a2a_session& of)
{
    const number_field& asked = fields_of<a2a_task_fields>().history_length;
    const std::optional<std::size_t> length = a2a_history_length(asked, of.asked.params);
    run_record run = co_await require_task(of, "read");
    const a2a_task shown = co_await a2a_task_of(of.core, std::move(run), true);
    co_await reply_result(of, task_result(of, shown, length));
}

// A run that is over has no stream, as the protocol has it: clients get the task.
task<void> subscribe(a2a_session& of)
{
    const run_record run = co_await require_task(of, "read");
    if (is_over(run.phase))
        refuse_a2a(a2a_code::unsupported_operation, "",
                   "the task is over (" + std::string{name_of(a2a_state_of(run.phase))} + "): get it");
    a2a_task first = co_await a2a_task_of(of.core, run, false);
    run_follower follower = co_await join_run(of.core, run);
    auto writer = std::make_unique<a2a_writer>(of.asked.envelope, std::move(first));
    co_await stream_run(of.core, of.call, std::move(follower), std::move(writer));
}

task<void> cancel_task(a2a_session& of)
{
    run_record run = co_await require_task(of, "update");
    if (is_over(run.phase))
        refuse_a2a(a2a_code::task_not_cancelable, "",
                   "the task is over: " + std::string{name_of(a2a_state_of(run.phase))});
    (void)co_await cancel_run(of.core, run);
    of.call.audit("threads.cancel");
    // Nodes have a while to end in order.
    try {
        task<std::optional<run_record>> ending = wait_until_over(of.core, run);
        const std::optional<run_record> ended = co_await with_deadline(std::move(ending), cancel_wait_max);
        if (ended) run = *ended;
    } catch (const error& e) {
        if (e.code() != errc::timeout) throw;
    }
    const a2a_task shown = co_await a2a_task_of(of.core, std::move(run), true);
    co_await reply_result(of, task_result(of, shown, std::nullopt));
}

/** A task in a list, which has runs without their inputs. */
task<object> listed_task(a2a_session& of, stored_run run, const a2a_list_query& query)
{
    run_record record;
    record.id = run.id;
    record.thread = std::move(run.thread);
    record.phase = run.phase;
    record.graph = std::move(run.graph);
    record.message = std::move(run.message);
    record.metadata = std::move(run.metadata);
    record.changed = run.changed;
    const a2a_task shown = co_await a2a_task_of(of.core, std::move(record), query.has_artifacts);
    co_return task_result(of, shown, query.history_length);
}

task<void> list_tasks(a2a_session& of)
{
    of.core.access.require_allowed(of.call.who(), of.call.http(), "threads", "read");
    const a2a_list_query query = read_a2a_list(of.asked.params);
    run_query wanted;
    wanted.tenant = of.call.tenant();
    if (!query.context.empty()) wanted.thread = query.context;
    wanted.phases = query.phases;
    wanted.changed_from = query.changed_from;
    wanted.after = query.page_token;
    wanted.count_max = query.page_size;
    // Without an agent in the path all tasks of the tenant are listed.
    std::string agent = of.asked.agent.empty() ? query.tenant : of.asked.agent;
    if (!agent.empty()) {
        const assistant used = co_await require_assistant(of.core, of.call.tenant(), std::move(agent), 404);
        wanted.contains = boost::json::serialize(object{{"assistant_id", used.id}});
    }
    run_page page;
    std::size_t total = 0;
    if (!query.finds_nothing) {
        run_page found = co_await search_runs(of.core, wanted, fields_of<a2a_list_fields>().page_token);
        page = std::move(found);
        wanted.after.clear();
        total = co_await of.core.stores.service->runs().count(std::move(wanted));
    }
    array tasks;
    for (stored_run& run : page.runs) {
        // A change of the state by hand holds the thread as a run does, and is none.
        if (object_in(run.metadata).contains(run_notes::kind)) continue;
        object shown = co_await listed_task(of, std::move(run), query);
        tasks.push_back(std::move(shown));
    }
    object result{{"tasks", std::move(tasks)}, {"nextPageToken", page.next}};
    result["pageSize"] = query.page_size;
    result["totalSize"] = total;
    co_await reply_result(of, std::move(result));
}

// Push notifications.

value push_result(const a2a_session& of, const a2a_push_config& config)
{
    object view = view_of(config);
    return is_legacy(of) ? legacy_push_config(std::move(view)) : view;
}

task<void> create_push(a2a_session& of)
{
    const a2a_new_push_fields& fields = fields_of<a2a_new_push_fields>();
    a2a_push_config config = read_a2a_push(fields, of.asked.params);
    config.task = fields.task.needed_in(of.asked.params);
    const run_record run = co_await require_task(of, "update", fields.task);
    of.pushes.check(config, "");
    const a2a_push_config entered =
        co_await of.pushes.enter(of.call.tenant(), std::move(config), of.asked.envelope.dialect);
    co_await reply_result(of, push_result(of, entered));
}

task<void> get_push(a2a_session& of)
{
    const run_record run = co_await require_task(of, "read", fields_of<a2a_push_list_fields>().task);
    // In 0.3 there may be no id: the task has one configuration then.
    std::string id = fields_of<a2a_push_view_fields>().id.text_or_empty(of.asked.params);
    const a2a_push_config found = co_await of.pushes.find(of.call.tenant(), run.id.text(), std::move(id));
    co_await reply_result(of, push_result(of, found));
}

task<void> list_pushes(a2a_session& of)
{
    const run_record run = co_await require_task(of, "read", fields_of<a2a_push_list_fields>().task);
    const std::vector<a2a_push_config> found = co_await of.pushes.list(of.call.tenant(), run.id.text());
    array configs;
    for (const a2a_push_config& config : found) configs.push_back(push_result(of, config));
    value result;
    if (is_legacy(of)) result = std::move(configs);
    else result = object{{"configs", std::move(configs)}, {"nextPageToken", ""}};
    co_await reply_result(of, std::move(result));
}

task<void> erase_push(a2a_session& of)
{
    const run_record run = co_await require_task(of, "update", fields_of<a2a_push_list_fields>().task);
    std::string id = fields_of<a2a_push_erasure_fields>().id.needed_in(of.asked.params);
    co_await of.pushes.erase(of.call.tenant(), run.id.text(), std::move(id));
    value nothing = is_legacy(of) ? value(nullptr) : value(object{});
    co_await reply_result(of, std::move(nothing));
}

task<void> no_extended_card(a2a_session&)
{
    refuse_a2a(a2a_code::extended_card_not_configured, "", "the agent has no card beside its public one");
    co_return;
}

struct method_function {
    std::string_view name;
    task<void> (*answer)(a2a_session& of);
};
constexpr std::array<method_function, 11> methods{{
    {"SendMessage", send_message},
    {"SendStreamingMessage", stream_message},
    {"GetTask", get_task},
    {"ListTasks", list_tasks},
    {"CancelTask", cancel_task},
    {"SubscribeToTask", subscribe},
    {"CreateTaskPushNotificationConfig", create_push},
    {"GetTaskPushNotificationConfig", get_push},
    {"ListTaskPushNotificationConfigs", list_pushes},
    {"DeleteTaskPushNotificationConfig", erase_push},
    {"GetExtendedAgentCard", no_extended_card},
}};

}  // namespace

task<void> answer_a2a_method(serve_core& core, a2a_push_sender& pushes, api_call& call, a2a_method_call asked)
{
    a2a_session session{core, pushes, call, std::move(asked)};
    // A path that leads to no agent is told whatever is asked of it.
    if (!session.asked.agent.empty()) {
        const assistant used = co_await require_assistant(core, call.tenant(), session.asked.agent, 404);
        session.asked.agent = used.id;
    }
    for (const method_function& one : methods) {
        if (one.name != session.asked.method) continue;
        co_await one.answer(session);
        co_return;
    }
    refuse_a2a(a2a_code::method_not_found, "", "there is no method '" + session.asked.method + "'");
}

}  // namespace weft::serve_detail
