#pragma once

#include <openssl/ssl.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/** What a `talk_tls` brings along. */
struct tls_client_options {
    std::string certificate_pem = {};        ///< Empty: the client shows none.
    std::string key_pem = {};
    int version_max = 0;                     ///< 0: the newest.
    std::vector<std::string> protocols = {}; ///< ALPN; empty: not said.
    std::shared_ptr<SSL_SESSION> session = {};  ///< To be taken up again.
    bool renegotiates = false;               ///< Asks for it after the handshake.
};

/** What has become of it. */
struct tls_client_outcome {
    bool is_connected = false;    ///< The handshake is done, as the client sees it.
    std::string received = {};
    bool has_goodbye = false;     ///< The end came with close_notify.
    std::string version = {};
    std::string protocol = {};    ///< ALPN.
    std::string server_name = {}; ///< The common name of the server's certificate.
    bool is_resumed = false;
    std::shared_ptr<SSL_SESSION> session = {};
};

/** Connects to a port of this machine by OpenSSL alone, sends `request` and reads to the end. Blocks.
 *
 *  Small on purpose: it has nothing in common with the server that it tests. Certificates are not checked. */
tls_client_outcome talk_tls(std::uint16_t port, const std::string& request, const tls_client_options& options = {});

/** The first bytes that a client sends. */
std::string client_hello();
