#include "expression_integers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

namespace weft::expression_detail {

namespace {

constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

// Small integers, nearly all there are, never touch `wide`: it has 1 KiB.
unsigned bit_count(const wide& v)
{
    return v == 0 ? 0 : static_cast<unsigned>(msb(v < 0 ? wide{-v} : v)) + 1;
}

[[noreturn]] void refuse_size()
{
    refuse("OverflowError", "an integer has more than " + std::to_string(integer_bits_max) + " bits");
}

void refuse_zero(const expression_value& divisor)
{
    if (is_small(divisor) && divisor.as_integer() == 0)
        refuse("ZeroDivisionError", "integer division or modulo by zero");
}

wide floor_quotient(const wide& a, const wide& b)
{
    wide quotient = a / b;
    if (quotient * b != a && (a < 0) != (b < 0)) quotient -= 1;
    return quotient;
}

bool are_small(const expression_value& a, const expression_value& b) { return is_small(a) && is_small(b); }

unsigned shift_count(const expression_value& by)
{
    if (compare_integers(by, expression_value::integer(0)) < 0) refuse("ValueError", "negative shift count");
    if (is_small(by) && by.as_integer() <= integer_bits_max) return static_cast<unsigned>(by.as_integer());
    return integer_bits_max + 1;
}

template <class Operation>
expression_value bitwise(evaluation& in, const expression_value& a, const expression_value& b, Operation operation)
{
    if (are_small(a, b)) {
        const std::int64_t result = operation(a.as_integer(), b.as_integer());
        const bool is_boolean = a.is(expression_kind::boolean) && b.is(expression_kind::boolean);
        return is_boolean ? expression_value::boolean(result != 0) : expression_value::integer(result);
    }
    // Two's complement of more bits than any operand has; the sign is the highest bit.
    // The sign of `wide` is a bit of its own; the operators of Python are those of two's complement.
    const wide modulus = wide{1} << (integer_bits_max + 2);
    const auto wrap = [&](const wide& v) { return v < 0 ? wide{v + modulus} : v; };
    wide result = operation(wrap(to_wide(a)), wrap(to_wide(b)));
    if (bit_test(result, integer_bits_max + 1)) result -= modulus;
    return from_wide(in, result);
}

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

wide to_wide(const expression_value& integer)
{
    if (is_small(integer)) return wide{integer.as_integer()};
    if (integer.where() == expression_value::place::here) return wide{integer.as_natural()};
    return integer.as_big().value;
}

expression_value from_wide(evaluation& in, const wide& integer)
{
    if (integer >= smallest && integer <= largest)
        return expression_value::integer(static_cast<std::int64_t>(integer));
    if (bit_count(integer) > integer_bits_max) refuse_size();
    return expression_value::big(*new (in.arena.allocate(sizeof(big_integer))) big_integer{integer});
}

expression_value add(evaluation& in, const expression_value& a, const expression_value& b)
{
    // The overflow builtins are one instruction; integers that do not fit go on as wide ones, as in Python.
    std::int64_t sum = 0;
    if (are_small(a, b) && !__builtin_add_overflow(a.as_integer(), b.as_integer(), &sum))
        return expression_value::integer(sum);
    return from_wide(in, to_wide(a) + to_wide(b));
}

expression_value subtract(evaluation& in, const expression_value& a, const expression_value& b)
{
    std::int64_t difference = 0;
    if (are_small(a, b) && !__builtin_sub_overflow(a.as_integer(), b.as_integer(), &difference))
        return expression_value::integer(difference);
    return from_wide(in, to_wide(a) - to_wide(b));
}

expression_value multiply(evaluation& in, const expression_value& a, const expression_value& b)
{
    std::int64_t product = 0;
    if (are_small(a, b) && !__builtin_mul_overflow(a.as_integer(), b.as_integer(), &product))
        return expression_value::integer(product);
    in.charge(16);
    return from_wide(in, to_wide(a) * to_wide(b));
}

expression_value floor_divide(evaluation& in, const expression_value& a, const expression_value& b)
{
    refuse_zero(b);
    if (are_small(a, b) && a.as_integer() != smallest) {
        const std::int64_t quotient = a.as_integer() / b.as_integer();
        const bool rounds = quotient * b.as_integer() != a.as_integer();
        return expression_value::integer(quotient - (rounds && (a.as_integer() < 0) != (b.as_integer() < 0)));
    }
    in.charge(16);
    return from_wide(in, floor_quotient(to_wide(a), to_wide(b)));
}

expression_value modulo(evaluation& in, const expression_value& a, const expression_value& b)
{
    refuse_zero(b);
    if (are_small(a, b) && a.as_integer() != smallest) {
        const std::int64_t rest = a.as_integer() % b.as_integer();
        const bool differs = rest != 0 && (rest < 0) != (b.as_integer() < 0);
        return expression_value::integer(differs ? rest + b.as_integer() : rest);
    }
    in.charge(16);
    const wide dividend = to_wide(a);
    const wide divisor = to_wide(b);
    return from_wide(in, dividend - floor_quotient(dividend, divisor) * divisor);
}

expression_value power(evaluation& in, const expression_value& a, const expression_value& b)
{
    std::uint64_t exponent = static_cast<std::uint64_t>(b.as_integer());
    const wide base = to_wide(a);
    const unsigned bits = bit_count(base);
    // A number of n bits has at least (n - 1) · exponent bits as a power.
    if (bits > 1 && (bits - 1) * exponent >= integer_bits_max) refuse_size();
    wide result = 1;
    for (wide square = base; exponent != 0; exponent >>= 1) {
        in.charge(16);
        if (exponent & 1) result *= square;
        if (exponent > 1) square *= square;
    }
    return from_wide(in, result);
}

expression_value shift_left(evaluation& in, const expression_value& a, const expression_value& b)
{
    const unsigned count = shift_count(b);
    if (is_small(a) && a.as_integer() == 0) return expression_value::integer(0);
    const wide value = to_wide(a);
    if (bit_count(value) + count > integer_bits_max) refuse_size();
    return from_wide(in, value < 0 ? wide{-(wide{-value} << count)} : wide{value << count});
}

expression_value shift_right(evaluation& in, const expression_value& a, const expression_value& b)
{
    const unsigned count = shift_count(b);
    if (is_small(a)) return expression_value::integer(a.as_integer() >> (count < 63 ? count : 63));
    const wide value = to_wide(a);
    return from_wide(in, value < 0 ? wide{-(wide{-value - 1} >> count) - 1} : wide{value >> count});
}

expression_value bit_and(evaluation& in, const expression_value& a, const expression_value& b)
{
    return bitwise(in, a, b, [](const auto& x, const auto& y) -> std::remove_cvref_t<decltype(x)> { return x & y; });
}

expression_value bit_or(evaluation& in, const expression_value& a, const expression_value& b)
{
    return bitwise(in, a, b, [](const auto& x, const auto& y) -> std::remove_cvref_t<decltype(x)> { return x | y; });
}

expression_value bit_xor(evaluation& in, const expression_value& a, const expression_value& b)
{
    return bitwise(in, a, b, [](const auto& x, const auto& y) -> std::remove_cvref_t<decltype(x)> { return x ^ y; });
}

expression_value negate(evaluation& in, const expression_value& a)
{
    if (is_small(a) && a.as_integer() != smallest) return expression_value::integer(-a.as_integer());
    return from_wide(in, -to_wide(a));
}

expression_value invert(evaluation& in, const expression_value& a)
{
    if (is_small(a)) return expression_value::integer(~a.as_integer());
    return from_wide(in, -to_wide(a) - 1);
}

std::strong_ordering compare_integers(const expression_value& a, const expression_value& b)
{
    if (are_small(a, b)) return a.as_integer() <=> b.as_integer();
    const int order = to_wide(a).compare(to_wide(b));
    return order <=> 0;
}

std::optional<expression_value> parse_digits(evaluation& in, std::string_view digits, unsigned base)
{
    wide large = 0;
    std::uint64_t small = 0;
    bool is_small_yet = true;
    for (const char c : digits) {
        if (c == '_') continue;
        unsigned digit = 36;
        if (c >= '0' && c <= '9') digit = static_cast<unsigned>(c - '0');
        if (c >= 'a' && c <= 'z') digit = static_cast<unsigned>(c - 'a') + 10;
        if (c >= 'A' && c <= 'Z') digit = static_cast<unsigned>(c - 'A') + 10;
        if (digit >= base) return std::nullopt;
        if (is_small_yet && small < (std::uint64_t{1} << 57)) {
            small = small * base + digit;
            continue;
        }
        if (std::exchange(is_small_yet, false)) large = small;
        in.charge(4);
        large = large * base + digit;
        if (bit_count(large) > integer_bits_max) refuse_size();
    }
    return is_small_yet ? expression_value::natural(small) : from_wide(in, large);
}

std::string integer_text(evaluation& in, const expression_value& integer)
{
    if (is_small(integer)) return std::to_string(integer.as_integer());
    in.charge(2000);
    return to_wide(integer).str();
}

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
