#pragma once

#include <weft/net/url.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

/** One connection of a `tls_peer`, as its script sees it. Calls block; they throw `gone` when the client has left. */
class peer_connection {
public:
    struct gone {};

    virtual ~peer_connection() = default;

    /** Which connection this is; the first one is 1. */
    [[nodiscard]] virtual int number() const = 0;
    /** Reads a request, head and body. */
    virtual std::string read_request() = 0;
    /** Reads on until `text` has come; all that has come by this way. */
    virtual const std::string& read_until(std::string_view text) = 0;
    virtual void write(std::string_view bytes) = 0;
    /** Says goodbye in good order: TLS close_notify, then the end of the TCP stream. */
    virtual void close() = 0;
    /** TLS's goodbye alone; the TCP stream stays open. */
    virtual void say_goodbye() = 0;
    /** Ends the TCP stream without TLS's goodbye. */
    virtual void cut() = 0;
    /** Ends the TCP stream with a reset. */
    virtual void reset() = 0;
    /** Connects to a port of this machine and carries bytes both ways until one side ends: what a proxy does. */
    virtual void relay(std::uint16_t port) = 0;
    /** The common name of the certificate that the client has shown; empty if it has shown none. */
    [[nodiscard]] virtual std::string client_name() const = 0;
    /** Waits until the client has closed or reset the connection; what it sends before is dropped. */
    virtual void wait_until_closed() = 0;
    /** True if the client took up an earlier TLS session. */
    [[nodiscard]] virtual bool is_resumed() const = 0;
    /** What the client asked for by SNI; empty if nothing. */
    [[nodiscard]] virtual std::string server_name() const = 0;
};

struct tls_peer_options {
    std::string certificate_pem = {};  ///< Empty: bare TCP.
    std::string key_pem = {};
    std::string client_ca_pem = {};    ///< Clients must show a certificate of this authority.
    bool speaks_old_tls = false;       ///< TLS 1.1 at most.
    bool speaks_tls_1_2 = false;       ///< TLS 1.2 at most.
    bool shakes_hands = true;          ///< False: the script gets the connection before any TLS.
    bool listens_on_ipv6 = false;
};

/** A server on a free loopback port that does to each connection what a script says, on OS threads of its own.
 *
 *  Small and blocking on purpose: it has nothing in common with the client that it tests.
 */
class tls_peer {
public:
    using script = std::function<void(peer_connection&)>;

    tls_peer(tls_peer_options options, script play);
    explicit tls_peer(script play) : tls_peer{tls_peer_options{}, std::move(play)} {}
    tls_peer(const tls_peer&) = delete;
    ~tls_peer();

    [[nodiscard]] std::uint16_t port() const { return port_; }
    /** A URL on this server; https if it has a certificate. */
    [[nodiscard]] weft::url url(std::string_view target = "/", std::string_view host = "localhost") const;
    /** How many connections it has accepted so far. */
    [[nodiscard]] int connections() const { return accepted_; }
    /** How many handshakes failed so far. */
    [[nodiscard]] int failed_handshakes() const { return failed_handshakes_; }
    /** Waits until `count` scripts have ended. */
    void wait_until_done(int count);

private:
    void accept_all();
    void serve(int socket, int number);

    tls_peer_options options_;
    script script_;
    std::shared_ptr<void> context_;
    std::uint16_t port_ = 0;
    int listener_;  // set together with the port, so after it
    std::atomic<int> accepted_{0};
    std::atomic<int> failed_handshakes_{0};
    std::atomic<int> done_{0};
    std::mutex mutex_;
    std::vector<std::thread> connections_;
    std::vector<int> sockets_;
    std::thread acceptor_;
};

/** A response with its length. */
std::string response_of(std::string_view body, std::string_view extra_headers = {});
/** The head of a chunked response. */
std::string chunked_head();
/** One chunk of a chunked body. */
std::string chunk_of(std::string_view body);
