#pragma once

#include "tls_peer.hpp"
#include "tls_session_cache.hpp"

#include <weft/net/tls_options.hpp>

#include <boost/asio/ssl/context.hpp>

namespace weft::net_detail {

/** What is spoken over TLS: HTTP says so in the handshake. */
enum class tls_protocol { http, other };

/** What all TLS connections of one client share: trusted roots, own certificate, settings and remembered
 *  sessions.
 *
 *  Making one reads the roots, which may take 20 ms; connections then cost nothing extra.
 *
 *  @par Errors          `errc::invalid_configuration` if there are no roots, the CA's text or file holds none, or
 *                       the client's own certificate cannot be used.
 *  @par Thread safety   All operations from any OS thread.
 *  @par Lifetimes       Outlives every connection that `prepare` was called for.
 */
class tls_context {
public:
    explicit tls_context(const tls_options& options, tls_protocol protocol = tls_protocol::http);
    tls_context(const tls_context&) = delete;
    tls_context& operator=(const tls_context&) = delete;

    [[nodiscard]] boost::asio::ssl::context& native() noexcept { return context_; }

    /** Sets a new connection up for its peer: server name, checks, and the session of an earlier connection.
     *  @param peer  Stays where it is as long as `connection`. */
    void prepare(SSL* connection, tls_peer& peer);

    /** Says that a handshake failed, whatever the reason: its session is not offered again. */
    void forget_session(const tls_peer& peer) { sessions_.erase(peer.session_key()); }

    [[nodiscard]] const tls_session_cache& sessions() const noexcept { return sessions_; }

private:
    static tls_peer* peer_of(const SSL* connection) noexcept;
    static int on_certificate(int is_good, X509_STORE_CTX* chain);
    static int on_new_session(SSL* connection, SSL_SESSION* session);
    void trust_own_roots(const tls_options& options);

    boost::asio::ssl::context context_{boost::asio::ssl::context::tls_client};
    tls_verification verification_;
    tls_session_cache sessions_;
};

}  // namespace weft::net_detail
