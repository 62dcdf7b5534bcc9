#pragma once

#include <boost/json/value.hpp>

#include <algorithm>
#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace weft {

/** How an update joins the value that a key already has. A reducer is a type with
 *
 *      using update_type = U;                             // or: template <class T> using update_for = U;
 *      static void apply(T& current, const U& update);    // current is T{} when the key has no value yet
 *
 *  For example one that keeps the last ten:
 *
 *      struct last_ten {
 *          using update_type = std::string;
 *          static void apply(std::deque<std::string>& lines, const std::string& line)
 *          {
 *              lines.push_back(line);
 *              if (lines.size() > 10) lines.pop_front();
 *          }
 *      };
 *      inline constexpr weft::state_key<std::deque<std::string>, last_ten> log{"log"};
 *
 *  `apply` must not depend on anything but its arguments: a run that is resumed applies it again. Keys with a reducer
 *  never conflict between branches.
 */
template <class Reducer, class T>
struct reducer_update {
    using type = typename Reducer::update_type;
};

template <class Reducer, class T>
    requires requires { typename Reducer::template update_for<T>; }
struct reducer_update<Reducer, T> {
    using type = typename Reducer::template update_for<T>;
};

/** What `node_context::set` takes for a key of type `T` with this reducer. */
template <class Reducer, class T>
using update_type_of = typename reducer_update<Reducer, T>::type;

namespace graph_detail {

/** Puts an element in the place of the one of the same identity. @return  False if there is none. */
template <class T, class U>
bool replaced_by_identity(T& current, const U& update)
{
    if constexpr (requires { { identity_in_list(update) } -> std::convertible_to<std::string_view>; }) {
        const std::string_view identity = identity_in_list(update);
        if (identity.empty()) return false;
        const auto found = std::find_if(current.begin(), current.end(),
                                        [&](const auto& one) { return identity_in_list(one) == identity; });
        if (found == current.end()) return false;
        // Lists that share their items with others cannot change them.
        T changed;
        for (auto at = current.begin(); at != current.end(); ++at) changed.push_back(at == found ? update : *at);
        current = std::move(changed);
        return true;
    }
    return false;
}

}  // namespace graph_detail

/** The default: the update becomes the value. Keys with it follow the conflict strategy when branches meet. */
struct replace {
    template <class T>
    using update_for = T;
};

/** Adds one element to a list, or text to a text: the update of a list of `T` is one `T`.
 *
 *  An element that says what it is, by a function `identity_in_list` beside its type, takes the place of the one that
 *  says the same, if the list has one: a `message` with the `id` of one that is there replaces it. The whole list is
 *  looked through for that. Elements with an empty identity, and all others, are added. */
struct append {
    template <class T>
    struct element {
        using type = typename T::value_type;
    };
    template <class T>
    using update_for = typename std::conditional_t<std::is_same_v<T, std::string>, std::type_identity<std::string>,
                                                   element<T>>::type;
    template <class T, class U>
    static void apply(T& current, U&& update)
    {
        if constexpr (std::is_same_v<T, std::string>)
            current.append(update);
        else if (!graph_detail::replaced_by_identity(current, update))
            current.push_back(std::forward<U>(update));
    }
};

/** Sums up numbers: counters that several branches write. */
struct add {
    template <class T>
    using update_for = T;
    template <class T>
    static void apply(T& current, const T& update)
    {
        current += update;
    }
};

/** Takes over every entry of a map or JSON object; entries of the same name are replaced. */
struct merge {
    template <class T>
    using update_for = T;
    template <class T>
    static void apply(T& current, const T& update)
    {
        for (const auto& [name, value] : update) current.insert_or_assign(name, value);
    }
    static void apply(boost::json::object& current, const boost::json::object& update)
    {
        for (const auto& [name, value] : update) current.insert_or_assign(name, value);
    }
};

/** Keeps the smallest. The first update is taken as it is. */
struct min {
    template <class T>
    using update_for = T;
    static constexpr bool first_update_is_value = true;
    template <class T>
    static void apply(T& current, const T& update)
    {
        if (update < current) current = update;
    }
};

/** Keeps the largest. The first update is taken as it is. */
struct max {
    template <class T>
    using update_for = T;
    static constexpr bool first_update_is_value = true;
    template <class T>
    static void apply(T& current, const T& update)
    {
        if (current < update) current = update;
    }
};

/** Whether a key with this reducer has its first update as its value, instead of `apply` on a `T{}`. */
template <class Reducer>
inline constexpr bool first_update_is_value = [] {
    if constexpr (requires { Reducer::first_update_is_value; })
        return Reducer::first_update_is_value;
    else
        return false;
}();

/** The name of a reducer: those here have theirs, others their member `name`, or else `own`. */
template <class Reducer>
[[nodiscard]] constexpr std::string_view name_of_reducer() noexcept
{
    if constexpr (std::is_same_v<Reducer, replace>) return "replace";
    else if constexpr (std::is_same_v<Reducer, append>) return "append";
    else if constexpr (std::is_same_v<Reducer, add>) return "add";
    else if constexpr (std::is_same_v<Reducer, merge>) return "merge";
    else if constexpr (std::is_same_v<Reducer, min>) return "min";
    else if constexpr (std::is_same_v<Reducer, max>) return "max";
    else if constexpr (requires { std::string_view{Reducer::name}; }) return std::string_view{Reducer::name};
    else return "own";
}

}  // namespace weft
