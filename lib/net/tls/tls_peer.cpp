#include "tls_peer.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <openssl/x509v3.h>

#include <algorithm>
#include <memory>
#include <string_view>

namespace weft::net_detail {

namespace {

constexpr int names_shown_max = 8;
constexpr std::size_t text_bytes_max = 512;

struct bio_deleter {
    void operator()(BIO* bio) const noexcept { BIO_free(bio); }
};
struct names_deleter {
    void operator()(GENERAL_NAMES* names) const noexcept { GENERAL_NAMES_free(names); }
};

/** What `print` writes, bounded, and with the control characters that a hostile certificate may hold made visible. */
template <class Print>
std::string printed(Print print)
{
    const std::unique_ptr<BIO, bio_deleter> out{BIO_new(BIO_s_mem())};
    if (!out) return {};
    print(out.get());
    char* text = nullptr;
    const long size = BIO_get_mem_data(out.get(), &text);
    std::string result{text, std::min(static_cast<std::size_t>(std::max(size, 0L)), text_bytes_max)};
    for (char& c : result)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    return result;
}

void append_alternative_names(std::string& to, const X509* certificate)
{
    const std::unique_ptr<GENERAL_NAMES, names_deleter> names{
        static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr))};
    const int count = names ? sk_GENERAL_NAME_num(names.get()) : 0;
    for (int i = 0; i < count && i < names_shown_max; ++i) {
        GENERAL_NAME* const name = sk_GENERAL_NAME_value(names.get(), i);
        to.append(i == 0 ? ", for " : ", ").append(printed([&](BIO* out) { GENERAL_NAME_print(out, name); }));
    }
    if (count > names_shown_max) to.append(" and others");
}

/** `CN = api.example.com, for DNS:api.example.com, valid from … to …` */
std::string described(X509* certificate)
{
    if (!certificate) return "no certificate";
    std::string text = printed([&](BIO* out) {
        X509_NAME_print_ex(out, X509_get_subject_name(certificate), 0, XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB);
    });
    if (text.empty()) text = "(no subject)";
    append_alternative_names(text, certificate);
    text += ", valid from " + printed([&](BIO* out) { ASN1_TIME_print(out, X509_get0_notBefore(certificate)); });
    text += " to " + printed([&](BIO* out) { ASN1_TIME_print(out, X509_get0_notAfter(certificate)); });
    return text;
}

/** True if a certificate says in its subjectAltName which hosts it is for. */
bool names_hosts(const X509* certificate)
{
    return certificate && X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1) >= 0;
}

std::string_view remedy(errc code, bool names_no_host) noexcept
{
    switch (code) {
    case errc::tls_wrong_host:
        return names_no_host ? "the server needs a certificate with a subjectAltName such as DNS:api.example.com; the "
                               "common name does not count"
                             : "use the name that the certificate is for";
    case errc::tls_expired: return "the server needs a new certificate, or a clock is wrong";
    default: return "if the server's CA is your own, name its file in `ca_file` or in SSL_CERT_FILE";
    }
}

bool is_lost(const boost::system::error_code& code) noexcept
{
    namespace net_error = boost::asio::error;
    return code == net_error::eof || code == boost::asio::ssl::error::stream_truncated ||
           code == net_error::connection_reset || code == net_error::broken_pipe ||
           code == net_error::connection_aborted;
}

}  // namespace

errc verify_errc(int verify_error) noexcept
{
    switch (verify_error) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID:
    case X509_V_ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD:
    case X509_V_ERR_ERROR_IN_CERT_NOT_AFTER_FIELD:
        return errc::tls_expired;
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        return errc::tls_wrong_host;
    default:
        return errc::tls_untrusted;
    }
}

bool tls_peer::on_certificate(bool is_good, X509_STORE_CTX* chain)
{
    if (is_good || verify_error != X509_V_OK) return is_good;
    verify_error = X509_STORE_CTX_get_error(chain);
    certificate = described(X509_STORE_CTX_get_current_cert(chain));
    names_no_host = !names_hosts(X509_STORE_CTX_get_current_cert(chain));
    return false;
}

error tls_peer::handshake_error(const boost::system::error_code& code) const
{
    if (verify_error != X509_V_OK) {
        const errc reason = verify_errc(verify_error);
        std::string detail = X509_verify_cert_error_string(verify_error);
        if (reason == errc::tls_wrong_host) detail += ", the host asked for is " + host;
        detail.append(" (certificate: ").append(certificate).append("); ").append(remedy(reason, names_no_host));
        return error{reason, endpoint, std::move(detail)};
    }
    if (is_lost(code)) return error{errc::connection_lost, endpoint, "during the TLS handshake: " + code.message()};
    return error{errc::tls_failed, endpoint, code.message() + "; check that the port speaks TLS 1.2 or newer"};
}

}  // namespace weft::net_detail
