#pragma once

#include "graph/graphs.hpp"

#include <weft/graph/graph_builder.hpp>

#include <boost/describe.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace weft_tests {

struct address {
    std::string street;
    std::int64_t number = 0;
};
BOOST_DESCRIBE_STRUCT(address, (), (street, number))

inline constexpr weft::state_key<std::int64_t> score{"score"};
inline constexpr weft::state_key<std::string> topic{"topic"};
inline constexpr weft::state_key<address> home{"home"};
inline constexpr weft::state_key<std::vector<std::string>, weft::append> notes{"notes"};
inline constexpr weft::state_key<std::shared_ptr<int>> handle{"handle", weft::transient};

/** A layout with all keys above. */
inline std::shared_ptr<const weft::state_layout> all_keys()
{
    auto layout = std::make_shared<weft::state_layout>();
    const auto add = [&layout](const auto&... keys) { (layout->add(keys), ...); };
    add(score, topic, home, total, notes, handle);
    return layout;
}

template <class T, class R, class U>
weft::state_write write(const weft::state_layout& layout, const weft::state_key<T, R>& key, U&& update)
{
    using update_type = typename weft::state_key<T, R>::update_type;
    return {layout.require(key, "test"), false, false, weft::make_box<update_type>(std::forward<U>(update))};
}

template <class T, class R, class U>
weft::state_write overwrite(const weft::state_layout& layout, const weft::state_key<T, R>& key, U&& value)
{
    return {layout.require(key, "test"), true, false, weft::make_box<T>(std::forward<U>(value))};
}

/** The value of a key as a branch sees it, which must have one. */
template <class T, class R>
const T& seen(weft::branch_state& branch, const weft::state_key<T, R>& key)
{
    return weft::unboxed<T>(*branch.read(branch.layout().require(key, "test")));
}

/** Whether a `weft::error` has this code and its text contains all parts. */
inline auto says(weft::errc code, std::vector<std::string_view> parts)
{
    return [code, parts = std::move(parts)](const weft::error& e) {
        for (const std::string_view part : parts)
            if (std::string_view{e.what()}.find(part) == std::string_view::npos) return false;
        return e.code() == code;
    };
}

/** A graph of plain edges only, with keys that expressions can compare. */
inline weft::graph_builder keyed_graph(std::string_view nodes, std::string_view edges)
{
    weft::graph_builder builder = plain_graph(nodes, edges);
    builder.state(score, topic, notes);
    return builder;
}

}  // namespace weft_tests
