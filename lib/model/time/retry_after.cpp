#include <weft/model/time/retry_after.hpp>

#include <weft/net/text/http_headers.hpp>

#include "http_date.hpp"

#include <charconv>
#include <cmath>

namespace weft {

namespace {

using std::chrono::milliseconds;

constexpr double ms_max = 366.0 * 24 * 3600 * 1000;

/** Takes a decimal number without sign or exponent off the front of `text`. */
std::optional<double> take_number(std::string_view& text) noexcept
{
    const char* end = text.data() + text.size();
    if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
    double value = 0;
    const auto [at, ec] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
    if (ec != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(at - text.data()));
    return value;
}

std::optional<milliseconds> rounded_up(double ms) noexcept
{
    if (!(ms <= ms_max)) return std::nullopt;
    return milliseconds{static_cast<std::int64_t>(std::ceil(ms))};
}

std::optional<milliseconds> parse_number(std::string_view text, double ms_per_unit) noexcept
{
    const std::optional<double> value = take_number(text);
    if (!value || !text.empty()) return std::nullopt;
    return rounded_up(*value * ms_per_unit);
}

/** Takes a unit of a Go duration off the front of `text`; its milliseconds. */
std::optional<double> take_unit(std::string_view& text) noexcept
{
    struct unit {
        std::string_view name;
        double ms;
    };
    // Longer names first: `ms` would read as minutes.
    constexpr unit units[] = {{"ms", 1.0},  {"us", 1e-3},  {"\u00b5s", 1e-3}, {"ns", 1e-6},
                              {"h", 3.6e6}, {"m", 60'000}, {"s", 1000}};
    for (const unit& u : units) {
        if (!text.starts_with(u.name)) continue;
        text.remove_prefix(u.name.size());
        return u.ms;
    }
    return std::nullopt;
}

std::optional<milliseconds> until_date(const http_headers& headers, std::string_view when) noexcept
{
    const auto date = headers.find("date");
    if (!date) return std::nullopt;
    const auto now = model_detail::parse_http_date(*date);
    const auto then = model_detail::parse_http_date(when);
    if (!now || !then) return std::nullopt;
    if (*then <= *now) return milliseconds{0};
    return rounded_up(static_cast<double>(milliseconds{*then - *now}.count()));
}

}  // namespace

std::optional<milliseconds> retry_after_of(const http_headers& headers) noexcept
{
    if (const auto text = headers.find("retry-after-ms"))
        if (const auto wait = parse_number(*text, 1)) return wait;
    const auto text = headers.find("retry-after");
    if (!text) return std::nullopt;
    if (const auto wait = parse_number(*text, 1000)) return wait;
    return until_date(headers, *text);
}

std::optional<milliseconds> parse_duration(std::string_view text) noexcept
{
    if (const auto seconds = parse_number(text, 1000)) return seconds;
    double total = 0;
    do {
        const auto value = take_number(text);
        const auto unit = value ? take_unit(text) : std::nullopt;
        if (!unit) return std::nullopt;
        total += *value * *unit;
    } while (!text.empty());
    return rounded_up(total);
}

}  // namespace weft
