#include <weft/serve/api_keys.hpp>

#include <weft/base/error.hpp>
#include <weft/base/text/base64.hpp>

#include <openssl/evp.h>
#include <sys/random.h>

#include <array>

namespace weft {

namespace {

constexpr std::string_view key_prefix = "weft_";
constexpr std::size_t secret_characters = 43;    // 32 bytes
constexpr std::size_t checksum_characters = 6;   // of the digest of what stands before

std::array<unsigned char, 32> digest_of_key(std::string_view text)
{
    std::array<unsigned char, 32> digest{};
    if (EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1)
        throw error{errc::invalid_configuration, "API key", "OpenSSL has no SHA-256 in this configuration"};
    return digest;
}

std::string checksum_of(std::string_view body)
{
    const auto digest = digest_of_key(body);
    const std::string text = to_base64url({reinterpret_cast<const char*>(digest.data()), digest.size()});
    return text.substr(0, checksum_characters);
}

}  // namespace

std::string new_api_key()
{
    std::array<char, 32> bytes{};
    // Up to 256 bytes come whole, or not at all.
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw error{errc::invalid_configuration, "API key", "the operating system gives no random bytes"};
    const std::string body = std::string{key_prefix} + to_base64url({bytes.data(), bytes.size()});
    return body + checksum_of(body);
}

bool is_api_key(std::string_view text) noexcept
{
    constexpr std::size_t body_size = key_prefix.size() + secret_characters;
    if (text.size() != body_size + checksum_characters || !text.starts_with(key_prefix)) return false;
    return checksum_of(text.substr(0, body_size)) == text.substr(body_size);
}

std::string hash_of_api_key(std::string_view key)
{
    const auto digest = digest_of_key(key);
    return to_hex({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

}  // namespace weft
