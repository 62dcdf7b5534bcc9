#include "websocket_link.hpp"

#include <weft/base/error.hpp>

#include <boost/assert.hpp>

#include <algorithm>
#include <utility>

namespace weft::net_detail {

namespace {

constexpr std::size_t frame_room_min = 512;        // most commands fit
constexpr std::size_t frame_room_max = 64 * 1024;
constexpr std::size_t idle_bytes_max = 1024;
constexpr std::size_t discarded_max = 4 * 1024 * 1024;  // of a client that is closed for a mistake

}  // namespace

websocket_link::websocket_link(serial_loop& loop, std::shared_ptr<transport> wire, terms agreed)
    : wire_{std::move(wire)}, agreed_{std::move(agreed)}, in_{frame_room_min, frame_room_min},
      room_bytes_{frame_room_min}, parser_{agreed_.options.message_bytes_max},
      stall_{loop,
             [](void* self) {
                 auto& late = *static_cast<websocket_link*>(self);
                 late.is_late_ = true;
                 late.lose();
             },
             this},
      timer_{loop, [](void* self) { static_cast<websocket_link*>(self)->tick(); }, this}, context_{&loop, &scope_}
{
}

void websocket_link::start(std::string_view early)
{
    if (!early.empty()) {
        early.copy(static_cast<char*>(in_.prepare(early.size()).data()), early.size());
        in_.commit(early.size());
    }
    timer_.arm_after(agreed_.options.ping_interval);
    is_reading_ = true;
    reader_ = read_all();
    (void)reader_.start(context_, [](void*) {}, this);
}

void websocket_link::abandon() noexcept
{
    is_lost_ = true;
    list_node<server_core>::unlink();
    timer_.disarm();
    stall_.rest();
    wire_->close();
    writer_.reset();
    reader_.reset();
}

/** The conversation has ended; the first reason counts. */
void websocket_link::end(std::uint16_t code)
{
    if (close_code_ != 0) return;
    close_code_ = code;
    arrived_.notify();
    room_.notify();
}

void websocket_link::lose()
{
    if (std::exchange(is_lost_, true)) return;
    wire_->close();
    end(websocket_code::vanished);
    room_.notify();
    changed_.notify();
    // After a close that the client only answers by going away, the handler comes to its end by itself.
    if (!has_closed_) agreed_.lost(agreed_.self);
}

/** Takes apart what has come, up to a message that waits for the handler. */
void websocket_link::take_events()
{
    while (in_.size() > 0 && !message_ && !parser_.is_over()) {
        websocket_parser::result step = parser_.parse(in_.data(), in_.size());
        in_.consume(step.consumed);
        if (step.event.what == websocket_event::kind::nothing) return;
        take(std::move(step.event));
    }
}

void websocket_link::take(websocket_event event)
{
    switch (event.what) {
    case websocket_event::kind::text:
        if (close_code_ != 0) return;
        message_ = std::move(event.bytes);
        arrived_.notify();
        break;
    case websocket_event::kind::ping:
        pong_ = std::move(event.bytes);
        flush();
        break;
    case websocket_event::kind::close:
        end(event.code);
        close(event.code, {});
        break;
    case websocket_event::kind::failure: close(event.code, event.bytes); break;
    default: break;
    }
}

task<void> websocket_link::read_all()
{
    for (;;) {
        take_events();
        if (parser_.is_over()) break;
        if (message_) {
            co_await taken_.wait();
            continue;
        }
        const bool has_more = co_await read_more();
        if (!has_more) break;
    }
    // A socket that is closed while bytes come makes the system throw away what the client has not read: the reason.
    if (parser_.has_failed()) {
        const std::uint64_t until = bytes_in_ + discarded_max;
        bool has_more = true;
        while (has_more && bytes_in_ < until) {
            in_.consume(in_.size());
            has_more = co_await read_more();
        }
    }
    is_reading_ = false;
    changed_.notify();
}

/** @return  False if the connection is over. */
task<bool> websocket_link::read_more()
{
    if (is_lost_) co_return false;
    if (parser_.missing() == 0) in_.shrink(frame_room_min);
    const boost::asio::mutable_buffer room = in_.prepare(room_bytes_);
    const auto [code, size] = co_await wire_->read_some(room, shared_from_this());
    if (code || size == 0) {
        lose();
        co_return false;
    }
    in_.commit(size);
    // What a client only claims to send is not worth memory: the room grows with what has come.
    const bool was_filled = size == room.size();
    room_bytes_ = was_filled ? std::min(room_bytes_ * 2, frame_room_max) : std::max(room_bytes_ / 2, frame_room_min);
    bytes_in_ += size;
    has_heard_ = true;
    co_return true;
}

/** Begins to write, unless a write is under way. */
void websocket_link::flush()
{
    if (is_writing_ || is_lost_) return;
    is_writing_ = true;
    writer_ = write_all();
    (void)writer_.start(context_, [](void*) {}, this);
}

/** Puts together what is written next. @return  False if there is nothing. */
bool websocket_link::compose()
{
    if (pong_ && !has_closed_) append_websocket_frame(unsent_, websocket_opcode::pong, *pong_);
    pong_.reset();
    sending_.clear();
    if (unsent_.empty()) {
        // A client to which nothing is said should cost little.
        for (std::string* const idle : {&sending_, &unsent_})
            if (idle->capacity() > idle_bytes_max) *idle = std::string{};
        return false;
    }
    sending_.swap(unsent_);
    return true;
}

task<void> websocket_link::write_all()
{
    while (!is_lost_ && compose()) {
        std::size_t sent = 0;
        while (sent < sending_.size() && !is_lost_) {
            stall_.start(agreed_.write_stall);
            const boost::asio::const_buffer rest{sending_.data() + sent, sending_.size() - sent};
            const auto [code, size] = co_await wire_->write_some(rest, shared_from_this());
            stall_.stop();
            if (code) lose();
            sent += size;
        }
        bytes_out_ += sent;
        room_.notify();
    }
    is_writing_ = false;
    changed_.notify();
}

/** A period has passed. */
void websocket_link::tick()
{
    if (is_finishing_) return lose();
    if (close_code_ != 0) {
        // The handler has had a whole period to see the end, and waits for something else.
        if (std::exchange(has_missed_end_, true)) return agreed_.lost(agreed_.self);
    } else {
        // While a message waits for the handler nothing is read, and the client is not to blame.
        if (!has_heard_ && !message_) return lose();
        has_heard_ = false;
        append_websocket_frame(unsent_, websocket_opcode::ping, {});
        flush();
    }
    timer_.arm_after(agreed_.options.ping_interval);
}

task<std::optional<std::string>> websocket_link::receive()
{
    while (!message_ && close_code_ == 0) co_await arrived_.wait();
    std::optional<std::string> message = std::exchange(message_, std::nullopt);
    if (message) {
        has_heard_ = true;  // what waited behind the message could not be read
        taken_.notify();
    }
    co_return message;
}

task<void> websocket_link::send(std::string text)
{
    const slot_limiter::slot turn = co_await turn_.acquire();
    const auto is_full = [this, size = text.size()] {
        const std::size_t waiting = unsent_.size() + sending_.size();
        return waiting > 0 && waiting + size > agreed_.options.unsent_bytes_max;
    };
    while (is_full() && !has_closed_ && !is_lost_) co_await room_.wait();
    if (is_late_) throw error{errc::send_timeout, agreed_.peer, "the client does not read its messages"};
    if (has_closed_ || is_lost_) throw error{errc::connection_lost, agreed_.peer, "the WebSocket is closed"};
    append_websocket_frame(unsent_, websocket_opcode::text, text);
    flush();
}

void websocket_link::close(std::uint16_t code, std::string_view reason)
{
    BOOST_ASSERT_MSG(code == websocket_code::none || is_websocket_code(code), "a close cannot carry this code");
    if (has_closed_ || is_lost_) return;
    append_websocket_close(unsent_, code, reason);
    has_closed_ = true;
    end(code);
    flush();
    // Nothing waits for what the client still has to say but its close.
    if (std::exchange(message_, std::nullopt)) taken_.notify();
    room_.notify();
}

task<void> websocket_link::finish(std::uint16_t code)
{
    list_node<server_core>::unlink();
    close(close_code_ == websocket_code::service_restart ? close_code_ : code, {});
    if (std::exchange(message_, std::nullopt)) taken_.notify();
    timer_.disarm();
    while (is_writing_) co_await changed_.wait();
    // A client leaves it to the server to end the connection; the close that it sends is not read after a mistake.
    if (parser_.has_failed()) wire_->end_sending();
    is_finishing_ = true;
    timer_.arm_after(agreed_.options.close_grace);
    while (is_reading_ && !is_lost_) co_await changed_.wait();
    timer_.disarm();
}

}  // namespace weft::net_detail
