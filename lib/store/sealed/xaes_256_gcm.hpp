#pragma once

#include "aes_256.hpp"

namespace weft::sealed_detail {

/** AES-256-GCM with nonces so long that random ones do not meet: a key for each text, made of half of its nonce.
 *
 *  @par Thread safety   All operations from any OS thread at the same time.
 *  @par Lifetimes       `aes` outlives it.
 *  @par Source          C2SP, XAES-256-GCM, https://c2sp.org/XAES-256-GCM
 */
class xaes_256_gcm {
public:
    static constexpr std::size_t nonce = 24;

    xaes_256_gcm(const aes_256& aes, const secret_key& key);

    /** As those of `aes_256`. */
    void seal(const unsigned char* nonce_bytes, std::string_view bound_to, std::string_view text, char* to,
              unsigned char* tag_bytes) const;
    [[nodiscard]] bool open(const unsigned char* nonce_bytes, std::string_view bound_to, std::string_view sealed,
                            const unsigned char* tag_bytes, char* to) const;

private:
    [[nodiscard]] secret_key text_key(const unsigned char* nonce_bytes) const;

    const aes_256* aes_;
    secret_key key_;
    secret_key mask_;  // K1 of CMAC, in its first half
};

}  // namespace weft::sealed_detail
