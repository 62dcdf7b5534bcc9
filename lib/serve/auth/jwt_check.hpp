#pragma once

#include "jwk_set.hpp"

#include <weft/base/clock.hpp>
#include <weft/serve/auth_options.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::serve_detail {

/** What became of a token. */
struct jwt_verdict {
    std::optional<principal> who = {};
    /** From then on it is good no more, with the leeway. */
    std::optional<clock::system_time_point> expires = {};
    std::string problem = {};       ///< Why it is refused, for its client; empty if it is good.
    bool is_key_unknown = false;    ///< Newer keys may help.
};

/** Looks whether a token is good: signed by one of the keys, by this issuer, for this audience, now.
 *
 *  The algorithm is the key's; a token that names another one is refused, so that no public key is ever taken for a
 *  shared secret, and none goes without a signature.
 *
 *  @par Source   RFC 7515 §5.2; RFC 7519 §7.2; RFC 8725 §3. */
[[nodiscard]] jwt_verdict check_jwt(std::string_view token, const std::vector<jwk>& keys, const jwt_options& options,
                                    clock::system_time_point now);

}  // namespace weft::serve_detail
