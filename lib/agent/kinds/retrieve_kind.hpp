#pragma once

#include <weft/agent/memory/semantic_items.hpp>
#include <weft/graph/node_registry.hpp>

#include <boost/describe/class.hpp>
#include <boost/json/object.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** A node of the kind `retrieve`: gives one key the passages of documents that are nearest in meaning to a text. */
struct retrieve_settings {
    static constexpr std::array<std::string_view, 1> required_members{"query"};
    std::string query = {};                ///< A template: the question. Empty in a run: nothing is found.
    std::vector<std::string> space = {};   ///< Names of a namespace below that of the documents, templates; empty: all.
    boost::json::object contains = {};     ///< Only items whose value contains it.
    double score_min = -1;                 ///< Only items with this score or more, from -1 to 1.
    std::uint32_t items_max = 5;
};
BOOST_DESCRIBE_STRUCT(retrieve_settings, (), (query, space, contains, score_min, items_max))

/** The kind `retrieve` of graph files: search by meaning without a tool. It writes the one key that the node's `writes`
 *  names: a key of the type `string` gets the passages as a model reads them, each below a line with its document, line
 *  and headings; a `list` and `any` get objects with `name`, `score` and `value`.
 *
 *  @param documents   Null: a run of such a node fails, and says what is missing.
 *
 *  @par Errors   In a run: `errc::invalid_configuration` without documents, `errc::missing_state_value` if a template
 *                names a key that has no value, and those of `semantic_items::search`. */
[[nodiscard]] node_kind retrieve_kind(std::shared_ptr<const semantic_items> documents);

}  // namespace weft
