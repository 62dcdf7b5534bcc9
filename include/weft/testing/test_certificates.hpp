#pragma once

#include <weft/base/chrono.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace weft::testing {

/** What a certificate should say. */
class certificate_options {
public:
    using time_point = std::chrono::system_clock::time_point;

    /** A certificate for this machine under its usual names, valid from yesterday for 30 days. */
    certificate_options();

    /** The hosts that the certificate is for, in place of the usual ones: DNS names, `*.example.com`
     *  included, and IPv4 or IPv6 addresses. */
    certificate_options& hosts(std::vector<std::string> names);
    /** The common name of the subject, by default `weft test server`. No client goes by it (RFC 9525 §6.3). */
    certificate_options& common_name(std::string name);
    /** First and last moment of validity; both may lie in the past or in the future. */
    certificate_options& valid(time_point from, time_point until);
    /** For clients, which show it to servers that ask who they are, in place of servers. */
    certificate_options& for_clients();
    /** Valid until yesterday. */
    certificate_options& expired();
    /** Valid from tomorrow on. */
    certificate_options& not_yet_valid();

    [[nodiscard]] const std::vector<std::string>& hosts() const noexcept { return hosts_; }
    [[nodiscard]] const std::string& common_name() const noexcept { return common_name_; }
    [[nodiscard]] bool is_for_clients() const noexcept { return is_for_clients_; }
    [[nodiscard]] time_point valid_from() const noexcept { return valid_from_; }
    [[nodiscard]] time_point valid_until() const noexcept { return valid_until_; }

private:
    std::vector<std::string> hosts_;
    std::string common_name_ = "weft test server";
    time_point valid_from_;
    time_point valid_until_;
    bool is_for_clients_ = false;
};

/** A certificate with its private key, both as PEM texts. */
struct issued_certificate {
    std::string certificate_pem;
    std::string key_pem;
};

/** A file with a PEM text, for programs that want a path; it disappears with this object. */
class pem_file {
public:
    /** Writes the text to a new file in the folder for temporary files, readable by its owner only.
     *
     *  @par Errors
     *    - `errc::invalid_configuration`  the file cannot be written; where: its path.
     */
    explicit pem_file(const std::string& text);
    ~pem_file();

    pem_file(pem_file&& other) noexcept : path_{std::exchange(other.path_, {})} {}
    pem_file& operator=(pem_file&& other) noexcept { return std::swap(path_, other.path_), *this; }

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

/** A certificate authority that lives as long as this object: keys and root are made by the
 *  constructor and are known nowhere else. Elliptic curve P-256, about 0.1 ms for each certificate.
 *
 *  @par Thread safety   Distinct authorities: safe. One authority: `issue` from one OS thread at a
 *                       time.
 *  @par Errors          `errc::tls_failed` when OpenSSL refuses; the detail has its reason.
 */
class certificate_authority {
public:
    /** @param name  The root's common name. */
    explicit certificate_authority(const std::string& name = "weft test authority");
    ~certificate_authority();
    certificate_authority(certificate_authority&&) noexcept;
    certificate_authority& operator=(certificate_authority&&) noexcept;

    /** The root that a client has to trust. */
    [[nodiscard]] const std::string& certificate_pem() const noexcept { return certificate_pem_; }

    /** Makes a certificate, of a server unless the options say otherwise, and its key. */
    [[nodiscard]] issued_certificate issue(const certificate_options& options = {}) const;

private:
    struct root_identity;
    std::unique_ptr<root_identity> root_;
    std::string certificate_pem_;
};

}  // namespace weft::testing
