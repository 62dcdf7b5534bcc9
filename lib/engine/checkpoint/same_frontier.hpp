#pragma once

#include <weft/engine/scheduler/frontier.hpp>
#include <weft/graph/graph.hpp>

#include <string>

namespace weft {

/** Whether two frontiers of one graph are in the same place with equal values, compared as JSON. Transient values,
 *  exceptions beyond their text, and what can be computed anew are not looked at. */
[[nodiscard]] bool same_frontier(const frontier& a, const frontier& b, const graph& of);

/** What is different first, for people, e.g. `branches[2].visit`; empty if nothing is. */
[[nodiscard]] std::string first_difference(const frontier& a, const frontier& b, const graph& of);

}  // namespace weft
