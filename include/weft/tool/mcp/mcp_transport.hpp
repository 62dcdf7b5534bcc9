#pragma once

#include <weft/async/task.hpp>
#include <weft/base/error.hpp>
#include <weft/tool/mcp/mcp_protocol.hpp>
#include <weft/tool/rpc/json_rpc.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** Where a transport hands over what comes from a server, on the loop, message by message. */
class mcp_inbox {
public:
    virtual void on_message(json_rpc_message message) = 0;
    /** Something came that is no message; it is dropped, and this says what it was. */
    virtual void on_noise(std::string what) = 0;
    /** The answer to a request came and cannot be read; `why` says so. By default it is noise. */
    virtual void on_broken_answer(json_rpc_id id, error why)
    {
        on_noise("dropped the answer to request " + text_of(id) + ": " + why.what());
    }

protected:
    mcp_inbox() = default;
    mcp_inbox(const mcp_inbox&) = default;
    mcp_inbox& operator=(const mcp_inbox&) = default;
    ~mcp_inbox() = default;
};

/** A message on its way to a server, and what a transport has to know about it. */
class mcp_outgoing {
public:
    using header = std::pair<std::string, std::string>;

    explicit mcp_outgoing(json_rpc_message message) : message{std::move(message)} {}

    json_rpc_message message;
    mcp_era era = mcp_era::legacy;
    std::string version;          ///< The revision to name in headers; empty before one was agreed on.
    std::vector<header> headers;  ///< Of the modern era, over HTTP.
};

/** How messages get to a server and back: a process, HTTP, or whatever a test makes up.
 *
 *  @par Thread safety   None: it lives on the loop that opened it.
 *  @par Lifetimes       Outlives the tasks that it gives out; so does the inbox.
 */
class mcp_transport {
public:
    virtual ~mcp_transport() = default;

    [[nodiscard]] virtual mcp_wire wire() const noexcept = 0;
    /** Names the server in errors. */
    [[nodiscard]] virtual const std::string& label() const noexcept = 0;

    /** Makes a new connection; what was before is over.
     *  @par Errors   `errc::invalid_configuration`, if it can never work; `connect_failed`. */
    [[nodiscard]] virtual task<void> open() = 0;

    /** Takes in what the server sends by itself until the connection ends. Over a pipe that is everything, and the end
     *  is an error; over HTTP it is the stream for messages that belong to no request.
     *  @param agreement  Nothing yet when it is called over a pipe.
     *  @par Errors   `errc::connection_lost`, `response_too_large`; `cancelled`. */
    [[nodiscard]] virtual task<void> listen(mcp_inbox& inbox, mcp_agreement agreement) = 0;

    /** Sends a message. Over HTTP the task of a request ends when its answer was handed to the inbox.
     *  @par Errors   `mcp_error` with what the server said instead of an answer; the errors of the wire. */
    [[nodiscard]] virtual task<void> send(mcp_inbox& inbox, mcp_outgoing message) = 0;

    /** Whether `renew_credentials` can do anything. */
    [[nodiscard]] virtual bool renews_credentials() const noexcept { return false; }
    /** Gets other credentials after `errc::mcp_unauthorized`; it may ask a person, and takes its time.
     *  @param said   What the refused request ended with.
     *  @return       Whether to make the request again.
     *  @par Errors   `errc::mcp_unauthorized`, if none are to be had; the errors of the wire. */
    [[nodiscard]] virtual task<bool> renew_credentials(mcp_refusal said)
    {
        static_cast<void>(said);
        co_return false;
    }

    /** Takes leave of the server, within a bounded time. */
    [[nodiscard]] virtual task<void> close(mcp_agreement agreement) = 0;

protected:
    mcp_transport() = default;
    mcp_transport(const mcp_transport&) = default;
    mcp_transport& operator=(const mcp_transport&) = default;
};

}  // namespace weft
