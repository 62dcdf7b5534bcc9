// What a connection does beside the calls: it listens, answers the server, and keeps its subscription.

#include "mcp_connection.hpp"

#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>

#include <utility>

namespace weft::mcp_detail {

namespace {

using boost::json::object;

// Nothing depends on whether the server hears of it.
constexpr std::chrono::nanoseconds notice_time_max = std::chrono::seconds{5};
// It is meant to last; it has a limit because each request has one.
constexpr std::chrono::nanoseconds subscription_time_max = std::chrono::hours{24 * 365};

/** How often a subscription may end early in a row before the client gives it up. */
constexpr int subscription_failures_max = 5;

}  // namespace

void mcp_connection::on_message(json_rpc_message message)
{
    switch (message.what()) {
    case json_rpc_message::kind::request: return on_request(std::move(message));
    case json_rpc_message::kind::notification: return on_notification(message);
    case json_rpc_message::kind::result:
    case json_rpc_message::kind::error:
        const std::string id = message.id() ? text_of(*message.id()) : "none";
        if (!requests_.settle(std::move(message))) complain("dropped an answer that nobody waits for, id " + id);
    }
}

void mcp_connection::on_request(json_rpc_message message)
{
    waiting_replies::place reply = replies_.open(*message.id());
    if (replies_.are_too_many()) return refuse_to_wait(replies_.failure(transport_->label()));
    // A scope whose stop was asked for drops the child: a client that closes answers nothing any more.
    children_->spawn(serve(std::move(message), std::move(reply)));
}

/** Ends the connection: what waits for the server would only grow. */
void mcp_connection::refuse_to_wait(const error& why)
{
    if (state_ != state::ready && state_ != state::connecting) return;
    lose(why);
    if (listening_) listening_->request_stop();
}

void mcp_connection::on_broken_answer(json_rpc_id id, error why)
{
    if (!requests_.fail(id, why)) complain("dropped an answer that nobody waits for, id " + text_of(id));
}

void mcp_connection::on_notification(const json_rpc_message& message)
{
    if (message.method() == "notifications/progress") {
        requests_.progress(message.params());
    } else if (message.method() == "notifications/cancelled") {
        const boost::json::value* id = message.params().if_contains("requestId");
        if (const auto which = id ? json_rpc_id_of(*id) : std::nullopt) served_.cancel(*which);
    } else if (observer_.notified) {
        observer_.notified(message);
    }
}

task<void> mcp_connection::notify(json_rpc_message notification)
{
    mcp_outgoing out = outgoing_of(std::move(notification), agreement_.era, agreement_.version);
    co_await transport_->send(*this, std::move(out));
}

task<void> mcp_connection::serve(json_rpc_message request, waiting_replies::place reply)
{
    const std::string method = request.method();
    std::optional<std::string> failure;
    try {
        json_rpc_message answer = co_await served_.answer(std::move(request));
        // The size of an answer is known only now, and many small questions can have large ones.
        reply.set_bytes(answer.text().size());
        if (replies_.are_too_many()) {
            refuse_to_wait(replies_.failure(transport_->label()));
            co_return;
        }
        task<void> sending = notify(std::move(answer));
        co_await with_deadline(std::move(sending), options_.handshake_timeout);
    } catch (const error& e) {
        if (e.code() != errc::cancelled) failure = e.what();
    }
    if (failure) complain("could not answer the server's '" + method + "': " + *failure);
}

task<void> mcp_connection::tell_cancelled(std::int64_t id, std::string reason)
{
    object params{{"requestId", id}, {"reason", std::move(reason)}};
    std::optional<std::string> failure;
    try {
        task<void> telling = notify(json_rpc_message::notification("notifications/cancelled", std::move(params)));
        co_await with_deadline(std::move(telling), notice_time_max);
    } catch (const error& e) {
        if (e.code() != errc::cancelled) failure = e.what();
    }
    if (failure) complain("could not tell the server that a request is cancelled: " + *failure);
}

void mcp_connection::lose(const error& why)
{
    if (state_ != state::ready && state_ != state::connecting) return;
    // One that is being made stays `connecting`: the coroutine that makes it reports the failure.
    if (state_ == state::ready) state_ = state::lost;
    ++losses_;
    why_lost_ = why;
    requests_.lose(why);
}

task<void> mcp_connection::keep_listening(int generation)
{
    const task_context& context = co_await this_task::context();
    scope work{context};
    listening_ = &work;
    struct leave {
        scope*& listening;
        scope* self;
        ~leave()
        {
            if (listening == self) listening = nullptr;
        }
    } const leaving{listening_, &work};

    std::optional<error> why;
    work.spawn(transport_->listen(*this, agreement_));
    try {
        co_await work.join();
    } catch (const error& e) {
        why = e;
    }
    // Of a connection that has been replaced meanwhile the end is no news.
    if (!why || why->code() == errc::cancelled || generation != generation_) co_return;
    // Over HTTP this stream is an addition: answers come in the streams of their calls.
    if (transport_->wire() == mcp_wire::pipe)
        lose(*why);
    else
        complain(std::string{"the server's own stream of messages ended: "} + why->what());
}

task<void> mcp_connection::keep_subscribed(int generation)
{
    const auto is_current = [this, generation] {
        return generation == generation_ && (state_ == state::connecting || state_ == state::ready);
    };
    for (int failures = 0; is_current() && failures < subscription_failures_max;) {
        object wanted{{"toolsListChanged", true}, {"promptsListChanged", true}, {"resourcesListChanged", true}};
        connection_request request{"subscriptions/listen", object{{"notifications", std::move(wanted)}}};
        request.limits.quiet_max = subscription_time_max;
        const time_point began = loop_->now();
        std::optional<error> why;
        bool is_refused = false;
        try {
            const json_rpc_message answer = co_await exchange(std::move(request), agreement_.era, agreement_.version);
            is_refused = answer.what() == json_rpc_message::kind::error;
        } catch (const mcp_error& e) {
            is_refused = true;
            why = e;
        } catch (const error& e) {
            why = e;
        }
        if (is_refused || (why && why->code() == errc::cancelled) || !is_current()) break;
        // What changed while there was no stream is not known: everything may have.
        if (observer_.forget) observer_.forget();
        // A subscription that lasted was a good one: the count begins again.
        failures = loop_->now() - began > std::chrono::minutes{1} ? 1 : failures + 1;
        co_await sleep_for(options_.reconnect.delay_before(failures + 1, loop_->random().uniform()));
    }
}

}  // namespace weft::mcp_detail
