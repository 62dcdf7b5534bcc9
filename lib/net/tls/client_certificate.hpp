#pragma once

#include <weft/net/tls_options.hpp>

#include <openssl/ssl.h>

namespace weft::net_detail {

/** Makes the connections of `context` show the certificate of the options, if there is one.
 *
 *  There is never a question for a passphrase at the terminal.
 *
 *  @par Errors   `errc::invalid_configuration` if certificate or key cannot be read, the certificate is not in date, or
 *                they do not belong together; where: the file, or the name of the option. */
void use_client_certificate(SSL_CTX* context, const tls_options& options);

}  // namespace weft::net_detail
