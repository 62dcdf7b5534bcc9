#pragma once

#include <weft/net/options/http_server_options.hpp>
#include <weft/net/options/listen_address.hpp>
#include <weft/net/options/tls_server_options.hpp>
#include <weft/net/server/http_call.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/net/server/http_reply.hpp>

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/task.hpp>

#include <cstddef>
#include <functional>
#include <memory>

namespace weft {

namespace net_detail {
class acceptor;
class server_core;
}  // namespace net_detail

/** What an `http_server` has done. */
struct http_server_counts {
    std::size_t open = 0;                ///< Connections now.
    std::size_t idle = 0;                ///< Of these, without a request.
    std::uint64_t accepted = 0;          ///< Connections so far.
    std::uint64_t turned_away = 0;       ///< Of these, closed for a limit: of the options, or of open files.
    std::uint64_t requests = 0;          ///< Handed to the handler.
    std::uint64_t refused = 0;           ///< Ended by the server itself: no valid HTTP or TLS, too large, too slow.
};

/** An HTTP/1.1 server on one loop: it takes connections, reads requests strictly, bounds what a client may take, and
 *  hands each request to a coroutine.
 *
 *      weft::http_server server{weft::serial_loop::of(context), [](weft::http_call& call) -> weft::task<void> {
 *          co_await call.reply(weft::http_reply{200, "hello\n"});
 *      }};
 *      server.listen(weft::listen_address{"127.0.0.1:8080"});
 *      weft::async_start(server.loop(), server.run(), rethrow);
 *
 *  A connection serves one request after the other; requests that were sent ahead wait. Servers on several loops may
 *  listen on one port: the kernel shares the connections out.
 *
 *  @par Errors          `errc::invalid_configuration` from the constructor, for options out of range.
 *  @par Cancellation    A stop of `run` closes all connections at once; `drain` ends them in order.
 *  @par Thread safety   None: it belongs to its loop. The constructor and `listen` may run before the loop does.
 *  @par Lifetimes       The loop outlives it. The destructor closes what is open and destroys handlers that still run.
 */
class http_server {
public:
    /** Answers a request; called on the loop. It is kept until the last connection is closed. */
    using handler_function = std::function<task<void>(http_call& call)>;

    http_server(serial_loop& loop, handler_function handler, http_server_options options = http_server_options{});
    ~http_server();
    http_server(const http_server&) = delete;
    http_server& operator=(const http_server&) = delete;

    /** Begins to listen; connections wait until `run` takes them. More than once for several addresses.
     *
     *  @return    The address with the port that the system chose, if it was 0.
     *
     *  @par Errors
     *    - `errc::listen_failed`  the address is in use, is none of this machine, or may not be used. */
    listen_address listen(const listen_address& at);

    /** The same with TLS; see `tls_server_options`. A client that does not speak it there gets no answer.
     *
     *  @par Errors
     *    - `errc::invalid_configuration`  the files cannot be used; the detail says which, and why.
     *    - `errc::listen_failed`          as without TLS. */
    listen_address listen(const listen_address& at, tls_server_options tls);

    /** Reads the certificates, keys and authorities of all addresses again, for connections that come from now on.
     *
     *  @par Errors   `errc::invalid_configuration`: files cannot be used. Their addresses go on with what they had;
     *                the others have the new. */
    void reload_tls();

    /** Serves until `drain` has closed the last connection. Once. */
    [[nodiscard]] task<void> run();

    /** Takes no further connection, closes idle ones, and ends the others with the answer that they are at; what is
     *  open after `http_server_timeouts::drain` is stopped. `run` returns then. */
    void drain();

    [[nodiscard]] serial_loop& loop() const noexcept;
    [[nodiscard]] http_server_counts counts() const noexcept;

    /** For tests and simulations: takes connections from `source` as well; see `testing::virtual_network`. */
    void listen_on(std::shared_ptr<net_detail::acceptor> source);

private:
    std::shared_ptr<net_detail::server_core> core_;
};

}  // namespace weft
