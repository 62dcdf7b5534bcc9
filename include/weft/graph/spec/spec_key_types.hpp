#pragma once

#include <weft/graph/graph_spec.hpp>
#include <weft/graph/state_key.hpp>

#include <array>
#include <concepts>
#include <string>
#include <type_traits>

namespace weft {

/** The types of keys that files can declare with one value type: for each `spec_reducer` one, or null where the
 *  reducer has no meaning for the values. They are those of `state_key`, so a `state_key` of the same name, value
 *  type and reducer works on the key of a file. */
using spec_key_types = std::array<const key_type*, 6>;

namespace graph_detail {

/** Values to which `append` adds: texts, and lists of what converts to JSON. */
template <class T>
concept listing = std::same_as<T, std::string> || (requires(T& list, const typename T::value_type& item) {
                      list.push_back(item);
                  } && json_convertible<typename T::value_type>);

/** Values that `merge` joins: JSON objects and maps. */
template <class T>
concept merging = std::same_as<T, boost::json::object> || requires { typename T::mapped_type; };

/** Values that `add` sums up. */
template <class T>
concept summing = std::is_arithmetic_v<T> && !std::same_as<T, bool>;

template <class T, class Reducer, bool Makes>
constexpr const key_type* key_type_if() noexcept
{
    if constexpr (Makes) return &compiled_key<T, Reducer>::type;
    else return nullptr;
}

}  // namespace graph_detail

/** In the order of `spec_reducer`. */
template <class T>
    requires storable<T>
[[nodiscard]] constexpr spec_key_types key_types_of() noexcept
{
    using graph_detail::key_type_if;
    constexpr bool is_summing = graph_detail::summing<T>;
    constexpr bool is_merging = graph_detail::merging<T>;
    constexpr bool is_ordered = is_summing || std::same_as<T, std::string>;
    return {key_type_if<T, replace, true>(),   key_type_if<T, append, graph_detail::listing<T> && !is_merging>(),
            key_type_if<T, add, is_summing>(), key_type_if<T, merge, is_merging>(),
            key_type_if<T, min, is_ordered>(), key_type_if<T, max, is_ordered>()};
}

}  // namespace weft
