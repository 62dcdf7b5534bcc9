#pragma once

#include <weft/base/json/json_kind.hpp>
#include <weft/graph/state/expression_value.hpp>

#include <boost/mp11/algorithm.hpp>

#include <cstdint>
#include <type_traits>

namespace weft::expression_detail {

/** Whether an expression sees a value of this type as it is; values of other types are converted to JSON first. */
template <class T>
consteval bool is_viewable()
{
    using json_detail::kind;
    constexpr kind k = json_detail::kind_of<T>();
    if constexpr (k == kind::optional)
        return is_viewable<typename T::value_type>();
    else
        return k == kind::native || k == kind::boolean || k == kind::integer || k == kind::real || k == kind::text ||
               k == kind::quantity || k == kind::enumeration;
}

/** A boolean, an integer of 64 bits or a real. An unsigned integer beyond the signed ones is a big integer. */
template <class T>
expression_value view_of_number(T from) noexcept
{
    if constexpr (std::is_same_v<T, bool>)
        return expression_value::boolean(from);
    else if constexpr (std::is_floating_point_v<T>)
        return expression_value::real(from);
    else if constexpr (std::is_signed_v<T>)
        return expression_value::integer(from);
    else
        return expression_value::natural(from);
}

/** An enum is its described name, as in JSON; without a name it is its number. */
template <class T>
expression_value view_of_enumeration(T from) noexcept
{
    const char* name = nullptr;
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>([&](auto descriptor) {
        if (name == nullptr && from == descriptor.value) name = descriptor.name;
    });
    return name ? expression_value::text(name) : view_of_number(static_cast<std::underlying_type_t<T>>(from));
}

/** A value as an expression sees it, without a copy: texts and JSON are views of `from`, which outlives the result.
 *
 *      view_of(std::optional<int>{})           // None
 *      view_of(std::chrono::milliseconds{20})  // 20
 *      view_of(mood::angry)                    // 'angry'
 */
template <class T>
    requires(is_viewable<T>())
expression_value view_of(const T& from) noexcept
{
    using json_detail::kind;
    constexpr kind k = json_detail::kind_of<T>();
    if constexpr (k == kind::optional)
        return from ? view_of(*from) : expression_value{};
    else if constexpr (k == kind::text || std::is_same_v<T, boost::json::string>)
        return expression_value::text({from.data(), from.size()});
    else if constexpr (k == kind::native)
        return expression_value::json(from);
    else if constexpr (k == kind::quantity)
        return view_of_number(from.count());
    else if constexpr (k == kind::enumeration)
        return view_of_enumeration(from);
    else
        return view_of_number(from);
}

}  // namespace weft::expression_detail
