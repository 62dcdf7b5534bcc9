#include "tls_server_transport.hpp"

#include "shown_identity.hpp"

#include "net/socket/phase_deadline.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>

namespace weft::net_detail {

task<tls_admission> tls_server_transport::admit(serial_loop& loop, time_point deadline)
{
    phase_deadline phase{loop, [](void* self) { static_cast<tls_server_transport*>(self)->close(); }, this};
    phase.start_until(deadline);
    const boost::system::error_code code = co_await shake_hands();
    phase.stop();
    if (!code && !phase.has_passed()) {
        identity_ = shown_identity(channel().native());
        co_return tls_admission::done;
    }
    close();
    if (phase.has_passed()) co_return tls_admission::refused;
    // Errors of TLS itself are the client's fault; those of the socket say that it is not there any more.
    const bool is_tls = code.category() == boost::asio::error::get_ssl_category();
    co_return is_tls ? tls_admission::refused : tls_admission::gone;
}

}  // namespace weft::net_detail
