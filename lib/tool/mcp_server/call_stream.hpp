#pragma once

#include "outlet.hpp"

#include <weft/async/loop/loop_timer.hpp>
#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/signal.hpp>
#include <weft/async/task.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace weft::mcp_detail {

/** The messages of a call, or of a session, for the one client that reads them over HTTP: it may lose its connection,
 *  and come back for what it has not seen.
 *
 *  @par Thread safety   None: it belongs to one loop. */
class call_stream final : public outlet {
public:
    struct piece {
        std::uint64_t number;  ///< From 1.
        std::string mark;
        std::string text;
    };

    call_stream(serial_loop& loop, std::string key, std::size_t unread_max);

    void send(std::string message, std::string mark, bool may_be_lost) override;
    void finish(const json_rpc_message& answer) override;
    void abort() override;
    void name(std::string key) override { key_ = std::move(key); }
    void close_connection() override;

    /** It goes on elsewhere, behind the message of this mark. */
    void begins_behind(std::string mark) { begin_ = std::move(mark); }
    /** Names it in the ids of events. */
    [[nodiscard]] const std::string& key() const noexcept { return key_; }
    /** The first piece behind a number; null: there is none yet. Valid until the next wait. */
    [[nodiscard]] const piece* after(std::uint64_t number) const noexcept;
    /** The number of the piece of a mark; 0 for the beginning; nothing if it is gone or never was. */
    [[nodiscard]] std::optional<std::uint64_t> number_of(std::string_view mark) const noexcept;
    [[nodiscard]] bool is_over() const noexcept { return is_over_; }
    /** The answer, if nothing else was sent before it; null: a stream is needed. */
    [[nodiscard]] const json_rpc_message* only_answer() const noexcept { return only_ ? &*only_ : nullptr; }
    /** How often a handler has asked for the end of the connection. */
    [[nodiscard]] unsigned breaks() const noexcept { return breaks_; }
    [[nodiscard]] bool has_news(std::uint64_t after_number, unsigned known_breaks) const noexcept
    {
        return after(after_number) || is_over_ || breaks_ != known_breaks;
    }

    /** Begins to read in the place of the reader before. @return  Its number. */
    std::uint64_t take_over();
    /** Whether no other one has taken over. */
    [[nodiscard]] bool is_read_by(std::uint64_t reader) const noexcept { return reader == reader_; }
    void note_read(std::uint64_t number);
    /** Until something happens, at most for `limit`. */
    [[nodiscard]] task<void> wait(std::chrono::nanoseconds limit);

private:
    void push(std::string mark, std::string text);

    std::string key_;
    std::string begin_ = "0";  // the mark of what came before the first piece
    std::size_t unread_max_;
    std::deque<piece> pieces_;
    std::uint64_t last_ = 0;
    std::uint64_t read_ = 0;
    std::uint64_t reader_ = 0;
    unsigned breaks_ = 0;
    bool is_over_ = false;
    std::optional<json_rpc_message> only_;
    signal more_;
    loop_timer timer_;
};

}  // namespace weft::mcp_detail
