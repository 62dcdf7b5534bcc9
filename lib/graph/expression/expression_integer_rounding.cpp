#include "expression_integers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::expression_detail {

namespace {

constexpr std::int64_t exact_max = std::int64_t{1} << 53;  // every integer up to here is a double
constexpr int mantissa_bits = 53;
constexpr int exponent_min = -1074;  // of the last bit of a double

bool is_exact(const expression_value& v)
{
    return is_small(v) && v.as_integer() <= exact_max && v.as_integer() >= -exact_max;
}

int bits_of(const wide& positive) { return static_cast<int>(msb(positive)) + 1; }

/** digits · 2^exponent to the nearest double, ties to even; the lowest digit also stands for all below it. */
double rounded(wide digits, int exponent)
{
    const int excess = std::max(bits_of(digits) - mantissa_bits, exponent_min - exponent);
    if (excess > 0) {
        if (excess > bits_of(digits)) return 0;
        const wide half = wide{1} << (excess - 1);
        const wide rest = digits & ((wide{1} << excess) - 1);
        digits >>= excess;
        exponent += excess;
        if (rest > half || (rest == half && bit_test(digits, 0))) digits += 1;
    }
    return std::ldexp(static_cast<double>(static_cast<std::uint64_t>(digits)), exponent);
}

double quotient(const wide& a, const wide& b)
{
    if (a == 0) return 0;
    // Two bits more than a mantissa has, and a last one for everything that is not divided out.
    const int shift = mantissa_bits + 2 - (bits_of(a) - bits_of(b));
    const wide dividend = shift > 0 ? wide{a << shift} : a;
    const wide divisor = shift > 0 ? b : wide{b << -shift};
    wide digits = dividend / divisor;
    const bool has_rest = digits * divisor != dividend;
    digits = (digits << 1) | (has_rest ? 1 : 0);
    return rounded(digits, -shift - 1);
}

}  // namespace

double divide(const expression_value& a, const expression_value& b)
{
    if (is_small(b) && b.as_integer() == 0) refuse("ZeroDivisionError", "division by zero");
    if (is_exact(a) && is_exact(b)) return static_cast<double>(a.as_integer()) / static_cast<double>(b.as_integer());
    const wide dividend = to_wide(a);
    const wide divisor = to_wide(b);
    const double size = quotient(abs(dividend), abs(divisor));
    if (std::isinf(size)) refuse("OverflowError", "integer division result too large for a float");
    return (dividend < 0) != (divisor < 0) ? -size : size;
}

double to_real(const expression_value& integer)
{
    if (is_small(integer)) return static_cast<double>(integer.as_integer());
    const wide value = to_wide(integer);
    const double size = quotient(abs(value), 1);
    if (std::isinf(size)) refuse("OverflowError", "int too large to convert to float");
    return value < 0 ? -size : size;
}

wide truncated(double finite)
{
    int exponent = 0;
    const double mantissa = std::frexp(std::fabs(finite), &exponent);
    wide result = static_cast<std::uint64_t>(std::ldexp(mantissa, mantissa_bits));
    if (exponent >= mantissa_bits)
        result <<= exponent - mantissa_bits;
    else
        result >>= std::min(mantissa_bits - exponent, mantissa_bits + 1);
    return finite < 0 ? wide{-result} : result;
}

std::partial_ordering compare_integer_real(const expression_value& integer, double real)
{
    if (is_exact(integer)) return static_cast<double>(integer.as_integer()) <=> real;
    if (std::isnan(real)) return std::partial_ordering::unordered;
    if (std::isinf(real)) return real > 0 ? std::partial_ordering::less : std::partial_ordering::greater;
    const int order = to_wide(integer).compare(truncated(real));
    return order != 0 ? order <=> 0 : 0.0 <=> real - std::trunc(real);
}

}  // namespace weft::expression_detail
