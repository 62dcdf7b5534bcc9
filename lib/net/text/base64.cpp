#include "base64.hpp"

#include <openssl/evp.h>

#include <algorithm>

namespace weft::net_detail {

std::string to_base64(std::string_view bytes)
{
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // and the zero that OpenSSL puts behind it
    const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     reinterpret_cast<const unsigned char*>(bytes.data()),
                                     static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(size));
    return text;
}

std::optional<std::string> from_base64(std::string_view text)
{
    if (text.empty()) return std::string{};
    if (text.size() % 4 != 0) return std::nullopt;
    const std::size_t padding = text.size() - (text.find_last_not_of('=') + 1);
    const bool has_space = text.find_first_of(" \t\r\n") != std::string_view::npos;  // which OpenSSL would pass over
    if (padding > 2 || has_space) return std::nullopt;
    std::string bytes(text.size() / 4 * 3, '\0');
    const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
    if (size < 0) return std::nullopt;
    bytes.resize(static_cast<std::size_t>(size) - padding);
    return bytes;
}

}  // namespace weft::net_detail
