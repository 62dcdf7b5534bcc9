#include "tls_transport.hpp"

namespace weft::net_detail {

tls_transport::tls_transport(serial_loop& loop, std::shared_ptr<tls_context> context, const url& target)
    : context_{std::move(context)}, peer_{target}, stream_{loop.executor(), context_->native()}
{
    context_->prepare(stream_.native_handle(), peer_);
}

task<void> tls_transport::handshake(serial_loop& loop, time_point deadline)
{
    phase_deadline phase{loop, [](void* self) { static_cast<tls_transport*>(self)->close(); }, this};
    phase.start_until(deadline);
    const auto [code] = co_await stream_.async_handshake(boost::asio::ssl::stream_base::client,
                                                         use_task_keeping{shared_from_this()});
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

wire_operation tls_transport::read_some(boost::asio::mutable_buffer buffer, std::shared_ptr<const void> owner)
{
    return stream_.async_read_some(buffer, use_task_keeping{std::move(owner)});
}

wire_operation tls_transport::write_some(boost::asio::const_buffer buffer, std::shared_ptr<const void> owner)
{
    return stream_.async_write_some(buffer, use_task_keeping{std::move(owner)});
}

void tls_transport::close() noexcept
{
    // Without this OpenSSL takes the missing goodbye for an attack and never offers the session again.
    if (is_established_) SSL_set_shutdown(stream_.native_handle(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    close_socket(socket());
}

}  // namespace weft::net_detail
