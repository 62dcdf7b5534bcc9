#pragma once

#include <boost/system/error_code.hpp>
#include <openssl/ssl.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace weft::net_detail {

enum class tls_side { client, server };

/** Buffers for ciphertext that one call of `tls_engine` borrows, and what the call did with them. */
struct tls_wire {
    std::span<const char> in{};  ///< Received bytes; the call advances it past what it takes.
    std::span<char> out{};       ///< Room for bytes to send; the call advances it past what it writes.
    bool has_ended = false;      ///< No byte comes after `in`.
};

enum class tls_status {
    done,
    want_read,   ///< The call needs more bytes in `tls_wire::in`.
    want_write,  ///< The call needs more room in `tls_wire::out`, and then the same plaintext again.
    closed,      ///< The peer said goodbye (close_notify).
    failed,      ///< `code` says why; only the destructor makes sense now.
};

struct tls_result {
    tls_status status = tls_status::done;
    std::size_t size = 0;              ///< Plaintext bytes read or written.
    boost::system::error_code code{};  ///< As Asio's TLS stream reports it.
};

/** One TLS connection without a socket: plaintext on one side, ciphertext in borrowed buffers on the other.
 *
 *  The engine owns no buffer for ciphertext, and OpenSSL gives its own back when no record is half read or written.
 *  Each call may leave bytes in `tls_wire::out`, whatever its status; they have to be sent. Bytes that stay in
 *  `tls_wire::in` belong to the caller, who lends them again in the next call.
 *
 *  An end of the wire without a goodbye is `stream_truncated`. Renegotiation is refused.
 *
 *  @par Thread safety  None.
 *  @par Lifetimes      Holds a reference to the `SSL_CTX`. Borrows the buffers for one call.
 */
class tls_engine {
public:
    /** @par Errors   `std::bad_alloc` if OpenSSL has no memory. */
    tls_engine(SSL_CTX* context, tls_side side);

    tls_result handshake(tls_wire& wire);
    tls_result read(tls_wire& wire, std::span<char> plaintext);
    tls_result write(tls_wire& wire, std::string_view plaintext);

    /** Says goodbye; does not wait for the peer's. */
    tls_result shutdown(tls_wire& wire);

    /** Gives OpenSSL's buffers back where it keeps them for nothing, as the one for writing after a ticket was read. */
    void release_buffers() noexcept;

    /** Plaintext bytes that a `read` gives without a byte of the wire. */
    [[nodiscard]] std::size_t pending() const noexcept;

    [[nodiscard]] SSL* native() const noexcept { return ssl_.get(); }

private:
    struct ssl_deleter {
        void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
    };

    template <class Call>
    tls_result perform(tls_wire& wire, Call call);
    tls_result outcome(int returned, const tls_wire& wire) const;

    std::unique_ptr<SSL, ssl_deleter> ssl_;
    BIO* bio_ = nullptr;  // belongs to ssl_
};

}  // namespace weft::net_detail
