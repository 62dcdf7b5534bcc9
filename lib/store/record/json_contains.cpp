#include "json_contains.hpp"

#include <algorithm>

namespace weft {

namespace {

bool is_scalar(const boost::json::value& value) { return !value.is_object() && !value.is_array(); }

/** Integers beyond 2^53 are compared as integers: as doubles neighbours would be equal. */
bool are_equal_numbers(const boost::json::value& a, const boost::json::value& b)
{
    if (!a.is_double() && !b.is_double()) return a == b;
    return a.to_number<double>() == b.to_number<double>();
}

bool are_equal_scalars(const boost::json::value& a, const boost::json::value& b)
{
    return a.is_number() && b.is_number() ? are_equal_numbers(a, b) : a == b;
}

bool contains_below(const boost::json::value& whole, const boost::json::value& part);

bool contains_members(const boost::json::object& whole, const boost::json::object& part)
{
    return std::all_of(part.begin(), part.end(), [&](const boost::json::key_value_pair& wanted) {
        const boost::json::value* found = whole.if_contains(wanted.key());
        return found && contains_below(*found, wanted.value());
    });
}

bool contains_elements(const boost::json::array& whole, const boost::json::array& part)
{
    return std::all_of(part.begin(), part.end(), [&](const boost::json::value& wanted) {
        return std::any_of(whole.begin(), whole.end(),
                           [&](const boost::json::value& each) { return contains_below(each, wanted); });
    });
}

bool contains_below(const boost::json::value& whole, const boost::json::value& part)
{
    if (whole.is_object() && part.is_object()) return contains_members(whole.get_object(), part.get_object());
    if (whole.is_array() && part.is_array()) return contains_elements(whole.get_array(), part.get_array());
    return is_scalar(whole) && is_scalar(part) && are_equal_scalars(whole, part);
}

}  // namespace

bool json_contains(const boost::json::value& whole, const boost::json::value& part)
{
    if (!whole.is_array() || !is_scalar(part)) return contains_below(whole, part);
    const boost::json::array& elements = whole.get_array();
    return std::any_of(elements.begin(), elements.end(),
                       [&](const boost::json::value& each) { return contains_below(each, part); });
}

}  // namespace weft
