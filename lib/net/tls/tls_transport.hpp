#pragma once

#include "tls_context.hpp"
#include "tls_stream.hpp"

#include <utility>

namespace weft::net_detail {

/** The client's side of TLS, over TCP or over the TLS with a proxy.
 *
 *  @tparam Layer   `tcp_socket`, or a reference to another TLS stream.
 */
template <class Layer>
class basic_tls_transport final : public basic_tls_stream<Layer> {
public:
    /** @param layer   A socket, connected now or later; or another TLS stream.
     *  @param outer   What the layer belongs to, if it is a reference. */
    template <class Argument>
    basic_tls_transport(std::shared_ptr<tls_context> context, tls_peer peer, Argument&& layer,
                        std::shared_ptr<transport> outer = nullptr)
        : basic_tls_stream<Layer>{context->native().native_handle(), tls_side::client, std::forward<Argument>(layer)},
          outer_{std::move(outer)}, context_{std::move(context)}, peer_{std::move(peer)}
    {
        context_->prepare(this->channel().native(), peer_);
    }

    /** Shakes hands over the connected layer. @par Errors   As `connector::open` says. */
    task<void> handshake(serial_loop& loop, time_point deadline);

    bool is_resumed() const noexcept override { return is_resumed_; }

private:
    std::shared_ptr<transport> outer_;
    std::shared_ptr<tls_context> context_;
    tls_peer peer_;
    bool is_resumed_ = false;
};

using tls_transport = basic_tls_transport<tcp_socket>;

/** TLS inside of the TLS with a proxy. */
using nested_tls_transport = basic_tls_transport<basic_tls_stream<tcp_socket>&>;

extern template class basic_tls_transport<tcp_socket>;
extern template class basic_tls_transport<basic_tls_stream<tcp_socket>&>;

}  // namespace weft::net_detail
