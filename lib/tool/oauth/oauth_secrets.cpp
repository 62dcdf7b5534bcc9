#include "oauth_secrets.hpp"

#include <weft/base/error.hpp>
#include <weft/base/text/base64.hpp>

#include "tool/rpc/sha256.hpp"

#include <sys/random.h>

#include <array>

namespace weft::tool_detail {

std::string new_oauth_secret()
{
    std::array<char, 32> bytes{};
    // Up to 256 bytes come whole, or not at all.
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw error{errc::invalid_configuration, "OAuth", "the operating system gives no random bytes"};
    return to_base64url({bytes.data(), bytes.size()});
}

std::string pkce_challenge(std::string_view verifier)
{
    return to_base64url(sha256(verifier));
}

}  // namespace weft::tool_detail
