#pragma once

#include <weft/graph/state/reducer.hpp>
#include <weft/graph/state/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** Marks a key whose values are never stored: connections, caches, handles. */
struct transient_t {};
inline constexpr transient_t transient{};

/** FNV-1a, so that a key's name is hashed where it is declared. */
[[nodiscard]] constexpr std::uint64_t hash_of_name(std::string_view name) noexcept
{
    std::uint64_t hash = 14695981039346656037ull;
    for (char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    return hash;
}

/** What the engine needs of a key at run time. One object for each pair of value type and reducer. */
struct key_type {
    const value_type* value;
    const value_type* update;
    bool has_reducer;
    bool is_transient;

    /** The value after `update`. `current` may be null, and is changed in place when it is the only reference; an
     *  update to which `update` is the only reference is moved into it. */
    value_ptr (*reduce)(value_ptr current, value_ptr update);
    std::string_view reducer;  ///< Its name.
};

namespace graph_detail {

/** What is in a box to which this is the only reference, so that a change is not seen elsewhere; else null. */
template <class T>
T* owned(const value_ptr& box) noexcept
{
    if (box->use_count() != 1) return nullptr;
    return &const_cast<typed_box<T>*>(static_cast<const typed_box<T>*>(box.get()))->value;
}

/** Joins an update to a value, both in boxes. Each is copied unless this is the only reference to it: a list that a
 *  loop appends to is not copied in each round, nor is what it appends. */
template <class T, class Reducer>
value_ptr reduce_boxes(value_ptr current, value_ptr update)
{
    using update_type = update_type_of<Reducer, T>;
    const update_type& change = unboxed<update_type>(*update);
    if (!current) {
        if constexpr (first_update_is_value<Reducer>) return make_box<T>(change);
    }
    intrusive_ptr<typed_box<T>> next;
    if (!current)
        next = make_box<T>();
    else if (owned<T>(current))
        next.reset(const_cast<typed_box<T>*>(static_cast<const typed_box<T>*>(current.get())));
    else
        next = make_box<T>(unboxed<T>(*current));
    if (update_type* const own_change = owned<update_type>(update)) Reducer::apply(next->value, std::move(*own_change));
    else Reducer::apply(next->value, change);
    return next;
}

/** The operations of a key with this type and reducer. */
template <class T, class Reducer, bool IsTransient>
constexpr key_type make_key_type() noexcept
{
    static_assert(IsTransient || storable<T>,
                  "a key's type converts to and from JSON, or the key is declared weft::transient");
    if constexpr (std::is_same_v<Reducer, replace>)
        return {&value_type_of<T>, &value_type_of<T>, false, IsTransient,
                [](value_ptr, value_ptr update) { return update; }, name_of_reducer<Reducer>()};
    else
        return {&value_type_of<T>, &value_type_of<update_type_of<Reducer, T>>, true, IsTransient,
                &reduce_boxes<T, Reducer>, name_of_reducer<Reducer>()};
}

}  // namespace graph_detail

/** Where the operations of a key are compiled, as `compiled_value` says for those of its values. The object stands for
 *  the type of the values and the reducer: keys of equal types have one address here.
 *
 *      extern template struct weft::compiled_key<weft::list<plan>, weft::append>;  // plan.hpp
 *      template struct weft::compiled_key<weft::list<plan>, weft::append>;         // plan.cpp */
template <class T, class Reducer = replace, bool IsTransient = false>
struct compiled_key {
    static const key_type type;
};

template <class T, class Reducer, bool IsTransient>
constinit const key_type compiled_key<T, Reducer, IsTransient>::type =
    graph_detail::make_key_type<T, Reducer, IsTransient>();

extern template struct compiled_key<std::string>;
extern template struct compiled_key<std::string, append>;
extern template struct compiled_key<std::vector<std::string>>;
extern template struct compiled_key<std::vector<std::string>, append>;
extern template struct compiled_key<bool>;
extern template struct compiled_key<std::int64_t>;
extern template struct compiled_key<std::int64_t, add>;
extern template struct compiled_key<double>;
extern template struct compiled_key<boost::json::value>;
extern template struct compiled_key<boost::json::object>;
extern template struct compiled_key<boost::json::object, merge>;

/** A key without its types, as the graph has it: what `state_key` converts to. Cheap to copy.
 *
 *  @par Lifetimes   The name outlives it: a literal, or the name in the graph's layout. */
struct any_state_key {
    std::string_view name;
    std::uint64_t hash;
    const key_type* type;
};

/** A named, typed place in the state of a graph. Declared once, at namespace scope:
 *
 *      inline constexpr weft::state_key<std::string> topic{"topic"};
 *      inline constexpr weft::state_key<weft::list<std::string>, weft::append> findings{"findings"};
 *      inline constexpr weft::state_key<std::shared_ptr<cache>> pages{"pages", weft::transient};
 *
 *  The type must convert to and from JSON (Boost.Describe structs included), or the key is `transient`.
 *
 *  @tparam Reducer   How an update joins the value; see `reducer.hpp`.
 *  @par Lifetimes    `name` is a literal.
 */
template <class T, class Reducer = replace>
class state_key {
public:
    using value_type = T;
    using reducer_type = Reducer;
    using update_type = update_type_of<Reducer, T>;

    constexpr explicit state_key(std::string_view name) noexcept
        : name_{name}, hash_{hash_of_name(name)}, type_{&compiled_key<T, Reducer>::type}
    {
    }
    constexpr state_key(std::string_view name, transient_t) noexcept
        : name_{name}, hash_{hash_of_name(name)}, type_{&compiled_key<T, Reducer, true>::type}
    {
    }

    [[nodiscard]] constexpr std::string_view name() const noexcept { return name_; }
    [[nodiscard]] constexpr std::uint64_t hash() const noexcept { return hash_; }
    [[nodiscard]] constexpr const key_type& type() const noexcept { return *type_; }
    constexpr operator any_state_key() const noexcept { return {name_, hash_, type_}; }

private:
    std::string_view name_;
    std::uint64_t hash_;
    const key_type* type_;
};

}  // namespace weft
