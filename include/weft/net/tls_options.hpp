#pragma once

#include <weft/net/secret_string.hpp>

#include <string>

namespace weft {

enum class tls_verification {
    full,  ///< The chain must end in a trusted root, be in date and name the host.
    none,  ///< Any server is believed. For experiments only: anybody on the way can read and change everything.
};

/** Whom a client trusts, and what it shows of itself. By default it trusts the roots of the system, and certificates
 *  are checked in full.
 *
 *  The system's roots are where `SSL_CERT_FILE` and `SSL_CERT_DIR` say, both if both are set, else where OpenSSL and
 *  the usual distributions keep them. TLS 1.2 is the oldest version that is spoken.
 *
 *  A certificate of the client is shown to origins that ask for one, never to a proxy. It is read when the client is
 *  made, and refused if it cannot be read, is not in date, or does not belong to the key.
 */
struct tls_options {
    /** Trusts the certificates of a PEM file, and no longer those of the system. */
    std::string ca_file{};
    /** Trusts the certificates of a PEM text, and no longer those of the system. */
    std::string ca_pem{};
    /** `none` also writes a warning to `std::clog`, once for each client. */
    tls_verification verification = tls_verification::full;

    /** Shows the certificate of a PEM file; those behind the first are its chain. */
    std::string certificate_file{};
    /** Shows the certificate of a PEM text; those behind the first are its chain. */
    std::string certificate_pem{};
    /** The certificate's key, a PEM file. Without one, the key stands where the certificate does. */
    std::string key_file{};
    secret_string key_pem{};         ///< The certificate's key, a PEM text.
    secret_string key_passphrase{};  ///< What the key is encrypted with.

    [[nodiscard]] bool has_certificate() const noexcept
    {
        return !certificate_file.empty() || !certificate_pem.empty();
    }
    [[nodiscard]] bool has_key() const noexcept { return !key_file.empty() || !key_pem.empty(); }
    [[nodiscard]] bool uses_system_roots() const noexcept
    {
        return ca_file.empty() && ca_pem.empty() && verification == tls_verification::full;
    }
};

}  // namespace weft
