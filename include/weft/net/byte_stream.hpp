#pragma once

#include <weft/async/use_task.hpp>
#include <weft/base/chrono.hpp>

#include <boost/asio/buffer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace weft {

struct tls_options;
class url;

namespace net_detail {
class tls_context;
class transport;
}  // namespace net_detail

/** An open connection to a server that speaks a protocol of its own: bytes in, bytes out, over TLS or not. What speaks
 *  HTTP has `http_client`.
 *
 *  At most one read and one write at a time. Each operation keeps its `owner` until it has ended, because a coroutine
 *  may be destroyed before that: the owner holds this stream and the buffer.
 *
 *  @par Cancellation   Aborts the operation; afterwards only `close` makes sense.
 *  @par Thread safety  None: it belongs to one loop.
 */
class byte_stream {
public:
    /** Awaited, it gives an error code and the number of bytes. */
    using operation = async_detail::operation<false, boost::system::error_code, std::size_t>;

    byte_stream() noexcept = default;
    explicit byte_stream(std::shared_ptr<net_detail::transport> wire) noexcept;

    [[nodiscard]] explicit operator bool() const noexcept { return wire_ != nullptr; }

    [[nodiscard]] operation read_some(boost::asio::mutable_buffer buffer, std::shared_ptr<const void> owner);
    [[nodiscard]] operation write_some(boost::asio::const_buffer buffer, std::shared_ptr<const void> owner);

    /** True if the server neither closed the stream nor sent anything since the last read. Over TLS it sends session
     *  tickets after the handshake, which the first read takes: not before does this tell anything. */
    [[nodiscard]] bool is_quiet() const noexcept;
    /** Ends the stream at once; pending operations abort. May be called again. */
    void close() noexcept;

private:
    std::shared_ptr<net_detail::transport> wire_;
};

/** Where such a server is, and whether it is spoken to over TLS.
 *
 *  @par Errors          From the constructors `errc::invalid_configuration`, if the host or port is none, or the CA or
 *                       certificate in the TLS options cannot be used.
 *  @par Thread safety   All operations from any OS thread; `open` is awaited on the loop that is to do the work.
 */
class stream_target {
public:
    stream_target(std::string host, std::uint16_t port);
    stream_target(std::string host, std::uint16_t port, const tls_options& tls);

    /** Host and port, for messages. */
    [[nodiscard]] std::string endpoint() const;
    /** Whether the host is this machine. */
    [[nodiscard]] bool is_loopback() const noexcept;
    [[nodiscard]] bool is_tls() const noexcept { return tls_ != nullptr; }

    /** Connects: name lookup, TCP, TLS.
     *
     *  @param limit   For everything together.
     *
     *  @par Errors
     *    - `errc::resolve_failed`    the host has no address.
     *    - `errc::connect_failed`    no address accepts a connection.
     *    - `errc::connect_timeout`   `limit` passed; the detail says in which phase.
     *    - `errc::tls_untrusted`, `tls_expired`, `tls_wrong_host`   a check of the certificate failed.
     *    - `errc::tls_failed`        the peer does not speak our TLS.
     *    - `errc::connection_lost`   the peer went away during the handshake.
     *    - `errc::cancelled`         a stop came; the socket is closed. */
    [[nodiscard]] task<byte_stream> open(std::chrono::nanoseconds limit) const;

private:
    std::shared_ptr<const url> address_;
    std::shared_ptr<net_detail::tls_context> tls_;
};

}  // namespace weft
