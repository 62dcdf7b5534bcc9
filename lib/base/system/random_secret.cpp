#include <weft/base/system/random_secret.hpp>

#include <weft/base/error.hpp>
#include <weft/base/text/base64.hpp>

#include <sys/random.h>

#include <array>

namespace weft {

std::string random_secret()
{
    std::array<char, 32> bytes{};
    // Up to 256 bytes come whole, or not at all.
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        throw error{errc::invalid_configuration, "random secret", "the operating system gives no random bytes"};
    return to_base64url({bytes.data(), bytes.size()});
}

}  // namespace weft
