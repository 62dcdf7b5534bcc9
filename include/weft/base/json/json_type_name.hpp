#pragma once

#include <weft/base/json/json_kind.hpp>

#include <boost/json/value.hpp>
#include <boost/mp11/algorithm.hpp>

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace weft {

namespace json_detail {

/** `Open` are the structures around it, so that one that contains itself comes to an end. */
template <class T, class... Open>
void append_type_name(std::string& to);

template <class T>
void append_native_name(std::string& to)
{
    if constexpr (std::is_same_v<T, boost::json::object>) to += "object";
    else if constexpr (std::is_same_v<T, boost::json::array>) to += "list of any";
    else if constexpr (std::is_same_v<T, boost::json::string>) to += "text";
    else to += "any";
}

/** With names and types of the members: two structures that look alike in JSON have one name. */
template <class T, class... Open>
void append_structure_name(std::string& to)
{
    to += "object(";
    bool is_first = true;
    boost::mp11::mp_for_each<members_of<T>>([&](auto descriptor) {
        if (!std::exchange(is_first, false)) to += ", ";
        to.append(descriptor.name).append(": ");
        append_type_name<member_type<T, decltype(descriptor)>, T, Open...>(to);
    });
    to += ')';
}

template <class T, class... Open, std::size_t... I>
void append_tuple_name(std::string& to, std::index_sequence<I...>)
{
    to += "tuple(";
    ((to += I == 0 ? "" : ", ", append_type_name<std::tuple_element_t<I, T>, Open...>(to)), ...);
    to += ')';
}

template <class T, class... Open>
void append_type_name(std::string& to)
{
    constexpr kind k = kind_of<T>();
    if constexpr (any_of<T, Open...>) to += "the same";
    else if constexpr (k == kind::native) append_native_name<T>(to);
    else if constexpr (k == kind::boolean) to += "boolean";
    else if constexpr (k == kind::integer || k == kind::quantity) to += "integer";
    else if constexpr (k == kind::real) to += "number";
    else if constexpr (k == kind::text || k == kind::written) to += "text";
    else if constexpr (k == kind::enumeration) to += "name";
    else if constexpr (k == kind::own) to += "own";
    else if constexpr (k == kind::optional) {
        to += "optional ";
        append_type_name<typename T::value_type, Open...>(to);
    } else if constexpr (k == kind::sequence) {
        to += "list of ";
        append_type_name<typename T::value_type, Open...>(to);
    } else if constexpr (k == kind::map) {
        to += "map of ";
        append_type_name<typename T::mapped_type, Open...>(to);
    } else if constexpr (k == kind::structure) append_structure_name<T, Open...>(to);
    else if constexpr (k == kind::tuple)
        append_tuple_name<T, Open...>(to, std::make_index_sequence<std::tuple_size_v<T>>{});
    else to += "unknown";
}

}  // namespace json_detail

/** What a type looks like as JSON, in words: `list of text`, `object(id: integer, tags: list of text)`. The same with
 *  every compiler. A type with its own conversion is `own`. */
template <class T>
[[nodiscard]] std::string json_type_name()
{
    std::string name;
    json_detail::append_type_name<T>(name);
    return name;
}

}  // namespace weft
