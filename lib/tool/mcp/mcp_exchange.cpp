#include "mcp_exchange.hpp"

#include <weft/async/race.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>

#include <utility>

namespace weft::mcp_detail {

namespace {

using boost::json::object;

// Nothing depends on whether the server hears of it.
constexpr std::chrono::nanoseconds notice_time_max = std::chrono::seconds{5};

/** How often one request gets other credentials: a token, then one with more scopes, and once more. */
constexpr int renewals_max = 3;

mcp_outgoing outgoing_of(json_rpc_message message, mcp_era era, std::string version)
{
    mcp_outgoing out{std::move(message)};
    out.era = era;
    out.version = std::move(version);
    return out;
}

}  // namespace

mcp_exchange::mcp_exchange(const context& around) noexcept
    : around_{around}, requests_{around.options.limits.pending_max}
{
}

void mcp_exchange::bind(serial_loop& loop, scope& children) noexcept
{
    loop_ = &loop;
    children_ = &children;
}

task<void> mcp_exchange::notify(json_rpc_message message)
{
    mcp_outgoing out = outgoing_of(std::move(message), around_.agreement.era, around_.agreement.version);
    co_await around_.transport.send(around_.inbox, std::move(out));
}

task<json_rpc_message> mcp_exchange::ask(connection_request request)
{
    return ask_in(around_.agreement.era, around_.agreement.version, std::move(request));
}

task<json_rpc_message> mcp_exchange::ask_in(mcp_era era, std::string version, connection_request request)
{
    if (!around_.transport.renews_credentials()) return ask_once(era, std::move(version), std::move(request));
    return ask_with_renewals(era, std::move(version), std::move(request));
}

/** A request that is refused for its credentials was not carried out: it is made again with others. Getting them may
 *  take a person minutes, and is no part of the time that the server has to answer. */
task<json_rpc_message> mcp_exchange::ask_with_renewals(mcp_era era, std::string version,
                                                         connection_request request)
{
    for (int renewals = 0;; ++renewals) {
        std::optional<mcp_error> refused;
        try {
            connection_request attempt = request;
            json_rpc_message answer = co_await ask_once(era, version, std::move(attempt));
            co_return answer;
        } catch (const mcp_error& e) {
            if (e.code() != errc::mcp_unauthorized || renewals == renewals_max) throw;
            refused = e;
        }
        const bool is_renewed = co_await around_.transport.renew_credentials(refused->said());
        if (!is_renewed) throw mcp_error{*refused};
    }
}

json_rpc_message mcp_exchange::message_of(connection_request& request, const pending_request& pending, mcp_era era,
                                          const std::string& version) const
{
    if (era == mcp_era::modern) {
        add_mcp_modern_meta(request.params, version, around_.options.identity, around_.served.capabilities());
        if (!around_.options.log_level.empty())
            request.params["_meta"].as_object()["io.modelcontextprotocol/logLevel"] = around_.options.log_level;
    }
    if (pending.wants_progress()) {
        boost::json::value& meta = request.params["_meta"];
        if (!meta.is_object()) meta = object{};
        meta.get_object()["progressToken"] = pending.id();
    }
    return json_rpc_message::request(pending.id(), std::move(request.method), std::move(request.params));
}

task<json_rpc_message> mcp_exchange::ask_once(mcp_era era, std::string version, connection_request request)
{
    const pending_limits limits = std::move(request.limits);
    pending_request pending{requests_, *loop_, limits};
    const std::string method = request.method;
    mcp_outgoing out = outgoing_of(message_of(request, pending, era, version), era, version);
    out.headers = std::move(request.headers);

    const bool tells = limits.is_cancellable && (era == mcp_era::legacy || around_.transport.wire() == mcp_wire::pipe);
    std::optional<error> stopped;
    try {
        task<bool> carrying = carry(std::move(out), pending);
        task<bool> watching = watch(pending);
        co_await race(std::move(carrying), std::move(watching));
    } catch (const error& e) {
        stopped = e;
    }
    if (pending.has_ended()) co_return pending.take();
    // Told by a child of the connection: the caller has gone on, or is being stopped and waits for nothing more.
    if (tells) children_->spawn(tell_cancelled(pending.id(), stopped ? "the caller stopped" : "timeout"));
    if (stopped) throw error{stopped->code(), around_.transport.label(), stopped->detail()};
    throw error{errc::timeout, around_.transport.label(), "no answer to '" + method + "' in time"};
}

/** Sends a request and waits until it has ended. @return True. */
task<bool> mcp_exchange::carry(mcp_outgoing out, pending_request& pending)
{
    std::exception_ptr failure;
    try {
        co_await around_.transport.send(around_.inbox, std::move(out));
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;
        failure = std::current_exception();
    }
    if (failure) pending.fail(failure);
    if (!pending.has_ended() && around_.transport.wire() == mcp_wire::http) {
        // Over HTTP the answer comes in the stream of its request, so that a stream without one has lost it.
        const error none{errc::invalid_mcp_message, around_.transport.label(), "the server did not answer the request"};
        pending.fail(std::make_exception_ptr(none));
    }
    co_await pending.wait();
    co_return true;
}

/** @return False, when the time of a request is up. */
task<bool> mcp_exchange::watch(pending_request& pending)
{
    co_await pending.wait_for_timeout();
    co_return false;
}

task<void> mcp_exchange::tell_cancelled(std::int64_t id, std::string reason)
{
    object params{{"requestId", id}, {"reason", std::move(reason)}};
    std::optional<std::string> failure;
    try {
        task<void> telling = notify(json_rpc_message::notification("notifications/cancelled", std::move(params)));
        co_await with_deadline(std::move(telling), notice_time_max);
    } catch (const error& e) {
        if (e.code() != errc::cancelled) failure = e.what();
    }
    if (failure && around_.options.on_noise)
        around_.options.on_noise("could not tell the server that a request is cancelled: " + *failure);
}

}  // namespace weft::mcp_detail
