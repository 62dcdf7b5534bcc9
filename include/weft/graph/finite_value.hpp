#pragma once

#include <weft/graph/state_layout.hpp>
#include <weft/graph/value.hpp>

#include <string_view>

namespace weft {

/** Refuses a value with a number that JSON cannot say: an infinity, or none at all (NaN). It looks into values of the
 *  types `double`, `boost::json::value`, `object` and `array`, which those of graph files are; values of other types
 *  are refused where they are converted to JSON.
 *
 *  @param value   Null counts as finite; so does every value of a transient key.
 *  @param node    The node that writes it; empty: input from outside.
 *  @par Errors    `errc::state_conversion` names the node, the key and the path in its value. */
void require_finite(const value_ptr& value, const state_layout::slot& key, std::string_view node = {});

/** Whether updates of a key may join to a number that is not finite, though each of them is. */
[[nodiscard]] bool may_overflow(const key_type& type) noexcept;

/** Joins an update with the value that a key has, as `key_type::reduce` does; but a sum beyond the largest `double` is
 *  refused, and leaves `current` as it is.
 *  @par Errors   `errc::state_conversion`, as `require_finite`; what a reducer of a program throws. */
[[nodiscard]] value_ptr reduce_finite(value_ptr& current, const value_ptr& update, const state_layout::slot& key,
                                      std::string_view node = {});

}  // namespace weft
