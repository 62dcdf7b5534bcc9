#pragma once

#include <weft/net/secret_string.hpp>

#include <string>
#include <utility>

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
class tls_options {
public:
    tls_options() {}

    /** Trusts the certificates of a PEM file, and no longer those of the system. */
    tls_options& ca_file(std::string path) { return ca_file_ = std::move(path), *this; }
    /** Trusts the certificates of a PEM text, and no longer those of the system. */
    tls_options& ca_pem(std::string text) { return ca_pem_ = std::move(text), *this; }
    /** `none` also writes a warning to `std::clog`, once for each client. */
    tls_options& verification(tls_verification how) noexcept { return verification_ = how, *this; }

    /** Shows the certificate of a PEM file; those behind the first are its chain. */
    tls_options& certificate_file(std::string path) { return certificate_file_ = std::move(path), *this; }
    /** Shows the certificate of a PEM text; those behind the first are its chain. */
    tls_options& certificate_pem(std::string text) { return certificate_pem_ = std::move(text), *this; }
    /** The certificate's key, a PEM file. Without one, the key stands where the certificate does. */
    tls_options& key_file(std::string path) { return key_file_ = std::move(path), *this; }
    /** The certificate's key, a PEM text. */
    tls_options& key_pem(secret_string text) { return key_pem_ = std::move(text), *this; }
    /** What the key is encrypted with. */
    tls_options& key_passphrase(secret_string text) { return key_passphrase_ = std::move(text), *this; }

    [[nodiscard]] const std::string& ca_file() const noexcept { return ca_file_; }
    [[nodiscard]] const std::string& ca_pem() const noexcept { return ca_pem_; }
    [[nodiscard]] tls_verification verification() const noexcept { return verification_; }
    [[nodiscard]] const std::string& certificate_file() const noexcept { return certificate_file_; }
    [[nodiscard]] const std::string& certificate_pem() const noexcept { return certificate_pem_; }
    [[nodiscard]] const std::string& key_file() const noexcept { return key_file_; }
    [[nodiscard]] const secret_string& key_pem() const noexcept { return key_pem_; }
    [[nodiscard]] const secret_string& key_passphrase() const noexcept { return key_passphrase_; }
    [[nodiscard]] bool has_certificate() const noexcept
    {
        return !certificate_file_.empty() || !certificate_pem_.empty();
    }
    [[nodiscard]] bool has_key() const noexcept { return !key_file_.empty() || !key_pem_.empty(); }
    [[nodiscard]] bool uses_system_roots() const noexcept
    {
        return ca_file_.empty() && ca_pem_.empty() && verification_ == tls_verification::full;
    }

private:
    std::string ca_file_;
    std::string ca_pem_;
    std::string certificate_file_;
    std::string certificate_pem_;
    std::string key_file_;
    secret_string key_pem_;
    secret_string key_passphrase_;
    tls_verification verification_ = tls_verification::full;
};

}  // namespace weft
