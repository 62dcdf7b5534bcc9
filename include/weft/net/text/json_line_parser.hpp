#pragma once

#include <weft/base/error.hpp>
#include <weft/net/sse_parser.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace weft {

struct json_line_options {
    std::size_t line_bytes_max = 4 * 1024 * 1024;
};

/** Cuts a body of newline-delimited JSON (`application/x-ndjson`) into its lines. Does no I/O and reads no JSON.
 *
 *  It is used as an `sse_parser` is, and a line comes as an event whose data it is. Lines end with a line feed, with or
 *  without a carriage return before it; lines of nothing but blanks are left out. Lines that lie in one piece of input
 *  are views into that piece: nothing is copied. Where the input is cut makes no difference to what comes out.
 *
 *  @par Errors          A line larger than its limit ends the stream: see `has_failed`.
 *  @par Thread safety   As a value.
 *  @par Lifetimes       The bytes given to `feed` stay where they are until `next` has returned null.
 */
class json_line_parser {
public:
    explicit json_line_parser(json_line_options options = {}) noexcept : options_{options} {}
    json_line_parser(const json_line_parser&) = delete;
    json_line_parser& operator=(const json_line_parser&) = delete;

    /** Gives the parser the next piece of the stream, once all lines of the one before were taken. */
    void feed(std::string_view bytes) noexcept;

    /** The next complete line as an event, or null when the parser needs more input or has failed. Its data is valid
     *  UTF-8 and stays where it is until the next call. */
    [[nodiscard]] const sse_event* next();

    /** Says that the stream has ended.
     *  @return  The line that was under way, or null if there was none; whether it is whole, its JSON says. */
    [[nodiscard]] const sse_event* finish();

    [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }
    /** Why the parser failed: `errc::response_too_large`. Only after `has_failed`. */
    [[nodiscard]] error failure(std::string where) const;

    /** What stood outside of lines: nothing. */
    [[nodiscard]] std::string_view raw_json() const noexcept { return {}; }

private:
    [[nodiscard]] const sse_event* deliver(std::string_view line);
    [[nodiscard]] bool take_line(std::string_view& line);
    void fail() noexcept;

    json_line_options options_;
    std::string_view rest_;  // of the piece of input under way
    std::string carry_;      // the beginning of a line whose end has not come yet
    bool carry_is_taken_ = false;
    std::string repaired_;
    bool has_failed_ = false;
    sse_event event_;
};

}  // namespace weft
