#include <weft/net/text/digest.hpp>

#include <weft/base/error.hpp>

#include <openssl/evp.h>

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

}  // namespace weft::net_detail
