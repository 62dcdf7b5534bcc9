#include "tls_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>

namespace {

using context_of_client = std::shared_ptr<SSL_CTX>;

int on_session(SSL* connection, SSL_SESSION* session)
{
    *static_cast<std::shared_ptr<SSL_SESSION>*>(SSL_get_app_data(connection)) = {session, SSL_SESSION_free};
    return 1;
}

context_of_client make_client_context(const tls_client_options& options)
{
    context_of_client context{SSL_CTX_new(TLS_client_method()), SSL_CTX_free};
    SSL_CTX_set_security_level(context.get(), 0);
    SSL_CTX_set_min_proto_version(context.get(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(context.get(), options.version_max);
    SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context.get(), on_session);
    std::string protocols;
    for (const std::string& name : options.protocols) protocols += static_cast<char>(name.size()) + name;
    SSL_CTX_set_alpn_protos(context.get(), reinterpret_cast<const unsigned char*>(protocols.data()),
                            static_cast<unsigned>(protocols.size()));
    if (options.certificate_pem.empty()) return context;
    const std::shared_ptr<BIO> text{BIO_new_mem_buf(options.certificate_pem.data(), -1), BIO_free};
    const std::shared_ptr<BIO> key_text{BIO_new_mem_buf(options.key_pem.data(), -1), BIO_free};
    const std::shared_ptr<X509> leaf{PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr), X509_free};
    const std::shared_ptr<EVP_PKEY> key{PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nullptr),
                                        EVP_PKEY_free};
    SSL_CTX_use_certificate(context.get(), leaf.get());
    SSL_CTX_use_PrivateKey(context.get(), key.get());
    return context;
}

int connect_to(std::uint16_t port)
{
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval patience{20, 0};
    ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    return socket;
}

void describe(SSL* ssl, tls_client_outcome& outcome)
{
    outcome.version = SSL_get_version(ssl);
    outcome.is_resumed = SSL_session_reused(ssl) == 1;
    const unsigned char* protocol = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl, &protocol, &size);
    if (size > 0) outcome.protocol.assign(reinterpret_cast<const char*>(protocol), size);
    const std::shared_ptr<X509> shown{SSL_get1_peer_certificate(ssl), X509_free};
    char name[256] = "";
    if (shown) X509_NAME_get_text_by_NID(X509_get_subject_name(shown.get()), NID_commonName, name, sizeof name);
    outcome.server_name = name;
}

void exchange(SSL* ssl, const std::string& request, tls_client_outcome& outcome)
{
    if (!request.empty()) SSL_write(ssl, request.data(), static_cast<int>(request.size()));
    char bytes[16 * 1024];
    for (;;) {
        const int size = SSL_read(ssl, bytes, sizeof bytes);
        if (size <= 0) {
            outcome.has_goodbye = SSL_get_error(ssl, size) == SSL_ERROR_ZERO_RETURN;
            return;
        }
        outcome.received.append(bytes, static_cast<std::size_t>(size));
    }
}

}  // namespace

tls_client_outcome talk_tls(std::uint16_t port, const std::string& request, const tls_client_options& options)
{
    // OpenSSL writes without MSG_NOSIGNAL; a server that has left must not end the program.
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    const context_of_client context = make_client_context(options);
    const int socket = connect_to(port);
    tls_client_outcome outcome;
    {
        const std::shared_ptr<SSL> ssl{SSL_new(context.get()), SSL_free};
        SSL_set_app_data(ssl.get(), &outcome.session);
        SSL_set_fd(ssl.get(), socket);
        if (options.session) SSL_set_session(ssl.get(), options.session.get());
        outcome.is_connected = SSL_connect(ssl.get()) == 1;
        if (outcome.is_connected) {
            describe(ssl.get(), outcome);
            if (options.renegotiates) SSL_renegotiate(ssl.get());
            exchange(ssl.get(), request, outcome);
            SSL_shutdown(ssl.get());
        }
    }
    ::close(socket);
    ERR_clear_error();
    return outcome;
}

std::string client_hello()
{
    const context_of_client context = make_client_context({});
    const std::shared_ptr<SSL> ssl{SSL_new(context.get()), SSL_free};
    BIO* const in = BIO_new(BIO_s_mem());
    BIO* const out = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl.get(), in, out);
    SSL_connect(ssl.get());
    char* text = nullptr;
    const long size = BIO_get_mem_data(out, &text);
    std::string hello{text, static_cast<std::size_t>(size)};
    ERR_clear_error();
    return hello;
}
