#pragma once

#include <weft/async/scope.hpp>
#include <weft/tool/mcp/mcp_client_options.hpp>
#include <weft/tool/rpc/json_rpc.hpp>

#include <map>
#include <string>

namespace weft::mcp_detail {

/** Answers what servers ask: by the handlers of the options, or with the error that says why not. */
class served_requests {
public:
    /** @param options  Outlive it. */
    explicit served_requests(const mcp_client_options& options) noexcept : options_{options} {}
    served_requests(const served_requests&) = delete;
    served_requests& operator=(const served_requests&) = delete;

    /** What the client can do, as the handshake and the requests of the modern era say it. */
    [[nodiscard]] boost::json::object capabilities() const;

    /** The answer to a request of the server.
     *  @par Cancellation   `cancel` and a stop end the handler; `errc::cancelled`. */
    [[nodiscard]] task<json_rpc_message> answer(json_rpc_message request);

    /** What a handler says to one of the requests that an input request may carry.
     *  @par Errors   `errc::mcp_unsupported` without a handler; what the handler throws. */
    [[nodiscard]] task<boost::json::value> handle(std::string method, boost::json::object params);

    /** The server does not want the answer any more. */
    void cancel(const json_rpc_id& id);

    [[nodiscard]] bool is_full() const noexcept { return running_.size() >= options_.limits.served_max; }

private:
    const mcp_client_options& options_;
    std::map<json_rpc_id, scope*> running_;
};

}  // namespace weft::mcp_detail
