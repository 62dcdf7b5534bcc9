#pragma once

#include <weft/async/task.hpp>
#include <weft/base/chrono.hpp>
#include <weft/net/secret_string.hpp>
#include <weft/tool/mcp/mcp_protocol.hpp>
#include <weft/tool/mcp/mcp_types.hpp>
#include <weft/tool/mcp_server/mcp_on_disconnect.hpp>
#include <weft/tool/mcp_server/mcp_peer.hpp>
#include <weft/tool/mcp_server/mcp_server_context.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** Where sessions of the legacy era are kept so that other processes and loops know them.
 *
 *  @par Thread safety   None: it belongs to the loop of its server. */
class mcp_session_store {
public:
    virtual ~mcp_session_store() = default;

    /** Keeps a session, or what has changed of it. */
    [[nodiscard]] virtual task<void> save(std::string id, std::string principal, mcp_peer client) = 0;
    /** Nothing if there is none of this principal. */
    [[nodiscard]] virtual task<std::optional<mcp_peer>> find(std::string id, std::string principal) = 0;
    [[nodiscard]] virtual task<void> erase(std::string id, std::string principal) = 0;

protected:
    mcp_session_store() = default;
    mcp_session_store(const mcp_session_store&) = default;
    mcp_session_store& operator=(const mcp_session_store&) = default;
};

/** What completes an argument: the values that begin as the client has written. */
struct mcp_completion {
    std::vector<std::string> values{};     ///< The first 100 are sent.
    std::optional<std::uint64_t> total{};
};

/** Which argument is to be completed. */
struct mcp_completion_request {
    bool is_prompt = false;          ///< Else of a template of resources.
    std::string name{};              ///< Of the prompt, or the template's address.
    std::string argument{};
    std::string value{};             ///< What is written so far.
    boost::json::object arguments{}; ///< The other ones, as far as they are known.
};

/** Tools that are not known beforehand: asked for with each request. */
struct mcp_tool_source {
    std::function<task<std::vector<mcp_tool>>(mcp_server_context&)> list{};
    /** Called for tools that have no function of their own.
     *  @return  Nothing: there is no tool of this name. */
    std::function<task<std::optional<mcp_call_result>>(mcp_server_context&, std::string name,
                                                       boost::json::object arguments)> call{};
};

/** How an `mcp_server` behaves. The one place of these defaults. All functions are called on the server's loop. */
struct mcp_server_options {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    mcp_server_options() {}

    mcp_identity identity;
    std::string instructions;  ///< For the client's model: what the server is for.

    mcp_on_disconnect on_disconnect = mcp_on_disconnect::cancel;
    std::size_t page_size = 100;         ///< Items of a list that are sent at once.
    std::size_t sessions_max = 1000;     ///< Of the legacy era; the one that was used longest ago ends first.
    std::size_t running_max = 256;       ///< Requests under way, of all clients; one more is refused.
    std::size_t listening_max = 256;     ///< Subscriptions of the modern era.
    std::size_t message_bytes_max = 4 * 1024 * 1024;  ///< Of a request.
    std::size_t unread_max = 1000;       ///< Messages of a call that wait to be read; then progress and logs are lost.
    std::size_t streams_kept_max = 16;   ///< Finished streams of a session that a client may read again.
    std::chrono::nanoseconds session_idle_max = std::chrono::hours{1};
    /** An answer that is there before is sent as JSON; else a stream begins. */
    std::chrono::nanoseconds stream_after = std::chrono::milliseconds{500};
    std::chrono::nanoseconds heartbeat = std::chrono::seconds{15};
    /** When clients come back to a stream that was closed (`mcp_server_context::close_connection`). */
    std::chrono::milliseconds retry{500};
    std::chrono::nanoseconds ask_timeout = std::chrono::minutes{10};  ///< For answers of people.
    std::chrono::milliseconds list_ttl{0};  ///< How long clients of the modern era may keep lists.

    /** Names under which clients may call the server over HTTP, without ports. Empty: those of this machine, so that no
     *  page can reach it by a name of its own (DNS rebinding); `*`: any. */
    std::vector<std::string> allowed_hosts;
    /** Pages of these origins may use the server; `*`: any. Those of the server itself always may. */
    std::vector<std::string> allowed_origins;
    /** Signs what clients of the modern era bring back (`requestState`). Processes that answer for one another have the
     *  same; empty: one of its own. */
    secret_string secret;

    std::function<task<mcp_completion>(mcp_server_context&, mcp_completion_request)> complete;
    mcp_tool_source source;

    std::shared_ptr<mcp_session_store> sessions;  ///< Null: sessions live in this object only.
    /** An answer to a request that this object does not wait for. @return  False: it answers nothing. */
    std::function<task<bool>(mcp_caller, std::string session, json_rpc_message answer)> on_answer;
    /** A client cancels a request that is not under way here. */
    std::function<task<void>(mcp_caller, std::string session, json_rpc_id id)> on_cancel;
    /** A client comes back to a stream that is not here: the request that it belongs to, which is made again with
     *  `mcp_server_context::resumed_key` and `resumed_behind`. Nothing: there is no such stream. */
    std::function<task<std::optional<json_rpc_message>>(mcp_caller, std::string session, std::string key)> revive;

    /** Told what clients are not told. */
    std::function<void(std::string_view where, std::string_view what)> on_error;
};

}  // namespace weft
