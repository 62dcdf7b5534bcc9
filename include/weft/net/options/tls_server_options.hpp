#pragma once

#include <weft/net/secret_string.hpp>

#include <string>

namespace weft {

enum class tls_version { tls_1_2, tls_1_3 };

/** Whether clients have to say who they are. */
enum class client_certificates {
    require,  ///< A client without a valid certificate is not let in.
    ask,      ///< A client without one is let in; one that is shown must be valid.
};

/** How a server speaks TLS: the certificate that it shows, and whom it lets in.
 *
 *      server.listen(weft::listen_address{":8443"}, {.certificate_file = "chain.pem", .key_file = "key.pem"});
 *
 *  Only HTTP/1.1 is offered (ALPN). TLS 1.2 is spoken with ECDHE and AES-GCM or ChaCha20. Nothing is compressed or
 *  renegotiated. Clients take a session up again by tickets; the keys of the tickets are random, never leave the
 *  process, and are made anew by each `http_server::reload_tls`.
 *
 *  @par Errors   `errc::invalid_configuration` from `http_server::listen`: a file cannot be read, the certificate is
 *                not in date, or the key does not belong to it. All mistakes are told, with their files.
 */
struct tls_server_options {
    /** The server's certificate, a PEM file; those behind the first are its chain. */
    std::string certificate_file{};
    /** The certificate's key, a PEM file. Without one, the key stands where the certificate does. */
    std::string key_file{};
    secret_string key_passphrase{};  ///< What the key is encrypted with.
    tls_version version_min = tls_version::tls_1_2;

    /** A PEM file with the authorities whose certificates clients show; empty: no client is asked for one. */
    std::string client_ca_file{};
    client_certificates clients = client_certificates::require;  ///< With `client_ca_file`.
};

}  // namespace weft
