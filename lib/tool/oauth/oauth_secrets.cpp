#include "oauth_secrets.hpp"

#include <weft/base/text/base64.hpp>
#include <weft/net/text/digest.hpp>

namespace weft::tool_detail {

std::string pkce_challenge(std::string_view verifier)
{
    return to_base64url(net_detail::sha256(verifier));
}

}  // namespace weft::tool_detail
