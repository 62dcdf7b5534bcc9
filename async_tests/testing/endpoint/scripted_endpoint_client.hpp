#pragma once

#include <weft/testing/scripted_endpoint.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace endpoint_test {

/** How the bytes of a connection ended. */
enum class ended { not_yet, properly, cut, reset };

/** An HTTP response, read to the end of its body or as far as it came. */
struct received_response {
    std::string head;
    std::string body;  ///< Without the framing.
    bool is_complete = false;

    [[nodiscard]] int status() const { return std::stoi(head.substr(9, 3)); }
    [[nodiscard]] bool has_field(std::string_view field) const
    {
        return head.find(field) != std::string::npos;
    }
};

/** A client of a scripted endpoint that knows nothing of weft: blocking, on Asio and OpenSSL. */
class test_client {
public:
    struct trust {
        std::uint16_t port;
        std::string ca_pem;                ///< Empty for no TLS.
        std::string host = "localhost";    ///< That the certificate must name.
        SSL_SESSION* session = nullptr;    ///< To continue.
    };

    /** Connects; a failing handshake is seen in `handshake_error`. */
    explicit test_client(const trust& whom);
    ~test_client();

    [[nodiscard]] const std::string& handshake_error() const { return handshake_error_; }
    [[nodiscard]] std::string tls_version() { return SSL_get_version(tls_->native_handle()); }
    [[nodiscard]] SSL* native() { return tls_->native_handle(); }

    void send(std::string_view bytes);
    /** Sends a chat request with this JSON text and these header lines. */
    void ask(std::string_view json, std::string_view fields = {});
    /** Reads one response. */
    received_response receive();
    /** Reads until so many bytes have come in all, or the connection has ended. */
    const std::string& receive_bytes(std::size_t count);
    /** Reads until this text has come, or the connection has ended; whether it has come. */
    bool receive_until(std::string_view text);
    const std::string& receive_all() { return receive_bytes(std::string::npos); }
    [[nodiscard]] ended how_it_ended() const { return ended_; }
    void close();

private:
    bool read_more();
    bool read_until(std::string_view text, std::size_t from, std::size_t& at);
    void read_chunks(received_response& response, std::size_t from);

    boost::asio::io_context context_;
    boost::asio::ssl::context tls_context_{boost::asio::ssl::context::tls_client};
    boost::asio::ip::tcp::socket tcp_{context_};
    std::optional<boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>> tls_;
    std::string handshake_error_;
    std::string unread_;
    ended ended_ = ended::not_yet;
};

/** The text of a chat request with this JSON text and these header lines. */
std::string request_text(std::string_view json, std::string_view fields = {});

/** The JSON of a chat request to the model `m`. */
std::string chat(const std::string& user, bool wants_stream = true,
                 const std::string& system = "You help.");

/** Options without TLS. */
weft::testing::scripted_endpoint_options plain();

/** How to connect with TLS and without. */
test_client::trust trust(const weft::testing::scripted_endpoint& endpoint);
test_client::trust without_tls(const weft::testing::scripted_endpoint& endpoint);

/** The text in a chat document. */
std::string text_of(const std::string& body);
/** The text of the reply to this request, sent on a connection of its own, or `status 404`. */
std::string answer(const weft::testing::scripted_endpoint& endpoint, const std::string& json);

/** How many lines of data a stream has. */
std::size_t events_in(const std::string& body);

}  // namespace endpoint_test
