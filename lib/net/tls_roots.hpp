#pragma once

#include <openssl/ssl.h>

#include <string>
#include <vector>

namespace weft::net_detail {

/** Where trusted roots may be: directories of hashed certificates, and bundles, best first. */
struct root_places {
    std::vector<std::string> directories;
    std::vector<std::string> files;
};

/** The places of this system: what the environment says, else OpenSSL's own and those of the usual distributions. */
[[nodiscard]] root_places system_root_places();

/** Makes `context` trust the first place that has roots; a directory, of which only what is needed is read, rather
 *  than a bundle, which takes milliseconds.
 *
 *  @par Errors   `errc::invalid_configuration` if no place has any; the message lists them all. */
void trust_roots_in(SSL_CTX* context, const root_places& places);

}  // namespace weft::net_detail
