#pragma once

#include <weft/base/json.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace weft {

/** A type that converts to JSON in its own way and says which JSON it takes. */
template <class T>
concept has_json_schema = requires {
    { T::json_schema() } -> std::convertible_to<boost::json::object>;
};

namespace schema_of_detail {

template <class T>
inline constexpr char type_mark = 0;  // its address names the type

/** Writes JSON Schema of types; structures that contain themselves become definitions. */
class schema_writer {
public:
    /** @param is_structure   Whether the whole is one, so that what is inside can refer to it. */
    explicit schema_writer(bool is_structure) noexcept : is_structure_{is_structure} {}

    /** The schema of a type, by its kind; see `json_detail::kind_of`. */
    template <class T>
    [[nodiscard]] boost::json::object write();

    /** Puts the definitions that were needed into the schema of the whole. */
    [[nodiscard]] boost::json::object finish(boost::json::object whole) &&;

private:
    struct open_structure {
        const void* type;
        std::string reference;  ///< Empty until something inside refers to it.
    };
    /** A reference to a structure that is being written; empty if it is none. */
    [[nodiscard]] boost::json::object reference_to(const void* type);
    /** Ends a structure: if something inside refers to it, it becomes a definition, and a reference takes its place. */
    [[nodiscard]] boost::json::object close_structure(boost::json::object written);

    template <class T>
    [[nodiscard]] boost::json::object write_structure();
    template <class T, std::size_t... I>
    [[nodiscard]] boost::json::object write_tuple(std::index_sequence<I...>);

    bool is_structure_;
    std::size_t referred_ = 0;
    std::vector<open_structure> open_;
    boost::json::object definitions_;
};

// Schemas of one kind each, without templates, so that each is compiled once.

/** `{"type": …}`. */
[[nodiscard]] boost::json::object typed(const char* type);
/** @param is_bounded   Whether both bounds are written. */
[[nodiscard]] boost::json::object integers(std::int64_t min, std::uint64_t max, bool is_bounded);
/** The same, or null. An empty schema allows null already. */
[[nodiscard]] boost::json::object or_null(boost::json::object schema);
/** @param is_unique   For sets: the same item twice is a mistake. */
[[nodiscard]] boost::json::object list_of(boost::json::object items, bool is_unique);
/** An object whose members all have this schema. */
[[nodiscard]] boost::json::object map_of(boost::json::object values);
[[nodiscard]] boost::json::object one_of_names(boost::json::array names);
/** An object without further members. */
[[nodiscard]] boost::json::object structure_of(boost::json::object properties, boost::json::array required);
/** An array of exactly these items. */
[[nodiscard]] boost::json::object tuple_of(boost::json::array items);

/** An object, an array or a string of Boost.JSON; a `value` of it may be anything. */
template <class T>
boost::json::object native_schema()
{
    if constexpr (std::same_as<T, boost::json::object>) return typed("object");
    else if constexpr (std::same_as<T, boost::json::array>) return typed("array");
    else if constexpr (std::same_as<T, boost::json::string>) return typed("string");
    else return {};
}

/** Bounds only for types that are smaller than 64 bits, and 0 for unsigned ones. */
template <class T>
boost::json::object integer_schema()
{
    using limits = std::numeric_limits<T>;
    constexpr bool is_bounded = sizeof(T) < sizeof(std::int64_t);
    if constexpr (std::signed_integral<T>)
        return integers(limits::min(), static_cast<std::uint64_t>(limits::max()), is_bounded);
    else return integers(0, limits::max(), is_bounded);
}

/** The described names; a model must not invent others. */
template <class T>
boost::json::object enumeration_schema()
{
    boost::json::array names;
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>(
        [&](auto descriptor) { names.emplace_back(descriptor.name); });
    return one_of_names(std::move(names));
}

/** A structure inside of itself is a reference, or the schema would have no end. */
template <class T>
boost::json::object schema_writer::write_structure()
{
    if (boost::json::object reference = reference_to(&type_mark<T>); !reference.empty()) return reference;
    open_.push_back({&type_mark<T>, {}});
    boost::json::object properties;
    boost::json::array required;
    boost::mp11::mp_for_each<json_detail::members_of<T>>([&](auto descriptor) {
        using member = json_detail::member_type<T, decltype(descriptor)>;
        properties.emplace(descriptor.name, write<member>());
        if (!json_detail::is_optional<member>) required.emplace_back(descriptor.name);
    });
    return close_structure(structure_of(std::move(properties), std::move(required)));
}

template <class T, std::size_t... I>
boost::json::object schema_writer::write_tuple(std::index_sequence<I...>)
{
    boost::json::array items;
    (items.push_back(write<std::tuple_element_t<I, T>>()), ...);
    return tuple_of(std::move(items));
}

template <class T>
boost::json::object schema_writer::write()
{
    using json_detail::kind;
    constexpr kind k = json_detail::kind_of<T>();
    if constexpr (has_json_schema<T>) return T::json_schema();
    else if constexpr (k == kind::native) return native_schema<T>();
    else if constexpr (k == kind::boolean) return typed("boolean");
    else if constexpr (k == kind::integer) return integer_schema<T>();
    else if constexpr (k == kind::real) return typed("number");
    else if constexpr (k == kind::text || k == kind::written) return typed("string");
    else if constexpr (k == kind::optional) return or_null(write<typename T::value_type>());
    else if constexpr (k == kind::quantity) return typed("integer");
    else if constexpr (k == kind::sequence)
        return list_of(write<typename T::value_type>(), !json_detail::is_growing<T>);
    else if constexpr (k == kind::map) return map_of(write<typename T::mapped_type>());
    else if constexpr (k == kind::tuple) return write_tuple<T>(std::make_index_sequence<std::tuple_size_v<T>>{});
    else if constexpr (k == kind::enumeration) return enumeration_schema<T>();
    else if constexpr (k == kind::structure) return write_structure<T>();
    else return {};  // its own way to JSON: anything
}

}  // namespace schema_of_detail

/** The JSON Schema (draft 2020-12) of what `from_json<T>` reads.
 *
 *  Described structs are objects without further members; a member is required unless it is a `std::optional`, which
 *  may be null too. Described enums are their names. Small and unsigned integers have bounds. A type with a conversion
 *  of its own is anything, unless it has a static `json_schema()`. Structures that contain themselves, in lists or
 *  maps, become definitions.
 */
template <json_convertible T>
[[nodiscard]] boost::json::object json_schema_of()
{
    schema_of_detail::schema_writer writer{json_detail::kind_of<T>() == json_detail::kind::structure};
    boost::json::object whole = writer.write<T>();
    return std::move(writer).finish(std::move(whole));
}

}  // namespace weft
