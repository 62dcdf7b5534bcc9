#include <weft/model/chat/reply_text.hpp>

#include <weft/async/scope.hpp>
#include <weft/async/signal.hpp>
#include <weft/base/error.hpp>

#include <deque>
#include <utility>

namespace weft {

namespace {

/** Pieces of text between the call, which pushes, and the reader, which pulls. */
class piece_buffer final : public chat_sink {
public:
    void on_text(std::string_view piece) override
    {
        if (piece.empty()) return;
        pieces_.emplace_back(piece);
        filled_.notify();
    }
    void on_retracted() override
    {
        pieces_.clear();
        is_void_ = was_read_;
        filled_.notify();
    }
    bool is_full() const noexcept override { return pieces_.size() >= pieces_max; }
    task<> wait_for_room() override
    {
        while (is_full()) co_await room_.wait();
    }

    void end()
    {
        has_ended_ = true;
        filled_.notify();
    }
    [[nodiscard]] bool waits() const noexcept { return pieces_.empty() && !has_ended_ && !is_void_; }
    [[nodiscard]] bool has_piece() const noexcept { return !pieces_.empty(); }
    [[nodiscard]] signal::waiter filled() noexcept { return filled_.wait(); }
    [[nodiscard]] std::string take()
    {
        std::string piece = std::move(pieces_.front());
        pieces_.pop_front();
        was_read_ = true;
        room_.notify();
        return piece;
    }
    void refuse_what_is_void(const chat_model& model) const
    {
        if (!is_void_) return;
        throw error{errc::invalid_model_reply, std::string{model.label()},
                    "the reply broke off and begins anew, and what was read of it is void: read the whole reply, or "
                    "leave `restarts_after_tokens` out"};
    }

private:
    // Providers send some 20 to 200 pieces a second: enough for a turn of the loop, and little to hold.
    static constexpr std::size_t pieces_max = 16;

    std::deque<std::string> pieces_;
    signal filled_;
    signal room_;
    bool was_read_ = false;
    bool is_void_ = false;
    bool has_ended_ = false;
};

task<void> ask(chat_model& model, chat_request request, piece_buffer& to)
{
    std::exception_ptr failed;
    try {
        const chat_reply whole = co_await model.reply(std::move(request), to);
    } catch (...) {
        failed = std::current_exception();
    }
    to.end();
    if (failed) std::rethrow_exception(failed);
}

}  // namespace

async_generator<std::string> reply_text(std::shared_ptr<chat_model> model, chat_request request)
{
    const task_context& context = co_await this_task::context();
    piece_buffer buffer;
    scope call{context};
    call.spawn(ask(*model, std::move(request), buffer));
    for (;;) {
        while (buffer.waits()) co_await buffer.filled();
        buffer.refuse_what_is_void(*model);
        if (!buffer.has_piece()) break;
        std::string piece = buffer.take();
        co_yield piece;
    }
    co_await call.join();
}

}  // namespace weft
