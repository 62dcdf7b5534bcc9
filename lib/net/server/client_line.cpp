#include "client_line.hpp"

#include <weft/base/error.hpp>

#include <utility>

namespace weft::net_detail {

namespace {

constexpr std::size_t linger_room = 16 * 1024;
constexpr std::size_t lingering_max = 256 * 1024;
constexpr std::size_t out_capacity_max = 64 * 1024;
constexpr int at_once_max = 16;                       // reads and writes in a row, then others have their turn
constexpr std::size_t idle_capacity_max = 4 * 1024;   // of an idle connection's buffers

}  // namespace

client_line::client_line(serial_loop& loop, std::shared_ptr<transport> wire, terms agreed)
    : wire_{std::move(wire)}, agreed_{std::move(agreed)}, loop_{loop},
      phase_{loop,
             [](void* self) {
                 auto& late = *static_cast<client_line*>(self);
                 late.is_late_ = true;
                 late.wire_->close();
             },
             this},
      watch_context_{&loop, &watch_scope_}
{
}

void client_line::throw_lost() const
{
    if (is_late_) throw error{errc::send_timeout, agreed_.peer, "the client does not take the answer"};
    throw error{errc::connection_lost, agreed_.peer, "the client closed the connection"};
}

task<std::size_t> client_line::fill(time_point deadline, std::size_t room)
{
    if (is_lost_) co_return 0;
    phase_.start_until(deadline);
    if (is_watching_) {
        const std::size_t before = in_.size();
        while (is_watching_ && !is_lost_ && in_.size() == before) co_await watched_.wait();
        phase_.stop();
        co_return is_lost_ ? 0 : in_.size() - before;
    }
    // A read that filled its room has left something: most often the rest of a request.
    const bool may_have_more = in_.was_filled() && at_once_ < at_once_max;
    const boost::asio::mutable_buffer free = in_.prepare(room);
    if (const std::size_t size = may_have_more ? wire_->read_now(free) : 0; size > 0) {
        ++at_once_;
        phase_.stop();
        in_.commit(size);
        co_return size;
    }
    at_once_ = 0;
    const auto [code, size] = co_await wire_->read_some(free, shared_from_this());
    phase_.stop();
    if (code || size == 0) {
        is_lost_ = true;
        co_return 0;
    }
    in_.commit(size);
    co_return size;
}

task<void> client_line::send_out()
{
    if (out_.empty()) co_return;
    std::size_t sent = 0;
    const task_context& context = co_await this_task::context();
    if (!is_lost_ && at_once_ < at_once_max && !context.scope->stop_requested()) {
        ++at_once_;
        sent = wire_->write_now({out_.data(), out_.size()});
    }
    while (sent < out_.size()) {
        if (is_lost_) throw_lost();
        phase_.start(agreed_.write_stall);
        at_once_ = 0;
        const boost::asio::const_buffer rest{out_.data() + sent, out_.size() - sent};
        const auto [code, size] = co_await wire_->write_some(rest, shared_from_this());
        phase_.stop();
        if (code) {
            is_lost_ = true;
            throw_lost();
        }
        sent += size;
    }
    out_.clear();
    if (out_.capacity() > out_capacity_max) out_ = std::string{};
}

task<void> client_line::linger()
{
    wire_->end_sending();
    const time_point deadline = loop_.now() + std::chrono::seconds{1};
    std::size_t taken = 0;
    while (taken < lingering_max) {
        in_.consume(in_.size());
        const std::size_t received = co_await fill(deadline, linger_room);
        if (received == 0) co_return;
        taken += received;
    }
}

void client_line::watch()
{
    if (is_watching_ || is_lost_) return;
    wants_watch_ = is_watching_ = true;
    watcher_ = watch_all();
    if (watcher_.start(watch_context_, [](void*) {}, this)) is_watching_ = false;
}

task<void> client_line::watch_all()
{
    in_.shrink(watch_room);
    while (wants_watch_ && in_.size() < idle_capacity_max) {
        const auto [code, size] = co_await wire_->read_some(in_.prepare(watch_room), shared_from_this());
        if (code || size == 0) {
            is_lost_ = true;
            if (wants_watch_) agreed_.gone(agreed_.self);
        } else {
            in_.commit(size);
        }
        watched_.notify();
        if (is_lost_) break;
    }
    is_watching_ = false;
}

void client_line::shrink()
{
    in_.shrink(idle_capacity_max);
    if (out_.capacity() > idle_capacity_max) out_ = std::string{};
}

void client_line::drop_buffers()
{
    in_.consume(in_.size());
    in_.shrink(0);
    out_ = std::string{};
}

void client_line::abandon() noexcept
{
    phase_.rest();
    wire_->close();
    watcher_.reset();
}

}  // namespace weft::net_detail
