#include "json_number.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace weft::schema_detail {

namespace {

struct whole_number {
    bool is_negative;
    std::uint64_t magnitude;

    friend std::strong_ordering operator<=>(const whole_number& a, const whole_number& b) noexcept
    {
        if (a.is_negative != b.is_negative) return b.is_negative <=> a.is_negative;
        return a.is_negative ? b.magnitude <=> a.magnitude : a.magnitude <=> b.magnitude;
    }
};

whole_number whole_of(const boost::json::value& number) noexcept
{
    if (number.is_uint64()) return {false, number.get_uint64()};
    const std::int64_t signed_value = number.get_int64();
    const auto bits = static_cast<std::uint64_t>(signed_value);
    return {signed_value < 0, signed_value < 0 ? 0 - bits : bits};
}

std::partial_ordering compare_mixed(const whole_number& a, double b) noexcept
{
    constexpr double beyond = 18446744073709551616.0;  // 2^64
    if (std::isnan(b)) return std::partial_ordering::unordered;
    if (b >= beyond) return std::partial_ordering::less;
    if (b <= -beyond) return std::partial_ordering::greater;
    const double truncated = std::trunc(b);
    const whole_number near{truncated < 0, static_cast<std::uint64_t>(std::abs(truncated))};
    const std::strong_ordering order = a <=> near;
    if (order != std::strong_ordering::equal) return order;
    return truncated <=> b;
}

/** `digits` · 10^`exponent`; the digits do not end with 0. */
struct decimal {
    std::uint64_t digits = 0;
    int exponent = 0;
};

decimal normal(decimal from) noexcept
{
    if (from.digits == 0) return {};
    for (; from.digits % 10 == 0; from.digits /= 10) ++from.exponent;
    return from;
}

/** Of a double the shortest text that reads as the same. */
decimal decimal_of(const boost::json::value& number)
{
    if (!number.is_double()) return normal({whole_of(number).magnitude, 0});
    char text[40];
    const auto written = std::to_chars(text, text + sizeof text, std::abs(number.get_double()),
                                       std::chars_format::scientific);
    const std::string_view all{text, static_cast<std::size_t>(written.ptr - text)};
    const std::size_t e = all.find('e');
    decimal result;
    const std::size_t sign = all[e + 1] == '+' ? 2 : 1;
    (void)std::from_chars(all.data() + e + sign, all.data() + all.size(), result.exponent);
    bool has_point = false;
    for (const char c : all.substr(0, e)) {
        if (c == '.') has_point = true;
        else {
            result.digits = result.digits * 10 + static_cast<std::uint64_t>(c - '0');
            result.exponent -= has_point ? 1 : 0;
        }
    }
    return normal(result);
}

std::uint64_t sum_modulo(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) noexcept
{
    return a >= modulus - b ? a - (modulus - b) : a + b;
}

/** Whether `digits` · 10^`zeros` is a multiple of `of`. */
bool divides(std::uint64_t digits, int zeros, std::uint64_t of) noexcept
{
    std::uint64_t rest = digits % of;
    for (; zeros > 0 && rest != 0; --zeros) {
        const std::uint64_t twice = sum_modulo(rest, rest, of);
        const std::uint64_t four_times = sum_modulo(twice, twice, of);
        const std::uint64_t five_times = sum_modulo(four_times, rest, of);
        rest = sum_modulo(five_times, five_times, of);
    }
    return rest == 0;
}

}  // namespace

std::partial_ordering compare_numbers(const boost::json::value& a, const boost::json::value& b) noexcept
{
    if (a.is_double() && b.is_double()) return a.get_double() <=> b.get_double();
    if (b.is_double()) return compare_mixed(whole_of(a), b.get_double());
    if (a.is_double()) return 0 <=> compare_mixed(whole_of(b), a.get_double());
    return whole_of(a) <=> whole_of(b);
}

bool is_whole(const boost::json::value& number) noexcept
{
    if (!number.is_double()) return true;
    return std::isfinite(number.get_double()) && std::trunc(number.get_double()) == number.get_double();
}

bool is_multiple(const boost::json::value& number, const boost::json::value& of)
{
    if (number.is_double() && !std::isfinite(number.get_double())) return false;
    const decimal a = decimal_of(number);
    if (a.digits == 0) return true;
    const decimal b = decimal_of(of);
    const int zeros = a.exponent - b.exponent;
    // Without zeros to spare the quotient would need the 10 that the digits of `a` do not have.
    return zeros >= 0 && divides(a.digits, zeros, b.digits);
}

}  // namespace weft::schema_detail
