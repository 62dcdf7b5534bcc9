#include "tls_transport.hpp"

#include "net/socket/phase_deadline.hpp"

#include <boost/asio/error.hpp>

#include <memory>

namespace weft::net_detail {

template <class Layer>
task<void> basic_tls_transport<Layer>::handshake(serial_loop& loop, time_point deadline)
{
    phase_deadline phase{loop, [](void* self) { static_cast<basic_tls_transport*>(self)->close(); }, this};
    phase.start_until(deadline);
    const boost::system::error_code code = co_await this->shake_hands();
    phase.stop();
    if (!code && !phase.has_passed()) {
        is_resumed_ = SSL_session_reused(this->channel().native()) == 1;
        co_return;
    }
    this->close();
    if (phase.has_passed()) throw error{errc::connect_timeout, peer_.endpoint, "during the TLS handshake"};
    if (code == boost::asio::error::operation_aborted)
        throw error{errc::cancelled, peer_.endpoint, "during the TLS handshake"};
    context_->forget_session(peer_);
    throw peer_.handshake_error(code);
}

template class basic_tls_transport<tcp_socket>;
template class basic_tls_transport<basic_tls_stream<tcp_socket>&>;

}  // namespace weft::net_detail
