#pragma once

#include <openssl/evp.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

namespace weft::sealed_detail {

/** 256 secret bits, overwritten at the end. */
class secret_key {
public:
    static constexpr std::size_t size = 32;

    secret_key() noexcept = default;
    secret_key(const secret_key&) = default;
    secret_key& operator=(const secret_key&) = default;
    ~secret_key();

    std::array<unsigned char, size> bytes{};
};

/** A key that comes of another one, for one use.
 *  @par Source   RFC 5869 §2.3, HKDF-Expand with SHA-256 and 32 bytes of output. */
[[nodiscard]] secret_key derived_key(std::string_view secret, std::string_view use);

/** HMAC with SHA-256. */
[[nodiscard]] secret_key keyed_hash(const secret_key& key, std::string_view text);

/** AES with 256 bits of OpenSSL.
 *
 *  @par Errors          `errc::invalid_configuration` from the constructor, if OpenSSL has it not;
 *                       `errc::store_refused` from the operations, if it fails.
 *  @par Thread safety   All operations from any OS thread at the same time.
 */
class aes_256 {
public:
    static constexpr std::size_t block = 16;
    static constexpr std::size_t nonce = 12;
    static constexpr std::size_t tag = 16;

    aes_256();

    /** Encrypts each block by itself, in place; `bytes` are whole blocks. */
    void encrypt_blocks(const secret_key& key, std::span<unsigned char> bytes) const;
    void decrypt_blocks(const secret_key& key, std::span<unsigned char> bytes) const;

    /** Encrypts `text` into `to` (of its size) and makes the tag, by GCM. */
    void seal(const secret_key& key, const unsigned char* nonce_bytes, std::string_view bound_to,
              std::string_view text, char* to, unsigned char* tag_bytes) const;
    /** Takes `seal` back. @return False if anything is not what it was; then `to` is overwritten with zeros. */
    [[nodiscard]] bool open(const secret_key& key, const unsigned char* nonce_bytes, std::string_view bound_to,
                            std::string_view sealed, const unsigned char* tag_bytes, char* to) const;

private:
    struct deleter {
        void operator()(EVP_CIPHER* cipher) const noexcept { EVP_CIPHER_free(cipher); }
    };
    std::unique_ptr<EVP_CIPHER, deleter> blocks_;
    std::unique_ptr<EVP_CIPHER, deleter> gcm_;
};

}  // namespace weft::sealed_detail
