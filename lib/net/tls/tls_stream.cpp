#include "tls_stream.hpp"

#include <sys/socket.h>

#include <string_view>

namespace weft::net_detail {

namespace {

constexpr std::size_t hands_room = 4 * 1024;

/** Sends what the system takes at once. @return  How much that is. */
std::size_t send_at_once(tcp_socket& socket, std::string_view bytes) noexcept
{
    if (!socket.is_open()) return 0;
    const auto sent = ::send(socket.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent < 0 ? 0 : static_cast<std::size_t>(sent);
}

std::size_t receive_at_once(tcp_socket& socket, std::span<char> room) noexcept
{
    if (!socket.is_open()) return 0;
    const auto received = ::recv(socket.native_handle(), room.data(), room.size(), MSG_DONTWAIT);
    return received < 0 ? 0 : static_cast<std::size_t>(received);
}

/** Through another TLS nothing goes at once. */
std::size_t send_at_once(transport&, std::string_view) noexcept { return 0; }
std::size_t receive_at_once(transport&, std::span<char>) noexcept { return 0; }

}  // namespace

template <class Layer>
void basic_tls_stream<Layer>::send_owed() noexcept
{
    // Between the pieces of a record nothing may stand.
    if (is_writing_ || is_closed_ || channel_.owed().empty()) return;
    channel_.owed().erase(0, send_at_once(layer_, channel_.owed()));
}

template <class Layer>
tls_result basic_tls_stream<Layer>::read_at_once(std::span<char> room)
{
    char bytes[tls_channel::received_max];
    const std::size_t received = receive_at_once(layer_, bytes);
    if (received == 0) return {tls_status::want_read};
    return channel_.read({bytes, received}, false, room);
}

template <class Layer>
void basic_tls_stream<Layer>::end_sending() noexcept
{
    if (!is_writing_ && !is_closed_) channel_.say_goodbye();
    send_owed();
    layer_end_sending(layer_);
}

template <class Layer>
void basic_tls_stream<Layer>::close() noexcept
{
    // No more than that: a stop closes ten thousand in a row, and what TLS has to do is done when it is freed.
    is_closed_ = true;
    layer_close(layer_);
}

template <class Layer>
task<boost::system::error_code> basic_tls_stream<Layer>::shake_hands()
{
    hands_.reset(new char[hands_room]);
    std::size_t received = 0;
    bool has_ended = false;
    for (;;) {
        const std::string_view bytes{hands_.get(), received};
        const tls_result result = channel_.handshake(bytes, has_ended);
        std::size_t sent = 0;
        while (sent < channel_.owed().size()) {
            const boost::asio::const_buffer rest{channel_.owed().data() + sent, channel_.owed().size() - sent};
            use_task_keeping token{this->shared_from_this()};
            const auto [code, size] = co_await layer_.async_write_some(rest, std::move(token));
            // Why a handshake has failed says more than that the peer does not want to know.
            if (code) co_return result.status == tls_status::failed ? result.code : code;
            sent += size;
        }
        channel_.owed() = std::string{};
        if (result.status != tls_status::want_read) {
            hands_.reset();
            co_return result.code;
        }
        const boost::asio::mutable_buffer room{hands_.get(), hands_room};
        use_task_keeping token{this->shared_from_this()};
        const auto [code, size] = co_await layer_.async_read_some(room, std::move(token));
        has_ended = code == boost::asio::error::eof;
        if (code && !has_ended) co_return code;
        received = size;
    }
}

template class basic_tls_stream<tcp_socket>;
template class basic_tls_stream<basic_tls_stream<tcp_socket>&>;

}  // namespace weft::net_detail
