#pragma once

#include <weft/graph/state/state_layout.hpp>
#include <weft/graph/state/value.hpp>

#include <boost/json/value.hpp>

#include <string_view>

namespace weft {

/** Refuses a value with a number that JSON cannot say: an infinity, or none at all (NaN). It looks into values of the
 *  types `double`, `boost::json::value`, `object` and `array`, which those of graph files are; values of other types
 *  are refused where they are converted to JSON.
 *
 *  @param value   Null counts as finite; so does every value of a transient key.
 *  @param node    The node that writes it; empty: input from outside.
 *  @par Errors    `errc::state_conversion` names the node, the key and the path in its value. */
inline void require_finite(const value_ptr& value, const state_layout::slot& key, std::string_view node = {});

/** Whether values of this type are looked into. */
[[nodiscard]] inline bool may_be_endless(const value_type& type) noexcept
{
    return &type == &value_type_of<double> || &type == &value_type_of<boost::json::value> ||
           &type == &value_type_of<boost::json::array> || &type == &value_type_of<boost::json::object>;
}

/** Whether updates of a key may join to a number that is not finite, though each of them is. */
[[nodiscard]] inline bool may_overflow(const key_type& type) noexcept
{
    return type.has_reducer && !type.is_transient && type.value == &value_type_of<double>;
}

/** Joins an update with the value that a key has, as `key_type::reduce` does; but a sum beyond the largest `double` is
 *  refused, and leaves `current` as it is.
 *  @par Errors   `errc::state_conversion`, as `require_finite`; what a reducer of a program throws. */
[[nodiscard]] value_ptr reduce_finite(value_ptr& current, value_ptr update, const state_layout::slot& key,
                                      std::string_view node = {});

namespace graph_detail {

void require_finite_within(const value_box& value, const state_layout::slot& key, std::string_view node);

}  // namespace graph_detail

inline void require_finite(const value_ptr& value, const state_layout::slot& key, std::string_view node)
{
    if (value && may_be_endless(value->type()) && !key.type->is_transient)
        graph_detail::require_finite_within(*value, key, node);
}

}  // namespace weft
