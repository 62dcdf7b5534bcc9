#pragma once

#include <weft/base/json.hpp>
#include <weft/graph/spec/spec_duration.hpp>
#include <weft/graph/spec/spec_mistake.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/** Reads described structs as `from_json` does, but collects every mistake. Members that are not there have the default
 *  of the struct unless its `required_members` names them; null is a value like others; members that the struct does
 *  not have are mistakes. Writing leaves out what has its default. */
namespace weft::spec_detail {

// How a type is read goes by its shape: lists, objects by name, described enums and structs; everything else is a leaf,
// which `json_detail::read` reads.
template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <class T>
inline constexpr bool is_text_map = false;
template <class T>
inline constexpr bool is_text_map<std::map<std::string, T>> = true;

/** The names of the described members of a struct, in their order. */
template <class T>
consteval auto names_of_members()
{
    return []<template <class...> class List, class... Descriptors>(List<Descriptors...>) {
        return std::array<std::string_view, sizeof...(Descriptors)>{Descriptors::name...};
    }(json_detail::members_of<T>{});
}

/** Whether a file must give the member. Those that have no sensible default are listed where the struct is:
 *
 *      struct send_settings {
 *          static constexpr std::array<std::string_view, 3> required_members{"items", "to", "as"};
 */
template <class T>
consteval bool is_required(std::string_view member)
{
    if constexpr (requires { T::required_members; })
        return std::find(T::required_members.begin(), T::required_members.end(), member) != T::required_members.end();
    else return false;
}

/** An object, or null and a mistake. */
[[nodiscard]] const boost::json::object* read_object(const boost::json::value& from, const json_path& at,
                                                     spec_mistakes& mistakes);
/** A list, or null and a mistake. */
[[nodiscard]] const boost::json::array* read_array(const boost::json::value& from, const json_path& at,
                                                   spec_mistakes& mistakes);
/** The index of the name that `from` is, or `names.size()` and a mistake. */
[[nodiscard]] std::size_t read_choice(const boost::json::value& from, const json_path& at,
                                      std::span<const std::string_view> names, spec_mistakes& mistakes);
/** Reports members that are none of `known`, each at its name and with the name that was probably meant. */
void check_members(const boost::json::object& from, const json_path& at, std::span<const std::string_view> known,
                   spec_mistakes& mistakes);
/** Reports that an object lacks a member. */
void add_missing(const json_path& at, std::string_view member, spec_mistakes& mistakes);

/** Reads a value of any shape. What cannot be read leaves `into` as it was, and a mistake. */
template <class T>
void read_into(T& into, const boost::json::value& from, const json_path& at, spec_mistakes& mistakes);

/** Reads the members of a described struct.
 *
 *      search_settings settings;
 *      read_structure(settings, node.settings, settings_at, mistakes);
 *
 *  All mistakes are found in one pass. `into` has what could be read: callers that check further count the mistakes
 *  before and after.
 *
 *  @param at   Where the object is; the paths of mistakes begin there. */
template <class T>
void read_structure(T& into, const boost::json::object& from, const json_path& at, spec_mistakes& mistakes)
{
    static constexpr auto names = names_of_members<T>();
    std::size_t found_count = 0;
    boost::mp11::mp_for_each<json_detail::members_of<T>>([&](auto descriptor) {
        const boost::json::value* const found = from.if_contains(descriptor.name);
        if (found) {
            ++found_count;
            const json_path path{at, descriptor.name};
            read_into(into.*descriptor.pointer, *found, path, mistakes);
        } else if (is_required<T>(descriptor.name)) {
            add_missing(at, descriptor.name, mistakes);
        }
    });
    if (found_count < from.size()) check_members(from, at, names, mistakes);
}

/** Reads the name of a described enumerator. */
template <class T>
void read_enumeration(T& into, const boost::json::value& from, const json_path& at, spec_mistakes& mistakes)
{
    using enumerators = boost::describe::describe_enumerators<T>;
    static constexpr auto names = []<template <class...> class List, class... Descriptors>(List<Descriptors...>) {
        return std::array<std::string_view, sizeof...(Descriptors)>{Descriptors::name...};
    }(enumerators{});
    const std::size_t index = read_choice(from, at, names, mistakes);
    boost::mp11::mp_for_each<enumerators>([&, i = std::size_t{0}](auto descriptor) mutable {
        if (i++ == index) into = descriptor.value;
    });
}

/** Reads a number, a text, a boolean or a type with `to_json` and `from_json` of its own. */
template <class T>
void read_leaf(T& into, const boost::json::value& from, const json_path& at, spec_mistakes& mistakes)
{
    try {
        into = json_detail::read<T>(from, {at, json_defaults});
        if constexpr (std::is_floating_point_v<T>)
            if (!std::isfinite(into)) mistakes.add(at, "is too large for a number");
    } catch (const error& e) {
        mistakes.add(at, e.detail());
    }
}

/** Reads a span of time; a mistake says how one is written. */
void read_leaf(spec_duration& into, const boost::json::value& from, const json_path& at, spec_mistakes& mistakes);

template <class T>
void read_into(T& into, const boost::json::value& from, const json_path& at, spec_mistakes& mistakes)
{
    if constexpr (json_detail::is_optional<T>) {
        read_into(into.emplace(), from, at, mistakes);
    } else if constexpr (is_vector<T>) {
        const boost::json::array* const items = read_array(from, at, mistakes);
        if (!items) return;
        into.reserve(items->size());
        for (std::size_t i = 0; i < items->size(); ++i)
            read_into(into.emplace_back(), (*items)[i], json_path{at, i}, mistakes);
    } else if constexpr (is_text_map<T>) {
        const boost::json::object* const members = read_object(from, at, mistakes);
        if (!members) return;
        for (const auto& [name, value] : *members)
            read_into(into[std::string{name}], value, json_path{at, std::string_view{name}}, mistakes);
    } else if constexpr (json_detail::is_enumeration<T>) {
        read_enumeration(into, from, at, mistakes);
    } else if constexpr (json_detail::is_structure<T>) {
        if (const boost::json::object* const object = read_object(from, at, mistakes))
            read_structure(into, *object, at, mistakes);
    } else {
        read_leaf(into, from, at, mistakes);
    }
}

template <class T>
[[nodiscard]] boost::json::value write(const T& from);

/** A described struct as an object without the members that have their default, unless they are required: what is
 *  written reads back as the same value. */
template <class T>
[[nodiscard]] boost::json::object write_structure(const T& from)
{
    [[maybe_unused]] static const T defaults{};
    boost::json::object result;
    boost::mp11::mp_for_each<json_detail::members_of<T>>([&](auto descriptor) {
        const auto& member = from.*descriptor.pointer;
        if (is_required<T>(descriptor.name) || !(member == defaults.*descriptor.pointer))
            result.emplace(descriptor.name, write(member));
    });
    return result;
}

/** The counterpart of `read_into`. */
template <class T>
[[nodiscard]] boost::json::value write(const T& from)
{
    if constexpr (json_detail::is_optional<T>) {
        return from ? write(*from) : boost::json::value{};
    } else if constexpr (is_vector<T>) {
        boost::json::array result;
        for (const auto& item : from) result.push_back(write(item));
        return result;
    } else if constexpr (is_text_map<T>) {
        boost::json::object result;
        for (const auto& [name, member] : from) result.emplace(name, write(member));
        return result;
    } else if constexpr (json_detail::is_structure<T>) {
        return write_structure(from);
    } else {
        return to_json(from);
    }
}

}  // namespace weft::spec_detail
