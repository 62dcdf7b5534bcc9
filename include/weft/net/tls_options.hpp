#pragma once

#include <string>
#include <utility>

namespace weft {

enum class tls_verification {
    full,  ///< The chain must end in a trusted root, be in date and name the host.
    none,  ///< Whoever answers is believed. For experiments only: anybody on the way can read and change everything.
};

/** Whom a client trusts. By default the roots of the system, and certificates are checked in full.
 *
 *  The system's roots are where `SSL_CERT_FILE` and `SSL_CERT_DIR` say, both if both are set, else where OpenSSL and
 *  the usual distributions keep them. TLS 1.2 is the oldest version that is spoken.
 */
class tls_options {
public:
    tls_options() {}

    /** Trusts the certificates of a PEM file, and no longer those of the system. */
    tls_options& ca_file(std::string path) { return ca_file_ = std::move(path), *this; }
    /** Trusts the certificates of a PEM text, and no longer those of the system. */
    tls_options& ca_pem(std::string text) { return ca_pem_ = std::move(text), *this; }
    /** `none` also writes a warning to `std::clog`, once for each client. */
    tls_options& verification(tls_verification how) noexcept { return verification_ = how, *this; }

    [[nodiscard]] const std::string& ca_file() const noexcept { return ca_file_; }
    [[nodiscard]] const std::string& ca_pem() const noexcept { return ca_pem_; }
    [[nodiscard]] tls_verification verification() const noexcept { return verification_; }
    [[nodiscard]] bool uses_system_roots() const noexcept
    {
        return ca_file_.empty() && ca_pem_.empty() && verification_ == tls_verification::full;
    }

private:
    std::string ca_file_;
    std::string ca_pem_;
    tls_verification verification_ = tls_verification::full;
};

}  // namespace weft
