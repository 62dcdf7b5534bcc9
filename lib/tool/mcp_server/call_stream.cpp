#include "call_stream.hpp"

#include <algorithm>

namespace weft::mcp_detail {

call_stream::call_stream(serial_loop& loop, std::string key, std::size_t unread_max)
    : key_{std::move(key)}, unread_max_{unread_max},
      timer_{loop, [](void* self) { static_cast<call_stream*>(self)->more_.notify(); }, this}
{
}

void call_stream::push(std::string mark, std::string text)
{
    ++last_;
    if (mark.empty()) mark = std::to_string(last_);
    pieces_.push_back({last_, std::move(mark), std::move(text)});
    while (pieces_.size() > unread_max_ && pieces_.front().number <= read_) pieces_.pop_front();
    more_.notify();
}

void call_stream::send(std::string message, std::string mark, bool may_be_lost)
{
    // A question that is lost would never be answered.
    if (is_over_ || (may_be_lost && last_ - read_ >= unread_max_)) return;
    push(std::move(mark), std::move(message));
}

void call_stream::finish(const json_rpc_message& answer)
{
    if (is_over_) return;
    is_over_ = true;
    if (last_ == 0 && breaks_ == 0) only_.emplace(answer);
    push({}, answer.text());
}

void call_stream::abort()
{
    is_over_ = true;
    more_.notify();
}

void call_stream::close_connection()
{
    ++breaks_;
    more_.notify();
}

const call_stream::piece* call_stream::after(std::uint64_t number) const noexcept
{
    const auto found = std::partition_point(pieces_.begin(), pieces_.end(),
                                            [number](const piece& each) { return each.number <= number; });
    return found == pieces_.end() ? nullptr : &*found;
}

std::optional<std::uint64_t> call_stream::number_of(std::string_view mark) const noexcept
{
    const bool is_whole = pieces_.empty() || pieces_.front().number == 1;
    if (mark == begin_ && is_whole) return 0;
    for (const piece& each : pieces_)
        if (each.mark == mark) return each.number;
    return std::nullopt;
}

std::uint64_t call_stream::take_over()
{
    ++reader_;
    more_.notify();
    return reader_;
}

void call_stream::note_read(std::uint64_t number)
{
    read_ = std::max(read_, number);
    // An answer that went out in a stream is none that may go out alone.
    only_.reset();
}

task<void> call_stream::wait(std::chrono::nanoseconds limit)
{
    timer_.arm_after(limit);
    co_await more_.wait();
    timer_.disarm();
}

}  // namespace weft::mcp_detail
