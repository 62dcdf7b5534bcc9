#pragma once

#include <weft/store/redis/redis_value.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

struct redis_reply_limits {
    std::size_t line_bytes_max = 64 * 1024;
    /** Of one reply: its texts, and what its values take in memory. */
    std::size_t reply_bytes_max = 64 * 1024 * 1024;
    std::size_t depth_max = 16;  ///< Arrays in arrays.
};

/** Cuts what a Redis server sends into replies. Does no I/O: bytes go in, values come out.
 *
 *      parser.feed(bytes);
 *      while (std::optional<redis_value> reply = parser.next()) use(*reply);
 *      if (parser.has_failed()) give_up(parser.mistake());
 *
 *  Where the input is cut makes no difference to what comes out. It reads RESP2 and the types of RESP3; attributes are
 *  read and dropped. Lengths are believed only as far as bytes have come: a length by itself takes no memory.
 *
 *  @par Errors          What is not RESP, or larger than the limits, ends the stream: see `has_failed`.
 *  @par Thread safety   As a value.
 *  @par Lifetimes       The bytes given to `feed` stay where they are until `next` has returned nothing.
 *  @par Source          https://redis.io/docs/latest/develop/reference/protocol-spec/
 */
class redis_reply_parser {
public:
    explicit redis_reply_parser(redis_reply_limits limits = {}) noexcept : limits_{limits} {}

    /** Gives the parser the next piece of the stream, once all replies of the one before were taken. */
    void feed(std::string_view bytes) noexcept { input_ = bytes; }

    /** The next complete reply, or nothing when the parser needs more input or has failed. */
    [[nodiscard]] std::optional<redis_value> next();

    [[nodiscard]] bool has_failed() const noexcept { return !mistake_.empty(); }
    /** What was wrong with the bytes; empty if nothing was. */
    [[nodiscard]] const std::string& mistake() const noexcept { return mistake_; }
    /** Whether a reply has begun and is not complete. */
    [[nodiscard]] bool is_inside_reply() const noexcept { return !line_.empty() || has_bulk_ || !open_.empty(); }

private:
    /** An array, set or map whose items have not all come. */
    struct aggregate {
        redis_value value;
        std::size_t missing = 0;
        bool is_attribute = false;
    };

    bool take_line();
    bool take_bulk();
    void accept_line(std::string_view line);
    void accept_scalar(char type, std::string_view rest);
    void accept_number(std::string_view rest);
    void begin_bulk(char type, std::string_view length);
    void begin_aggregate(char type, std::string_view length);
    void complete(redis_value value);
    [[nodiscard]] std::optional<std::size_t> read_length(std::string_view digits);
    [[nodiscard]] bool charge(std::size_t bytes);
    void fail(std::string why);

    redis_reply_limits limits_;
    std::string_view input_;
    std::string line_;             // the beginning of a line whose end has not come yet
    redis_value bulk_;             // the text under way
    bool has_bulk_ = false;
    std::size_t bulk_missing_ = 0;  // with the line end behind it
    char bulk_type_ = '$';
    std::vector<aggregate> open_;
    std::size_t used_ = 0;         // of reply_bytes_max
    std::optional<redis_value> finished_;
    std::string mistake_;
};

}  // namespace weft
