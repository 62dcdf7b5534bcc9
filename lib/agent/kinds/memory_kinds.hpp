#pragma once

#include <weft/graph/node_registry.hpp>
#include <weft/graph/spec/spec_duration.hpp>

#include <boost/describe/class.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

/** A node of the kind `remember`: keeps a value in the memory of the graph, without a model. */
struct remember_settings {
    std::string name = {};  ///< A template; an item of this name is replaced. Left out: one made of the value.
    std::string text = {};  ///< A template for what is kept,
    std::string key = {};   ///< or the key whose value is: a text, or any JSON. A key without value keeps nothing.
    std::optional<spec_duration> keep_for = {};  ///< Not given: as the memory says.
};
BOOST_DESCRIBE_STRUCT(remember_settings, (), (name, text, key, keep_for))

/** A node of the kind `recall`: gives one key what is in the memory of the graph. */
struct recall_settings {
    std::string name = {};    ///< A template: the value of this item, as it was kept; without one nothing is written.
    std::string query = {};   ///< A template: items with its words, as `search_memory` finds them.
    std::string prefix = {};  ///< A template: items whose names begin so.
    std::uint32_t items_max = 10;
    std::uint32_t scanned_max = 1'000;
};
BOOST_DESCRIBE_STRUCT(recall_settings, (), (name, query, prefix, items_max, scanned_max))

/** A node of the kind `forget`: removes one item of the memory of the graph. */
struct forget_settings {
    static constexpr std::array<std::string_view, 1> required_members{"name"};
    std::string name = {};  ///< A template. If there is none of this name, nothing happens.
};
BOOST_DESCRIBE_STRUCT(forget_settings, (), (name))

/** Adds the kinds `remember`, `recall` and `forget`: long-term memory for graph files, without a model. They use the
 *  memory of their node, `node_context::memory`, which the member `memory` of a file narrows.
 *
 *  `recall` writes the one key that the node's `writes` names. Of a search a key of the type `string` gets a line
 *  `name: value` for each item, a `list` and `any` get objects with `name` and `value`.
 *
 *  @par Errors   In a run: `errc::invalid_configuration` without a memory, `errc::missing_state_value` if a template
 *                names a key that has no value, `errc::limit_reached` if the memory is full or the value too long,
 *                `errc::state_conversion` if what was kept does not fit the key, and those of the store. */
node_registry& add_memory_kinds(node_registry& registry);

}  // namespace weft
