#pragma once

#include <weft/async/scope.hpp>
#include <weft/tool/mcp/mcp_client_options.hpp>
#include <weft/tool/mcp/mcp_transport.hpp>

#include "mcp_pending.hpp"
#include "mcp_served.hpp"
#include "tool/rpc/json_rpc_requests.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weft::mcp_detail {

/** One request, as the client wants it made. */
struct connection_request {
    connection_request(std::string method, boost::json::object params) noexcept
        : method{std::move(method)}, params{std::move(params)}
    {
    }
    std::string method;
    boost::json::object params;
    std::vector<mcp_outgoing::header> headers{};
    pending_limits limits{};
};

/** The requests of a client and their answers: each request ends once, with its answer, with the loss of the
 *  connection, or when its time is up; the server then gets a cancellation.
 *
 *      json_rpc_message answer = co_await exchange.ask(connection_request{"tools/list", {}});
 *
 *  @par Thread safety   None: it lives on the loop that it is bound to.
 *  @par Lifetimes       What the constructor takes outlives it; it outlives the tasks that it gives out.
 */
class mcp_exchange {
public:
    /** What a connection has and its exchange uses. */
    struct context {
        mcp_transport& transport;
        mcp_inbox& inbox;                   ///< Where the transport hands over what comes while it sends.
        const mcp_agreement& agreement;     ///< The era and the version that requests speak.
        const served_requests& served;
        const mcp_client_options& options;
    };
    explicit mcp_exchange(const context& around) noexcept;
    mcp_exchange(const mcp_exchange&) = delete;
    mcp_exchange& operator=(const mcp_exchange&) = delete;

    /** Before the first request. @param children   Of the connection: they tell the server of requests given up. */
    void bind(serial_loop& loop, scope& children) noexcept;

    /** Makes a request in the era that was agreed on. @return Its result, or the server's error.
     *  @par Errors   `mcp_error` for a refusal of the transport; `errc::timeout`, `connection_lost` and the others of
     *                the wire.
     *  @par Cancellation   The server gets a cancellation, where it understands that. */
    [[nodiscard]] task<json_rpc_message> ask(connection_request request);
    /** The same in another era: the handshake comes before the agreement. */
    [[nodiscard]] task<json_rpc_message> ask_in(mcp_era era, std::string version, connection_request request);
    /** Sends what has no answer: a notification, or an answer to the server. */
    [[nodiscard]] task<void> notify(json_rpc_message message);

    /** The table of what waits: the reader of messages settles it. */
    [[nodiscard]] json_rpc_requests& requests() noexcept { return requests_; }

private:
    task<json_rpc_message> ask_with_renewals(mcp_era era, std::string version, connection_request request);
    task<json_rpc_message> ask_once(mcp_era era, std::string version, connection_request request);
    json_rpc_message message_of(connection_request& request, const pending_request& pending, mcp_era era,
                                const std::string& version) const;
    task<bool> carry(mcp_outgoing out, pending_request& pending);
    static task<bool> watch(pending_request& pending);
    task<void> tell_cancelled(std::int64_t id, std::string reason);

    context around_;
    json_rpc_requests requests_;
    serial_loop* loop_ = nullptr;
    scope* children_ = nullptr;
};

}  // namespace weft::mcp_detail
