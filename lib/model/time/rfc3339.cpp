#include <weft/model/time/rfc3339.hpp>

#include <charconv>

namespace weft {

namespace {

/** Takes so many digits off the front of the text; -1 if they are not there. */
int take_digits(std::string_view& text, std::size_t count) noexcept
{
    int value = 0;
    if (text.size() < count || text.front() < '0' || text.front() > '9') return -1;
    const auto [at, ec] = std::from_chars(text.data(), text.data() + count, value);
    if (ec != std::errc{} || at != text.data() + count) return -1;
    text.remove_prefix(count);
    return value;
}

bool take_one_of(std::string_view& text, std::string_view characters) noexcept
{
    if (text.empty() || characters.find(text.front()) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
}

void skip_fraction(std::string_view& text) noexcept
{
    if (!take_one_of(text, ".")) return;
    while (take_one_of(text, "0123456789")) {
    }
}

/** Takes `Z` or the distance to UTC off the front of the text. */
std::optional<std::chrono::minutes> take_offset(std::string_view& text) noexcept
{
    if (take_one_of(text, "Zz")) return std::chrono::minutes{0};
    const bool is_west = text.starts_with('-');
    if (!take_one_of(text, "+-")) return std::nullopt;
    const int hours = take_digits(text, 2);
    if (!take_one_of(text, ":")) return std::nullopt;
    const int minutes = take_digits(text, 2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
    const std::chrono::minutes distance{hours * 60 + minutes};
    return is_west ? -distance : distance;
}

}  // namespace

std::optional<std::chrono::sys_seconds> parse_rfc3339(std::string_view text) noexcept
{
    const int year = take_digits(text, 4);
    const bool has_month = take_one_of(text, "-");
    const int month = take_digits(text, 2);
    const bool has_day = take_one_of(text, "-");
    const int day = take_digits(text, 2);
    const bool has_time = take_one_of(text, "Tt ");
    const int hour = take_digits(text, 2);
    const bool has_minute = take_one_of(text, ":");
    const int minute = take_digits(text, 2);
    const bool has_second = take_one_of(text, ":");
    const int second = take_digits(text, 2);
    skip_fraction(text);
    const auto offset = take_offset(text);
    if (!(has_month && has_day && has_time && has_minute && has_second && offset && text.empty())) return std::nullopt;
    if (year < 0 || month < 0 || day < 0 || hour < 0 || hour > 23 || minute < 0 || minute > 59) return std::nullopt;
    if (second < 0 || second > 60) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                           std::chrono::day{static_cast<unsigned>(day)}};
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days{date} + std::chrono::hours{hour} + std::chrono::minutes{minute} +
           std::chrono::seconds{second} - *offset;
}

}  // namespace weft
