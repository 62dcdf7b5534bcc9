#include "jwk_set.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/text/base64.hpp>

#include <boost/json/object.hpp>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <optional>
#include <utility>

namespace weft::serve_detail {

namespace {

constexpr std::size_t keys_max = 64;
constexpr int rsa_bits_min = 2048;

using key_ptr = std::shared_ptr<EVP_PKEY>;
using number_ptr = std::unique_ptr<BIGNUM, decltype(&BN_free)>;
using builder_ptr = std::unique_ptr<OSSL_PARAM_BLD, decltype(&OSSL_PARAM_BLD_free)>;

std::string_view jwk_text(const boost::json::object& of, std::string_view name)
{
    const boost::json::value* const found = of.if_contains(name);
    return found && found->is_string() ? std::string_view{found->get_string()} : std::string_view{};
}

std::optional<std::string> jwk_bytes(const boost::json::object& of, std::string_view name)
{
    const std::string_view text = jwk_text(of, name);
    return text.empty() ? std::nullopt : from_base64url(text);
}

number_ptr number_of(const std::string& bytes)
{
    const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
    return {BN_bin2bn(data, static_cast<int>(bytes.size()), nullptr), &BN_free};
}

/** A public key out of its parameters; null if OpenSSL does not take them. */
key_ptr key_from(const char* type, OSSL_PARAM_BLD* built)
{
    const std::unique_ptr<OSSL_PARAM, decltype(&OSSL_PARAM_free)> parameters{OSSL_PARAM_BLD_to_param(built),
                                                                            &OSSL_PARAM_free};
    const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> context{
        EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr), &EVP_PKEY_CTX_free};
    EVP_PKEY* key = nullptr;
    const bool is_made = parameters && context && EVP_PKEY_fromdata_init(context.get()) == 1 &&
                         EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parameters.get()) == 1;
    return is_made ? key_ptr{key, &EVP_PKEY_free} : nullptr;
}

key_ptr rsa_key(const boost::json::object& from)
{
    const std::optional<std::string> modulus = jwk_bytes(from, "n");
    const std::optional<std::string> exponent = jwk_bytes(from, "e");
    if (!modulus || !exponent || modulus->size() > 1024 || exponent->size() > 8) return nullptr;
    const number_ptr n = number_of(*modulus);
    const number_ptr e = number_of(*exponent);
    if (BN_num_bits(n.get()) < rsa_bits_min) return nullptr;
    const builder_ptr built{OSSL_PARAM_BLD_new(), &OSSL_PARAM_BLD_free};
    OSSL_PARAM_BLD_push_BN(built.get(), OSSL_PKEY_PARAM_RSA_N, n.get());
    OSSL_PARAM_BLD_push_BN(built.get(), OSSL_PKEY_PARAM_RSA_E, e.get());
    return key_from("RSA", built.get());
}

key_ptr p256_key(const boost::json::object& from)
{
    const std::optional<std::string> x = jwk_bytes(from, "x");
    const std::optional<std::string> y = jwk_bytes(from, "y");
    const bool is_point = jwk_text(from, "crv") == "P-256" && x && y && x->size() == 32 && y->size() == 32;
    if (!is_point) return nullptr;
    const std::string point = '\x04' + *x + *y;
    const builder_ptr built{OSSL_PARAM_BLD_new(), &OSSL_PARAM_BLD_free};
    OSSL_PARAM_BLD_push_utf8_string(built.get(), OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0);
    OSSL_PARAM_BLD_push_octet_string(built.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size());
    return key_from("EC", built.get());
}

key_ptr ed25519_key(const boost::json::object& from)
{
    const std::optional<std::string> x = jwk_bytes(from, "x");
    if (jwk_text(from, "crv") != "Ed25519" || !x || x->size() != 32) return nullptr;
    const auto* const data = reinterpret_cast<const unsigned char*>(x->data());
    EVP_PKEY* const key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, data, x->size());
    return key ? key_ptr{key, &EVP_PKEY_free} : nullptr;
}

/** A key, if it is one that verifies tokens. What a set has for others is none of ours. */
std::optional<jwk> read_jwk(const boost::json::object& from)
{
    const std::string_view use = jwk_text(from, "use");
    const std::string_view type = jwk_text(from, "kty");
    const std::string_view algorithm = jwk_text(from, "alg");
    if (!use.empty() && use != "sig") return std::nullopt;
    jwk result{std::string{jwk_text(from, "kid")}, jwt_algorithm::rs256, nullptr};
    if (type == "RSA") {
        if (algorithm == "PS256") result.algorithm = jwt_algorithm::ps256;
        else if (!algorithm.empty() && algorithm != "RS256") return std::nullopt;
        result.key = rsa_key(from);
    } else if (type == "EC" && (algorithm.empty() || algorithm == "ES256")) {
        result.algorithm = jwt_algorithm::es256;
        result.key = p256_key(from);
    } else if (type == "OKP" && (algorithm.empty() || algorithm == "EdDSA" || algorithm == "Ed25519")) {
        result.algorithm = jwt_algorithm::eddsa;
        result.key = ed25519_key(from);
    }
    if (!result.key) return std::nullopt;
    return result;
}

}  // namespace

std::string_view name_of(jwt_algorithm algorithm) noexcept
{
    switch (algorithm) {
    case jwt_algorithm::rs256: return "RS256";
    case jwt_algorithm::ps256: return "PS256";
    case jwt_algorithm::es256: return "ES256";
    case jwt_algorithm::eddsa: return "EdDSA";
    }
    return {};
}

std::vector<jwk> read_jwk_set(std::string_view json)
{
    const auto refuse = [](const std::string& why) { throw error{errc::invalid_configuration, "JWK set", why}; };
    boost::json::value parsed;
    try {
        parsed = parse_json(json);
    } catch (const error& wrong) {
        refuse(wrong.what());
    }
    const boost::json::object* const whole = parsed.if_object();
    const boost::json::value* const keys = whole ? whole->if_contains("keys") : nullptr;
    if (!keys || !keys->is_array()) refuse("$.keys: expected a list of keys");
    if (keys->get_array().size() > keys_max) refuse("$.keys: there are more than " + std::to_string(keys_max));
    std::vector<jwk> result;
    for (const boost::json::value& each : keys->get_array()) {
        if (!each.is_object()) refuse("$.keys: expected objects");
        if (std::optional<jwk> key = read_jwk(each.get_object())) result.push_back(std::move(*key));
    }
    return result;
}

}  // namespace weft::serve_detail
