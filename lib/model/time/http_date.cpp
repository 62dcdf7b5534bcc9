#include "http_date.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace weft::model_detail {

namespace {

using std::chrono::sys_seconds;

/** The words and numbers of a date, whatever separates them: day name, then date and time in the order of the form. */
struct date_fields {
    static constexpr std::size_t count_max = 9;  // one more than any form has
    std::array<std::string_view, count_max> words;
    std::size_t count = 0;
};

date_fields words_of(std::string_view text) noexcept
{
    constexpr std::string_view separators = " ,-:\t";
    date_fields result;
    while (result.count < date_fields::count_max) {
        const std::size_t begin = text.find_first_not_of(separators);
        if (begin == std::string_view::npos) break;
        text.remove_prefix(begin);
        const std::size_t size = std::min(text.find_first_of(separators), text.size());
        result.words[result.count++] = text.substr(0, size);
        text.remove_prefix(size);
    }
    return result;
}

std::optional<int> number(std::string_view text) noexcept
{
    int value = 0;
    const char* end = text.data() + text.size();
    const auto [at, ec] = std::from_chars(text.data(), end, value);
    if (ec != std::errc{} || at != end || value < 0) return std::nullopt;
    return value;
}

std::optional<unsigned> month(std::string_view name) noexcept
{
    constexpr std::array<std::string_view, 12> names{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return static_cast<unsigned>(found - names.begin()) + 1;
}

std::optional<int> year(std::string_view digits) noexcept
{
    const std::optional<int> value = number(digits);
    if (!value || digits.size() != 2) return value;
    return *value + (*value < 70 ? 2000 : 1900);
}

/** Day, month and year in one of the orders, then hour, minute and second from `words[time]` on. */
std::optional<sys_seconds> assemble(const date_fields& date, std::array<std::size_t, 3> order,
                                    std::size_t time) noexcept
{
    const auto d = number(date.words[order[0]]);
    const auto m = month(date.words[order[1]]);
    const auto y = year(date.words[order[2]]);
    const auto hours = number(date.words[time]);
    const auto minutes = number(date.words[time + 1]);
    const auto seconds = number(date.words[time + 2]);
    if (!d || !m || !y || !hours || !minutes || !seconds) return std::nullopt;
    if (*y > 9999 || *hours > 23 || *minutes > 59 || *seconds > 60) return std::nullopt;
    const std::chrono::year_month_day day{std::chrono::year{*y}, std::chrono::month{*m},
                                          std::chrono::day{static_cast<unsigned>(*d)}};
    if (!day.ok()) return std::nullopt;
    return std::chrono::sys_days{day} + std::chrono::hours{*hours} + std::chrono::minutes{*minutes} +
           std::chrono::seconds{*seconds};
}

}  // namespace

std::optional<sys_seconds> parse_http_date(std::string_view text) noexcept
{
    const date_fields date = words_of(text);
    if (date.count == 8 && date.words[7] == "GMT") return assemble(date, {1, 2, 3}, 4);
    if (date.count == 7) return assemble(date, {2, 1, 6}, 3);
    return std::nullopt;
}

}  // namespace weft::model_detail
