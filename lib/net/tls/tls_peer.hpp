#pragma once

#include <weft/base/error.hpp>
#include <weft/net/url.hpp>

#include <boost/system/error_code.hpp>
#include <openssl/ssl.h>

#include <string>

namespace weft::net_detail {

/** What the other side is to us. */
enum class tls_role { origin, proxy };

/** The other side of one TLS connection: whom we want to reach, and what was wrong with who answered. */
struct tls_peer {
    explicit tls_peer(const url& target, tls_role role = tls_role::origin)
        : host{target.host()}, endpoint{target.endpoint()}, host_is_address{target.host_is_address()}, role{role}
    {
    }

    std::string host;
    std::string endpoint;
    bool host_is_address;
    tls_role role;

    int verify_error = X509_V_OK;  ///< The check that failed first.
    std::string certificate;       ///< The certificate that it concerns: subject, names and validity.

    bool names_no_host = false;    ///< It has no subjectAltName.

    /** What its sessions are kept under: they stand for a check of that host's certificate, and perhaps of ours. */
    [[nodiscard]] std::string session_key() const { return role == tls_role::proxy ? "proxy " + endpoint : endpoint; }

    /** Sees every certificate of a chain; keeps what failed. @return Whether the handshake may go on. */
    bool on_certificate(bool is_good, X509_STORE_CTX* chain);

    /** What a failed handshake means, in terms of weft. */
    [[nodiscard]] error handshake_error(const boost::system::error_code& code) const;
};

/** The code of an X.509 verification error (`X509_V_ERR_…`). */
[[nodiscard]] errc verify_errc(int verify_error) noexcept;

}  // namespace weft::net_detail
