#include "tls_transport.hpp"

#include <utility>

namespace weft::net_detail {

template <class Layer>
task<void> basic_tls_transport<Layer>::handshake(serial_loop& loop, time_point deadline)
{
    phase_deadline phase{loop, [](void* self) { static_cast<basic_tls_transport*>(self)->close(); }, this};
    phase.start_until(deadline);
    use_task_keeping token{this->shared_from_this()};
    const auto [code] = co_await stream_.async_handshake(boost::asio::ssl::stream_base::client, std::move(token));
    phase.stop();
    if (!code && !phase.has_passed()) {
        is_established_ = true;
        is_resumed_ = SSL_session_reused(stream_.native_handle()) == 1;
        co_return;
    }
    close();
    if (phase.has_passed()) throw error{errc::connect_timeout, peer_.endpoint, "during the TLS handshake"};
    if (code == boost::asio::error::operation_aborted)
        throw error{errc::cancelled, peer_.endpoint, "during the TLS handshake"};
    context_->forget_session(peer_);
    throw peer_.handshake_error(code);
}

template <class Layer>
wire_operation basic_tls_transport<Layer>::read_some(boost::asio::mutable_buffer buffer,
                                                     std::shared_ptr<const void> owner)
{
    return stream_.async_read_some(buffer, use_task_keeping{std::move(owner)});
}

template <class Layer>
wire_operation basic_tls_transport<Layer>::write_some(boost::asio::const_buffer buffer,
                                                      std::shared_ptr<const void> owner)
{
    return stream_.async_write_some(buffer, use_task_keeping{std::move(owner)});
}

/** A goodbye may have come in one piece with the last response; then it waits here, and nothing is in the socket. */
template <class Layer>
bool basic_tls_transport<Layer>::is_quiet() noexcept
{
    SSL* const tls = stream_.native_handle();
    if (SSL_pending(tls) > 0 || BIO_ctrl_pending(SSL_get_rbio(tls)) > 0) return false;
    return outer_ ? outer_->is_quiet() : net_detail::is_quiet(socket());
}

template <class Layer>
void basic_tls_transport<Layer>::close() noexcept
{
    // Without this OpenSSL takes the missing goodbye for an attack and never offers the session again.
    if (is_established_) SSL_set_shutdown(stream_.native_handle(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    if (outer_) return outer_->close();
    close_socket(socket());
}

template class basic_tls_transport<tcp_socket>;
template class basic_tls_transport<tls_transport::stream_type&>;

}  // namespace weft::net_detail
