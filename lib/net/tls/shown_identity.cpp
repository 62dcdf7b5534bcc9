#include "shown_identity.hpp"

#include <openssl/evp.h>
#include <openssl/x509v3.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace weft::net_detail {

namespace {

constexpr int dns_names_max = 64;

struct free_certificate {
    void operator()(X509* certificate) const noexcept { X509_free(certificate); }
};
struct free_names {
    void operator()(GENERAL_NAMES* names) const noexcept { GENERAL_NAMES_free(names); }
};
struct free_text {
    void operator()(unsigned char* text) const noexcept { OPENSSL_free(text); }
};

/** As UTF-8; empty if it cannot be, or holds a NUL: who compares names must not see half of one. */
std::string utf8_of(const ASN1_STRING* text)
{
    unsigned char* bytes = nullptr;
    const int size = ASN1_STRING_to_UTF8(&bytes, text);
    const std::unique_ptr<unsigned char, free_text> kept{bytes};
    if (size <= 0) return {};
    std::string result{reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)};
    return result.find('\0') == std::string::npos ? result : std::string{};
}

std::string common_name_of(const X509* certificate)
{
    const X509_NAME* const subject = X509_get_subject_name(certificate);
    const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    return at < 0 ? std::string{} : utf8_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
}

std::vector<std::string> dns_names_of(const X509* certificate)
{
    const std::unique_ptr<GENERAL_NAMES, free_names> names{
        static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr))};
    std::vector<std::string> result;
    const int count = names ? sk_GENERAL_NAME_num(names.get()) : 0;
    for (int i = 0; i < count && result.size() < dns_names_max; ++i) {
        const GENERAL_NAME* const name = sk_GENERAL_NAME_value(names.get(), i);
        if (name->type != GEN_DNS) continue;
        std::string text = utf8_of(name->d.dNSName);
        if (!text.empty()) result.push_back(std::move(text));
    }
    return result;
}

std::string fingerprint_of(const X509* certificate)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned size = 0;
    if (X509_digest(certificate, EVP_sha256(), digest.data(), &size) != 1) return {};
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (unsigned i = 0; i < size; ++i) {
        text += digits[digest[i] >> 4];
        text += digits[digest[i] & 0x0f];
    }
    return text;
}

}  // namespace

std::optional<client_identity> shown_identity(const SSL* connection)
{
    const std::unique_ptr<X509, free_certificate> shown{SSL_get1_peer_certificate(connection)};
    if (!shown || SSL_get_verify_result(connection) != X509_V_OK) return std::nullopt;
    return client_identity{common_name_of(shown.get()), dns_names_of(shown.get()), fingerprint_of(shown.get())};
}

}  // namespace weft::net_detail
