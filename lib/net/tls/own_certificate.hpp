#pragma once

#include "tls_engine.hpp"

#include <weft/net/secret_string.hpp>

#include <openssl/ssl.h>

#include <string>
#include <string_view>

namespace weft::net_detail {

/** A PEM text or file, with its name for messages. */
struct pem_place {
    std::string name;
    std::string_view text;
    bool is_file;
};

/** Makes the connections of `context` show a certificate, with what follows it in its place as its chain.
 *
 *  There is never a question for a passphrase at the terminal.
 *
 *  @par Errors   `errc::invalid_configuration` if certificate or key cannot be read, the certificate is not in date, or
 *                they do not belong together; where: the place of the first mistake. All mistakes are told. */
void use_own_certificate(SSL_CTX* context, const pem_place& certificate, const pem_place& key,
                         const secret_string& passphrase, tls_side owner);

}  // namespace weft::net_detail
