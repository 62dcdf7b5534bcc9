#pragma once

#include "tls_channel.hpp"

#include "net/socket/tcp_socket.hpp"

#include <weft/async/task.hpp>
#include <weft/async/use_task.hpp>
#include <weft/net/socket/transport.hpp>

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace weft::net_detail {

/** What the steps of an operation on a TLS stream share: whose it is, and whom it tells. */
template <class Stream, class Handler>
struct tls_step {
    using executor_type = boost::asio::associated_executor_t<Handler, loop_executor>;
    using allocator_type = boost::asio::associated_allocator_t<Handler>;

    [[nodiscard]] executor_type get_executor() const noexcept
    {
        return boost::asio::get_associated_executor(handler, stream->get_executor());
    }
    [[nodiscard]] allocator_type get_allocator() const noexcept
    {
        return boost::asio::get_associated_allocator(handler);
    }

    void finish(const boost::system::error_code& code, std::size_t size)
    {
        auto slot = boost::asio::get_associated_cancellation_slot(handler);
        if (slot.is_connected()) slot.clear();
        // Bytes may have come before the close, and the read of more after it: then the socket says something else.
        const bool was_aborted = code && stream->is_closed();
        std::move(handler)(was_aborted ? boost::asio::error::operation_aborted : code, size);
    }

    Stream* stream;
    Handler handler;
};

/** An operation that is over before it has waited. */
template <class Stream, class Handler>
struct tls_outcome : tls_step<Stream, Handler> {
    void operator()() { this->finish(code, size); }

    boost::system::error_code code;
    std::size_t size;
};

template <class Stream, class Handler>
struct tls_read_step : tls_step<Stream, Handler> {
    /** Ciphertext has come, into the room that is meant for the plaintext. */
    void operator()(const boost::system::error_code& code, std::size_t received)
    {
        const bool has_ended = code == boost::asio::error::eof;
        if (code && !has_ended) return this->finish(code, 0);
        const std::span<char> bytes{static_cast<char*>(room.data()), room.size()};
        tls_result result = this->stream->channel().read_in_place(bytes, received, has_ended);
        // What has filled a small room is the beginning of a record that has come as a whole, as a rule.
        if (result.status == tls_status::want_read && received == room.size())
            result = this->stream->read_at_once(bytes);
        this->stream->send_owed();
        if (result.status == tls_status::want_read) return start();
        this->finish(result.code, result.size);
    }

    void start()
    {
        Stream& from = *this->stream;
        const boost::asio::mutable_buffer part = boost::asio::buffer(room, tls_channel::received_max);
        from.layer().async_read_some(part, std::move(*this));
    }

    boost::asio::mutable_buffer room;
};

template <class Stream, class Handler>
struct tls_write_step : tls_step<Stream, Handler> {
    void operator()(const boost::system::error_code& code, std::size_t written)
    {
        sent += written;
        if (!code && sent < sealed.size) return start();
        if (!code && sealed.plaintext == 0) {
            sealed = this->stream->seal(plaintext);
            sent = 0;
            if (!sealed.code) return start();
        }
        this->stream->end_writing();
        this->finish(code ? code : sealed.code, sealed.plaintext);
    }

    void start()
    {
        Stream& to = *this->stream;
        const boost::asio::const_buffer rest{sealed.bytes.get() + sent, sealed.size - sent};
        to.layer().async_write_some(rest, std::move(*this));
    }

    boost::asio::const_buffer plaintext;
    sealed_bytes sealed;
    std::size_t sent;
};

/** TLS over a stream of bytes: a socket, or the TLS with a proxy.
 *
 *  A stream that waits for bytes holds no buffer: they come into the reader's room and are decrypted from there. A
 *  write holds the ciphertext of one record until it is sent.
 *
 *  @tparam Layer   `tcp_socket`, or a reference to another TLS stream.
 *
 *  @par Cancellation   Closes the stream at once, in the stop itself; what TLS holds is freed with the stream.
 */
template <class Layer>
class basic_tls_stream : public transport, public std::enable_shared_from_this<basic_tls_stream<Layer>> {
public:
    using layer_type = std::remove_reference_t<Layer>;

    [[nodiscard]] layer_type& layer() noexcept { return layer_; }
    [[nodiscard]] tls_channel& channel() noexcept { return channel_; }
    [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }
    [[nodiscard]] loop_executor get_executor() { return layer_.get_executor(); }

    template <class Token>
    auto async_read_some(boost::asio::mutable_buffer room, Token&& token)
    {
        return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
            [this](auto handler, boost::asio::mutable_buffer to) { this->start_read(to, std::move(handler)); }, token,
            room);
    }
    template <class Token>
    auto async_write_some(boost::asio::const_buffer plaintext, Token&& token)
    {
        return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
            [this](auto handler, boost::asio::const_buffer from) { this->start_write(from, std::move(handler)); },
            token, plaintext);
    }

    wire_operation read_some(boost::asio::mutable_buffer buffer, std::shared_ptr<const void> owner) override
    {
        return async_read_some(buffer, use_task_keeping{std::move(owner)});
    }
    wire_operation write_some(boost::asio::const_buffer buffer, std::shared_ptr<const void> owner) override
    {
        return async_write_some(buffer, use_task_keeping{std::move(owner)});
    }
    /** A goodbye may have come in one piece with the last bytes; then nothing is in the socket. */
    bool is_quiet() noexcept override { return !channel_.has_buffered() && layer_is_quiet(layer_); }
    /** With TLS's goodbye, unless a write is under way. */
    void end_sending() noexcept override;
    void close() noexcept override;

    // For the steps of its operations.

    [[nodiscard]] sealed_bytes seal(boost::asio::const_buffer plaintext)
    {
        return channel_.seal({static_cast<const char*>(plaintext.data()), plaintext.size()});
    }
    /** Reads what has come, if it has; `want_read`: it has not. */
    tls_result read_at_once(std::span<char> room);
    void end_writing() noexcept { is_writing_ = false; }
    /** Sends what a read leaves for the peer, if it can be sent at once; else the next write does. */
    void send_owed() noexcept;

protected:
    template <class Argument>
    basic_tls_stream(SSL_CTX* context, tls_side side, Argument&& layer)
        : layer_{std::forward<Argument>(layer)}, channel_{context, side}
    {
    }

    /** Shakes hands, until it is done, fails or the stream is closed. @return  Why it failed. */
    task<boost::system::error_code> shake_hands();

private:
    static bool layer_is_quiet(tcp_socket& socket) noexcept { return net_detail::is_quiet(socket); }
    static bool layer_is_quiet(transport& outer) noexcept { return outer.is_quiet(); }
    static void layer_end_sending(tcp_socket& socket) noexcept
    {
        boost::system::error_code ignored;
        socket.shutdown(tcp_socket::shutdown_send, ignored);
    }
    static void layer_end_sending(transport& outer) noexcept { outer.end_sending(); }
    static void layer_close(tcp_socket& socket) noexcept { close_socket(socket); }
    static void layer_close(transport& outer) noexcept { outer.close(); }

    template <class Handler>
    void close_if_cancelled(Handler& handler)
    {
        auto slot = boost::asio::get_associated_cancellation_slot(handler);
        if (slot.is_connected()) slot.assign([this](boost::asio::cancellation_type) { close(); });
    }

    template <class Handler>
    void end_soon(Handler handler, const boost::system::error_code& code, std::size_t size)
    {
        tls_outcome<basic_tls_stream, Handler> outcome{{this, std::move(handler)}, code, size};
        const auto executor = outcome.get_executor();
        boost::asio::post(executor, std::move(outcome));
    }

    template <class Handler>
    void start_read(boost::asio::mutable_buffer room, Handler handler)
    {
        close_if_cancelled(handler);
        if (room.size() == 0) return end_soon(std::move(handler), {}, 0);
        if (channel_.has_buffered()) {
            const tls_result result = channel_.read({}, false, {static_cast<char*>(room.data()), room.size()});
            if (result.status != tls_status::want_read)
                return end_soon(std::move(handler), result.code, result.size);
        }
        tls_read_step<basic_tls_stream, Handler>{{this, std::move(handler)}, room}.start();
    }

    template <class Handler>
    void start_write(boost::asio::const_buffer plaintext, Handler handler)
    {
        close_if_cancelled(handler);
        if (plaintext.size() == 0) return end_soon(std::move(handler), {}, 0);
        sealed_bytes sealed = seal(plaintext);
        if (sealed.code) return end_soon(std::move(handler), sealed.code, 0);
        is_writing_ = true;
        tls_write_step<basic_tls_stream, Handler>{{this, std::move(handler)}, plaintext, std::move(sealed), 0}.start();
    }

    Layer layer_;
    tls_channel channel_;
    std::unique_ptr<char[]> hands_;  // the room of the handshake
    bool is_writing_ = false;
    bool is_closed_ = false;
};

extern template class basic_tls_stream<tcp_socket>;
extern template class basic_tls_stream<basic_tls_stream<tcp_socket>&>;

}  // namespace weft::net_detail
