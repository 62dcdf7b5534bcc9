#include <weft/model/chat/piece_buffer.hpp>

#include <exception>

namespace weft {

void piece_buffer::on_text(std::string_view piece)
{
    if (piece.empty() || is_void_) return;
    pieces_.emplace_back(piece);
    filled_.notify();
}

void piece_buffer::on_retracted()
{
    pieces_.clear();
    is_void_ = was_read_;
    filled_.notify();
    room_.notify();
}

task<> piece_buffer::wait_for_room()
{
    while (is_full()) co_await room_.wait();
}

void piece_buffer::end()
{
    has_ended_ = true;
    filled_.notify();
}

std::string piece_buffer::take()
{
    std::string piece = std::move(pieces_.front());
    pieces_.pop_front();
    was_read_ = true;
    room_.notify();
    return piece;
}

task<void> fill(piece_buffer& to, task<void> call)
{
    std::exception_ptr failed;
    try {
        co_await std::move(call);
    } catch (...) {
        failed = std::current_exception();
    }
    to.end();
    if (failed) std::rethrow_exception(failed);
}

}  // namespace weft
