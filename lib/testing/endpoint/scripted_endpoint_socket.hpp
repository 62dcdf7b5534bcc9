#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include <optional>
#include <string_view>
#include <utility>

namespace weft::testing {

/** A TCP connection with or without TLS. One read and one write may be under way at a time. */
class scripted_endpoint_socket {
public:
    using tcp_socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp,
                                                        boost::asio::io_context::executor_type>;

    /** @param context  Of TLS; null for none. Outlives the socket. */
    scripted_endpoint_socket(tcp_socket socket, boost::asio::ssl::context* context)
        : tcp_{std::move(socket)}
    {
        boost::system::error_code is_unimportant;
        tcp_.set_option(boost::asio::ip::tcp::no_delay{true}, is_unimportant);
        if (context) tls_.emplace(tcp_, *context);
    }
    scripted_endpoint_socket(const scripted_endpoint_socket&) = delete;
    scripted_endpoint_socket& operator=(const scripted_endpoint_socket&) = delete;

    [[nodiscard]] auto executor() { return tcp_.get_executor(); }
    [[nodiscard]] bool has_tls() const noexcept { return tls_.has_value(); }
    [[nodiscard]] bool is_resumed() { return SSL_session_reused(tls_->native_handle()) == 1; }

    template <class Handler>
    void handshake(Handler handler)
    {
        tls_->async_handshake(boost::asio::ssl::stream_base::server, std::move(handler));
    }

    template <class Handler>
    void read_some(boost::asio::mutable_buffer into, Handler handler)
    {
        if (tls_)
            tls_->async_read_some(into, std::move(handler));
        else
            tcp_.async_read_some(into, std::move(handler));
    }

    template <class Handler>
    void write(std::string_view bytes, Handler handler)
    {
        const boost::asio::const_buffer from{bytes.data(), bytes.size()};
        if (tls_)
            boost::asio::async_write(*tls_, from, std::move(handler));
        else
            boost::asio::async_write(tcp_, from, std::move(handler));
    }

    /** Says to the client that nothing more comes, and waits for it to say the same. */
    template <class Handler>
    void shut_down(Handler handler)
    {
        boost::system::error_code is_gone_already;
        if (tls_)
            tls_->async_shutdown(std::move(handler));
        else
            tcp_.shutdown(tcp_socket::shutdown_send, is_gone_already);
    }

    void close()
    {
        boost::system::error_code is_gone_already;
        tcp_.close(is_gone_already);
    }

    void reset()
    {
        boost::system::error_code is_gone_already;
        tcp_.set_option(boost::asio::socket_base::linger{true, 0}, is_gone_already);
        close();
    }

private:
    tcp_socket tcp_;
    std::optional<boost::asio::ssl::stream<tcp_socket&>> tls_;
};

}  // namespace weft::testing
