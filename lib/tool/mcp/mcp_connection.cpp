#include "mcp_connection.hpp"

#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json/json_peek.hpp>

#include <boost/assert.hpp>

#include <utility>

namespace weft::mcp_detail {

namespace {

using boost::json::object;

// A subscription is meant to last; it has a limit because each request has one.
constexpr std::chrono::nanoseconds subscription_time_max = std::chrono::hours{24 * 365};

/** How often a subscription may end early in a row before the client gives it up. */
constexpr int subscription_failures_max = 5;

}  // namespace

mcp_connection::mcp_connection(std::unique_ptr<mcp_transport> transport, const mcp_client_options& options)
    : transport_{std::move(transport)}, options_{options}, served_{options},
      exchange_{{*transport_, *this, agreement_, served_, options}}, replies_{options.limits}
{
}

mcp_connection::~mcp_connection() = default;

void mcp_connection::complain(std::string what) const
{
    if (options_.on_noise) options_.on_noise(what);
}

void mcp_connection::bind(serial_loop& loop)
{
    if (!loop_) {
        loop_ = &loop;
        context_.loop = &loop;
        children_.emplace(context_, failure_policy::keep_going);
        exchange_.bind(loop, *children_);
    }
    BOOST_ASSERT_MSG(loop_ == &loop, "an MCP client lives on the loop that connected it");
}

task<void> mcp_connection::connect()
{
    if (state_ == state::ready) co_return;
    serial_loop& loop = co_await this_task::loop();
    bind(loop);
    const slot_limiter::slot turn = co_await connecting_.acquire();
    if (state_ == state::ready) co_return;
    if (state_ == state::closed) throw error{errc::stream_closed, transport_->label(), "the MCP client was closed"};
    // Whatever waited behind the slot finds the connection that the first one made.
    if (state_ == state::lost)
        co_await connect_again();
    else
        co_await connect_once();
}

task<void> mcp_connection::connect_again()
{
    const retry_policy& policy = options_.reconnect;
    if (policy.attempts_max <= 0 || losses_ > options_.losses_max) throw *why_lost_;
    for (int attempt = 1;; ++attempt) {
        std::optional<error> failure;
        try {
            co_await connect_once();
        } catch (const error& e) {
            failure = e;
        }
        if (!failure) co_return;
        if (!policy.retries_after(attempt, failure->code())) throw *failure;
        co_await sleep_for(policy.delay_before(attempt + 1, loop_->random().uniform()));
    }
}

task<void> mcp_connection::connect_once()
{
    const state before = std::exchange(state_, state::connecting);
    // A connection that did not come about leaves things as they were, also when this task is destroyed.
    struct back {
        mcp_connection& self;
        state before;
        ~back()
        {
            if (self.state_ != state::connecting) return;
            self.state_ = before;
            if (self.listening_) self.listening_->request_stop();
        }
    } const undo{*this, before == state::fresh ? state::fresh : state::lost};
    if (listening_) listening_->request_stop();
    ++generation_;
    if (observer_.forget) observer_.forget();
    co_await transport_->open();
    if (transport_->wire() == mcp_wire::pipe) children_->spawn(keep_listening(generation_));
    co_await shake_hands();
    co_await settle_in();
    if (state_ != state::connecting)
        throw error{errc::stream_closed, transport_->label(), "the MCP client was closed while it connected"};
    state_ = state::ready;
}

/** What follows when both sides know each other. */
task<void> mcp_connection::settle_in()
{
    if (agreement_.era == mcp_era::legacy) {
        co_await exchange_.notify(json_rpc_message::notification("notifications/initialized", {}));
        if (transport_->wire() == mcp_wire::http) children_->spawn(keep_listening(generation_));
        if (!options_.log_level.empty() && agreement_.offers("logging")) {
            connection_request request{"logging/setLevel", object{{"level", options_.log_level}}};
            request.limits.quiet_max = options_.handshake_timeout;
            const json_rpc_message answer = co_await exchange_.ask(std::move(request));
            if (answer.what() == json_rpc_message::kind::error) complain("the server refuses the log level");
        }
    } else if (agreement_.tells_changes_of("tools") || agreement_.tells_changes_of("resources") ||
               agreement_.tells_changes_of("prompts")) {
        children_->spawn(keep_subscribed(generation_));
    }
}

connection_request mcp_connection::handshake_request(const mcp_handshake& handshake) const
{
    if (handshake.next() == mcp_handshake::step::discover) {
        connection_request discover{"server/discover", {}};
        discover.limits.quiet_max =
            transport_->wire() == mcp_wire::pipe ? options_.discover_timeout : options_.handshake_timeout;
        discover.limits.is_cancellable = false;  // nothing more of a request that the server may not know
        return discover;
    }
    object client{{"name", options_.identity.name}, {"version", options_.identity.version}};
    object params{{"protocolVersion", handshake.version()}, {"capabilities", served_.capabilities()}};
    params["clientInfo"] = std::move(client);
    connection_request initialize{"initialize", std::move(params)};
    initialize.limits.quiet_max = options_.handshake_timeout;
    initialize.limits.is_cancellable = false;
    return initialize;
}

task<void> mcp_connection::shake_hands()
{
    using step = mcp_handshake::step;
    mcp_era_choice choice = options_.era;
    if (choice == mcp_era_choice::automatic && known_era_ == mcp_era::legacy) choice = mcp_era_choice::legacy_only;
    mcp_handshake handshake{transport_->wire(), choice, transport_->label()};
    std::optional<mcp_error> last_refusal;  // of the transport, which knows more than what the server said
    while (handshake.next() == step::discover || handshake.next() == step::initialize) {
        last_refusal.reset();
        const bool is_modern = handshake.next() == step::discover;
        std::optional<mcp_refusal> refused;
        bool is_silent = false;
        try {
            connection_request request = handshake_request(handshake);
            const mcp_era era = is_modern ? mcp_era::modern : mcp_era::legacy;
            // Before there is an agreement, the handshake of the legacy era names no version in headers.
            std::string version;
            if (is_modern) version = handshake.version();
            json_rpc_message answer = co_await exchange_.ask_in(era, std::move(version), std::move(request));
            if (answer.what() == json_rpc_message::kind::result)
                handshake.on_result(answer.value());
            else
                refused = mcp_refusal{0, answer.why()};
        } catch (const mcp_error& e) {
            if (e.code() != errc::mcp_refused) throw;
            refused = e.said();
            last_refusal = e;
        } catch (const error& e) {
            if (e.code() != errc::timeout) throw;
            is_silent = true;
        }
        if (refused) handshake.on_refusal(*refused);
        if (is_silent) handshake.on_silence();
    }
    if (handshake.next() == step::failed) {
        if (last_refusal && handshake.failure().code() == errc::mcp_refused) throw *last_refusal;
        throw handshake.failure();
    }
    agreement_ = handshake.agreement();
    known_era_ = agreement_.era;
}

task<boost::json::value> mcp_connection::ask(connection_request request)
{
    json_rpc_message answer = co_await exchange_.ask(std::move(request));
    if (answer.what() == json_rpc_message::kind::error) throw mcp_refused(transport_->label(), {0, answer.why()});
    co_return std::move(answer.value());
}

void mcp_connection::on_message(json_rpc_message message)
{
    switch (message.what()) {
    case json_rpc_message::kind::request: return on_request(std::move(message));
    case json_rpc_message::kind::notification: return on_notification(message);
    case json_rpc_message::kind::result:
    case json_rpc_message::kind::error:
        const std::string id = message.id() ? text_of(*message.id()) : "none";
        if (!exchange_.requests().settle(std::move(message)))
            complain("dropped an answer that nobody waits for, id " + id);
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
    if (!exchange_.requests().fail(id, why)) complain("dropped an answer that nobody waits for, id " + text_of(id));
}

void mcp_connection::on_notification(const json_rpc_message& message)
{
    if (message.method() == "notifications/progress") {
        exchange_.requests().progress(message.params());
    } else if (message.method() == "notifications/cancelled") {
        const boost::json::value* id = message.params().if_contains("requestId");
        if (const auto which = id ? json_rpc_id_of(*id) : std::nullopt) served_.cancel(*which);
    } else if (observer_.notified) {
        observer_.notified(message);
    }
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
        task<void> sending = exchange_.notify(std::move(answer));
        co_await with_deadline(std::move(sending), options_.handshake_timeout);
    } catch (const error& e) {
        if (e.code() != errc::cancelled) failure = e.what();
    }
    if (failure) complain("could not answer the server's '" + method + "': " + *failure);
}

void mcp_connection::lose(const error& why)
{
    if (state_ != state::ready && state_ != state::connecting) return;
    // One that is being made stays `connecting`: the coroutine that makes it reports the failure.
    if (state_ == state::ready) state_ = state::lost;
    ++losses_;
    why_lost_ = why;
    exchange_.requests().lose(why);
}

task<void> mcp_connection::keep_listening(int generation)
{
    const task_context& context = co_await this_task::context();
    scope work{context};
    listening_ = &work;
    // The next connection has a listener of its own, which must not be forgotten when this one ends late.
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
            const json_rpc_message answer = co_await exchange_.ask(std::move(request));
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

task<void> mcp_connection::close()
{
    if (state_ == state::closed) co_return;
    const bool was_ready = std::exchange(state_, state::closed) == state::ready;
    exchange_.requests().lose(error{errc::stream_closed, transport_->label(), "the MCP client was closed"});
    if (was_ready || generation_ > 0) co_await transport_->close(agreement_);
    if (!children_) co_return;
    children_->request_stop();
    try {
        co_await children_->join();
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;  // the caller's own stop; children's errors have been told already
    }
}

}  // namespace weft::mcp_detail
