#include "expression_compare.hpp"

#include "expression_container.hpp"
#include "expression_integers.hpp"
#include "expression_text.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace weft::expression_detail {

namespace {

// JSON is nested at most 64 deep; displays and `dict` can go further.
constexpr int depth_max = 500;

bool is_sequence(const expression_value& v) { return v.is(expression_kind::list) || v.is(expression_kind::tuple); }

void check_depth(int depth)
{
    if (depth > depth_max) refuse("RecursionError", "a value is nested deeper than " + std::to_string(depth_max));
}

bool is_subset(evaluation& in, const expression_value& part, const expression_value& of)
{
    for (std::size_t i = 0; i < part.size(); ++i)
        if (!contains(in, of, item_at(part, i))) return false;
    return true;
}

bool are_equal_dicts(evaluation& in, const expression_value& first, const expression_value& second, int depth)
{
    const expression_value a = whole(in, first);
    const expression_value b = whole(in, second);
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        expression_value other;
        const bool is_there = find_member(in, b, item_at(a, i), other);
        if (!is_there || !are_equal(in, member_at(a, i), other, depth + 1)) return false;
    }
    return true;
}

bool are_equal_sequences(evaluation& in, const expression_value& a, const expression_value& b, int depth)
{
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!are_equal(in, item_at(a, i), item_at(b, i), depth + 1)) return false;
    return true;
}

/** Whether two values are one object. Equal scalars of one type are, since they have no identity of their own. */
bool is_same(evaluation& in, const expression_value& a, const expression_value& b)
{
    if (a.kind() != b.kind()) return false;
    // Python may give one object for two equal texts, or may not; taking them for the same is the answer that people
    // expect of `is`.
    if (a.kind() <= expression_kind::text) return are_equal(in, a, b);
    return a.where() == b.where() && a.as_items() == b.as_items() && a.size() == b.size();
}

std::string_view symbol_of(comparison how)
{
    switch (how) {
    case comparison::less: return "<";
    case comparison::less_equal: return "<=";
    case comparison::greater: return ">";
    default: return ">=";
    }
}

bool holds(comparison how, std::partial_ordering order)
{
    switch (how) {
    case comparison::less: return order < 0;
    case comparison::less_equal: return order <= 0;
    case comparison::greater: return order > 0;
    case comparison::greater_equal: return order >= 0;
    default: return false;
    }
}

bool is_ordered(evaluation& in, comparison how, const expression_value& a, const expression_value& b, int depth);

bool are_ordered_sequences(evaluation& in, comparison how, const expression_value& a, const expression_value& b,
                           int depth)
{
    const std::size_t common = std::min(a.size(), b.size());
    for (std::size_t i = 0; i < common; ++i) {
        const expression_value x = item_at(a, i);
        const expression_value y = item_at(b, i);
        if (!are_equal(in, x, y, depth + 1)) return is_ordered(in, how, x, y, depth + 1);
    }
    return holds(how, a.size() <=> b.size());
}

bool are_ordered_sets(evaluation& in, comparison how, const expression_value& a, const expression_value& b)
{
    switch (how) {
    case comparison::less: return a.size() < b.size() && is_subset(in, a, b);
    case comparison::less_equal: return is_subset(in, a, b);
    case comparison::greater: return b.size() < a.size() && is_subset(in, b, a);
    default: return is_subset(in, b, a);
    }
}

bool is_ordered(evaluation& in, comparison how, const expression_value& a, const expression_value& b, int depth)
{
    check_depth(depth);
    in.charge(1);
    if (is_number(a) && is_number(b)) return holds(how, compare_numbers(a, b));
    if (a.is(expression_kind::text) && b.is(expression_kind::text)) {
        in.charge(std::min(a.size(), b.size()) / 16);
        return holds(how, a.as_text() <=> b.as_text());
    }
    if (is_sequence(a) && a.kind() == b.kind()) return are_ordered_sequences(in, how, a, b, depth);
    if (is_set_like(a) && is_set_like(b)) return are_ordered_sets(in, how, a, b);
    refuse("TypeError", "'" + std::string{symbol_of(how)} + "' not supported between instances of '" + type_name(a) +
                            "' and '" + type_name(b) + "'");
}

std::uint64_t mixed(std::uint64_t v)
{
    v *= 0x9e37'79b9'7f4a'7c15u;
    return v ^ v >> 29;
}

// Equal numbers have one hash whatever their type, as in Python: 2 ** 70 and 2.0 ** 70 are one key.
std::uint64_t hash_of_wide(const wide& v)
{
    return mixed(static_cast<std::uint64_t>(wide{abs(v) % 0x1fff'ffff'ffff'ffffu}) + 7);
}

std::uint64_t hash_of_real(double v)
{
    if (std::isfinite(v) && v == std::trunc(v)) {
        if (v >= -0x1p63 && v < 0x1p63) return mixed(static_cast<std::uint64_t>(static_cast<std::int64_t>(v)));
        return hash_of_wide(truncated(v));
    }
    return mixed(std::hash<double>{}(v));
}

}  // namespace

bool is_number(const expression_value& v) noexcept
{
    return v.kind() >= expression_kind::boolean && v.kind() <= expression_kind::real;
}

std::partial_ordering compare_numbers(const expression_value& a, const expression_value& b)
{
    const bool a_is_real = a.is(expression_kind::real);
    const bool b_is_real = b.is(expression_kind::real);
    if (a_is_real && b_is_real) return a.as_real() <=> b.as_real();
    if (a_is_real) return 0 <=> compare_integer_real(b, a.as_real());
    if (b_is_real) return compare_integer_real(a, b.as_real());
    return compare_integers(a, b);
}

bool are_equal(evaluation& in, const expression_value& a, const expression_value& b, int depth)
{
    check_depth(depth);
    in.charge(1);
    if (is_number(a) && is_number(b)) return compare_numbers(a, b) == 0;
    // The order of the items says nothing, and a view of a dict equals a set.
    if (is_set_like(a) && is_set_like(b)) return a.size() == b.size() && is_subset(in, a, b);
    if (a.kind() != b.kind()) return false;
    switch (a.kind()) {
    case expression_kind::none: return true;
    case expression_kind::text:
        in.charge(a.size() / 16);
        return a.as_text() == b.as_text();
    case expression_kind::list:
    case expression_kind::tuple: return are_equal_sequences(in, a, b, depth);
    // In whatever order their members stand.
    case expression_kind::dict: return are_equal_dicts(in, a, b, depth);
    default: return a.as_items() == b.as_items();
    }
}

bool contains(evaluation& in, const expression_value& container, const expression_value& item)
{
    if (container.is(expression_kind::text)) {
        if (!item.is(expression_kind::text))
            refuse("TypeError", "'in <string>' requires string as left operand, not " + type_name(item));
        return find_text(in, container.as_text(), item.as_text(), 0) != std::string_view::npos;
    }
    expression_value found;
    if (container.is(expression_kind::dict)) return find_member(in, container, item, found);
    if (container.kind() < expression_kind::list)
        refuse("TypeError", "argument of type '" + type_name(container) + "' is not iterable");
    // A dict or a set refuses an item that it could never have, even where comparing would find nothing.
    const bool is_hashed = container.is(expression_kind::set) || container.is(expression_kind::keys);
    if (is_hashed && !item.is(expression_kind::set)) static_cast<void>(hash_of(in, item));
    for (std::size_t i = 0; i < container.size(); ++i)
        if (are_equal(in, item_at(container, i), item)) return true;
    return false;
}

bool compare(evaluation& in, comparison how, const expression_value& a, const expression_value& b)
{
    switch (how) {
    case comparison::equal: return are_equal(in, a, b);
    case comparison::unequal: return !are_equal(in, a, b);
    case comparison::in: return contains(in, b, a);
    case comparison::not_in: return !contains(in, b, a);
    case comparison::is: return is_same(in, a, b);
    case comparison::is_not: return !is_same(in, a, b);
    default: return is_ordered(in, how, a, b, 0);
    }
}

std::uint64_t hash_of(evaluation& in, const expression_value& v, int depth)
{
    check_depth(depth);
    in.charge(1);
    switch (v.kind()) {
    case expression_kind::none: return 1;
    case expression_kind::boolean:
    case expression_kind::integer: return mixed(static_cast<std::uint64_t>(v.as_integer()));
    case expression_kind::big_integer: return hash_of_wide(to_wide(v));
    case expression_kind::real: return hash_of_real(v.as_real());
    case expression_kind::text: in.charge(v.size() / 8); return std::hash<std::string_view>{}(v.as_text());
    case expression_kind::tuple: {
        std::uint64_t hash = 3;
        for (std::size_t i = 0; i < v.size(); ++i) hash = mixed(hash ^ hash_of(in, item_at(v, i), depth + 1));
        return hash;
    }
    default: refuse("TypeError", "unhashable type: '" + type_name(v) + "'");
    }
}

}  // namespace weft::expression_detail
