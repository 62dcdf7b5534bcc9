#include "redis_reply_parser.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t line_end_size = 2;
constexpr std::size_t reserved_max = 4 * 1024;  // however long something claims to be

bool are_digits(std::string_view text) noexcept
{
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::int64_t> integer_in(std::string_view text) noexcept
{
    if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<double> number_in(std::string_view text) noexcept
{
    if (text == "nan" || text == "-nan") return std::numeric_limits<double>::quiet_NaN();
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/** What may be shown of bytes from an untrusted source. */
std::string shown_bytes(std::string_view bytes)
{
    std::string text{bytes.substr(0, 40)};
    for (char& c : text)
        if (c < 0x20 || c == 0x7f) c = '?';
    return text;
}

redis_value::kind aggregate_kind(char type) noexcept
{
    switch (type) {
    case '~': return redis_value::kind::set;
    case '>': return redis_value::kind::push;
    case '*': return redis_value::kind::array;
    default: return redis_value::kind::map;
    }
}

}  // namespace

// Input comes in any pieces: a line or text that is not whole yet waits in line_ or bulk_ for the next piece.
std::optional<redis_value> redis_reply_parser::next()
{
    while (!has_failed()) {
        if (!(has_bulk_ ? take_bulk() : take_line())) break;
        if (finished_) return std::exchange(finished_, std::nullopt);
    }
    return std::nullopt;
}

bool redis_reply_parser::take_line()
{
    const std::size_t end = input_.find('\n');
    const std::size_t size = end == std::string_view::npos ? input_.size() : end + 1;
    // Before it is kept: a server that sends no end of a line must not fill the memory.
    if (line_.size() + size > limits_.line_bytes_max) {
        fail("a line is longer than " + std::to_string(limits_.line_bytes_max) + " bytes");
        return false;
    }
    std::string_view line = input_.substr(0, size);
    input_.remove_prefix(size);
    if (end == std::string_view::npos || !line_.empty()) {
        line_.append(line);
        if (end == std::string_view::npos) return false;
        line = line_;
    }
    if (!line.ends_with("\r\n"))
        fail("a line ends without a carriage return: '" + shown_bytes(line) + "'");
    else
        accept_line(line.substr(0, line.size() - line_end_size));
    line_.clear();
    return !has_failed();
}

bool redis_reply_parser::take_bulk()
{
    while (bulk_missing_ > line_end_size && !input_.empty()) {
        const std::size_t size = std::min(bulk_missing_ - line_end_size, input_.size());
        bulk_.text.append(input_.substr(0, size));
        input_.remove_prefix(size);
        bulk_missing_ -= size;
    }
    while (bulk_missing_ > 0 && !input_.empty()) {
        if (input_.front() != (bulk_missing_ == line_end_size ? '\r' : '\n')) {
            fail("a text is longer than its length says");
            return false;
        }
        input_.remove_prefix(1);
        --bulk_missing_;
    }
    if (bulk_missing_ > 0) return false;
    has_bulk_ = false;
    // A verbatim text begins with its format, three letters and a colon.
    if (bulk_type_ == '=') bulk_.text.erase(0, 4);
    complete(std::exchange(bulk_, redis_value{}));
    return true;
}

void redis_reply_parser::accept_line(std::string_view line)
{
    if (line.empty()) return fail("a reply begins with an empty line");
    // What the value will take, before it is made.
    if (!charge(sizeof(redis_value) + line.size())) return;
    const char type = line.front();
    const std::string_view rest = line.substr(1);
    switch (type) {
    case '+':
    case '-':
    case ':':
    case '_':
    case '#':
    case '(': return accept_scalar(type, rest);
    case ',': return accept_number(rest);
    case '$':
    case '!':
    case '=': return begin_bulk(type, rest);
    case '*':
    case '~':
    case '>':
    case '%':
    case '|': return begin_aggregate(type, rest);
    default: return fail("a reply of no known type: '" + shown_bytes(line) + "'");
    }
}

void redis_reply_parser::accept_scalar(char type, std::string_view rest)
{
    redis_value value;
    bool is_good = true;
    if (type == '+' || type == '-') {
        value.what = type == '+' ? redis_value::kind::text : redis_value::kind::error;
        value.text = rest;
    } else if (type == ':') {
        const std::optional<std::int64_t> integer = integer_in(rest);
        value.what = redis_value::kind::integer;
        value.integer = integer.value_or(0);
        is_good = integer.has_value();
    } else if (type == '#') {
        value.what = redis_value::kind::boolean;
        value.integer = rest == "t" ? 1 : 0;
        is_good = rest == "t" || rest == "f";
    } else if (type == '(') {
        value.what = redis_value::kind::text;
        value.text = rest;
        is_good = are_digits(rest.substr(rest.starts_with('-') || rest.starts_with('+') ? 1 : 0));
    } else {
        is_good = rest.empty();
    }
    if (!is_good) return fail("a value that cannot be read: '" + (type + shown_bytes(rest)) + "'");
    complete(std::move(value));
}

void redis_reply_parser::accept_number(std::string_view rest)
{
    const std::optional<double> number = number_in(rest);
    if (!number) return fail("a number that cannot be read: '" + shown_bytes(rest) + "'");
    redis_value value;
    value.what = redis_value::kind::number;
    value.number = *number;
    complete(std::move(value));
}

void redis_reply_parser::begin_bulk(char type, std::string_view length)
{
    if (type == '$' && length == "-1") return complete(redis_value{});
    const std::optional<std::size_t> size = read_length(length);
    if (!size || !charge(*size)) return;
    if (type == '=' && *size < 4) return fail("a verbatim text without its format");
    bulk_.what = type == '!' ? redis_value::kind::error : redis_value::kind::text;
    // The length is what the server claims; memory is taken as bytes come.
    bulk_.text.reserve(std::min(*size, reserved_max));
    bulk_type_ = type;
    bulk_missing_ = *size + line_end_size;
    has_bulk_ = true;
}

void redis_reply_parser::begin_aggregate(char type, std::string_view length)
{
    if (type == '*' && length == "-1") return complete(redis_value{});
    const std::optional<std::size_t> size = read_length(length);
    if (!size) return;
    // Whatever the items are, each takes at least this much.
    if (*size > limits_.reply_bytes_max / sizeof(redis_value))
        return fail("a reply is longer than " + std::to_string(limits_.reply_bytes_max) + " bytes");
    if (open_.size() == limits_.depth_max)
        return fail("a reply is nested deeper than " + std::to_string(limits_.depth_max) + " levels");
    aggregate begun;
    begun.value.what = aggregate_kind(type);
    begun.missing = *size * (begun.value.what == redis_value::kind::map ? 2 : 1);
    begun.is_attribute = type == '|';
    if (begun.missing > 0) {
        begun.value.items.reserve(std::min(begun.missing, reserved_max / sizeof(redis_value)));
        open_.push_back(std::move(begun));
    } else if (!begun.is_attribute) {
        complete(std::move(begun.value));
    }
}

void redis_reply_parser::complete(redis_value value)
{
    while (!open_.empty()) {
        aggregate& inner = open_.back();
        inner.value.items.push_back(std::move(value));
        if (--inner.missing > 0) return;
        const bool is_attribute = inner.is_attribute;
        value = std::move(inner.value);
        open_.pop_back();
        if (is_attribute) return;  // what it describes follows
    }
    used_ = 0;
    finished_ = std::move(value);
}

std::optional<std::size_t> redis_reply_parser::read_length(std::string_view digits)
{
    const std::optional<std::int64_t> length = integer_in(digits);
    if (are_digits(digits) && length) return static_cast<std::size_t>(*length);
    fail("a length that is none: '" + shown_bytes(digits) + "'");
    return std::nullopt;
}

bool redis_reply_parser::charge(std::size_t bytes)
{
    if (bytes > limits_.reply_bytes_max - used_) {
        fail("a reply is longer than " + std::to_string(limits_.reply_bytes_max) + " bytes");
        return false;
    }
    used_ += bytes;
    return true;
}

void redis_reply_parser::fail(std::string why)
{
    mistake_ = std::move(why);
    input_ = {};
    line_.clear();
    open_.clear();
    bulk_ = redis_value{};
    has_bulk_ = false;
}

}  // namespace weft
