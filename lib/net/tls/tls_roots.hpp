#pragma once

#include <openssl/ssl.h>

#include <string>
#include <vector>

namespace weft::net_detail {

/** How many of the places count. */
enum class root_choice {
    first,  ///< The first that has roots.
    all,    ///< All that have roots: they were named.
};

/** Where trusted roots may be: directories of hashed certificates, and bundles, best first. */
struct root_places {
    std::vector<std::string> directories;
    std::vector<std::string> files;
    root_choice choice = root_choice::first;
};

/** The places of this system: what the environment says, else OpenSSL's own and those of the usual distributions. */
[[nodiscard]] root_places system_root_places();

/** Makes `context` trust what is in the places. Of a directory only what is needed is read; a bundle takes
 *  milliseconds.
 *
 *  @par Errors   `errc::invalid_configuration` if no place has any; the message lists them all. */
void trust_roots_in(SSL_CTX* context, const root_places& places);

}  // namespace weft::net_detail
