#include "sha256.hpp"

#include <weft/base/error.hpp>

#include <openssl/evp.h>

namespace weft::tool_detail {

std::string sha256(std::string_view text)
{
    std::string digest(EVP_MAX_MD_SIZE, '\0');
    unsigned size = 0;
    auto* const bytes = reinterpret_cast<unsigned char*>(digest.data());
    if (EVP_Digest(text.data(), text.size(), bytes, &size, EVP_sha256(), nullptr) != 1)
        throw error{errc::invalid_configuration, "SHA-256", "OpenSSL has no SHA-256 in this configuration"};
    digest.resize(size);
    return digest;
}

}  // namespace weft::tool_detail
