#include "mcp_connection.hpp"

#include <weft/async/race.hpp>
#include <weft/async/sleep.hpp>

#include <boost/assert.hpp>

#include <utility>

namespace weft::mcp_detail {

namespace {

using boost::json::object;

/** How often one request gets other credentials: a token, then one with more scopes, and once more. */
constexpr int renewals_max = 3;

}  // namespace

mcp_connection::mcp_connection(std::unique_ptr<mcp_transport> transport, const mcp_client_options& options)
    : transport_{std::move(transport)}, options_{options}, requests_{options.limits.pending_max}, served_{options},
      replies_{options.limits}
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
        co_await notify(json_rpc_message::notification("notifications/initialized", {}));
        if (transport_->wire() == mcp_wire::http) children_->spawn(keep_listening(generation_));
        if (!options_.log_level.empty() && agreement_.offers("logging")) {
            connection_request request{"logging/setLevel", object{{"level", options_.log_level}}};
            request.limits.quiet_max = options_.handshake_timeout;
            const json_rpc_message answer = co_await exchange(std::move(request), agreement_.era, agreement_.version);
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
            json_rpc_message answer = co_await exchange(std::move(request), era, std::move(version));
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

mcp_outgoing mcp_connection::outgoing_of(json_rpc_message message, mcp_era era, std::string version) const
{
    mcp_outgoing out{std::move(message)};
    out.era = era;
    out.version = std::move(version);
    return out;
}

task<boost::json::value> mcp_connection::ask(connection_request request)
{
    json_rpc_message answer = co_await exchange(std::move(request), agreement_.era, agreement_.version);
    if (answer.what() == json_rpc_message::kind::error) throw mcp_refused(transport_->label(), {0, answer.why()});
    co_return std::move(answer.value());
}

task<json_rpc_message> mcp_connection::exchange(connection_request request, mcp_era era, std::string version)
{
    if (!transport_->renews_credentials()) return exchange_once(std::move(request), era, std::move(version));
    return exchange_with_renewals(std::move(request), era, std::move(version));
}

/** A request that is refused for its credentials was not carried out: it is made again with others. Getting them may
 *  take a person minutes, and is no part of the time that the server has to answer. */
task<json_rpc_message> mcp_connection::exchange_with_renewals(connection_request request, mcp_era era,
                                                              std::string version)
{
    for (int renewals = 0;; ++renewals) {
        std::optional<mcp_error> refused;
        try {
            connection_request attempt = request;
            json_rpc_message answer = co_await exchange_once(std::move(attempt), era, version);
            co_return answer;
        } catch (const mcp_error& e) {
            if (e.code() != errc::mcp_unauthorized || renewals == renewals_max) throw;
            refused = e;
        }
        const bool is_renewed = co_await transport_->renew_credentials(refused->said());
        if (!is_renewed) throw mcp_error{*refused};
    }
}

task<json_rpc_message> mcp_connection::exchange_once(connection_request request, mcp_era era, std::string version)
{
    const pending_limits limits = std::move(request.limits);
    pending_request pending{requests_, *loop_, limits};
    if (era == mcp_era::modern) {
        add_mcp_modern_meta(request.params, version, options_.identity, served_.capabilities());
        if (!options_.log_level.empty())
            request.params["_meta"].as_object()["io.modelcontextprotocol/logLevel"] = options_.log_level;
    }
    if (pending.wants_progress()) {
        boost::json::value& meta = request.params["_meta"];
        if (!meta.is_object()) meta = object{};
        meta.get_object()["progressToken"] = pending.id();
    }
    std::string method = request.method;
    mcp_outgoing out = outgoing_of(
        json_rpc_message::request(pending.id(), std::move(request.method), std::move(request.params)), era, version);
    out.headers = std::move(request.headers);

    const bool tells = limits.is_cancellable && (era == mcp_era::legacy || transport_->wire() == mcp_wire::pipe);
    std::optional<error> stopped;
    try {
        task<bool> carrying = carry(std::move(out), pending);
        task<bool> watching = watch(pending);
        co_await race(std::move(carrying), std::move(watching));
    } catch (const error& e) {
        stopped = e;
    }
    if (pending.has_ended()) co_return pending.take();
    if (tells) children_->spawn(tell_cancelled(pending.id(), stopped ? "the caller stopped" : "timeout"));
    if (stopped) throw error{stopped->code(), transport_->label(), stopped->detail()};
    throw error{errc::timeout, transport_->label(), "no answer to '" + method + "' in time"};
}

/** Sends a request and waits until it has ended. @return True. */
task<bool> mcp_connection::carry(mcp_outgoing out, pending_request& pending)
{
    std::exception_ptr failure;
    try {
        co_await transport_->send(*this, std::move(out));
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;
        failure = std::current_exception();
    }
    if (failure) pending.fail(failure);
    if (!pending.has_ended() && transport_->wire() == mcp_wire::http) {
        const error none{errc::invalid_mcp_message, transport_->label(), "the server did not answer the request"};
        pending.fail(std::make_exception_ptr(none));
    }
    co_await pending.wait();
    co_return true;
}

/** @return False, when the time of a request is up. */
task<bool> mcp_connection::watch(pending_request& pending)
{
    co_await pending.wait_for_timeout();
    co_return false;
}

task<void> mcp_connection::close()
{
    if (state_ == state::closed) co_return;
    const bool was_ready = std::exchange(state_, state::closed) == state::ready;
    requests_.lose(error{errc::stream_closed, transport_->label(), "the MCP client was closed"});
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
