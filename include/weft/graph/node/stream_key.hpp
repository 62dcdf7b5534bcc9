#pragma once

#include <weft/base/list.hpp>
#include <weft/graph/state_key.hpp>

#include <string>
#include <string_view>

namespace weft {

/** What is kept of a stream when it has ended: all its items, in order. Pieces of text become one text. */
template <class T>
struct stream_whole {
    using type = list<T>;
    static void add(type& whole, const T& item) { whole.push_back(item); }
};

template <>
struct stream_whole<std::string> {
    using type = std::string;
    static void add(std::string& whole, const std::string& piece) { whole += piece; }
};

/** The name and the type of what one node writes piece by piece while others read it:
 *
 *      inline constexpr weft::stream_key<std::string> draft{"draft"};
 *
 *  A graph that declares it (`.state(draft)`) keeps the whole in its state when the stream has ended, under the same
 *  name: nodes read it with `context.get(draft.whole())`, checkpoints and results have it. A stream that the graph
 *  does not declare leaves nothing behind.
 *
 *  @tparam T         Of one item. A declared stream of another type than text needs items that convert to JSON.
 *  @par Lifetimes    `name` is a literal. */
template <class T>
class stream_key {
public:
    using item_type = T;
    using whole_type = typename stream_whole<T>::type;

    constexpr explicit stream_key(std::string_view name) noexcept : name_{name} {}

    [[nodiscard]] constexpr std::string_view name() const noexcept { return name_; }
    /** The key of the whole. */
    [[nodiscard]] constexpr state_key<whole_type> whole() const noexcept { return state_key<whole_type>{name_}; }
    constexpr operator any_state_key() const noexcept { return whole(); }

private:
    std::string_view name_;
};

}  // namespace weft
