#pragma once

#include <weft/base/json.hpp>
#include <weft/base/memory/intrusive_ptr.hpp>

#include <boost/json/array.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace weft {

class value_box;

/** Makes a list of items that come as JSON, one after the other: between two of them other work may have its turn. */
class list_maker {
public:
    list_maker() = default;
    list_maker(const list_maker&) = delete;
    list_maker& operator=(const list_maker&) = delete;
    virtual ~list_maker() = default;

    /** @par Errors  As `from_json`; the path names the item. */
    virtual void add(const boost::json::value& item) = 0;
    /** The list, once. */
    [[nodiscard]] virtual intrusive_ptr<const value_box> take() = 0;
};

/** What the engine can do with a value that is a list, so that one which was appended to is stored by its new items:
 *  a conversation of a thousand messages costs one message at each checkpoint. */
struct list_access {
    std::size_t (*size)(const value_box&) noexcept;
    /** @par Errors  As `to_json`; the path names the item. */
    boost::json::value (*item)(const value_box&, std::size_t index);
    /** Whether a list, both of one type, is another one with items appended. */
    bool (*extends)(const value_box& longer, const value_box& older);
    /** Begins a list of `size` items. */
    std::unique_ptr<list_maker> (*make)(std::size_t size);
};

namespace graph_detail {

/** Values that are lists as JSON; texts are not. */
template <class T>
concept json_list = std::same_as<T, boost::json::array> || json_detail::kind_of<T>() == json_detail::kind::sequence;

/** Lists that know which list they extend. */
template <class T>
concept sharing_list = json_detail::is_growing<T> && requires(const T& list) {
    { list.extends(list) } -> std::same_as<bool>;
    { list[std::size_t{}] } -> std::same_as<const typename T::value_type&>;
};

/** Lists whose items can be compared instead. */
template <class T>
concept comparable_list = json_detail::is_growing<T> && std::equality_comparable<typename T::value_type> &&
                          requires(const T& list) {
                              { list[std::size_t{}] } -> std::same_as<const typename T::value_type&>;
                              { list.size() } -> std::convertible_to<std::size_t>;
                          };

/** Lists of which one can see that they were only appended to. */
template <class T>
concept accessible_list = json_list<T> && (sharing_list<T> || comparable_list<T>);

/** Whether `longer` is `older` with items appended. Costs a comparison of addresses for lists that share their items,
 *  such as `weft::list`, and otherwise one of every older item. */
template <class T>
bool list_extends(const T& longer, const T& older)
{
    if constexpr (sharing_list<T>) {
        return longer.extends(older);
    } else {
        if (longer.size() < older.size()) return false;
        for (std::size_t i = 0; i < older.size(); ++i)
            if (!(longer[i] == older[i])) return false;
        return true;
    }
}

/** An item as JSON; mistakes name it by its index. */
template <class T>
boost::json::value list_item(const T& list, std::size_t index)
{
    const json_path whole;
    const json_path step{whole, index};
    return json_detail::write(list[index], step);
}

/** The next item of a list that is made of JSON; mistakes name it by its index. */
template <class T>
void add_item(T& list, const boost::json::value& item)
{
    const json_path whole;
    const json_path step{whole, list.size()};
    list.push_back(json_detail::read<typename T::value_type>(item, {step, json_defaults}));
}

}  // namespace graph_detail

}  // namespace weft
