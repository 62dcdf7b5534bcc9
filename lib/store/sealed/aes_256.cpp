#include "aes_256.hpp"

#include <weft/base/error.hpp>

#include <openssl/crypto.h>
#include <openssl/hmac.h>

#include <climits>
#include <cstring>
#include <string>

namespace weft::sealed_detail {

namespace {

struct context_deleter {
    void operator()(EVP_CIPHER_CTX* context) const noexcept { EVP_CIPHER_CTX_free(context); }
};
using context_ptr = std::unique_ptr<EVP_CIPHER_CTX, context_deleter>;

void require_success(int result)
{
    if (result != 1) throw error{errc::store_refused, "AES-256", "OpenSSL refuses to encrypt"};
}

int openssl_size(std::size_t size)
{
    if (size > INT_MAX) throw error{errc::limit_reached, "AES-256", "a text is too long to be encrypted"};
    return static_cast<int>(size);
}

const unsigned char* unsigned_bytes(std::string_view text) noexcept
{
    return reinterpret_cast<const unsigned char*>(text.data());
}

void crypt_blocks(const EVP_CIPHER* cipher, const secret_key& key, std::span<unsigned char> bytes, int encrypts)
{
    const context_ptr context{EVP_CIPHER_CTX_new()};
    require_success(context ? 1 : 0);
    require_success(EVP_CipherInit_ex2(context.get(), cipher, key.bytes.data(), nullptr, encrypts, nullptr));
    require_success(EVP_CIPHER_CTX_set_padding(context.get(), 0));
    int written = 0;
    require_success(
        EVP_CipherUpdate(context.get(), bytes.data(), &written, bytes.data(), openssl_size(bytes.size())));
}

/** A context of GCM that has taken in what the text is bound to. */
context_ptr gcm_context(const EVP_CIPHER* cipher, const secret_key& key, const unsigned char* nonce,
                        std::string_view bound_to, int encrypts)
{
    context_ptr context{EVP_CIPHER_CTX_new()};
    require_success(context ? 1 : 0);
    require_success(EVP_CipherInit_ex2(context.get(), cipher, key.bytes.data(), nonce, encrypts, nullptr));
    int written = 0;
    require_success(EVP_CipherUpdate(context.get(), nullptr, &written, unsigned_bytes(bound_to),
                                     openssl_size(bound_to.size())));
    return context;
}

void crypt_text(EVP_CIPHER_CTX* context, std::string_view from, char* to)
{
    if (from.empty()) return;
    int written = 0;
    require_success(EVP_CipherUpdate(context, reinterpret_cast<unsigned char*>(to), &written, unsigned_bytes(from),
                                     openssl_size(from.size())));
}

secret_key hmac_of(const void* key, std::size_t key_size, std::string_view text)
{
    secret_key result;
    unsigned size = 0;
    if (!HMAC(EVP_sha256(), key, openssl_size(key_size), unsigned_bytes(text), text.size(), result.bytes.data(), &size))
        throw error{errc::store_refused, "HMAC", "OpenSSL refuses SHA-256"};
    return result;
}

}  // namespace

secret_key::~secret_key() { OPENSSL_cleanse(bytes.data(), bytes.size()); }

secret_key derived_key(std::string_view secret, std::string_view use)
{
    return hmac_of(secret.data(), secret.size(), std::string{use} + '\x01');
}

secret_key keyed_hash(const secret_key& key, std::string_view text)
{
    return hmac_of(key.bytes.data(), key.bytes.size(), text);
}

aes_256::aes_256()
    : blocks_{EVP_CIPHER_fetch(nullptr, "AES-256-ECB", nullptr)},
      gcm_{EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr)}
{
    if (!blocks_ || !gcm_) throw error{errc::invalid_configuration, "AES-256-GCM", "this OpenSSL does not have it"};
}

void aes_256::encrypt_blocks(const secret_key& key, std::span<unsigned char> bytes) const
{
    crypt_blocks(blocks_.get(), key, bytes, 1);
}

void aes_256::decrypt_blocks(const secret_key& key, std::span<unsigned char> bytes) const
{
    crypt_blocks(blocks_.get(), key, bytes, 0);
}

void aes_256::seal(const secret_key& key, const unsigned char* nonce_bytes, std::string_view bound_to,
                   std::string_view text, char* to, unsigned char* tag_bytes) const
{
    const context_ptr context = gcm_context(gcm_.get(), key, nonce_bytes, bound_to, 1);
    crypt_text(context.get(), text, to);
    int written = 0;
    unsigned char rest[block];
    require_success(EVP_CipherFinal_ex(context.get(), rest, &written));
    require_success(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, tag, tag_bytes));
}

bool aes_256::open(const secret_key& key, const unsigned char* nonce_bytes, std::string_view bound_to,
                   std::string_view sealed, const unsigned char* tag_bytes, char* to) const
{
    const context_ptr context = gcm_context(gcm_.get(), key, nonce_bytes, bound_to, 0);
    crypt_text(context.get(), sealed, to);
    std::array<unsigned char, tag> expected{};
    std::memcpy(expected.data(), tag_bytes, tag);
    require_success(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, tag, expected.data()));
    int written = 0;
    unsigned char rest[block];
    const bool is_good = EVP_CipherFinal_ex(context.get(), rest, &written) == 1;
    if (!is_good) OPENSSL_cleanse(to, sealed.size());
    return is_good;
}

}  // namespace weft::sealed_detail
