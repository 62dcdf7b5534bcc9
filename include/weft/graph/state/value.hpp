#pragma once

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_schema_of.hpp>
#include <weft/base/json/json_type_name.hpp>
#include <weft/base/memory/free_list.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>
#include <weft/graph/state/expression_view.hpp>
#include <weft/graph/state/list_access.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {

class value_box;

/** A state value: immutable, shared by pointer, any C++ type inside. Null means "no value". */
using value_ptr = intrusive_ptr<const value_box>;

/** What the engine knows of a value's type. One object for each type; its address identifies the type.
 *
 *  A table of functions, not virtual functions of the box: keys have it before there is any value. */
struct value_type {
    boost::json::value (*to_json)(const value_box&);  ///< Null for types that are never stored.
    value_ptr (*from_json)(const boost::json::value&);  ///< Null for types that are never stored.
    expression_value (*view)(const value_box&) noexcept;  ///< Null if expressions see the value as JSON.
    const list_access* list = nullptr;                    ///< Null if the value is no list, or never stored.
    std::string (*name)() = nullptr;                      ///< As JSON; null for types that are never stored.
    boost::json::object (*schema)() = nullptr;            ///< Of its JSON; null for types that are never stored.
    bool is_number = false;                               ///< Its JSON is one number, or `true` or `false`.
};

/** A counted box with a value of some type inside.
 *
 *  @par Thread safety   The value is immutable while it is shared; counting is safe from any OS thread.
 */
class value_box : public ref_counted<value_box> {
public:
    virtual ~value_box() = default;
    [[nodiscard]] const value_type& type() const noexcept { return *type_; }

protected:
    explicit value_box(const value_type& type) noexcept : type_{&type} {}

private:
    const value_type* type_;
};

/** The box of a `T`, from the pool of blocks: values are made and dropped in every step. */
template <class T>
class typed_box final : public value_box {
public:
    template <class... Args>
    explicit typed_box(const value_type& type, Args&&... args) : value_box{type}, value(std::forward<Args>(args)...)
    {
    }
    static void* operator new(std::size_t size) { return allocate_block(size); }
    static void operator delete(void* block, std::size_t size) noexcept { free_block(block, size); }

    T value;
};

/** Whether a type may be kept in a state that is stored: it converts to and from JSON. */
template <class T>
concept storable = std::copyable<T> && json_convertible<T>;

namespace graph_detail {

// What `value_type` points at: the operations of a type on boxes that are known to hold it.
template <class T>
value_ptr box_from_json(const boost::json::value& json);

template <class T>
boost::json::value box_to_json(const value_box& box)
{
    return to_json(static_cast<const typed_box<T>&>(box).value);
}

template <class T>
expression_value view_of_box(const value_box& box) noexcept
{
    return expression_detail::view_of(static_cast<const typed_box<T>&>(box).value);
}

template <class T>
std::size_t box_list_size(const value_box& box) noexcept
{
    return static_cast<const typed_box<T>&>(box).value.size();
}

template <class T>
boost::json::value box_list_item(const value_box& box, std::size_t index)
{
    return list_item(static_cast<const typed_box<T>&>(box).value, index);
}

template <class T>
bool box_list_extends(const value_box& longer, const value_box& older)
{
    return list_extends(static_cast<const typed_box<T>&>(longer).value, static_cast<const typed_box<T>&>(older).value);
}

template <class T>
std::unique_ptr<list_maker> box_list_make(std::size_t size);

template <class T>
inline constexpr list_access list_access_of{&box_list_size<T>, &box_list_item<T>, &box_list_extends<T>,
                                            &box_list_make<T>};

/** The operations of a type. What a type cannot do stays null: one that is never stored has no JSON, one that is no
 *  list no `list`. */
template <class T>
constexpr value_type make_value_type() noexcept
{
    value_type type{nullptr, nullptr, nullptr};
    if constexpr (storable<T>) {
        type.to_json = &box_to_json<T>;
        type.from_json = &box_from_json<T>;
        if constexpr (expression_detail::is_viewable<T>()) type.view = &view_of_box<T>;
        if constexpr (accessible_list<T>) type.list = &list_access_of<T>;
        type.name = &json_type_name<T>;
        type.schema = &json_schema_of<T>;
        type.is_number = std::is_arithmetic_v<T>;
    }
    return type;
}

}  // namespace graph_detail

/** Where the operations of a type are compiled: in each source that needs them, or in one. A type that many sources
 *  use, and whose JSON has many members, is compiled in one source and declared beside the type:
 *
 *      extern template struct weft::compiled_value<plan>;  // plan.hpp
 *      template struct weft::compiled_value<plan>;         // plan.cpp
 *
 *  A source that has not seen the declaration compiles them again, and works as well. */
template <class T>
struct compiled_value {
    static const value_type type;
};

template <class T>
constinit const value_type compiled_value<T>::type = graph_detail::make_value_type<T>();

/** The one object that stands for a type: two boxes hold values of one type if their `type()` has one address. */
template <class T>
inline constexpr const value_type& value_type_of = compiled_value<T>::type;

// state_key.cpp: what most graphs keep.
extern template struct compiled_value<std::string>;
extern template struct compiled_value<std::vector<std::string>>;
extern template struct compiled_value<bool>;
extern template struct compiled_value<std::int64_t>;
extern template struct compiled_value<double>;
extern template struct compiled_value<boost::json::value>;
extern template struct compiled_value<boost::json::object>;
extern template struct compiled_value<boost::json::array>;

/** Boxes a value: `make_box<std::string>("rain")`. */
template <class T, class... Args>
[[nodiscard]] intrusive_ptr<typed_box<T>> make_box(Args&&... args)
{
    return intrusive_ptr<typed_box<T>>{new typed_box<T>{value_type_of<T>, std::forward<Args>(args)...}};
}

namespace graph_detail {

/** Boxes what is written to a key of type `T`. */
template <class T, class U>
[[nodiscard]] value_ptr box_for_key(U&& value)
{
    if constexpr (std::is_constructible_v<T, U&&>)
        return make_box<T>(std::forward<U>(value));
    else
        static_assert(std::is_constructible_v<T, U&&>,
                      "the value does not convert to the type of its state key: see where the key is declared");
}

}  // namespace graph_detail

/** The value inside a box that is known to hold a `T`. */
template <class T>
[[nodiscard]] const T& unboxed(const value_box& box) noexcept
{
    BOOST_ASSERT(&box.type() == &value_type_of<T>);
    return static_cast<const typed_box<T>&>(box).value;
}

template <class T>
value_ptr graph_detail::box_from_json(const boost::json::value& json)
{
    return make_box<T>(from_json<T>(json));
}

namespace graph_detail {

template <class T>
class typed_list_maker final : public list_maker {
public:
    explicit typed_list_maker(std::size_t size)
    {
        if constexpr (requires { list_.reserve(size); }) list_.reserve(size);
    }
    void add(const boost::json::value& item) override { add_item(list_, item); }
    value_ptr take() override { return make_box<T>(std::move(list_)); }

private:
    T list_;
};

template <class T>
std::unique_ptr<list_maker> box_list_make(std::size_t size)
{
    return std::make_unique<typed_list_maker<T>>(size);
}

}  // namespace graph_detail

}  // namespace weft
