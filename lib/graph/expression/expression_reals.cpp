#include "expression_reals.hpp"

#include "expression_integers.hpp"
#include "expression_text.hpp"

#include <boost/algorithm/string/predicate.hpp>

#include <charconv>
#include <cmath>
#include <limits>

namespace weft::expression_detail {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
// Beyond these a double has no digits left to round away, or none left at all.
constexpr std::int64_t digits_max = 323;
constexpr std::int64_t digits_min = -308;

/** Every underscore stands between two digits. */
bool are_underscores_valid(std::string_view text)
{
    const auto is_digit = [&](std::size_t i) { return i < text.size() && text[i] >= '0' && text[i] <= '9'; };
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] == '_' && (i == 0 || !is_digit(i - 1) || !is_digit(i + 1))) return false;
    return true;
}

std::string without_underscores(std::string_view text)
{
    std::string result;
    for (const char c : text)
        if (c != '_') result += c;
    return result;
}

/** Whether digits that are out of a double's range are too large, and not too small. */
bool is_too_large(std::string_view digits)
{
    const std::size_t e = std::min(digits.find_first_of("eE"), digits.size());
    const std::string_view mantissa = digits.substr(0, e);
    const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
    const std::size_t first = mantissa.find_first_of("123456789");
    if (e < digits.size() && digits[e + 1] == '-' && digits.size() - e > 8) return false;
    if (e < digits.size() && digits.size() - e > 8) return true;
    int exponent = 0;
    const std::size_t sign = e + 1 < digits.size() && digits[e + 1] == '+' ? 1 : 0;
    if (e < digits.size()) std::from_chars(digits.data() + e + 1 + sign, digits.data() + digits.size(), exponent);
    return static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) + exponent > 0;
}

/** Rounds the integer part of a double at a digit left of the point, exactly. */
double rounded_left(double value, std::int64_t places)
{
    wide unit = 1;
    for (std::int64_t i = 0; i < places; ++i) unit *= 10;
    const double size = std::fabs(value);
    const wide digits = truncated(size);
    wide units = digits / unit;
    const wide rest = digits - units * unit;
    const bool has_fraction = size != std::trunc(size);
    if (rest * 2 > unit || (rest * 2 == unit && (has_fraction || bit_test(units, 0)))) units += 1;
    const std::string text = wide{units * unit}.str();
    return std::copysign(real_of_digits(text), value);
}

expression_value rounded_integer(evaluation& in, const expression_value& value, std::int64_t places)
{
    if (places > 1300) return expression_value::integer(0);  // more digits than an integer may have
    wide unit = 1;
    for (std::int64_t i = 0; i < places; ++i) unit *= 10;
    in.charge(static_cast<std::size_t>(places));
    const wide integer = to_wide(value);
    const wide size = abs(integer);
    wide units = size / unit;
    const wide rest = size - units * unit;
    if (rest * 2 > unit || (rest * 2 == unit && bit_test(units, 0))) units += 1;
    units *= unit;
    return from_wide(in, integer < 0 ? wide{-units} : units);
}

double rounded_real(double value, std::int64_t digits)
{
    if (!std::isfinite(value) || digits > digits_max) return value;
    if (digits < digits_min) return std::copysign(0.0, value);
    if (digits < 0) return rounded_left(value, -digits);
    // The longest is 1.7e308 with 323 digits behind the point.
    char buffer[700];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed,
                                   static_cast<int>(digits)).ptr;
    double result = 0;
    std::from_chars(buffer, end, result);
    return result;
}

}  // namespace

double floor_divide(double a, double b)
{
    if (b == 0) refuse("ZeroDivisionError", "float floor division by zero");
    // As `float_divmod` of CPython: the remainder is exact, the quotient is rounded to the integer it stands for.
    double rest = std::fmod(a, b);
    double quotient = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) quotient -= 1;
    if (quotient == 0) return std::copysign(0.0, a / b);
    const double floor = std::floor(quotient);
    return quotient - floor > 0.5 ? floor + 1 : floor;
}

double modulo(double a, double b)
{
    if (b == 0) refuse("ZeroDivisionError", "float modulo by zero");
    const double rest = std::fmod(a, b);
    if (rest == 0) return std::copysign(0.0, b);
    return (b < 0) != (rest < 0) ? rest + b : rest;
}

double power(double a, double b)
{
    if (a == 0 && b < 0) refuse("ZeroDivisionError", "0.0 cannot be raised to a negative power");
    if (std::isfinite(a) && std::isfinite(b) && a < 0 && b != std::trunc(b))
        refuse("ValueError", "a negative number to a fractional power is complex, which is not allowed");
    const double result = std::pow(a, b);
    if (std::isinf(result) && std::isfinite(a) && std::isfinite(b))
        refuse("OverflowError", "numerical result out of range");
    return result;
}

double real_of_digits(std::string_view digits)
{
    double value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code == std::errc::result_out_of_range) return is_too_large(digits) ? infinity : 0;
    return value;
}

double parse_real(evaluation& in, std::string_view text)
{
    in.charge(text.size() / 4);
    std::string_view rest = stripped_number(in, text);
    const auto wrong = [&] {
        refuse("ValueError", "could not convert string to float: " + represent(in, expression_value::text(text)));
    };
    const bool is_negative = rest.starts_with('-');
    if (is_negative || rest.starts_with('+')) rest.remove_prefix(1);
    const double sign = is_negative ? -1 : 1;
    for (const std::string_view name : {"inf", "infinity"})
        if (boost::algorithm::iequals(rest, name)) return sign * infinity;
    if (boost::algorithm::iequals(rest, "nan")) return std::numeric_limits<double>::quiet_NaN();
    const bool begins = !rest.empty() && (rest[0] == '.' || (rest[0] >= '0' && rest[0] <= '9'));
    if (!begins || !are_underscores_valid(rest)) wrong();
    const std::string digits = without_underscores(rest);
    double value = 0;
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code == std::errc::invalid_argument || end != digits.data() + digits.size()) wrong();
    return sign * real_of_digits(digits);
}

expression_value integer_part(evaluation& in, double value)
{
    if (std::isnan(value)) refuse("ValueError", "cannot convert float NaN to integer");
    if (std::isinf(value)) refuse("OverflowError", "cannot convert float infinity to integer");
    if (std::fabs(value) < 9e18) return expression_value::integer(static_cast<std::int64_t>(value));
    return from_wide(in, truncated(value));
}

expression_value rounded(evaluation& in, const expression_value& value)
{
    if (value.is(expression_kind::real)) {
        const double whole_part = std::trunc(value.as_real());
        const double rest = std::fabs(value.as_real() - whole_part);
        const bool is_odd = std::fmod(whole_part, 2) != 0;
        const bool goes_up = rest > 0.5 || (rest == 0.5 && is_odd);
        return integer_part(in, goes_up ? whole_part + std::copysign(1.0, value.as_real()) : whole_part);
    }
    if (!is_integer(value)) refuse("TypeError", "type " + type_name(value) + " doesn't define __round__ method");
    return is_small(value) ? expression_value::integer(value.as_integer()) : value;
}

expression_value rounded(evaluation& in, const expression_value& value, const expression_value& digits)
{
    if (digits.is_none()) return rounded(in, value);
    if (!is_integer(digits))
        refuse("TypeError", "'" + type_name(digits) + "' object cannot be interpreted as an integer");
    constexpr std::int64_t many = 100'000;
    std::int64_t places = is_small(digits) ? digits.as_integer() : to_wide(digits) < 0 ? -many : many;
    places = std::min(std::max(places, -many), many);
    if (!value.is(expression_kind::real))
        return places >= 0 || !is_integer(value) ? rounded(in, value) : rounded_integer(in, value, -places);
    const double result = rounded_real(value.as_real(), places);
    if (std::isinf(result) && std::isfinite(value.as_real()))
        refuse("OverflowError", "rounded value too large to represent");
    return expression_value::real(result);
}

}  // namespace weft::expression_detail
