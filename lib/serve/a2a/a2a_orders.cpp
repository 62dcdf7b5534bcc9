#include "a2a_orders.hpp"

#include "a2a_answers.hpp"
#include "a2a_fault.hpp"
#include "serve/order/request_claim.hpp"
#include "serve/order/run_orders.hpp"
#include "serve/order/sent_tools.hpp"
#include "serve/wire/views.hpp"

#include <weft/base/text/base64.hpp>
#include <weft/net/text/digest.hpp>

#include <boost/json/serialize.hpp>

#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::object;
using boost::json::value;

constexpr std::chrono::minutes message_lifetime{10};
constexpr std::size_t told_bytes_max = 8 * 1024;  // of a message that is kept for the history of its task
constexpr std::size_t told_depth_max = 16;

/** Whether a value is nested deeper than that; documents of stores have a bound. */
bool is_deeper(const value& than, std::size_t depth)
{
    if (depth == 0) return than.is_object() || than.is_array();
    if (const object* const members = than.if_object())
        for (const auto& [name, member] : *members)
            if (is_deeper(member, depth - 1)) return true;
    if (const boost::json::array* const items = than.if_array())
        for (const value& item : *items)
            if (is_deeper(item, depth - 1)) return true;
    return false;
}

/** What is noted about a run beside its message: stores take short, flat texts. */
object note_of(const a2a_message& message)
{
    object note{{"message_id", message.id}};
    const std::string text = boost::json::serialize(message.told);
    const bool is_storable = text.size() <= told_bytes_max && text.find("\\u0000") == text.npos;
    if (is_storable && !is_deeper(message.told, told_depth_max)) note["message"] = message.told;
    return note;
}

/** By what a message is known again: its id, and all that it says, since ids are not always unique. */
std::string key_of(const std::string& agent, const a2a_message& message)
{
    std::string all = agent;
    all.append("\n").append(message.context).append("\n").append(message.task).append("\n");
    all.append(boost::json::serialize(message.told));
    return "a2a:" + to_hex(net_detail::sha256(all));
}

/** The assistant that a run was ordered from; a later message goes to it as well. */
std::string agent_in(const run_record& run)
{
    const object noted = object_in(run.metadata);
    const value* const id = noted.if_contains("assistant_id");
    return id && id->is_string() ? std::string{id->get_string()} : run.graph;
}

/** The input of a message, in the words of the graph. */
object input_of(const hosted_graph& graph, const a2a_message& message)
{
    const chat_graph& chat = graph.chat;
    if (message.has_images && chat.messages_key().empty())
        refuse_a2a(a2a_code::content_type_not_supported, "message.parts",
                   "the agent has no conversation, and takes text and data only");
    std::string text = message.text;
    for (const value& data : message.data)
        text.append(text.empty() ? "" : "\n").append(boost::json::serialize(data));
    object said{{"role", "user"}, {"id", message.id}};
    // Models, and other protocols, show one text as a text.
    const bool is_text = message.blocks.size() == 1 && !message.has_images;
    if (is_text) said["content"] = text;
    else said["content"] = message.blocks;
    object values = chat.input(boost::json::array{std::move(said)}, text);
    // The protocol has no member for them: they come as metadata, in the words of OpenAI.
    if (!chat.client_tools_key().empty())
        values[chat.client_tools_key()] = require_sound_tools(
            graph.graph, sent_tools_of(message.metadata), [](std::string_view place, std::string why) {
                refuse_a2a(a2a_code::invalid_params, "message.metadata." + std::string{place}, std::move(why));
            });
    return values;
}

/** A task that goes on where another one ended: in its thread, from its last checkpoint. */
task<void> fork_from(serve_core& core, std::string tenant, a2a_message& message, run_body& body)
{
    const run_record source = co_await require_a2a_task(core, std::move(tenant), message.references.front());
    if (message.context.empty()) message.context = source.thread.thread;
    if (message.context != source.thread.thread) co_return;  // told to the agent, and no source
    const std::optional<std::int64_t> from = co_await last_checkpoint_of(core, source);
    const std::optional<stored_thread> known = co_await core.stores.service->threads().find(source.thread);
    const bool is_newest = known && from == known->head;
    if (from && !is_newest) body.checkpoint = from;
}

task<run_order> order_new(serve_core& core, std::string tenant, std::string agent, a2a_message& message, run_id id)
{
    run_body body;
    body.id = id;
    if (agent.empty())
        refuse_a2a(a2a_code::invalid_params, "message.metadata.skill",
                   "several agents are here: name one of " + core.served->names() + ", or use its own card");
    const assistant used = co_await require_assistant(core, tenant, agent, 404);
    body.assistant = used.id;
    body.input = input_of(*graph_of(core, used), message);
    if (!message.references.empty()) co_await fork_from(core, tenant, message, body);
    if (message.context.empty()) message.context = core.next_id<run_id>().text();
    body.makes_thread = true;
    body.metadata[a2a_note] = note_of(message);
    thread_key thread{message.context, std::move(tenant)};
    co_return co_await order_in_thread(core, std::move(thread), std::move(body));
}

// The checks come before the order, which takes an answer for the only question that is open.
task<run_order> order_answer(serve_core& core, a2a_message& message, run_record run)
{
    if (!message.context.empty() && message.context != run.thread.thread)
        refuse_a2a(a2a_code::invalid_params, "message.contextId", "is not the context of the task");
    const std::string id = run.id.text();
    if (is_over(run.phase))
        refuse_a2a(a2a_code::unsupported_operation, "",
                   "the task " + id + " is over (" + std::string{name_of(a2a_state_of(run.phase))} +
                       "): send the message without taskId");
    if (run.phase != run_phase::waiting)
        refuse_a2a(a2a_code::unsupported_operation, "", "the task " + id + " is at work and asks nothing");
    const std::vector<open_question> open = co_await core.engine.questions(run.thread);
    if (open.empty()) refuse_a2a(a2a_code::unsupported_operation, "", "the task " + id + " has no open question");
    question_answers answers = a2a_answers(message, open);
    run_body body;
    body.assistant = agent_in(run);
    object resume;
    for (const auto& [address, answer] : answers) resume[address] = answer;
    body.resume = std::move(resume);
    thread_key thread = run.thread;
    run_order order = co_await order_in_thread(core, std::move(thread), std::move(body));
    // By address, whatever was asked meanwhile.
    order.answers = std::move(answers);
    co_return order;
}

a2a_task task_of_order(const serve_core& core, const run_order& order, const a2a_message& message)
{
    a2a_task begun;
    begun.id = order.id;
    begun.context = order.thread->thread;
    begun.graph = order.graph;
    begun.at = core.loop.clock().system_now();
    begun.state = order.what == run_order::kind::answer ? a2a_state::working : a2a_state::submitted;
    if (order.what == run_order::kind::begin) begun.told = message.told;
    return begun;
}

task<a2a_begun> carry_out(serve_core& core, std::string tenant, std::string agent, a2a_message message, run_id id)
{
    run_order order;
    if (message.task.empty()) {
        run_order made = co_await order_new(core, std::move(tenant), std::move(agent), message, id);
        order = std::move(made);
    } else {
        run_record run = co_await require_a2a_task(core, std::move(tenant), message.task);
        run_order made = co_await order_answer(core, message, std::move(run));
        order = std::move(made);
    }
    a2a_begun begun;
    begun.task = task_of_order(core, order, message);
    order.trace = message.trace;
    begun.is_answer = order.what == run_order::kind::answer;
    begun.follower.thread = order.thread;
    // A run that goes on after an answer has told its beginning before.
    if (const auto before = core.feeds.find(order.id)) begun.follower.after = before->last_id();
    begun.follower.feed = run_launcher{core}.launch(std::move(order));
    // A client that knows the task may ask for it at once.
    (void)co_await wait_for_entry(core, begun.follower.feed);
    co_return begun;
}

/** The task that a message has begun before. */
task<a2a_begun> find_begun(serve_core& core, std::string tenant, run_id id)
{
    const run_record run = co_await require_a2a_task(core, std::move(tenant), id.text());
    a2a_begun begun;
    begun.is_known = true;
    begun.task = co_await a2a_task_of(core, run, true);
    begun.follower = co_await join_run(core, run);
    co_return begun;
}

}  // namespace

begun_request begun_by(const a2a_begun& begun) { return {begun.task.id, 0}; }

task<run_record> require_a2a_task(serve_core& core, std::string tenant, std::string id)
{
    const std::optional<run_id> wanted = run_id::parse(id);
    std::optional<run_record> found;
    if (wanted) found = co_await core.stores.runs->find_run(*wanted);
    if (!found || found->thread.tenant != tenant)
        refuse_a2a(a2a_code::task_not_found, "", "there is no task '" + id + "'");
    co_return std::move(*found);
}

task<a2a_begun> begin_a2a_task(serve_core& core, std::string tenant, std::string agent, a2a_message message)
{
    repeatable_request request;
    request.tenant = tenant;
    request.key = key_of(agent, message);
    request.place = "message.messageId";
    request.lifetime = message_lifetime;
    request_claim claim{core, std::move(request)};
    const std::optional<begun_request> known = co_await claim.take();
    if (known) co_return co_await find_begun(core, std::move(tenant), known->run);
    task<a2a_begun> beginning =
        carry_out(core, std::move(tenant), std::move(agent), std::move(message), claim.run());
    co_return co_await claim.hold(std::move(beginning));
}

}  // namespace weft::serve_detail
