#include <weft/net/sse_parser.hpp>

#include <weft/base/utf8.hpp>

#include <boost/assert.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace weft {

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::size_t raw_json_bytes_max = 64 * 1024;
constexpr std::chrono::milliseconds retry_max{300'000};

const char* find_byte(const char* begin, const char* end, char byte) noexcept
{
    if (begin == end) return end;  // memchr must not be given a null pointer
    const void* found = std::memchr(begin, byte, static_cast<std::size_t>(end - begin));
    return found ? static_cast<const char*>(found) : end;
}

/** Runs over every event of every stream, so it looks at 32 bytes at a time; few events are not ASCII. */
bool is_ascii(std::string_view text) noexcept
{
    constexpr std::uint64_t high_bits = 0x8080808080808080;
    const char* at = text.data();
    std::size_t left = text.size();
    std::uint64_t words[4];
    for (; left >= sizeof words; at += sizeof words, left -= sizeof words) {
        std::memcpy(words, at, sizeof words);
        if ((words[0] | words[1] | words[2] | words[3]) & high_bits) return false;
    }
    for (; left >= sizeof words[0]; at += sizeof words[0], left -= sizeof words[0]) {
        std::memcpy(words, at, sizeof words[0]);
        if (words[0] & high_bits) return false;
    }
    return std::none_of(at, at + left, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

bool is_clean(std::string_view text) noexcept { return is_ascii(text) || is_valid_utf8(text); }

}  // namespace

void sse_parser::feed(std::string_view bytes) noexcept
{
    BOOST_ASSERT_MSG(at_ == end_, "take all events with next() before more bytes are fed");
    if (is_delivered_) forget_event();
    if (has_failed()) return;
    at_ = bytes.data();
    end_ = at_ + bytes.size();
    line_feed_ = find_byte(at_, end_, '\n');
    carriage_return_ = find_byte(at_, end_, '\r');
}

const sse_event* sse_parser::next()
{
    if (is_delivered_) forget_event();
    while (take_line()) {
        if (!line_.empty()) {
            take_field(line_);
        } else {
            if (id_changes_) id_ = next_id_;
            id_changes_ = false;
            if (has_event()) return deliver();
            forget_event();
        }
    }
    return nullptr;
}

const sse_event* sse_parser::finish()
{
    BOOST_ASSERT_MSG(at_ == end_, "take all events with next() before the stream is finished");
    if (is_delivered_) forget_event();
    if (is_carrying_) {
        is_carrying_ = false;
        take_field(carry_);
    }
    return has_event() ? deliver() : nullptr;
}

error sse_parser::failure(std::string where) const
{
    BOOST_ASSERT(has_failed());
    return error{errc::response_too_large, std::move(where), failed_limit_};
}

/** Finds the next complete line, or keeps what there is of it for the next piece of input. */
bool sse_parser::take_line()
{
    if (mark_matched_ < byte_order_mark.size()) skip_byte_order_mark();
    if (skip_line_feed_ && at_ != end_) {
        if (*at_ == '\n') ++at_;
        skip_line_feed_ = false;
    }
    if (at_ == end_) {
        keep_views();
        return false;
    }
    // Each byte is looked at once, however short the lines are and whatever ends them.
    if (line_feed_ < at_) line_feed_ = find_byte(at_, end_, '\n');
    if (carriage_return_ < at_) carriage_return_ = find_byte(at_, end_, '\r');
    const char* const line_end = std::min(line_feed_, carriage_return_);
    if (line_end == end_) {
        keep_rest();
        return false;
    }
    return accept_line(line_end);
}

void sse_parser::skip_byte_order_mark()
{
    while (at_ != end_ && mark_matched_ < byte_order_mark.size()) {
        if (*at_ == byte_order_mark[mark_matched_]) {
            ++at_;
            ++mark_matched_;
            continue;
        }
        carry_.assign(byte_order_mark.substr(0, mark_matched_));  // it was the beginning of a line after all
        is_carrying_ = mark_matched_ > 0;
        mark_matched_ = static_cast<unsigned char>(byte_order_mark.size());
    }
}

bool sse_parser::accept_line(const char* line_end)
{
    line_ = {at_, static_cast<std::size_t>(line_end - at_)};
    at_ = line_end + 1;
    if (*line_end == '\r') {
        // The line has ended: waiting for a line feed would hold back the last event of the stream for ever.
        if (at_ == end_)
            skip_line_feed_ = true;
        else if (*at_ == '\n')
            ++at_;
    }
    const std::size_t carried = is_carrying_ ? carry_.size() : 0;
    if (carried + line_.size() > options_.line_bytes_max) {
        fail("a line of the event stream is longer than line_bytes_max");
        return false;
    }
    if (is_carrying_) {
        carry_.append(line_);
        line_ = carry_;
        is_carrying_ = false;
    }
    return true;
}

void sse_parser::keep_rest()
{
    keep_views();
    if (!is_carrying_) carry_.clear();
    is_carrying_ = true;
    const auto rest = static_cast<std::size_t>(end_ - at_);
    if (carry_.size() + rest > options_.line_bytes_max)
        return fail("a line of the event stream is longer than line_bytes_max");
    carry_.append(at_, rest);
    at_ = end_;
}

/** The piece of input goes: what the event under way refers to in it is copied. */
void sse_parser::keep_views()
{
    if (has_data_ && !data_is_kept_) {
        data_buffer_.assign(data_);
        data_is_kept_ = true;
    }
    if (!type_.empty() && type_.data() != type_buffer_.data()) {
        type_buffer_.assign(type_);
        type_ = type_buffer_;
    }
}

void sse_parser::take_field(std::string_view line)
{
    constexpr std::string_view data_name = "data:";
    const bool is_data = line.starts_with(data_name);
    const std::size_t colon = is_data ? data_name.size() - 1 : line.find(':');
    const std::string_view name = line.substr(0, colon);
    std::string_view value;
    if (colon != std::string_view::npos) value = line.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (is_data || name == "data") return add_data(value);
    if (!name.empty()) take_other_field(name, value, line);  // an empty name is a comment
}

void sse_parser::take_other_field(std::string_view name, std::string_view value, std::string_view line)
{
    if (name == "event") {
        type_ = value;
        if (is_clean(value)) return;
        type_buffer_ = repaired_utf8(value);
        type_ = type_buffer_;
    } else if (name == "id") {
        if (value.find('\0') != std::string_view::npos) return;
        next_id_ = repaired_utf8(value);
        id_changes_ = true;
    } else if (name == "retry") {
        set_retry(value);
    } else if (options_.dialect == sse_dialect::llm) {
        take_unknown_field(name, value, line);
    }
}

void sse_parser::take_unknown_field(std::string_view name, std::string_view value, std::string_view line)
{
    if (name == "error") {
        error_ = repaired_utf8(value);
        return;
    }
    const bool begins = line.front() == '{' || line.front() == '[';
    if (raw_json_.empty() && !begins) return;
    if (raw_json_.size() + line.size() + 1 > raw_json_bytes_max) return;
    raw_json_.append(line).append("\n");
}

void sse_parser::add_data(std::string_view value)
{
    const bool is_valid = is_clean(value);
    if (!has_data_ && is_valid && value.size() <= options_.event_bytes_max) {
        data_ = value;
        has_data_ = true;
        return;
    }
    if (has_data_ && !data_is_kept_) data_buffer_.assign(data_);
    if (!has_data_) data_buffer_.clear();
    if (has_data_) data_buffer_.push_back('\n');
    has_data_ = true;
    data_is_kept_ = true;
    if (data_buffer_.size() + value.size() > options_.event_bytes_max)
        return fail("an event of the stream is larger than event_bytes_max");
    if (is_valid)
        data_buffer_.append(value);
    else
        data_buffer_.append(repaired_utf8(value));
}

void sse_parser::set_retry(std::string_view digits) noexcept
{
    const bool is_number =
        !digits.empty() && std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!is_number) return;
    std::int64_t value = 0;
    const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    retry_ = ec == std::errc{} ? std::min(std::chrono::milliseconds{value}, retry_max) : retry_max;
}

const sse_event* sse_parser::deliver() noexcept
{
    if (data_is_kept_) data_ = data_buffer_;
    event_ = {type_.empty() ? std::string_view{"message"} : type_, data_, id_, error_};
    is_delivered_ = true;
    return &event_;
}

void sse_parser::forget_event() noexcept
{
    data_ = {};
    type_ = {};
    error_.clear();
    has_data_ = false;
    data_is_kept_ = false;
    is_delivered_ = false;
}

void sse_parser::fail(const char* limit) noexcept
{
    failed_limit_ = limit;
    at_ = end_;
    is_carrying_ = false;
    carry_ = {};
    data_buffer_ = {};
    forget_event();
}

}  // namespace weft
