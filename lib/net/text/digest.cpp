#include <weft/net/text/digest.hpp>

#include <weft/base/error.hpp>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

namespace weft::net_detail {

namespace {

std::string digest_by(const EVP_MD* algorithm, std::string_view text)
{
    std::string digest(EVP_MAX_MD_SIZE, '\0');
    unsigned size = 0;
    auto* const bytes = reinterpret_cast<unsigned char*>(digest.data());
    if (EVP_Digest(text.data(), text.size(), bytes, &size, algorithm, nullptr) != 1)
        throw error{errc::invalid_configuration, EVP_MD_get0_name(algorithm),
                    "OpenSSL does not have it in this configuration"};
    digest.resize(size);
    return digest;
}

}  // namespace

std::string sha256(std::string_view text) { return digest_by(EVP_sha256(), text); }
std::string sha1(std::string_view text) { return digest_by(EVP_sha1(), text); }

std::string hmac_sha256(std::string_view key, std::string_view text)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
    if (!HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, text.size(), digest.data(), &size))
        throw error{errc::invalid_configuration, "HMAC", "OpenSSL does not have SHA-256 in this configuration"};
    return {reinterpret_cast<const char*>(digest.data()), size};
}

bool is_same_digest(std::string_view a, std::string_view b) noexcept
{
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace weft::net_detail
