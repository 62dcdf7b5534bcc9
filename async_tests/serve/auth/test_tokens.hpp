#pragma once

#include <openssl/types.h>

#include <memory>
#include <string>
#include <string_view>

/** A key pair that signs tokens as an identity provider does. */
class test_signer {
public:
    /** @param algorithm   RS256, PS256, ES256 or EdDSA. */
    test_signer(std::string algorithm, std::string id);

    /** The public key, as an entry of a JWK set. */
    [[nodiscard]] std::string jwk() const;
    /** A JWK set with this key alone. */
    [[nodiscard]] std::string jwk_set() const { return R"({"keys":[)" + jwk() + "]}"; }
    /** A token with these claims. @param head   In place of the usual one. */
    [[nodiscard]] std::string token(std::string_view claims, std::string_view head = {}) const;

private:
    [[nodiscard]] std::string sign(std::string_view text) const;

    std::string algorithm_;
    std::string id_;
    std::shared_ptr<EVP_PKEY> key_;
};
