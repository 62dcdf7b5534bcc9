#pragma once

#include <openssl/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft::serve_detail {

enum class jwt_algorithm : std::uint8_t { rs256, ps256, es256, eddsa };

/** The name of an algorithm in the head of a token. */
[[nodiscard]] std::string_view name_of(jwt_algorithm algorithm) noexcept;

/** A public key that signs tokens, with the one algorithm that it is for.
 *  @par Thread safety   As a value; copies share the key. */
struct jwk {
    std::string id;  ///< `kid`; empty: it has none.
    jwt_algorithm algorithm;
    std::shared_ptr<EVP_PKEY> key;
};

/** The keys of an issuer that verify signatures. Keys of other kinds, for other uses and of less than 2048 bits are
 *  left out, as sets have such ones for others.
 *  @par Errors   `errc::invalid_configuration`: the text is no JWK set; the detail says where.
 *  @par Source   RFC 7517 §5; RFC 7518 §6; RFC 8037 §2. */
[[nodiscard]] std::vector<jwk> read_jwk_set(std::string_view json);

}  // namespace weft::serve_detail
