#include <weft/net/text/json_line_parser.hpp>

#include <weft/base/text/ascii_text.hpp>
#include <weft/base/utf8.hpp>

#include <boost/assert.hpp>

#include <utility>

namespace weft {

void json_line_parser::feed(std::string_view bytes) noexcept
{
    BOOST_ASSERT_MSG(rest_.empty(), "take all lines with next() before more bytes are fed");
    if (!has_failed_) rest_ = bytes;
}

const sse_event* json_line_parser::next()
{
    std::string_view line;
    while (take_line(line))
        if (const sse_event* event = deliver(line)) return event;
    return nullptr;
}

const sse_event* json_line_parser::finish()
{
    BOOST_ASSERT_MSG(rest_.empty(), "take all lines with next() before the stream is finished");
    if (std::exchange(carry_is_taken_, true)) return nullptr;
    return deliver(carry_);
}

error json_line_parser::failure(std::string where) const
{
    BOOST_ASSERT(has_failed());
    return error{errc::response_too_large, std::move(where), "a line of the stream is longer than line_bytes_max"};
}

/** Finds the next complete line, or keeps what there is of it for the next piece of input. */
bool json_line_parser::take_line(std::string_view& line)
{
    if (std::exchange(carry_is_taken_, false)) carry_.clear();
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line = rest_.substr(0, end);
    if (carry_.size() + line.size() > options_.line_bytes_max) {
        fail();
        return false;
    }
    if (end == std::string_view::npos) {
        carry_.append(line);
        rest_ = {};
        return false;
    }
    rest_.remove_prefix(end + 1);
    if (carry_.empty()) return true;
    line = carry_.append(line);
    carry_is_taken_ = true;
    return true;
}

const sse_event* json_line_parser::deliver(std::string_view line)
{
    line = trimmed(line);
    if (line.empty()) return nullptr;
    if (!is_valid_utf8(line)) {
        repaired_ = repaired_utf8(line);
        line = repaired_;
    }
    event_ = {.type = "message", .data = line, .id = {}, .error = {}};
    return &event_;
}

void json_line_parser::fail() noexcept
{
    has_failed_ = true;
    rest_ = {};
    carry_ = {};
}

}  // namespace weft
