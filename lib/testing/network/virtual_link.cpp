#include "virtual_link.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace weft::testing::network_detail {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using piece_kind = virtual_direction::piece::kind;

}  // namespace

void pending_operation::start(handler_type handler)
{
    handler_.emplace(std::move(handler));
    auto slot = handler_->get_cancellation_slot();
    if (slot.is_connected())
        slot.assign([this](asio::cancellation_type) { complete(asio::error::operation_aborted, 0); });
}

void pending_operation::complete(error_code code, std::size_t size)
{
    if (!handler_) return;
    handler_->get_cancellation_slot().clear();
    const auto executor = handler_->get_executor();
    asio::post(executor, [handler = std::move(*handler_), code, size]() mutable { handler(code, size); });
    handler_.reset();
}

virtual_link::virtual_link(std::shared_ptr<virtual_net> net)
    : net_{std::move(net)},
      ways_{virtual_direction{net_->loop(),
                              [](void* self) {
                                  auto& link = *static_cast<virtual_link*>(self);
                                  link.arrive(link.ways_[0]);
                              },
                              this},
            virtual_direction{net_->loop(),
                              [](void* self) {
                                  auto& link = *static_cast<virtual_link*>(self);
                                  link.arrive(link.ways_[1]);
                              },
                              this}}
{
    net_->links.push(*this);
    ++net_->open;
    ++net_->counts.connections;
}

virtual_link::~virtual_link()
{
    count_out();
}

/** An end has closed, or the connection broke. */
void virtual_link::count_out() noexcept
{
    if (std::exchange(is_open_, false)) --net_->open;
}

/** How much of `size` is done at once; at least 1. */
std::size_t virtual_link::some_of(std::size_t size)
{
    return net_->weather.splits ? 1 + static_cast<std::size_t>(net_->random().below(size)) : size;
}

void virtual_link::read(std::size_t end, asio::mutable_buffer buffer, pending_operation::handler_type handler)
{
    virtual_direction& from = ways_[1 - end];
    from.read_buffer = buffer;
    from.reading.start(std::move(handler));
    try_read(from);
}

void virtual_link::write(std::size_t end, asio::const_buffer buffer, pending_operation::handler_type handler)
{
    virtual_direction& to = ways_[end];
    net_->counts.write_bytes_max = std::max(net_->counts.write_bytes_max, buffer.size());
    to.write_buffer = buffer;
    to.writing.start(std::move(handler));
    try_write(to);
}

/** Whether something is done at once. */
bool virtual_link::is_willing() { return net_->random().below(2) == 0; }

std::size_t virtual_link::read_now(std::size_t end, asio::mutable_buffer room)
{
    virtual_direction& from = ways_[1 - end];
    if (is_broken_ || from.is_dropped || from.reading.is_waiting() || from.arrived.empty() || !is_willing()) return 0;
    const std::size_t size = take(from, room);
    if (size > 0) ++net_->counts.read_now;
    try_write(from);
    return size;
}

std::size_t virtual_link::write_now(std::size_t end, asio::const_buffer bytes)
{
    virtual_direction& to = ways_[end];
    if (is_broken_ || to.is_ending || to.writing.is_waiting() || !is_willing()) return 0;
    net_->counts.write_bytes_max = std::max(net_->counts.write_bytes_max, bytes.size());
    const std::size_t size = put(to, bytes);
    if (size > 0) ++net_->counts.wrote_now;
    return size;
}

/** Takes what has arrived. */
std::size_t virtual_link::take(virtual_direction& from, asio::mutable_buffer room)
{
    const std::size_t there = std::min(from.arrived.size(), room.size());
    if (there == 0) return 0;
    const std::size_t size = some_of(there);
    from.arrived.copy(static_cast<char*>(room.data()), size);
    from.arrived.erase(0, size);
    from.held -= size;
    return size;
}

/** Sends what there is room for. */
std::size_t virtual_link::put(virtual_direction& to, asio::const_buffer bytes)
{
    const network_weather& weather = net_->weather;
    const std::size_t room = weather.window_bytes > to.held ? weather.window_bytes - to.held : 0;
    const std::size_t fits = std::min({bytes.size(), room, weather.piece_bytes_max});
    if (fits == 0) return 0;
    const std::size_t size = some_of(fits);
    const bool is_lost = weather.resets > 0 && net_->random().uniform() < weather.resets;
    // The writer learns nothing of it yet: to it, what its kernel has taken is sent.
    if (is_lost) send(to, piece_kind::reset);
    else send(to, piece_kind::bytes, {static_cast<const char*>(bytes.data()), size});
    return size;
}

void virtual_link::try_read(virtual_direction& from)
{
    if (!from.reading.is_waiting()) return;
    if (is_broken_) return from.reading.complete(asio::error::connection_reset, 0);
    if (from.is_dropped) return from.reading.complete(asio::error::bad_descriptor, 0);
    const std::size_t size = take(from, from.read_buffer);
    if (size == 0) {
        if (from.has_ended) from.reading.complete(asio::error::eof, 0);
        return;
    }
    from.reading.complete({}, size);
    try_write(from);
}

void virtual_link::try_write(virtual_direction& to)
{
    if (!to.writing.is_waiting()) return;
    if (is_broken_) return to.writing.complete(asio::error::connection_reset, 0);
    if (to.is_ending) return to.writing.complete(asio::error::broken_pipe, 0);
    if (const std::size_t size = put(to, to.write_buffer); size > 0) to.writing.complete({}, size);
}

void virtual_link::send(virtual_direction& to, piece_kind what, std::string bytes)
{
    ++net_->counts.pieces;
    to.held += bytes.size();
    const time_point earliest = to.moving.empty() ? time_point{} : to.moving.back().arrives;
    to.moving.push_back({std::max(earliest, net_->loop().now() + net_->delay()), what, std::move(bytes)});
    if (to.moving.size() == 1) to.timer.arm_at(to.moving.front().arrives);
}

/** The next piece is there. */
void virtual_link::arrive(virtual_direction& to)
{
    if (to.moving.empty()) return;
    virtual_direction::piece come = std::move(to.moving.front());
    to.moving.pop_front();
    if (!to.moving.empty()) to.timer.arm_at(to.moving.front().arrives);
    // A closed end answers bytes with a reset, as TCP does.
    const bool is_unwanted = to.is_dropped && come.what == piece_kind::bytes;
    if (come.what == piece_kind::reset || is_unwanted) {
        ++net_->counts.resets;
        return break_off();
    }
    if (come.what == piece_kind::end) to.has_ended = true;
    net_->counts.bytes += come.bytes.size();
    to.arrived.append(come.bytes);
    try_read(to);
}

bool virtual_link::is_quiet(std::size_t end) const noexcept
{
    const virtual_direction& from = ways_[1 - end];
    return !is_broken_ && !from.has_ended && from.arrived.empty();
}

void virtual_link::end_sending(std::size_t end) noexcept
{
    virtual_direction& to = ways_[end];
    if (is_broken_ || std::exchange(to.is_ending, true)) return;
    send(to, piece_kind::end);
    try_write(to);
}

void virtual_link::close(std::size_t end) noexcept
{
    virtual_direction& from = ways_[1 - end];
    virtual_direction& to = ways_[end];
    if (std::exchange(from.is_dropped, true)) return;
    count_out();
    from.reading.complete(asio::error::operation_aborted, 0);
    to.writing.complete(asio::error::operation_aborted, 0);
    if (is_broken_) return;
    // What is thrown away unread resets the connection; and a writer that waits for room learns it too.
    const bool has_unread = !from.arrived.empty();
    if (has_unread) {
        to.is_ending = true;
        send(to, piece_kind::reset);
    } else {
        end_sending(end);
    }
    from.held -= from.arrived.size();
    from.arrived.clear();
    try_write(from);
}

void virtual_link::break_off() noexcept
{
    if (std::exchange(is_broken_, true)) return;
    unlink();
    count_out();
    for (virtual_direction& way : ways_) {
        way.timer.disarm();
        way.moving.clear();
        way.arrived.clear();
        way.held = 0;
        try_read(way);
        try_write(way);
    }
}

net_detail::wire_operation virtual_end::read_some(asio::mutable_buffer buffer, std::shared_ptr<const void> owner)
{
    auto initiation = [link = link_, number = number_, buffer](pending_operation::handler_type handler) {
        link->read(number, buffer, std::move(handler));
    };
    use_task_keeping token{std::move(owner)};
    return asio::async_initiate<use_task_keeping, void(error_code, std::size_t)>(std::move(initiation), token);
}

net_detail::wire_operation virtual_end::write_some(asio::const_buffer buffer, std::shared_ptr<const void> owner)
{
    auto initiation = [link = link_, number = number_, buffer](pending_operation::handler_type handler) {
        link->write(number, buffer, std::move(handler));
    };
    use_task_keeping token{std::move(owner)};
    return asio::async_initiate<use_task_keeping, void(error_code, std::size_t)>(std::move(initiation), token);
}

}  // namespace weft::testing::network_detail
