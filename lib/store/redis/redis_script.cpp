#include <weft/store/redis/redis_script.hpp>

#include <weft/base/error.hpp>
#include <weft/base/text/base64.hpp>

#include <openssl/evp.h>

#include <array>
#include <utility>

namespace weft {

redis_script::redis_script(std::string text) : text_{std::move(text)}
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (EVP_Digest(text_.data(), text_.size(), digest.data(), &size, EVP_sha1(), nullptr) != 1)
        throw error{errc::invalid_configuration, "Redis script", "OpenSSL refuses SHA-1, which names scripts"};
    name_ = to_hex({reinterpret_cast<const char*>(digest.data()), size});
}

}  // namespace weft
