#include "own_certificate.hpp"

#include <weft/base/error.hpp>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

namespace weft::net_detail {

namespace {

template <auto Free>
struct openssl_deleter {
    template <class T>
    void operator()(T* object) const noexcept
    {
        Free(object);
    }
};
using pem_source_ptr = std::unique_ptr<BIO, openssl_deleter<BIO_free>>;
using own_certificate_ptr = std::unique_ptr<X509, openssl_deleter<X509_free>>;
using own_key_ptr = std::unique_ptr<EVP_PKEY, openssl_deleter<EVP_PKEY_free>>;

pem_source_ptr open(const pem_place& place)
{
    pem_source_ptr source{place.is_file ? BIO_new_file(place.name.c_str(), "r")
                                        : BIO_new_mem_buf(place.text.data(), static_cast<int>(place.text.size()))};
    return source;
}

[[noreturn]] void refuse_identity(const pem_place& place, const std::string& what)
{
    ERR_clear_error();
    throw error{errc::invalid_configuration, place.name, what};
}

struct passphrase_source {
    const secret_string& passphrase;
    bool was_asked = false;
};

/** Gives OpenSSL the passphrase; without one it would ask at the terminal. */
int give_passphrase(char* buffer, int size, int, void* user_data)
{
    auto& source = *static_cast<passphrase_source*>(user_data);
    source.was_asked = true;
    const std::string_view text = source.passphrase.reveal();
    const std::size_t length = std::min(text.size(), static_cast<std::size_t>(size));
    std::copy_n(text.begin(), length, buffer);
    return static_cast<int>(length);
}

void check_dates(X509* leaf, const pem_place& place, const std::string& owner)
{
    if (X509_cmp_current_time(X509_get0_notAfter(leaf)) < 0)
        refuse_identity(place, "the " + owner + "'s certificate has expired; get a new one");
    if (X509_cmp_current_time(X509_get0_notBefore(leaf)) > 0)
        refuse_identity(place, "the " + owner + "'s certificate is not valid yet, or this machine's clock is wrong");
}

own_certificate_ptr read_chain(SSL_CTX* context, const pem_place& place, tls_side owner)
{
    const pem_source_ptr source = open(place);
    if (!source) refuse_identity(place, "the file cannot be read");
    own_certificate_ptr leaf{PEM_read_bio_X509(source.get(), nullptr, nullptr, nullptr)};
    if (!leaf) refuse_identity(place, "it holds no PEM certificate");
    check_dates(leaf.get(), place, owner == tls_side::client ? "client" : "server");
    if (SSL_CTX_use_certificate(context, leaf.get()) != 1)
        refuse_identity(place, "the certificate's key is of a kind or strength that OpenSSL does not accept");
    constexpr int links_max = 16;
    for (int i = 0; i < links_max; ++i) {
        own_certificate_ptr link{PEM_read_bio_X509(source.get(), nullptr, nullptr, nullptr)};
        if (!link || SSL_CTX_add0_chain_cert(context, link.get()) != 1) break;
        (void)link.release();  // the context's now
    }
    ERR_clear_error();  // the end of the text was one
    return leaf;
}

own_key_ptr read_key(const pem_place& place, const secret_string& passphrase)
{
    const pem_source_ptr source = open(place);
    if (!source) refuse_identity(place, "the file cannot be read");
    passphrase_source secret{passphrase};
    own_key_ptr key{PEM_read_bio_PrivateKey(source.get(), nullptr, give_passphrase, &secret)};
    if (key) return key;
    if (!secret.was_asked) refuse_identity(place, "it holds no PEM private key; name one with key_file or key_pem");
    refuse_identity(place, passphrase.empty() ? "the key is encrypted; give key_passphrase"
                                              : "the key cannot be decrypted; key_passphrase is perhaps wrong");
}

/** Calls `read`; what it throws is added to `wrong`, so that all that is wrong is told at once. */
template <class Read>
auto read_or_note(std::unique_ptr<error>& wrong, Read read) -> decltype(read())
{
    try {
        return read();
    } catch (const error& e) {
        const std::string before = wrong ? wrong->detail() + "; " + e.where() + ": " : std::string{};
        wrong = std::make_unique<error>(e.code(), wrong ? wrong->where() : e.where(), before + e.detail());
        return nullptr;
    }
}

}  // namespace

void use_own_certificate(SSL_CTX* context, const pem_place& certificate, const pem_place& key,
                         const secret_string& passphrase, tls_side owner)
{
    std::unique_ptr<error> wrong;
    const own_certificate_ptr leaf = read_or_note(wrong, [&] { return read_chain(context, certificate, owner); });
    const own_key_ptr secret = read_or_note(wrong, [&] { return read_key(key, passphrase); });
    if (wrong) throw error{*wrong};
    if (X509_check_private_key(leaf.get(), secret.get()) != 1)
        refuse_identity(key, "the key does not belong to the certificate in " + certificate.name);
    if (SSL_CTX_use_PrivateKey(context, secret.get()) != 1) refuse_identity(key, "OpenSSL does not accept the key");
}

}  // namespace weft::net_detail
