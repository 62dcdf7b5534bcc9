#include "expression_operators.hpp"

#include "expression_compare.hpp"
#include "expression_container.hpp"
#include "expression_integers.hpp"
#include "expression_reals.hpp"

#include <algorithm>
#include <cstring>

namespace weft::expression_detail {

namespace {

std::string_view symbol_of(binary_operator how)
{
    constexpr std::string_view symbols[] = {"+", "-", "*", "/", "//", "%", "**", "<<", ">>", "|", "^", "&"};
    return symbols[static_cast<std::size_t>(how)];
}

[[noreturn]] void refuse_types(binary_operator how, const expression_value& a, const expression_value& b)
{
    refuse("TypeError", "unsupported operand types for " + std::string{symbol_of(how)} + ": '" + type_name(a) +
                            "' and '" + type_name(b) + "'");
}

double real_of(const expression_value& number)
{
    return number.is(expression_kind::real) ? number.as_real() : to_real(number);
}

expression_value raised(evaluation& in, const expression_value& a, const expression_value& b)
{
    const bool is_bounded = b.is(expression_kind::real) ? !(b.as_real() > exponent_max || b.as_real() < -exponent_max)
                                                        : is_small(b) && b.as_integer() <= exponent_max &&
                                                              b.as_integer() >= -exponent_max;
    if (!is_bounded) refuse("ValueError", "an exponent is beyond ±" + std::to_string(exponent_max));
    if (is_integer(a) && is_integer(b) && b.as_integer() >= 0) return power(in, a, b);
    return expression_value::real(power(real_of(a), real_of(b)));
}

expression_value apply_to_integers(evaluation& in, binary_operator how, const expression_value& a,
                                   const expression_value& b)
{
    switch (how) {
    case binary_operator::add: return add(in, a, b);
    case binary_operator::subtract: return subtract(in, a, b);
    case binary_operator::multiply: return multiply(in, a, b);
    case binary_operator::divide: return expression_value::real(divide(a, b));
    case binary_operator::floor_divide: return floor_divide(in, a, b);
    case binary_operator::modulo: return modulo(in, a, b);
    case binary_operator::power: return raised(in, a, b);
    case binary_operator::shift_left: return shift_left(in, a, b);
    case binary_operator::shift_right: return shift_right(in, a, b);
    case binary_operator::bit_or: return bit_or(in, a, b);
    case binary_operator::bit_xor: return bit_xor(in, a, b);
    case binary_operator::bit_and: return bit_and(in, a, b);
    }
    refuse_types(how, a, b);
}

expression_value apply_to_reals(evaluation& in, binary_operator how, const expression_value& a,
                                const expression_value& b)
{
    if (how == binary_operator::power) return raised(in, a, b);
    const double x = real_of(a);
    const double y = real_of(b);
    switch (how) {
    case binary_operator::add: return expression_value::real(x + y);
    case binary_operator::subtract: return expression_value::real(x - y);
    case binary_operator::multiply: return expression_value::real(x * y);
    case binary_operator::divide:
        if (y == 0) refuse("ZeroDivisionError", "float division by zero");
        return expression_value::real(x / y);
    case binary_operator::floor_divide: return expression_value::real(floor_divide(x, y));
    case binary_operator::modulo: return expression_value::real(modulo(x, y));
    default: refuse_types(how, a, b);
    }
}

expression_value joined(evaluation& in, const expression_value& a, const expression_value& b)
{
    // Values do not change, so an empty operand costs no copy.
    if (b.size() == 0) return a;
    if (a.size() == 0) return b;
    in.charge((a.size() + b.size()) / 8);
    if (a.is(expression_kind::text)) {
        char* const to = static_cast<char*>(in.arena.allocate(a.size() + b.size()));
        std::memcpy(to, a.as_text().data(), a.size());
        std::memcpy(to + a.size(), b.as_text().data(), b.size());
        return expression_value::text({to, a.size() + b.size()});
    }
    expression_value* const to = in.arena.allocate_values(a.size() + b.size());
    for (std::size_t i = 0; i < a.size(); ++i) to[i] = item_at(a, i);
    for (std::size_t i = 0; i < b.size(); ++i) to[a.size() + i] = item_at(b, i);
    return expression_value::container(a.kind(), to, a.size() + b.size());
}

expression_value repeated(evaluation& in, const expression_value& what, const expression_value& times)
{
    const wide count = to_wide(times);
    const std::size_t size = what.size();
    if (count <= 0 || size == 0)
        return what.is(expression_kind::text) ? expression_value::text({})
                                              : expression_value::container(what.kind(), nullptr, 0);
    // Beyond any arena, so that the product below cannot wrap and still is refused as too large.
    const std::size_t most = std::size_t{1} << 40;
    const std::size_t copies = count > most / size ? most : static_cast<std::size_t>(count);
    if (what.is(expression_kind::text)) {
        in.arena.require(copies == most ? most : size * copies);
        in.charge(size * copies / 8);
        char* const to = static_cast<char*>(in.arena.allocate(size * copies));
        for (std::size_t i = 0; i < copies; ++i) std::memcpy(to + i * size, what.as_text().data(), size);
        return expression_value::text({to, size * copies});
    }
    in.arena.require(copies == most ? most : size * copies * sizeof(expression_value));
    in.charge(size * copies / 8);
    expression_value* const to = in.arena.allocate_values(size * copies);
    for (std::size_t i = 0; i < size * copies; ++i) to[i] = item_at(what, i % size);
    return expression_value::container(what.kind(), to, size * copies);
}

expression_value merged_dicts(evaluation& in, const expression_value& first, const expression_value& second)
{
    distinct_items result{in, whole(in, first).size() + whole(in, second).size(), true};
    for (const expression_value& dict : {whole(in, first), whole(in, second)})
        for (std::size_t i = 0; i < dict.size(); ++i) result.put(item_at(dict, i), member_at(dict, i));
    return result.finish();
}

expression_value apply_to_sets(evaluation& in, binary_operator how, const expression_value& a,
                               const expression_value& b)
{
    distinct_items result{in, a.size() + b.size(), false};
    const bool wants_common = how == binary_operator::bit_and;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (how == binary_operator::bit_or || contains(in, b, item_at(a, i)) == wants_common)
            result.put(item_at(a, i));
    if (how == binary_operator::bit_or || how == binary_operator::bit_xor)
        for (std::size_t i = 0; i < b.size(); ++i)
            if (how == binary_operator::bit_or || !contains(in, a, item_at(b, i))) result.put(item_at(b, i));
    return result.finish();
}

bool is_repeatable(const expression_value& v)
{
    return v.is(expression_kind::text) || v.is(expression_kind::list) || v.is(expression_kind::tuple);
}

}  // namespace

expression_value apply(evaluation& in, binary_operator how, const expression_value& a, const expression_value& b)
{
    if (is_integer(a) && is_integer(b)) return apply_to_integers(in, how, a, b);
    if (is_number(a) && is_number(b)) return apply_to_reals(in, how, a, b);
    if (how == binary_operator::add && is_repeatable(a) && a.kind() == b.kind()) return joined(in, a, b);
    if (how == binary_operator::multiply && is_repeatable(a) && is_integer(b)) return repeated(in, a, b);
    if (how == binary_operator::multiply && is_repeatable(b) && is_integer(a)) return repeated(in, b, a);
    if (how == binary_operator::modulo && a.is(expression_kind::text))
        refuse("TypeError", std::string{no_formatting});
    if (how == binary_operator::bit_or && a.is(expression_kind::dict) && b.is(expression_kind::dict))
        return merged_dicts(in, a, b);
    const bool is_for_sets = how >= binary_operator::bit_or || how == binary_operator::subtract;
    if (is_for_sets && is_set_like(a) && is_set_like(b)) return apply_to_sets(in, how, a, b);
    // The views of a dict also take anything that can be gone through.
    const auto is_view = [](const expression_value& v) { return is_set_like(v) && !v.is(expression_kind::set); };
    const bool are_iterable = a.kind() >= expression_kind::text && b.kind() >= expression_kind::text;
    if (is_for_sets && are_iterable && (is_view(a) || is_view(b)))
        return apply_to_sets(in, how, make_set(in, a), make_set(in, b));
    refuse_types(how, a, b);
}

expression_value apply(evaluation& in, unary_operator how, const expression_value& a)
{
    if (a.is(expression_kind::real) && how != unary_operator::invert)
        return expression_value::real(how == unary_operator::minus ? -a.as_real() : a.as_real());
    if (!is_integer(a)) {
        constexpr std::string_view symbols[] = {"unary +", "unary -", "unary ~"};
        refuse("TypeError", "bad operand type for " + std::string{symbols[static_cast<std::size_t>(how)]} + ": '" +
                                type_name(a) + "'");
    }
    switch (how) {
    case unary_operator::minus: return negate(in, a);
    case unary_operator::invert: return invert(in, a);
    default: return is_small(a) ? expression_value::integer(a.as_integer()) : a;
    }
}

}  // namespace weft::expression_detail
