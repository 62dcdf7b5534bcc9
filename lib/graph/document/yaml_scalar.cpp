#include "yaml_scalar.hpp"

#include <weft/base/json.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>

namespace weft {

namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> choices)
{
    return std::find(choices.begin(), choices.end(), text) != choices.end();
}

/** Takes the digits at the beginning of a text. */
std::string_view take_digits(std::string_view& text)
{
    const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view digits = text.substr(0, count);
    text.remove_prefix(count);
    return digits;
}

/** `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?` as JSON writes the same number. */
std::optional<std::string> json_number_of(std::string_view text)
{
    std::string number;
    if (text.starts_with('-')) number = "-";
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    std::string_view whole = take_digits(text);
    std::string_view fraction;
    const bool is_real = text.starts_with('.');
    if (is_real) {
        text.remove_prefix(1);
        fraction = take_digits(text);
    }
    if (whole.empty() && fraction.empty()) return std::nullopt;
    whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
    number.append(whole.empty() ? "0" : whole);
    if (is_real) number.append(".").append(fraction.empty() ? "0" : fraction);
    if (text.empty()) return number;
    if (text.front() != 'e' && text.front() != 'E') return std::nullopt;
    text.remove_prefix(1);
    number += 'e';
    if (text.starts_with('-') || text.starts_with('+')) {
        number += text.front();
        text.remove_prefix(1);
    }
    const std::string_view exponent = take_digits(text);
    if (exponent.empty() || !text.empty()) return std::nullopt;
    return number.append(exponent);
}

/** `0o17`, `0xff`: a number of another base, if it has 64 bits. */
std::optional<std::uint64_t> number_of_base(std::string_view digits, int base)
{
    std::uint64_t number = 0;
    const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
    if (failed != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    return number;
}

std::optional<double> without_end(std::string_view text)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (is_one_of(text, {".nan", ".NaN", ".NAN"})) return std::numeric_limits<double>::quiet_NaN();
    const bool is_negative = text.starts_with('-');
    if (is_negative || text.starts_with('+')) text.remove_prefix(1);
    if (!is_one_of(text, {".inf", ".Inf", ".INF"})) return std::nullopt;
    return is_negative ? -infinity : infinity;
}

}  // namespace

boost::json::value value_of_yaml_scalar(std::string_view text)
{
    if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) return nullptr;
    if (is_one_of(text, {"true", "True", "TRUE"})) return true;
    if (is_one_of(text, {"false", "False", "FALSE"})) return false;
    if (const std::optional<std::string> number = json_number_of(text)) return parse_json(*number);
    std::optional<std::uint64_t> other;
    if (text.starts_with("0x")) other = number_of_base(text.substr(2), 16);
    if (text.starts_with("0o")) other = number_of_base(text.substr(2), 8);
    if (other && *other <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return static_cast<std::int64_t>(*other);
    if (other) return *other;
    if (const std::optional<double> endless = without_end(text)) return *endless;
    return boost::json::string{text.data(), text.size()};
}

}  // namespace weft
