#include "test_tokens.hpp"

#include <weft/base/text/base64.hpp>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <array>
#include <utility>

namespace {

EVP_PKEY* new_key(const std::string& algorithm)
{
    if (algorithm == "ES256") return EVP_EC_gen("P-256");
    if (algorithm == "EdDSA") return EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
    return EVP_RSA_gen(2048);
}

std::string number_text(EVP_PKEY* of, const char* name)
{
    BIGNUM* number = nullptr;
    EVP_PKEY_get_bn_param(of, name, &number);
    std::string bytes(static_cast<std::size_t>(BN_num_bytes(number)), '\0');
    BN_bn2bin(number, reinterpret_cast<unsigned char*>(bytes.data()));
    BN_free(number);
    return weft::to_base64url(bytes);
}

/** The two numbers of a signature in DER, side by side. */
std::string raw_of(const std::string& der)
{
    const auto* at = reinterpret_cast<const unsigned char*>(der.data());
    ECDSA_SIG* const pair = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()));
    std::array<unsigned char, 64> raw{};
    BN_bn2binpad(ECDSA_SIG_get0_r(pair), raw.data(), 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(pair), raw.data() + 32, 32);
    ECDSA_SIG_free(pair);
    return {reinterpret_cast<const char*>(raw.data()), raw.size()};
}

}  // namespace

test_signer::test_signer(std::string algorithm, std::string id)
    : algorithm_{std::move(algorithm)}, id_{std::move(id)}, key_{new_key(algorithm_), &EVP_PKEY_free}
{
}

std::string test_signer::jwk() const
{
    std::string fields;
    if (algorithm_ == "EdDSA") {
        std::array<unsigned char, 32> bytes{};
        std::size_t size = bytes.size();
        EVP_PKEY_get_raw_public_key(key_.get(), bytes.data(), &size);
        fields = R"("kty":"OKP","crv":"Ed25519","x":")" +
                 weft::to_base64url({reinterpret_cast<const char*>(bytes.data()), size}) + '"';
    } else if (algorithm_ == "ES256") {
        std::array<unsigned char, 65> point{};
        std::size_t size = 0;
        EVP_PKEY_get_octet_string_param(key_.get(), OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, point.data(), point.size(),
                                        &size);
        const std::string bytes{reinterpret_cast<const char*>(point.data()), size};
        fields = R"("kty":"EC","crv":"P-256","x":")" + weft::to_base64url(bytes.substr(1, 32)) + R"(","y":")" +
                 weft::to_base64url(bytes.substr(33)) + '"';
    } else {
        fields = R"("kty":"RSA","n":")" + number_text(key_.get(), OSSL_PKEY_PARAM_RSA_N) + R"(","e":")" +
                 number_text(key_.get(), OSSL_PKEY_PARAM_RSA_E) + '"';
    }
    return '{' + fields + R"(,"use":"sig","alg":")" + algorithm_ + R"(","kid":")" + id_ + R"("})";
}

std::string test_signer::token(std::string_view claims, std::string_view head) const
{
    const std::string usual = R"({"typ":"JWT","alg":")" + algorithm_ + R"(","kid":")" + id_ + R"("})";
    const std::string text = weft::to_base64url(head.empty() ? usual : head) + '.' + weft::to_base64url(claims);
    return text + '.' + weft::to_base64url(sign(text));
}

std::string test_signer::sign(std::string_view text) const
{
    EVP_MD_CTX* const context = EVP_MD_CTX_new();
    EVP_PKEY_CTX* details = nullptr;
    EVP_DigestSignInit(context, &details, algorithm_ == "EdDSA" ? nullptr : EVP_sha256(), nullptr, key_.get());
    if (algorithm_ == "PS256") {
        EVP_PKEY_CTX_set_rsa_padding(details, RSA_PKCS1_PSS_PADDING);
        EVP_PKEY_CTX_set_rsa_pss_saltlen(details, RSA_PSS_SALTLEN_DIGEST);
    }
    const auto* const bytes = reinterpret_cast<const unsigned char*>(text.data());
    std::size_t size = 0;
    EVP_DigestSign(context, nullptr, &size, bytes, text.size());
    std::string signature(size, '\0');
    EVP_DigestSign(context, reinterpret_cast<unsigned char*>(signature.data()), &size, bytes, text.size());
    signature.resize(size);
    EVP_MD_CTX_free(context);
    return algorithm_ == "ES256" ? raw_of(signature) : signature;
}
