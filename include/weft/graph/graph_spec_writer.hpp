#pragma once

#include <weft/graph/graph.hpp>
#include <weft/graph/graph_spec.hpp>
#include <weft/graph/node_registry.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace weft {

/** What stands in a spec where a C++ graph has something without a name. Reading refuses it. */
inline constexpr std::string_view unnamed_function = "unnamed C++ function";
inline constexpr std::string_view unnamed_predicate = "unnamed C++ predicate";
inline constexpr std::string_view unnamed_type = "unnamed C++ type";

/** The spec as JSON: members in the order of the structs, without those that have their default. Reading it gives the
 *  same spec. */
[[nodiscard]] boost::json::object to_json(const graph_spec& spec);

/** The same as a text for people: indented by two spaces, a new line for each item that does not fit into 100
 *  columns. */
[[nodiscard]] std::string to_text(const graph_spec& spec);

/** A graph as a spec, as far as it can be said: functions of the registry by name, conditions that are expressions,
 *  graphs within graphs. What was written in C++ and has no name becomes one of the placeholders above.
 *
 *  A graph out of a file is said best by `loaded_graph::spec`. */
[[nodiscard]] graph_spec spec_of(const graph& what, const node_registry& registry);

}  // namespace weft
