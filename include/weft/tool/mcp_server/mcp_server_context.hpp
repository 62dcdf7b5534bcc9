#pragma once

#include <weft/async/task.hpp>
#include <weft/tool/mcp_server/mcp_peer.hpp>
#include <weft/tool/rpc/json_rpc.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace weft {

namespace mcp_detail {
class served_call;
}

/** A request of a client, for the function that answers it: who asks, and ways to tell and ask the client while the
 *  answer is made.
 *
 *      weft::task<weft::mcp_call_result> deploy(weft::mcp_server_context& context, boost::json::object arguments)
 *      {
 *          context.progress(1, 3, "building");
 *          boost::json::object said = co_await context.elicit("Which region?", schema);
 *          if (said.at("action") != "accept") co_return weft::mcp_call_result::error("not deployed");
 *          …
 *
 *  Progress and log lines that the client does not want are dropped; so are those of a client that reads too slowly.
 *
 *  @par Thread safety   None: it belongs to the loop of the call.
 *  @par Lifetimes       Until the task of the function has ended.
 */
class mcp_server_context {
public:
    explicit mcp_server_context(mcp_detail::served_call& call) noexcept : call_{call} {}
    mcp_server_context(const mcp_server_context&) = delete;
    mcp_server_context& operator=(const mcp_server_context&) = delete;

    [[nodiscard]] const mcp_peer& client() const noexcept;
    [[nodiscard]] const mcp_caller& caller() const noexcept;
    /** The parameters of the request as the client sent them, `_meta` among them. */
    [[nodiscard]] const boost::json::object& params() const noexcept;
    [[nodiscard]] const json_rpc_id& id() const noexcept;
    /** The session of the legacy era; empty in the modern one, and over a pipe. */
    [[nodiscard]] const std::string& session() const noexcept;

    /** Whether the client asked for progress. */
    [[nodiscard]] bool wants_progress() const noexcept;
    /** Says how far the work is; only what is more than before is sent. */
    void progress(double done, std::optional<double> total = std::nullopt, std::string_view message = {});
    /** Says something to the client's log. @param level  `debug`, `info`, `notice`, `warning`, `error`, … */
    void log(std::string_view level, boost::json::value data, std::string_view logger = {});

    /** Asks the client, and waits for its result.
     *
     *  In the legacy era the question goes to the client at once. In the modern one the request ends with the question,
     *  and the client makes it again with the answer: **the function begins anew**, and what it asked before is
     *  answered at once. It must ask the same in the same order, and do what has effects behind its last question.
     *
     *  @param method   `elicitation/create`, `sampling/createMessage` or `roots/list`.
     *  @param name     Names the question in the modern era; empty: it is counted.
     *  @return         The client's result, an object.
     *  @par Errors
     *    - `errc::mcp_unsupported`  the client has not declared that it can (legacy); an `mcp_rejection` (modern).
     *    - `errc::mcp_refused`      it answered with an error.
     *    - `errc::timeout`          no answer within `mcp_server_options::ask_timeout`.
     *    - `errc::connection_lost`  its session ended.
     *  @par Cancellation   At once. */
    [[nodiscard]] task<boost::json::object> ask(std::string method, boost::json::object params, std::string name = {});
    /** Asks several things at once.
     *  @param questions   By name: `{"method": …, "params": …}`.
     *  @return            The results by the same names.
     *  @par Errors        As `ask`. */
    [[nodiscard]] task<boost::json::object> ask_all(boost::json::object questions);
    /** Asks the person behind the client with a form: `{"action": "accept" | "decline" | "cancel", "content": …}`.
     *  @param schema   A flat JSON Schema of type object.
     *  @par Errors     As `ask`. */
    [[nodiscard]] task<boost::json::object> elicit(std::string message, boost::json::object schema,
                                                   std::string name = {});

    /** Ends the stream of this call's messages, not the call: the client comes back for the rest after a moment. Over
     *  HTTP in the legacy era; else nothing happens. */
    void close_connection();

    /** @name For calls that outlive this process
     *  What resumes a stream elsewhere finds it by its key (`mcp_server_options::revive`). */
    ///@{
    /** Of a call that goes on for a client that has come back: the name of its stream; else empty. */
    [[nodiscard]] const std::string& resumed_key() const noexcept;
    /** The mark of the last message that this client has; `0`: none. */
    [[nodiscard]] const std::string& resumed_behind() const noexcept;
    /** Names the stream of this call in event ids; before anything is sent. */
    void name_stream(std::string key);
    /** The next message of the call has this mark in its event id. */
    void mark(std::string mark);
    /** Sends a request whose answer comes to `mcp_server_options::on_answer`. */
    void send_request(std::string id, std::string method, boost::json::object params);
    /** True if the client has cancelled the call, and it did not end for another reason. */
    [[nodiscard]] bool is_cancelled_by_client() const noexcept;
    ///@}

private:
    mcp_detail::served_call& call_;
};

}  // namespace weft
