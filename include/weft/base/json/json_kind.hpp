#pragma once

#include <weft/base/units.hpp>

#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>
#include <boost/json/conversion.hpp>
#include <boost/json/value.hpp>
#include <boost/mp11/algorithm.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

/** Which types convert to and from JSON, and how. */
namespace weft::json_detail {

enum class kind {
    none,          ///< Does not convert.
    native,        ///< A value of Boost.JSON itself.
    boolean,       ///< `true` or `false`; 0 and 1 are none.
    integer,       ///< A number without fraction that fits.
    real,          ///< A finite number.
    text,          ///< A string, as UTF-8.
    optional,      ///< Null or left out, or what it holds.
    own,           ///< The type has its own `tag_invoke` for Boost.JSON.
    sequence,      ///< An array.
    map,           ///< An object with members of one type.
    quantity,      ///< Its count.
    written,       ///< A string, by its `text()` and `parse()`.
    enumeration,   ///< A string, the described name.
    structure,     ///< An object with the described members.
    tuple,         ///< An array with one item for each element.
};

/** `std::optional`, as a member of a struct: it may be left out. */
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

/** Amounts with a unit in their type, as tokens and money have: in JSON a plain number. */
template <class T>
inline constexpr bool is_quantity = false;
template <class Tag>
inline constexpr bool is_quantity<quantity<Tag>> = true;

template <class T, class... Us>
concept any_of = (std::same_as<T, Us> || ...);

/** Values of Boost.JSON, which stand for themselves. */
template <class T>
concept is_native =
    any_of<T, boost::json::value, boost::json::object, boost::json::array, boost::json::string>;

/** Integers, without what C++ counts as one and people do not: `bool` and characters. */
template <class T>
concept is_integer =
    std::integral<T> && !any_of<T, bool, char, wchar_t, char8_t, char16_t, char32_t>;

/** Whether Boost.JSON finds a `tag_invoke` that reads a `T`, in one of its two forms. */
template <class T>
concept reads_itself =
    requires(const boost::json::value& from) {
        tag_invoke(boost::json::value_to_tag<T>{}, from);
    } ||
    requires(const boost::json::value& from) {
        tag_invoke(boost::json::try_value_to_tag<T>{}, from);
    };

/** Both directions: a type that only writes itself could not be read back from a checkpoint. */
template <class T>
concept has_own = reads_itself<T> && requires(boost::json::value& to, const T& from) {
    tag_invoke(boost::json::value_from_tag{}, to, from);
};

/** Maps whose keys are text: those of JSON objects are. */
template <class T>
concept is_map = std::default_initializable<T> && std::same_as<typename T::key_type, std::string> &&
                 requires(T& map, std::string key, typename T::mapped_type item) {
                     map.insert_or_assign(std::move(key), std::move(item));
                 };

/** Vectors, deques and `weft::list`, which are filled at their end. */
template <class T>
concept is_growing =
    std::default_initializable<T> &&
    requires(T& items, typename T::value_type item) { items.push_back(std::move(item)); };

/** These, and sets. A map is none, although it grows too: its items are not its keys. */
template <class T>
concept is_sequence =
    is_growing<T> ||
    (std::default_initializable<T> && std::same_as<typename T::key_type, typename T::value_type> &&
     requires(T& items, typename T::value_type item) { items.insert(std::move(item)); });

/** `std::tuple`, `std::pair` and `std::array`. */
template <class T>
concept is_tuple = std::default_initializable<T> && requires { std::tuple_size<T>::value; };

/** Types with a text of their own: durations, ids, addresses. */
template <class T>
concept is_written = requires(const T& from, std::string_view text) {
    { from.text() } -> std::same_as<std::string>;
    { T::parse(text) } -> std::same_as<std::optional<T>>;
};

/** The public members, those of described base classes first. */
template <class T>
using members_of = boost::describe::describe_members<
    T, boost::describe::mod_public | boost::describe::mod_inherited>;

template <class T>
using hidden_members_of =
    boost::describe::describe_members<T, boost::describe::mod_private |
                                             boost::describe::mod_protected |
                                             boost::describe::mod_inherited>;

/** Described structs. One with hidden members is none: a value made of the public ones would not be the same. */
template <class T>
concept is_structure = std::is_class_v<T> && std::default_initializable<T> &&
                       boost::describe::has_describe_members<T>::value &&
                       boost::mp11::mp_empty<hidden_members_of<T>>::value;

/** Described enums: only these have names. */
template <class T>
concept is_enumeration = std::is_enum_v<T> && boost::describe::has_describe_enumerators<T>::value;

/** How a type converts. In this order: a conversion of its own comes before what its members say, but not before the
 *  types that mean the same everywhere. */
template <class T>
consteval kind kind_of()
{
    if constexpr (is_native<T>) return kind::native;
    else if constexpr (std::same_as<T, bool>) return kind::boolean;
    else if constexpr (is_integer<T>) return kind::integer;
    else if constexpr (any_of<T, double, float>) return kind::real;
    else if constexpr (std::same_as<T, std::string>) return kind::text;
    else if constexpr (std::is_pointer_v<T> || std::is_arithmetic_v<T>) return kind::none;
    else if constexpr (is_optional<T>) return kind::optional;
    else if constexpr (is_quantity<T>) return kind::quantity;
    else if constexpr (is_enumeration<T>) return has_own<T> ? kind::own : kind::enumeration;
    else if constexpr (std::is_enum_v<T>) return has_own<T> ? kind::own : kind::none;
    else if constexpr (is_map<T>) return has_own<T> ? kind::own : kind::map;
    else if constexpr (is_sequence<T>) return has_own<T> ? kind::own : kind::sequence;
    else if constexpr (is_written<T>) return has_own<T> ? kind::own : kind::written;
    else if constexpr (is_structure<T>) return has_own<T> ? kind::own : kind::structure;
    else if constexpr (has_own<T>) return kind::own;
    else if constexpr (is_tuple<T>) return kind::tuple;
    else return kind::none;
}

/** The type of a described member, without reference and const. */
template <class T, class Descriptor>
using member_type = std::remove_cvref_t<decltype(std::declval<T&>().*Descriptor::pointer)>;

template <class T, class... Open>
consteval bool converts();

template <class T, class... Open, template <class...> class List, class... Descriptors>
consteval bool members_convert(List<Descriptors...>)
{
    return (converts<member_type<T, Descriptors>, T, Open...>() && ...);
}

template <class T, class... Open, std::size_t... I>
consteval bool elements_convert(std::index_sequence<I...>)
{
    return (converts<std::tuple_element_t<I, T>, Open...>() && ...);
}

/** Whether `T` converts, all that it contains included. `Open` are the structures being asked about
 *  further up: one that contains itself, in a list, converts when the rest of it does. */
template <class T, class... Open>
consteval bool converts()
{
    constexpr kind k = kind_of<T>();
    if constexpr (any_of<T, Open...>) return true;
    else if constexpr (k == kind::optional || k == kind::sequence)
        return converts<typename T::value_type, Open...>();
    else if constexpr (k == kind::map) return converts<typename T::mapped_type, Open...>();
    else if constexpr (k == kind::tuple)
        return elements_convert<T, Open...>(std::make_index_sequence<std::tuple_size_v<T>>{});
    else if constexpr (k == kind::structure) return members_convert<T, Open...>(members_of<T>{});
    else return k != kind::none;
}

}  // namespace weft::json_detail
