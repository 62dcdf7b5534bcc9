#include <weft/serve/api_keys.hpp>

#include <weft/base/system/random_secret.hpp>
#include <weft/base/text/base64.hpp>
#include <weft/net/text/digest.hpp>

namespace weft {

namespace {

constexpr std::string_view key_prefix = "weft_";
constexpr std::size_t secret_characters = 43;    // 32 bytes
constexpr std::size_t checksum_characters = 6;   // of the digest of what stands before

std::string checksum_of(std::string_view body)
{
    return to_base64url(net_detail::sha256(body)).substr(0, checksum_characters);
}

}  // namespace

std::string new_api_key()
{
    const std::string body = std::string{key_prefix} + random_secret();
    return body + checksum_of(body);
}

bool is_api_key(std::string_view text) noexcept
{
    constexpr std::size_t body_size = key_prefix.size() + secret_characters;
    if (text.size() != body_size + checksum_characters || !text.starts_with(key_prefix)) return false;
    return checksum_of(text.substr(0, body_size)) == text.substr(body_size);
}

std::string hash_of_api_key(std::string_view key) { return to_hex(net_detail::sha256(key)); }

}  // namespace weft
