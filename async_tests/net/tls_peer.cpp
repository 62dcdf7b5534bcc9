#include "tls_peer.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <stdexcept>

namespace {

constexpr int patience_ms = 20'000;  // a script that waits longer than that has found a bug

struct free_bio {
    void operator()(BIO* bio) const { BIO_free(bio); }
};
using bio_ptr = std::unique_ptr<BIO, free_bio>;

void load_credentials(SSL_CTX* context, const tls_peer_options& options)
{
    const bio_ptr certificate{BIO_new_mem_buf(options.certificate_pem.data(), -1)};
    const bio_ptr key{BIO_new_mem_buf(options.key_pem.data(), -1)};
    X509* const leaf = PEM_read_bio_X509(certificate.get(), nullptr, nullptr, nullptr);
    EVP_PKEY* const private_key = PEM_read_bio_PrivateKey(key.get(), nullptr, nullptr, nullptr);
    const bool is_good = leaf && private_key && SSL_CTX_use_certificate(context, leaf) == 1 &&
                         SSL_CTX_use_PrivateKey(context, private_key) == 1;
    X509_free(leaf);
    EVP_PKEY_free(private_key);
    if (!is_good) throw std::runtime_error{"the test server cannot use its certificate"};
}

void require_client_certificate(SSL_CTX* context, const std::string& ca_pem)
{
    const bio_ptr text{BIO_new_mem_buf(ca_pem.data(), -1)};
    X509* const ca = PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), ca);
    X509_free(ca);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    // The authority of the tests issues certificates for servers; who may be a client is not what they are about.
    SSL_CTX_set_purpose(context, X509_PURPOSE_ANY);
    X509_VERIFY_PARAM_set_purpose(SSL_CTX_get0_param(context), X509_PURPOSE_ANY);
}

std::shared_ptr<void> make_context(const tls_peer_options& options)
{
    if (options.certificate_pem.empty()) return nullptr;
    const std::shared_ptr<SSL_CTX> context{SSL_CTX_new(TLS_server_method()), SSL_CTX_free};
    load_credentials(context.get(), options);
    if (!options.client_ca_pem.empty()) require_client_certificate(context.get(), options.client_ca_pem);
    constexpr unsigned char id[] = "weft";
    SSL_CTX_set_session_id_context(context.get(), id, sizeof id - 1);
    if (options.speaks_tls_1_2) SSL_CTX_set_max_proto_version(context.get(), TLS1_2_VERSION);
    if (options.speaks_old_tls) {
        SSL_CTX_set_security_level(context.get(), 0);
        SSL_CTX_set_min_proto_version(context.get(), TLS1_VERSION);
        SSL_CTX_set_max_proto_version(context.get(), TLS1_1_VERSION);
    }
    return context;
}

class posix_connection final : public peer_connection {
public:
    posix_connection(int socket, SSL_CTX* context, int number)
        : socket_{socket}, ssl_{context ? SSL_new(context) : nullptr, SSL_free}, number_{number}
    {
        if (ssl_) SSL_set_fd(ssl_.get(), socket_);
    }

    bool shake_hands() { return !ssl_ || SSL_accept(ssl_.get()) == 1; }

    int number() const override { return number_; }
    bool is_resumed() const override { return ssl_ && SSL_session_reused(ssl_.get()) == 1; }
    std::string server_name() const override
    {
        const char* const name = ssl_ ? SSL_get_servername(ssl_.get(), TLSEXT_NAMETYPE_host_name) : nullptr;
        return name ? name : "";
    }

    std::string read_request() override
    {
        std::string text;
        std::size_t head_end = std::string::npos;
        while ((head_end = text.find("\r\n\r\n")) == std::string::npos) text += read();
        const std::size_t total = head_end + 4 + content_length(text.substr(0, head_end));
        while (text.size() < total) text += read();
        return text;
    }

    const std::string& read_until(std::string_view text) override
    {
        while (come_.find(text) == std::string::npos) come_ += read();
        return come_;
    }

    void write(std::string_view bytes) override
    {
        while (!bytes.empty()) {
            const auto size = ssl_ ? SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size()))
                                   : static_cast<int>(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
            if (size <= 0) throw gone{};
            bytes.remove_prefix(static_cast<std::size_t>(size));
        }
    }

    void close() override
    {
        say_goodbye();
        ::shutdown(socket_, SHUT_WR);
    }
    void say_goodbye() override
    {
        if (ssl_) SSL_shutdown(ssl_.get());
    }
    void cut() override { ::shutdown(socket_, SHUT_WR); }
    void reset() override
    {
        // Closing with a zero linger time is what sends a reset; dup2 closes and keeps the number reserved.
        const linger at_once{1, 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        const int placeholder = ::socket(AF_INET, SOCK_STREAM, 0);
        ::dup2(placeholder, socket_);
        ::close(placeholder);
    }
    void relay(std::uint16_t port) override
    {
        const int other = connect_to_loopback(port);
        for (;;) {
            pollfd waiting[] = {{socket_, POLLIN, 0}, {other, POLLIN, 0}};
            const bool has_rest = ssl_ && SSL_pending(ssl_.get()) > 0;
            if (!has_rest && ::poll(waiting, 2, patience_ms) <= 0) break;
            char bytes[16 * 1024];
            if (has_rest || waiting[0].revents != 0) {
                const auto size = ssl_ ? SSL_read(ssl_.get(), bytes, sizeof bytes)
                                       : static_cast<int>(::recv(socket_, bytes, sizeof bytes, 0));
                if (size <= 0 || ::send(other, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL) != size) break;
            }
            if (waiting[1].revents != 0) {
                const auto size = ::recv(other, bytes, sizeof bytes, 0);
                if (size <= 0) break;
                write({bytes, static_cast<std::size_t>(size)});
            }
        }
        ::close(other);
    }
    std::string client_name() const override
    {
        X509* const shown = ssl_ ? SSL_get1_peer_certificate(ssl_.get()) : nullptr;
        char name[256] = "";
        if (shown) X509_NAME_get_text_by_NID(X509_get_subject_name(shown), NID_commonName, name, sizeof name);
        X509_free(shown);
        return name;
    }
    void wait_until_closed() override
    {
        char bytes[4096];
        do wait_readable();
        while (::recv(socket_, bytes, sizeof bytes, 0) > 0);
    }

private:
    static int connect_to_loopback(std::uint16_t port)
    {
        const int other = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(port);
        if (::connect(other, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return other;
        ::close(other);
        throw gone{};
    }

    static std::size_t content_length(const std::string& head)
    {
        constexpr std::string_view name = "Content-Length: ";
        const std::size_t at = head.find(name);
        std::size_t length = 0;
        if (at != std::string::npos)
            std::from_chars(head.data() + at + name.size(), head.data() + head.size(), length);
        return length;
    }

    void wait_readable() const
    {
        pollfd waiting{socket_, POLLIN, 0};
        if (::poll(&waiting, 1, patience_ms) == 0) throw gone{};
    }

    std::string read()
    {
        char bytes[16 * 1024];
        if (!ssl_ || SSL_pending(ssl_.get()) == 0) wait_readable();
        const auto size = ssl_ ? SSL_read(ssl_.get(), bytes, sizeof bytes)
                               : static_cast<int>(::recv(socket_, bytes, sizeof bytes, 0));
        if (size <= 0) throw gone{};
        return {bytes, static_cast<std::size_t>(size)};
    }

    int socket_;
    std::unique_ptr<SSL, void (*)(SSL*)> ssl_;
    int number_;
    std::string come_;  // by read_until
};

int listen_on_loopback(bool ipv6, std::uint16_t& port)
{
    const int listener = ::socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_addr = in6addr_loopback;
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const address = ipv6 ? reinterpret_cast<sockaddr*>(&v6) : reinterpret_cast<sockaddr*>(&v4);
    socklen_t size = ipv6 ? sizeof v6 : sizeof v4;
    if (::bind(listener, address, size) != 0 || ::listen(listener, 1024) != 0)
        throw std::runtime_error{"the test server cannot listen on the loopback address"};
    ::getsockname(listener, address, &size);
    port = ntohs(ipv6 ? v6.sin6_port : v4.sin_port);
    return listener;
}

}  // namespace

tls_peer::tls_peer(tls_peer_options options, script play)
    : options_{std::move(options)}, script_{std::move(play)}, context_{make_context(options_)},
      listener_{listen_on_loopback(options_.listens_on_ipv6, port_)}, acceptor_{[this] { accept_all(); }}
{
}

tls_peer::~tls_peer()
{
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    ::close(listener_);
    for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
    for (std::thread& connection : connections_) connection.join();
    for (const int socket : sockets_) ::close(socket);
}

weft::url tls_peer::url(std::string_view target, std::string_view host) const
{
    return weft::url{(context_ ? "https://" : "http://") + std::string{host} + ':' + std::to_string(port_) +
                     std::string{target}};
}

void tls_peer::wait_until_done(int count)
{
    for (int seen = done_; seen < count; seen = done_) done_.wait(seen);
}

void tls_peer::accept_all()
{
    for (;;) {
        const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (socket < 0) return;
        const int on = 1;
        ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        const int number = ++accepted_;
        sockets_.push_back(socket);
        connections_.emplace_back([this, socket, number] { serve(socket, number); });
    }
}

void tls_peer::serve(int socket, int number)
{
    // OpenSSL writes without MSG_NOSIGNAL; a client that has left must not end the program.
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    {
        posix_connection connection{socket, static_cast<SSL_CTX*>(context_.get()), number};
        try {
            if (options_.shakes_hands && !connection.shake_hands())
                ++failed_handshakes_;
            else
                script_(connection);
        } catch (const peer_connection::gone&) {
        }
        ERR_clear_error();
    }
    ::shutdown(socket, SHUT_RDWR);
    ++done_;
    done_.notify_all();
}

std::string response_of(std::string_view body, std::string_view extra_headers)
{
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + std::string{extra_headers} +
           "\r\n" + std::string{body};
}

std::string chunked_head()
{
    return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
}

std::string chunk_of(std::string_view body)
{
    char size[24];
    std::snprintf(size, sizeof size, "%zx\r\n", body.size());
    return size + std::string{body} + "\r\n";
}
