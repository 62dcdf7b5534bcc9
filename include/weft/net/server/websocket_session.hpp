#pragma once

#include <weft/async/task.hpp>
#include <weft/net/options/websocket_options.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

namespace net_detail {
class websocket_link;
}

/** The WebSocket that a request has become: text messages, both ways.
 *
 *      weft::task<void> echo(weft::http_call& call)
 *      {
 *          weft::websocket_session session = co_await call.accept_websocket();
 *          for (;;) {
 *              std::optional<std::string> message = co_await session.receive();
 *              if (!message) co_return;
 *              co_await session.send(std::move(*message));
 *          }
 *      }
 *
 *  The server answers pings, sends its own, and ends the conversation when the client breaks the protocol, sends too
 *  much, or shows no sign of life; `receive` then has no more. One message is read ahead: a handler that takes none
 *  makes its client wait. A handler that returns closes with 1000, one that throws with 1011; when the server drains,
 *  `receive` has no more, and the close says 1012.
 *
 *  @par Cancellation    When the connection breaks, the handler is stopped, as in `http_call`; so is one that goes on
 *                       for two periods of pings after the end.
 *  @par Thread safety   None: it belongs to the loop of its connection. One coroutine receives at a time; several may
 *                       send.
 *  @par Lifetimes       Of the handler, as its `http_call`; copies stand for the same conversation.
 *  @par Source          RFC 6455, without extensions.
 */
class websocket_session {
public:
    explicit websocket_session(net_detail::websocket_link& link) noexcept : link_{&link} {}

    /** The subprotocol that was agreed on; empty: none. */
    [[nodiscard]] const std::string& protocol() const noexcept;

    /** Waits for a message.
     *  @return  Nothing once the conversation has ended, by whichever side.
     *  @par Errors        `errc::cancelled`.
     *  @par Cancellation  At once; no message is lost. */
    [[nodiscard]] task<std::optional<std::string>> receive();

    /** Sends a message: returns when there is room for it, before the client has it. Messages of several coroutines go
     *  out in the order of the calls.
     *  @param text   UTF-8.
     *  @par Errors
     *    - `errc::connection_lost`  the conversation has ended.
     *    - `errc::send_timeout`     the client does not read. */
    [[nodiscard]] task<void> send(std::string text);

    /** Ends the conversation behind the messages that were sent; `receive` has no more.
     *  @param code    1000 to 1014 without 1004 to 1006, or 3000 to 4999.
     *  @param reason  UTF-8 that tells nothing secret; 123 bytes of it are sent. */
    void close(std::uint16_t code = 1000, std::string_view reason = {});

    /** False once either side has closed, or the connection broke. */
    [[nodiscard]] bool is_open() const noexcept;
    /** What ended the conversation: the code of the side that closed first, 1005 if it gave none, 1006 if the
     *  connection broke; 0 while it is open. */
    [[nodiscard]] std::uint16_t close_code() const noexcept;

private:
    net_detail::websocket_link* link_;
};

}  // namespace weft
