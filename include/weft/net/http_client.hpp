#pragma once

#include <weft/async/task.hpp>
#include <weft/net/http_client_options.hpp>
#include <weft/net/http_request.hpp>
#include <weft/net/http_response.hpp>
#include <weft/net/options/http_client_counts.hpp>

#include <functional>
#include <memory>

namespace weft {

class cassette;
class serial_loop;

namespace net_detail {
class client_core;
class connector;
}  // namespace net_detail

/** Sends HTTP/1.1 requests and streams the responses, over TLS or not, and keeps connections for the next request.
 *
 *  Made anywhere and used on any loop: each loop gets a pool of connections of its own, so that nothing on the way of
 *  a request needs a lock. Copies share everything. Redirects are not followed: they are responses like others.
 *
 *  @par Errors          From the constructor `errc::invalid_configuration`, if the CA, certificate or user agent in
 *                       the options cannot be used.
 *  @par Thread safety   All operations from any OS thread; `send` is awaited on the loop that is to do the work.
 *  @par Lifetimes       Requests and responses under way may outlive it. Its unused connections are closed when the
 *                       last copy goes, or with the loop.
 */
class http_client {
public:
    explicit http_client(http_client_options options = http_client_options{});

    /** Replaces what opens connections; for tests and simulations inside weft. */
    using connector_factory = std::function<std::unique_ptr<net_detail::connector>(serial_loop&)>;
    http_client(http_client_options options, connector_factory connects);

    /** A client whose exchanges are recorded on a cassette, or come from it. */
    http_client(http_client_options options, const cassette& tape, connector_factory connects = {});

    /** Sends a request and waits for the head of its response.
     *
     *  An unused connection is looked at before it is used, and dropped if the server has closed it. If it dies
     *  afterwards, before anything of the response came, the request is sent once more at once, over a new
     *  connection, provided that the server cannot do twice what it asks for: it is `http_request::is_repeatable`, or
     *  the connection has taken nothing of it. Everything else, a POST first of all, is for the caller to decide.
     *
     *  A body that is a stream goes out over a new connection, once. An answer that is no success ends it, and the
     *  stream is read no further.
     *
     *  @return   The response, whatever its status says; its body is still to be read.
     *
     *  @par Errors
     *    - `errc::invalid_configuration`  the request has secrets and would go to another machine without TLS; no
     *                                     trusted roots were found; or a proxy refuses us (407, 403 and the like).
     *    - `errc::address_refused`        `http_client_options::address_filter` refuses an address of the host.
     *    - `errc::limit_reached`          no connection became free.
     *    - `errc::resolve_failed`, `connect_failed`, `connect_timeout`   there is no connection; of a proxy, the
     *                                     detail names it and its status.
     *    - `errc::tls_untrusted`, `tls_expired`, `tls_wrong_host`, `tls_failed`   it is not the server that was meant.
     *    - `errc::send_timeout`           the peer did not take the request in time.
     *    - `errc::connection_lost`        the connection broke before the response began; whether the server has
     *                                     carried out the request is not known.
     *    - `errc::first_byte_timeout`     the head did not come in time.
     *    - `errc::response_truncated`     the connection broke in the head.
     *    - `errc::invalid_response`, `response_too_large`   the head is not acceptable.
     *    - `errc::script_exhausted`       a cassette has no answer.
     *    - `errc::cancelled`              a stop came.
     *    - those of a body that is a stream.
     *  @par Cancellation    Closes the connection at once, in whatever phase.
     *  @par Source          RFC 9112; RFC 9110 §9.2.2 for the repetition. */
    [[nodiscard]] task<http_response> send(http_request request) const;

    [[nodiscard]] http_client_counts counts() const noexcept;
    /** The timeouts of requests that have none of their own. */
    [[nodiscard]] const http_timeouts& timeouts() const noexcept;

private:
    struct handle;
    std::shared_ptr<const handle> handle_;
};

}  // namespace weft
