#pragma once

#include <weft/base/json/json_kind.hpp>
#include <weft/base/text/json_path.hpp>

#include <boost/json/value.hpp>
#include <boost/mp11/algorithm.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace weft {

/** How deep a JSON value may be nested. */
inline constexpr std::size_t json_depth_max = 64;

/** What to do with members of an object that the struct does not have. */
enum class unknown_members { ignored, refused };

/** How strictly JSON is read. */
struct json_options {
    unknown_members unknown = unknown_members::ignored;
};

inline constexpr json_options json_defaults{};

namespace json_detail {

/** Where one reads, and how strictly. */
struct place {
    const json_path& path;
    const json_options& options;
};

/** Throws `errc::unexpected_json`: expected `what`, found `found`. */
[[noreturn]] void refuse(const json_path& path, std::string_view what,
                         const boost::json::value& found);

/** Throws `errc::unexpected_json` with this detail. */
[[noreturn]] void refuse_because(const json_path& path, std::string_view detail);

/** Throws the exception being handled as a `weft::error` that names the path; only in a handler. */
[[noreturn]] void refuse_because_of_exception(const json_path& path);

/** Throws when the path is deeper than `json_depth_max`: a type that contains itself would fill the stack otherwise. */
void check_depth(const json_path& path);

// Values of one kind. Each throws `errc::unexpected_json` with the path if `from` is of another kind; an integer is a
// real number too, and nothing else is converted.

[[nodiscard]] bool read_bool(const boost::json::value& from, const json_path& path);
[[nodiscard]] double read_real(const boost::json::value& from, const json_path& path);
[[nodiscard]] std::string read_text(const boost::json::value& from, const json_path& path);
[[nodiscard]] const boost::json::array& read_array(const boost::json::value& from,
                                                   const json_path& path);
[[nodiscard]] const boost::json::object& read_object(const boost::json::value& from,
                                                     const json_path& path);

/** Signed and unsigned integers between two bounds; `max` is not negative. */
[[nodiscard]] std::int64_t read_signed(const boost::json::value& from, const json_path& path,
                                       std::int64_t min, std::int64_t max);
[[nodiscard]] std::uint64_t read_unsigned(const boost::json::value& from, const json_path& path,
                                          std::uint64_t max);

/** The index of the name that the string `from` is, among `names`. */
[[nodiscard]] std::size_t read_name(const boost::json::value& from, const json_path& path,
                                    std::span<const char* const> names);

/** Throws when `object` has a member that is none of `names`. */
void refuse_unknown(const boost::json::object& object, const json_path& path,
                    std::span<const char* const> names);

/** Throws, naming all `missing` members at once. */
[[noreturn]] void refuse_missing(const json_path& path, std::span<const char* const> missing);

/** The value as a `T`, by the kind of `T`; see `kind_of`. Declared first: the readers below call it for their items. */
template <class T>
T read(const boost::json::value& from, place at);

/** An integer that fits `T`; one that does not is refused with the bounds, not cut. */
template <class T>
T read_integer(const boost::json::value& from, const json_path& path)
{
    using limits = std::numeric_limits<T>;
    if constexpr (std::signed_integral<T>)
        return static_cast<T>(read_signed(from, path, limits::min(), limits::max()));
    else return static_cast<T>(read_unsigned(from, path, limits::max()));
}

/** An array as a vector, list or set. Of equal items of a set the first stays. */
template <class T>
T read_sequence(const boost::json::value& from, place at)
{
    const boost::json::array& array = read_array(from, at.path);
    T items;
    // The array is in memory already: its size can be believed.
    if constexpr (requires { items.reserve(array.size()); }) items.reserve(array.size());
    for (std::size_t i = 0; i < array.size(); ++i) {
        const json_path path{at.path, i};
        auto item = read<typename T::value_type>(array[i], {path, at.options});
        if constexpr (is_growing<T>) items.push_back(std::move(item));
        else items.insert(std::move(item));
    }
    return items;
}

/** An object as a map from text, whatever its members are called. */
template <class T>
T read_map(const boost::json::value& from, place at)
{
    T map;
    for (const boost::json::key_value_pair& member : read_object(from, at.path)) {
        const std::string_view name{member.key().data(), member.key().size()};
        const json_path path{at.path, name};
        map.insert_or_assign(std::string{name},
                             read<typename T::mapped_type>(member.value(), {path, at.options}));
    }
    return map;
}

/** The names of described members or enumerators, in the order of their description. */
template <template <class...> class List, class... Descriptors>
constexpr auto names_of(List<Descriptors...>)
{
    return std::array<const char*, sizeof...(Descriptors)>{Descriptors::name...};
}

/** The enumerator of this name. A number is refused: it would mean another enumerator when one is added. */
template <class T>
T read_enumeration(const boost::json::value& from, const json_path& path)
{
    using enumerators = boost::describe::describe_enumerators<T>;
    const std::size_t index = read_name(from, path, names_of(enumerators{}));
    T value{};
    boost::mp11::mp_for_each<enumerators>([&, i = std::size_t{0}](auto descriptor) mutable {
        if (i++ == index) value = descriptor.value;
    });
    return value;
}

/** An object as a described struct.
 *
 *  A member that is missing keeps its default if it is optional; of all others the names are collected, so that one
 *  error tells everything that is missing. Members that the struct does not have are for `json_options::unknown`. */
template <class T>
T read_structure(const boost::json::value& from, place at)
{
    using members = members_of<T>;
    const boost::json::object& object = read_object(from, at.path);
    constexpr auto names = names_of(members{});
    if (at.options.unknown == unknown_members::refused) refuse_unknown(object, at.path, names);

    T value{};
    // In place of a vector: most objects have all members, and reading them should allocate nothing for it.
    std::array<const char*, names.size()> missing{};
    std::size_t missing_count = 0;
    boost::mp11::mp_for_each<members>([&](auto descriptor) {
        using member = member_type<T, decltype(descriptor)>;
        if (const boost::json::value* found = object.if_contains(descriptor.name)) {
            const json_path path{at.path, descriptor.name};
            value.*descriptor.pointer = read<member>(*found, {path, at.options});
        } else if (!is_optional<member>) {
            missing[missing_count++] = descriptor.name;
        }
    });
    if (missing_count > 0) refuse_missing(at.path, std::span{missing}.first(missing_count));
    return value;
}

/** The items of an array of the right size, each as the type that stands at its place. */
template <class T, std::size_t... I>
void read_elements(T& tuple, const boost::json::array& array, place at, std::index_sequence<I...>)
{
    [[maybe_unused]] const auto read_one = [&]<class Element>(Element& element, std::size_t index) {
        const json_path path{at.path, index};
        element = read<Element>(array[index], {path, at.options});
    };
    (read_one(std::get<I>(tuple), I), ...);
}

/** An array of exactly as many items as the tuple, pair or array has. */
template <class T>
T read_tuple(const boost::json::value& from, place at)
{
    constexpr std::size_t size = std::tuple_size_v<T>;
    const boost::json::array& array = read_array(from, at.path);
    if (array.size() != size) refuse(at.path, "an array of exactly " + std::to_string(size), from);
    T tuple{};
    read_elements(tuple, array, at, std::make_index_sequence<size>{});
    return tuple;
}

/** A type that is written as text, by its `parse`: durations, ids, addresses. */
template <class T>
T read_written(const boost::json::value& from, const json_path& path)
{
    std::optional<T> value = T::parse(read_text(from, path));
    if (!value) refuse(path, "a well-formed text of this type", from);
    return *std::move(value);
}

/** A type with a `tag_invoke` of its own for Boost.JSON. What that throws becomes a `weft::error` with the path; only a
 *  lack of memory stays what it is. */
template <class T>
T read_own(const boost::json::value& from, const json_path& path)
{
    try {
        // As value_to does, whose header is large.
        if constexpr (requires { tag_invoke(boost::json::value_to_tag<T>{}, from); })
            return tag_invoke(boost::json::value_to_tag<T>{}, from);
        else
            return tag_invoke(boost::json::try_value_to_tag<T>{}, from).value();
    } catch (const std::bad_alloc&) {
        throw;
    } catch (...) {
        refuse_because_of_exception(path);
    }
}

/** Boost.JSON's own types, copied. */
template <class T>
T read_native(const boost::json::value& from, const json_path& path)
{
    if constexpr (std::same_as<T, boost::json::value>) return from;
    else if constexpr (std::same_as<T, boost::json::object>) return read_object(from, path);
    else if constexpr (std::same_as<T, boost::json::array>) return read_array(from, path);
    else return boost::json::string{read_text(from, path)};
}

/** One step into the value. All decisions are made by the compiler: what remains is a call of one reader. */
template <class T>
T read(const boost::json::value& from, place at)
{
    constexpr kind k = kind_of<T>();
    check_depth(at.path);
    if constexpr (k == kind::native) return read_native<T>(from, at.path);
    else if constexpr (k == kind::boolean) return read_bool(from, at.path);
    else if constexpr (k == kind::integer) return read_integer<T>(from, at.path);
    else if constexpr (k == kind::real) return static_cast<T>(read_real(from, at.path));
    else if constexpr (k == kind::text) return read_text(from, at.path);
    else if constexpr (k == kind::optional)
        return from.is_null() ? T{} : T{read<typename T::value_type>(from, at)};
    else if constexpr (k == kind::sequence) return read_sequence<T>(from, at);
    else if constexpr (k == kind::map) return read_map<T>(from, at);
    else if constexpr (k == kind::tuple) return read_tuple<T>(from, at);
    else if constexpr (k == kind::quantity) return T{read_integer<std::int64_t>(from, at.path)};
    else if constexpr (k == kind::written) return read_written<T>(from, at.path);
    else if constexpr (k == kind::enumeration) return read_enumeration<T>(from, at.path);
    else if constexpr (k == kind::structure) return read_structure<T>(from, at);
    else return read_own<T>(from, at.path);
}

}  // namespace json_detail

}  // namespace weft
