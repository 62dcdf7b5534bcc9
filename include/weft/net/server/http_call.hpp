#pragma once

#include <weft/async/task.hpp>
#include <weft/net/options/client_identity.hpp>
#include <weft/net/options/http_request_head.hpp>
#include <weft/net/server/http_reply.hpp>
#include <weft/net/server/websocket_session.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

namespace net_detail {
class server_connection;
}

/** A request that an `http_server` has received, and the way to answer it: at once, or piece by piece.
 *
 *      weft::task<void> count(weft::http_call& call)
 *      {
 *          co_await call.start_stream(200, "text/event-stream");
 *          for (int i = 0; i < 10; ++i) {
 *              co_await call.write("data: " + std::to_string(i) + "\n\n");
 *              co_await weft::sleep_for(1s);
 *          }
 *      }
 *
 *  A handler that returns without an answer is answered for with 500; one that throws, as `http_error` says. What is
 *  left of the request's body is read and dropped if it is little, else the connection ends with the answer.
 *
 *  @par Cancellation    When the client is found to be gone, or the server is stopped, the handler is stopped; its next
 *                       wait ends with `errc::cancelled`.
 *  @par Thread safety   None: it belongs to the loop of its connection.
 *  @par Lifetimes       Of the handler: until the task that it has returned ends.
 */
class http_call {
public:
    explicit http_call(net_detail::server_connection& connection) noexcept : connection_{connection} {}
    http_call(const http_call&) = delete;
    http_call& operator=(const http_call&) = delete;

    [[nodiscard]] const http_request_head& head() const noexcept;
    [[nodiscard]] const http_headers& headers() const noexcept { return head().headers; }
    [[nodiscard]] std::string_view method() const noexcept { return head().method; }
    [[nodiscard]] std::string_view path() const noexcept { return head().path(); }

    /** The address of the client, without its port; empty for a Unix socket. */
    [[nodiscard]] const std::string& peer() const noexcept;
    /** True if the client speaks TLS with this server. */
    [[nodiscard]] bool is_tls() const noexcept;
    /** Who the client is by its certificate, if `tls_server_options::client_ca_file` asks for one; null: it has shown
     *  none. */
    [[nodiscard]] const client_identity* client_certificate() const noexcept;
    /** True once the server drains: streams end, so that their clients come back elsewhere. */
    [[nodiscard]] bool is_draining() const noexcept;

    /** Reads the body to its end. Once, before the answer.
     *
     *  @param bytes_max   Larger ones are refused, before they are read if the client says how large they are; none:
     *                     as the options of the server say.
     *
     *  @par Errors
     *    - `http_error`             413: it is too large; 400: its frame is no valid HTTP; 408: it came too slowly.
     *    - `errc::connection_lost`  the client is gone. */
    [[nodiscard]] task<std::string> read_body(std::optional<std::uint64_t> bytes_max = std::nullopt);

    /** Sends an answer as a whole, once.
     *  @par Errors
     *    - `errc::connection_lost`  the client is gone.
     *    - `errc::send_timeout`     it does not take the answer. */
    [[nodiscard]] task<void> reply(http_reply answer);

    /** Sends the head of an answer whose body follows in pieces, in place of `reply`. From now on a client that goes
     *  away is noticed.
     *  @par Errors  As `reply`. */
    [[nodiscard]] task<void> start_stream(int status, std::string_view content_type,
                                          http_headers headers = http_headers{});
    /** The same, but the head goes out with the first piece, in one system call, or with `flush`; what is thrown before
     *  that becomes an answer in its place. For a handler that has its first piece at hand. That the client goes away
     *  while nothing is written to it is noticed from `stop_when_gone` on. */
    void begin_stream(int status, std::string_view content_type, const http_headers& headers = http_headers{});
    /** Sends the head that `begin_stream` holds, if it has not gone out.
     *  @par Errors  As `reply`. */
    [[nodiscard]] task<void> flush();
    /** Sends a piece of the body at once. Waits while the client does not read, and keeps no more than this piece.
     *  @param bytes  Copied in the call.
     *  @par Errors   As `reply`. */
    [[nodiscard]] task<void> write(std::string_view bytes);
    /** Sends the last piece and says that the body is whole. The return of the handler says so too. */
    [[nodiscard]] task<void> end_stream(std::string_view last = {});

    /** Makes the connection a WebSocket, in place of an answer. The idle deadline of HTTP does not count any more; the
     *  connection ends with the handler. Not after `stop_when_gone`. The origin of a browser's page is not looked at
     *  here.
     *  @par Errors
     *    - `http_error`   400 or 426: the request is no handshake; 503: the server drains.
     *    - `errc::invalid_configuration`  options out of range, all of them.
     *    - Those of `reply`. */
    [[nodiscard]] task<websocket_session> accept_websocket(websocket_options options = websocket_options{});

    /** Stops the handler when the client goes away, also before an answer has begun. For handlers that wait long. */
    void stop_when_gone();
    /** Ends the connection with the answer. */
    void close_afterwards() noexcept;

    /** Sends the answer as it is, however long: for one that has a secret beside what others can put into it. From the
     *  length of such an answer, compressed, a listener on the line learns the secret, TLS or not (BREACH). Before the
     *  answer. */
    void never_compress() noexcept;

    /** Headers of every answer to this request, also of an error. Before the answer. */
    void always_send(http_headers headers);

    [[nodiscard]] bool has_answered() const noexcept;
    /** True while the answer is a stream that has begun and not ended. */
    [[nodiscard]] bool is_streaming() const noexcept;
    /** True once the client is known to be gone, or the handler is stopped: an answer reaches nothing. */
    [[nodiscard]] bool is_gone() const noexcept;

private:
    net_detail::server_connection& connection_;
};

}  // namespace weft
