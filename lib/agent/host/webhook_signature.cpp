#include <weft/agent/host/webhook_signature.hpp>

#include <weft/base/error.hpp>
#include <weft/base/text/base64.hpp>

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

namespace weft {

std::string webhook_signature(std::string_view body, const secret_string& secret)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    const std::string_view key = secret.reveal();
    const auto* const bytes = reinterpret_cast<const unsigned char*>(body.data());
    if (!HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes, body.size(), digest.data(), &size))
        throw error{errc::invalid_configuration, "webhook", "OpenSSL has no HMAC with SHA-256 in this configuration"};
    return "sha256=" + to_hex({reinterpret_cast<const char*>(digest.data()), size});
}

bool is_signed_webhook(std::string_view body, std::string_view signature, const secret_string& secret)
{
    const std::string right = webhook_signature(body, secret);
    return signature.size() == right.size() && CRYPTO_memcmp(signature.data(), right.data(), right.size()) == 0;
}

}  // namespace weft
