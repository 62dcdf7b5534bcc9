#include <weft/graph/spec/cron_schedule.hpp>

#include <weft/base/error.hpp>
#include <weft/base/text/ascii_text.hpp>

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>
#include <vector>

namespace weft {

namespace {

/** What a field may have, and the names of its numbers. */
struct cron_field {
    std::string_view name;
    unsigned first;
    unsigned last;
    std::span<const std::string_view> words = {};  // of the numbers from `first_word` on
    unsigned first_word = 0;
};

constexpr std::string_view month_names[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                            "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::string_view weekday_names[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

constexpr cron_field minute_field{"minute", 0, 59};
constexpr cron_field hour_field{"hour", 0, 23};
constexpr cron_field day_field{"day of the month", 1, 31};
constexpr cron_field month_field{"month", 1, 12, month_names, 1};
constexpr cron_field weekday_field{"day of the week", 0, 7, weekday_names, 0};

[[noreturn]] void refuse_cron(const cron_field& field, std::string_view text)
{
    throw error{errc::invalid_configuration, "cron",
                "the " + std::string{field.name} + " '" + std::string{text} + "' is none: it is '*', a number from " +
                    std::to_string(field.first) + " to " + std::to_string(field.last) +
                    ", a range, a list, or one of these with a step"};
}

std::vector<std::string_view> split_at(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

unsigned number_in(const cron_field& field, std::string_view text)
{
    for (std::size_t i = 0; i < field.words.size(); ++i)
        if (text == field.words[i]) return field.first_word + static_cast<unsigned>(i);
    unsigned number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (fault != std::errc{} || end != text.data() + text.size() || number < field.first || number > field.last)
        refuse_cron(field, text);
    return number;
}

/** Calls `set` with each number of a part such as `1-9/2`. */
template <class Set>
void read_part(const cron_field& field, std::string_view part, Set set)
{
    const std::size_t slash = part.find('/');
    const std::string_view range = part.substr(0, slash);
    unsigned step = 1;
    if (slash != std::string_view::npos) {
        const std::string_view text = part.substr(slash + 1);
        const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), step);
        if (fault != std::errc{} || end != text.data() + text.size() || step == 0 || step > 60)
            refuse_cron(field, part);
    }
    unsigned first = field.first;
    unsigned last = field.last;
    if (range != "*") {
        const std::size_t dash = range.find('-');
        first = number_in(field, range.substr(0, dash));
        if (dash != std::string_view::npos) last = number_in(field, range.substr(dash + 1));
        else if (slash == std::string_view::npos) last = first;
        if (first > last) refuse_cron(field, part);
    }
    for (unsigned i = first; i <= last; i += step) set(i);
}

template <class Bits>
void read_field(const cron_field& field, std::string_view text, Bits& into, unsigned modulus = 64)
{
    for (const std::string_view part : split_at(text, ',')) {
        if (part.empty()) refuse_cron(field, text);
        read_part(field, part, [&](unsigned number) { into.set(number % modulus); });
    }
}

std::vector<std::string> cron_fields(std::string_view text)
{
    constexpr std::string_view blanks = " \t\r\n";
    std::vector<std::string> fields;
    for (std::size_t begin = text.find_first_not_of(blanks); begin != text.npos;) {
        const std::size_t end = std::min(text.find_first_of(blanks, begin), text.size());
        fields.emplace_back(text.substr(begin, end - begin));
        begin = text.find_first_not_of(blanks, end);
    }
    return fields;
}

std::string spelled_out(std::string_view text)
{
    constexpr std::pair<std::string_view, std::string_view> names[] = {
        {"@hourly", "0 * * * *"},  {"@daily", "0 0 * * *"},  {"@midnight", "0 0 * * *"}, {"@weekly", "0 0 * * 0"},
        {"@monthly", "0 0 1 * *"}, {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"},
    };
    for (const auto& [name, meaning] : names)
        if (text == name) return std::string{meaning};
    return ascii_lower_case(text);
}

}  // namespace

cron_schedule::cron_schedule(std::string_view text) : text_{text}
{
    const std::vector<std::string> fields = cron_fields(spelled_out(text));
    if (fields.size() != 5)
        throw error{errc::invalid_configuration, "cron",
                    "'" + text_ + "' has " + std::to_string(fields.size()) +
                        " fields: it needs minute, hour, day of the month, month, day of the week"};
    read_field(minute_field, fields[0], minutes_);
    read_field(hour_field, fields[1], hours_);
    read_field(day_field, fields[2], days_);
    read_field(month_field, fields[3], months_);
    read_field(weekday_field, fields[4], weekdays_, 7);
    is_any_day_ = fields[2].starts_with('*');
    is_any_weekday_ = fields[4].starts_with('*');
}

bool cron_schedule::has_day(std::chrono::sys_days day) const
{
    const std::chrono::year_month_day date{day};
    if (!months_.test(static_cast<unsigned>(date.month()))) return false;
    const bool is_day = days_.test(static_cast<unsigned>(date.day()));
    const bool is_weekday = weekdays_.test(std::chrono::weekday{day}.c_encoding());
    return is_any_day_ || is_any_weekday_ ? is_day && is_weekday : is_day || is_weekday;
}

std::optional<std::chrono::sys_seconds> cron_schedule::next(std::chrono::sys_seconds now) const
{
    using namespace std::chrono;
    constexpr int days_searched = 8 * 366;  // from a leap day to the next, over a year without one
    const sys_seconds from = floor<minutes>(now) + minutes{1};
    sys_days day = floor<days>(from);
    for (int i = 0; i < days_searched; ++i, day += days{1}) {
        if (!has_day(day)) continue;
        const sys_seconds begin = i == 0 ? from : sys_seconds{day};
        const auto first = duration_cast<minutes>(begin - day).count();
        for (auto minute = first; minute < 24 * 60; ++minute)
            if (hours_.test(static_cast<std::size_t>(minute / 60)) &&
                minutes_.test(static_cast<std::size_t>(minute % 60)))
                return sys_seconds{day} + minutes{minute};
    }
    return std::nullopt;
}

}  // namespace weft
