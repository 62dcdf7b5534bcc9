#pragma once

#include <weft/base/json/json_kind.hpp>
#include <weft/base/json/json_read.hpp>
#include <weft/base/text/json_path.hpp>

#include <boost/json/value.hpp>
#include <boost/mp11/algorithm.hpp>

#include <cstdint>
#include <new>
#include <tuple>
#include <type_traits>

namespace weft::json_detail {

/** The number, or throws when it is not finite: JSON has no word for that. */
[[nodiscard]] double write_real(double from, const json_path& path);

/** Throws: the enum holds a number that has no name, which a name in JSON could not stand for. */
[[noreturn]] void refuse_unnamed(const json_path& path, std::int64_t value);

/** The value as JSON, by the kind of `T`. `path` is for errors: where the value will stand. `json_detail::read` reads
 *  back what this writes. Declared first: the writers below call it for their items. */
template <class T>
boost::json::value write(const T& from, const json_path& path);

/** A vector, list or set as an array, in its order. */
template <class T>
boost::json::value write_sequence(const T& from, const json_path& path)
{
    boost::json::array array;
    array.reserve(from.size());
    for (const typename T::value_type& item : from) {
        const json_path step{path, array.size()};
        array.push_back(write(item, step));
    }
    return array;
}

/** A map from text as an object, in its order. */
template <class T>
boost::json::value write_map(const T& from, const json_path& path)
{
    boost::json::object object;
    for (const auto& [name, item] : from) {
        const json_path step{path, name};
        object.emplace(name, write(item, step));
    }
    return object;
}

/** A tuple, pair or array as an array of its items. */
template <class T>
boost::json::value write_tuple(const T& from, const json_path& path)
{
    boost::json::array array;
    [[maybe_unused]] const auto write_one = [&](const auto& element) {
        const json_path step{path, array.size()};
        array.push_back(write(element, step));
    };
    std::apply([&](const auto&... elements) { (write_one(elements), ...); }, from);
    return array;
}

/** The name of the enumerator. Of several with one number the first that was described. */
template <class T>
boost::json::value write_enumeration(T from, const json_path& path)
{
    const char* name = nullptr;
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>([&](auto descriptor) {
        if (name == nullptr && from == descriptor.value) name = descriptor.name;
    });
    if (name == nullptr) refuse_unnamed(path, static_cast<std::int64_t>(from));
    return name;
}

/** A described struct as an object, its members in the order of their description. Empty optionals are left out: read
 *  back, they are empty again. */
template <class T>
boost::json::value write_structure(const T& from, const json_path& path)
{
    boost::json::object object;
    boost::mp11::mp_for_each<members_of<T>>([&](auto descriptor) {
        const auto& member = from.*descriptor.pointer;
        if constexpr (is_optional<std::remove_cvref_t<decltype(member)>>) {
            if (!member) return;
        }
        const json_path step{path, descriptor.name};
        object.emplace(descriptor.name, write(member, step));
    });
    return object;
}

/** A type with a `tag_invoke` of its own for Boost.JSON; what that throws becomes a `weft::error` with the path. */
template <class T>
boost::json::value write_own(const T& from, const json_path& path)
{
    try {
        boost::json::value to;
        tag_invoke(boost::json::value_from_tag{}, to, from);  // as value_from does, whose header is large
        return to;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (...) {
        refuse_because_of_exception(path);
    }
}

template <class T>
boost::json::value write(const T& from, const json_path& path)
{
    constexpr kind k = kind_of<T>();
    check_depth(path);
    // A depth that cannot be read back is not written either.
    if constexpr (k == kind::native || k == kind::boolean || k == kind::integer || k == kind::text)
        return boost::json::value(from);
    else if constexpr (k == kind::real) return write_real(from, path);
    else if constexpr (k == kind::optional) return from ? write(*from, path) : boost::json::value{};
    else if constexpr (k == kind::sequence) return write_sequence(from, path);
    else if constexpr (k == kind::map) return write_map(from, path);
    else if constexpr (k == kind::tuple) return write_tuple(from, path);
    else if constexpr (k == kind::quantity) return from.count();
    else if constexpr (k == kind::written) return boost::json::value(from.text());
    else if constexpr (k == kind::enumeration) return write_enumeration(from, path);
    else if constexpr (k == kind::structure) return write_structure(from, path);
    else return write_own(from, path);
}

}  // namespace weft::json_detail
