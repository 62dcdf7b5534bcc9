#pragma once

#include "tls_engine.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace weft::net_detail {

/** Ciphertext that has to be sent, and how much plaintext is in it. */
struct sealed_bytes {
    std::unique_ptr<char[]> bytes;
    std::size_t size = 0;
    std::size_t plaintext = 0;          ///< 0 without an error: the same plaintext has to be sealed again.
    boost::system::error_code code{};
};

/** A TLS connection without a socket: what has come goes in, plaintext and what has to be sent come out.
 *
 *  It holds no buffer while it waits. Bytes that were received and do not fit into the reader's room stay here until
 *  the next read; they are no more than one read of the wire brings.
 *
 *  @par Thread safety  None.
 *  @par Lifetimes      Holds a reference to the `SSL_CTX`.
 */
class tls_channel {
public:
    /** What one read of the wire brings at most. */
    static constexpr std::size_t received_max = 16 * 1024;
    /** Of plaintext in one `seal`: a TLS record. */
    static constexpr std::size_t sealed_max = 16 * 1024;

    tls_channel(SSL_CTX* context, tls_side side) : engine_{context, side} {}
    tls_channel(const tls_channel&) = delete;
    tls_channel& operator=(const tls_channel&) = delete;
    ~tls_channel();

    /** One step of the handshake. Whatever it returns, `owed()` has to be sent.
     *  @param received    New bytes of the wire.
     *  @return            `done`, `want_read` or `failed`. */
    tls_result handshake(std::string_view received, bool has_ended);

    /** Reads what is whole of what has come, as much as there is room for.
     *
     *  @param received    New bytes of the wire; none while `has_buffered`.
     *  @return            `done`, `want_read`, `closed` or `failed`; an end is given again by each later read. */
    tls_result read(std::string_view received, bool has_ended, std::span<char> room);

    /** As `read`, of `received` bytes that lie at the beginning of `room`. */
    tls_result read_in_place(std::span<char> room, std::size_t received, bool has_ended);

    /** Encrypts the first part of `plaintext`, behind what is owed. */
    [[nodiscard]] sealed_bytes seal(std::string_view plaintext);

    /** Puts the goodbye (close_notify) behind what is owed, once. */
    void say_goodbye();

    /** Whether a `read` gives something, or an end, without new bytes. */
    [[nodiscard]] bool has_buffered() const noexcept { return end_ || !kept_.empty() || engine_.pending() > 0; }
    /** Bytes that the handshake or a read has made for the peer: an alert, the answer to a change of keys. */
    [[nodiscard]] std::string& owed() noexcept { return owed_; }
    /** The handshake is done, and nothing has failed since. */
    [[nodiscard]] bool is_established() const noexcept { return is_established_; }
    [[nodiscard]] SSL* native() const noexcept { return engine_.native(); }

private:
    template <class Call>
    tls_result turn(std::span<const char>& in, bool has_ended, Call call);
    void keep(std::span<const char> rest);

    tls_engine engine_;
    std::string kept_;  // received, not yet taken by the engine
    std::string owed_;
    std::optional<tls_result> end_;
    bool is_established_ = false;
    bool said_goodbye_ = false;
};

}  // namespace weft::net_detail
