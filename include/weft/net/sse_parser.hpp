#pragma once

#include <weft/base/chrono.hpp>
#include <weft/base/error.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** One event of a server-sent event stream. Its views are valid until the next call to the parser. */
struct sse_event {
    std::string_view type;   ///< `message` unless the stream says otherwise.
    std::string_view data;   ///< The data lines, joined by line feeds; valid UTF-8.
    std::string_view id;     ///< The last event id, which stays until the stream sets another.
    std::string_view error;  ///< Value of a field `error`; in `sse_dialect::llm` only.
};

enum class sse_dialect {
    standard,  ///< As browsers read it.
    llm,       ///< Also what LLM servers do: a field `error`, and bare JSON lines when something broke late.
};

struct sse_options {
    sse_dialect dialect = sse_dialect::standard;
    std::size_t line_bytes_max = 1024 * 1024;
    std::size_t event_bytes_max = 4 * 1024 * 1024;  ///< All data lines of one event together.
};

/** Cuts the body of a `text/event-stream` into events. Does no I/O: bytes go in, events come out.
 *
 *      parser.feed(bytes);
 *      while (const weft::sse_event* event = parser.next()) use(*event);
 *      if (parser.has_failed()) throw parser.failure(where);
 *
 *  Events whose lines lie in one piece of input are views into that piece: nothing is copied. Where the input is cut
 *  makes no difference to what comes out. What remains between two pieces (a line or event under way) is copied, and
 *  bounded by the limits of the options.
 *
 *  @par Errors          A line or event larger than its limit ends the stream: see `has_failed`.
 *  @par Thread safety   As a value.
 *  @par Lifetimes       The bytes given to `feed` stay where they are until `next` has returned null.
 *  @par Source          WHATWG HTML §9.2.5 and §9.2.6; a carriage return ends its line at once.
 */
class sse_parser {
public:
    explicit sse_parser(sse_options options = {}) noexcept : options_{options} {}
    sse_parser(const sse_parser&) = delete;
    sse_parser& operator=(const sse_parser&) = delete;

    /** Gives the parser the next piece of the stream, once all events of the one before were taken. */
    void feed(std::string_view bytes) noexcept;

    /** The next complete event, or null when the parser needs more input or has failed. */
    [[nodiscard]] const sse_event* next();

    /** Says that the stream has ended.
     *
     *  @return  The event that was under way, its last line completed, or null if there was none. The standard
     *           discards it; a caller may still use it if its data proves to be whole, as complete JSON does. */
    [[nodiscard]] const sse_event* finish();

    [[nodiscard]] bool has_failed() const noexcept { return failed_limit_ != nullptr; }
    /** Why the parser failed: `errc::response_too_large` naming the limit. Only after `has_failed`. */
    [[nodiscard]] error failure(std::string where) const;

    /** What a reconnecting client sends as `Last-Event-ID`. */
    [[nodiscard]] const std::string& last_event_id() const noexcept { return id_; }
    /** How long the server wants a client to wait before it reconnects; at most five minutes. */
    [[nodiscard]] std::optional<std::chrono::milliseconds> retry() const noexcept { return retry_; }
    /** In `sse_dialect::llm`: the lines from the first one on that began with `{` or `[` instead of a field name, as
     *  far as they are no fields; at most 64 KiB. Servers and proxies report late errors so. */
    [[nodiscard]] std::string_view raw_json() const noexcept { return raw_json_; }

private:
    bool take_line();
    void skip_byte_order_mark();
    bool accept_line(const char* line_end);
    void keep_rest();
    void keep_views();
    void take_field(std::string_view line);
    void take_other_field(std::string_view name, std::string_view value, std::string_view line);
    void take_unknown_field(std::string_view name, std::string_view value, std::string_view line);
    void add_data(std::string_view value);
    void set_retry(std::string_view digits) noexcept;
    [[nodiscard]] bool has_event() const noexcept { return has_data_ || !error_.empty(); }
    const sse_event* deliver() noexcept;
    void forget_event() noexcept;
    void fail(const char* limit) noexcept;

    sse_options options_;

    // The piece of input under way, and the next line feed and carriage return in it (its end if there is none).
    const char* at_ = nullptr;
    const char* end_ = nullptr;
    const char* line_feed_ = nullptr;
    const char* carriage_return_ = nullptr;

    std::string_view line_;      // the complete line under way: in the input or in `carry_`
    std::string carry_;          // the beginning of a line whose end has not come yet
    bool is_carrying_ = false;
    bool skip_line_feed_ = false;
    unsigned char mark_matched_ = 0;  // bytes of a leading byte order mark seen; 3 when that is over

    // The event under way: a view as long as its piece of input lives, copied into the buffer when it must stay.
    std::string_view data_;
    std::string data_buffer_;
    bool has_data_ = false;
    bool data_is_kept_ = false;
    std::string_view type_;
    std::string type_buffer_;
    std::string error_;
    bool is_delivered_ = false;
    sse_event event_;

    std::string id_;
    std::string next_id_;  // becomes `id_` at the next blank line
    bool id_changes_ = false;
    std::optional<std::chrono::milliseconds> retry_;
    std::string raw_json_;
    const char* failed_limit_ = nullptr;
};

}  // namespace weft
