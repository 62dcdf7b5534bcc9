#include "iso_moment.hpp"

#include <charconv>
#include <chrono>

namespace weft::serve_detail {

namespace {

/** A number of so many digits at the front of a text, which it is taken off from; -1: there is none. */
int take_digits(std::string_view& text, std::size_t count)
{
    if (text.size() < count) return -1;
    int number = 0;
    for (const char c : text.substr(0, count)) {
        if (c < '0' || c > '9') return -1;
        number = number * 10 + (c - '0');
    }
    text.remove_prefix(count);
    return number;
}

bool take_char(std::string_view& text, std::string_view any)
{
    if (text.empty() || any.find(text.front()) == any.npos) return false;
    text.remove_prefix(1);
    return true;
}

/** `.123456`, to microseconds. */
std::optional<std::chrono::microseconds> take_fraction(std::string_view& text)
{
    if (!take_char(text, ".,")) return std::chrono::microseconds{0};
    std::int64_t micros = 0;
    int digits = 0;
    for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1), ++digits)
        if (digits < 6) micros = micros * 10 + (text.front() - '0');
    if (digits == 0) return std::nullopt;
    for (; digits < 6; ++digits) micros *= 10;
    return std::chrono::microseconds{micros};
}

/** `Z`, `+01:00`, `-0730` or nothing. */
std::optional<std::chrono::minutes> take_offset(std::string_view& text)
{
    if (text.empty() || take_char(text, "Zz")) return std::chrono::minutes{0};
    const bool is_west = text.front() == '-';
    if (!take_char(text, "+-")) return std::nullopt;
    const int hours = take_digits(text, 2);
    (void)take_char(text, ":");
    const int minutes = take_digits(text, 2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
    const std::chrono::minutes offset{hours * 60 + minutes};
    return is_west ? -offset : offset;
}

}  // namespace

std::optional<wall_time> read_iso_moment(std::string_view text)
{
    using namespace std::chrono;
    const int year_number = take_digits(text, 4);
    const bool has_month = take_char(text, "-");
    const int month_number = take_digits(text, 2);
    const bool has_day = take_char(text, "-");
    const int day_number = take_digits(text, 2);
    if (!has_month || !has_day || year_number < 1 || month_number < 1 || day_number < 1) return std::nullopt;
    const year_month_day date{year{year_number}, month{static_cast<unsigned>(month_number)},
                              day{static_cast<unsigned>(day_number)}};
    if (!date.ok()) return std::nullopt;
    microseconds time{0};
    minutes offset{0};
    if (!text.empty()) {
        if (!take_char(text, "Tt ")) return std::nullopt;
        const int hour = take_digits(text, 2);
        const bool has_minute = take_char(text, ":");
        const int minute = take_digits(text, 2);
        const int second = take_char(text, ":") ? take_digits(text, 2) : 0;
        const auto fraction = take_fraction(text);
        const auto given = take_offset(text);
        if (!has_minute || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return {};
        if (!fraction || !given || !text.empty()) return std::nullopt;
        time = hours{hour} + minutes{minute} + seconds{second} + *fraction;
        offset = *given;
    }
    // What a 64-bit count of nanoseconds can tell.
    if (year_number < 1700 || year_number > 2200) return std::nullopt;
    return wall_time{duration_cast<wall_time::duration>(sys_days{date}.time_since_epoch() + time - offset)};
}

}  // namespace weft::serve_detail
