#pragma once

#include <weft/async/signal.hpp>
#include <weft/model/chat_sink.hpp>

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

/** Pieces of a reply's text between the call of a model, which pushes, and one reader, which takes. When some wait, the
 *  call reads no more, and the provider feels it.
 *
 *  @par Thread safety   None: both are on one loop. */
class piece_buffer final : public chat_sink {
public:
    void on_text(std::string_view piece) override;
    /** What waits is dropped. If pieces were taken, the text is void: it takes no more. */
    void on_retracted() override;
    [[nodiscard]] bool is_full() const noexcept override { return pieces_.size() >= pieces_max; }
    [[nodiscard]] task<> wait_for_room() override;

    /** The call is over: no piece comes. */
    void end();
    /** Whether a reader that waits for `filled` can hope for a piece. */
    [[nodiscard]] bool waits() const noexcept { return pieces_.empty() && !has_ended_ && !is_void_; }
    [[nodiscard]] signal::waiter filled() noexcept { return filled_.wait(); }
    [[nodiscard]] bool has_piece() const noexcept { return !pieces_.empty(); }
    /** The next one; there must be one. */
    [[nodiscard]] std::string take();
    /** Whether pieces that were taken have been retracted. */
    [[nodiscard]] bool is_void() const noexcept { return is_void_; }

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

/** Performs a call that pushes into a buffer, and tells the buffer when it is over, whatever way.
 *  @param to       Outlives the task.
 *  @par Errors     Those of the call. */
[[nodiscard]] task<void> fill(piece_buffer& to, task<void> call);

}  // namespace weft
