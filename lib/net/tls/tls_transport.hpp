#pragma once

#include "net/socket/tcp_socket.hpp"
#include "net/socket/transport.hpp"
#include "tls_context.hpp"

#include <boost/asio/ssl/stream.hpp>

#include <utility>

namespace weft::net_detail {

[[nodiscard]] inline tcp_socket& socket_below(tcp_socket& socket) noexcept { return socket; }
[[nodiscard]] inline tcp_socket& socket_below(boost::asio::ssl::stream<tcp_socket>& stream) noexcept
{
    return stream.next_layer();
}

/** A transport over TLS, over TCP or over the TLS of another transport.
 *
 *  @tparam Layer   The stream below, or a reference to it.
 */
template <class Layer>
class basic_tls_transport final : public transport,
                                  public std::enable_shared_from_this<basic_tls_transport<Layer>> {
public:
    using stream_type = boost::asio::ssl::stream<Layer>;

    /** @param layer   A socket, connected now or later; or the stream of `outer`.
     *  @param outer   What the layer belongs to, if it is a reference. */
    template <class Argument>
    basic_tls_transport(std::shared_ptr<tls_context> context, tls_peer peer, Argument&& layer,
                        std::shared_ptr<transport> outer = nullptr)
        : outer_{std::move(outer)}, context_{std::move(context)}, peer_{std::move(peer)},
          stream_{std::forward<Argument>(layer), context_->native()}
    {
        context_->prepare(stream_.native_handle(), peer_);
    }

    [[nodiscard]] stream_type& stream() noexcept { return stream_; }
    [[nodiscard]] tcp_socket& socket() noexcept { return socket_below(stream_.next_layer()); }

    /** Shakes hands over the connected socket. @par Errors   As `connector::open` says. */
    task<void> handshake(serial_loop& loop, time_point deadline);

    wire_operation read_some(boost::asio::mutable_buffer buffer, std::shared_ptr<const void> owner) override;
    wire_operation write_some(boost::asio::const_buffer buffer, std::shared_ptr<const void> owner) override;
    bool is_quiet() noexcept override;
    bool is_resumed() const noexcept override { return is_resumed_; }
    void close() noexcept override;

private:
    std::shared_ptr<transport> outer_;
    std::shared_ptr<tls_context> context_;
    tls_peer peer_;
    stream_type stream_;  // refers to those above: goes first
    bool is_established_ = false;
    bool is_resumed_ = false;
};

using tls_transport = basic_tls_transport<tcp_socket>;

/** TLS inside of the TLS with a proxy. */
using nested_tls_transport = basic_tls_transport<tls_transport::stream_type&>;

extern template class basic_tls_transport<tcp_socket>;
extern template class basic_tls_transport<tls_transport::stream_type&>;

}  // namespace weft::net_detail
