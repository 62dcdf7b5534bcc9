#include "xaes_256_gcm.hpp"

#include <cstring>

namespace weft::sealed_detail {

namespace {

constexpr std::size_t salt_size = 12;  // the half of the nonce that makes the key

}  // namespace

/** K1 of CMAC: the encrypted zero block, doubled in GF(2^128). */
xaes_256_gcm::xaes_256_gcm(const aes_256& aes, const secret_key& key) : aes_{&aes}, key_{key}
{
    const std::span<unsigned char> mask{mask_.bytes.data(), aes_256::block};
    aes_->encrypt_blocks(key_, mask);
    const bool carries = (mask[0] & 0x80) != 0;
    for (std::size_t i = 0; i < mask.size(); ++i) {
        const int next = i + 1 < mask.size() ? mask[i + 1] >> 7 : 0;
        mask[i] = static_cast<unsigned char>(mask[i] << 1 | next);
    }
    if (carries) mask.back() ^= 0x87;
}

/** Two numbered blocks of the first half of the nonce, under the secret. */
secret_key xaes_256_gcm::text_key(const unsigned char* nonce_bytes) const
{
    secret_key made;
    for (std::size_t i = 0; i < 2; ++i) {
        unsigned char* const block = made.bytes.data() + i * aes_256::block;
        block[1] = static_cast<unsigned char>(i + 1);
        block[2] = 'X';
        std::memcpy(block + 4, nonce_bytes, salt_size);
        for (std::size_t j = 0; j < aes_256::block; ++j) block[j] ^= mask_.bytes[j];
    }
    aes_->encrypt_blocks(key_, made.bytes);
    return made;
}

void xaes_256_gcm::seal(const unsigned char* nonce_bytes, std::string_view bound_to, std::string_view text, char* to,
                        unsigned char* tag_bytes) const
{
    aes_->seal(text_key(nonce_bytes), nonce_bytes + salt_size, bound_to, text, to, tag_bytes);
}

bool xaes_256_gcm::open(const unsigned char* nonce_bytes, std::string_view bound_to, std::string_view sealed,
                        const unsigned char* tag_bytes, char* to) const
{
    return aes_->open(text_key(nonce_bytes), nonce_bytes + salt_size, bound_to, sealed, tag_bytes, to);
}

}  // namespace weft::sealed_detail
