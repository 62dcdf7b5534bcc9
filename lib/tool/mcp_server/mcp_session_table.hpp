#pragma once

#include "call_stream.hpp"
#include "outlet.hpp"
#include "tool/rpc/json_rpc_requests.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/task.hpp>
#include <weft/tool/mcp_server/mcp_server_options.hpp>

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace weft::mcp_detail {

class served_call;

/** A client of the legacy era, or one at the other end of a pipe. */
struct server_session {
    std::string id{};          ///< Empty: of a pipe.
    mcp_peer client{};
    mcp_caller caller{};
    bool is_open = false;      ///< The handshake has begun; before, there is only `ping`.
    json_rpc_requests asked{256};
    std::map<json_rpc_id, served_call*> running{};
    std::map<std::string, std::shared_ptr<call_stream>, std::less<>> streams{};  ///< Of calls, by their keys.
    std::deque<std::string> finished{};         ///< Their keys, oldest first.
    std::set<std::string, std::less<>> subscriptions{};
    std::shared_ptr<outlet> standalone{};       ///< For what belongs to no request; null until the client listens.
    std::shared_ptr<call_stream> listening{};   ///< The same, over HTTP.
    time_point used{};

    /** The client is gone: what waits for its answers hears it, and its calls are stopped. */
    void end();
};

/** The sessions of a server, each of one principal.
 *
 *  @par Thread safety   None: it belongs to one loop.
 *  @par Lifetimes       `options` outlives it. */
class mcp_session_table {
public:
    explicit mcp_session_table(const mcp_server_options& options) noexcept : options_{options} {}

    /** A new one. */
    [[nodiscard]] task<std::shared_ptr<server_session>> open(mcp_peer client, mcp_caller caller);
    /** The client at the other end of a pipe, until `close`. */
    void adopt(std::shared_ptr<server_session> one) { sessions_.insert_or_assign(one->id, one); }
    void forget(const server_session& one)
    {
        const auto found = sessions_.find(one.id);
        if (found != sessions_.end() && found->second.get() == &one) sessions_.erase(found);
    }
    /** Null if there is none of this principal. */
    [[nodiscard]] task<std::shared_ptr<server_session>> find(std::string id, mcp_caller caller);
    [[nodiscard]] task<void> close(std::shared_ptr<server_session> which);
    /** Something of it has changed. */
    [[nodiscard]] task<void> save(const server_session& which) const;

    [[nodiscard]] const std::map<std::string, std::shared_ptr<server_session>, std::less<>>& all() const noexcept
    {
        return sessions_;
    }

private:
    void keep(std::shared_ptr<server_session> one, time_point now);

    const mcp_server_options& options_;
    std::map<std::string, std::shared_ptr<server_session>, std::less<>> sessions_;
};

}  // namespace weft::mcp_detail
