#pragma once

#include <weft/engine/scheduler/frontier.hpp>
#include <weft/graph/graph.hpp>

#include <string>
#include <string_view>

namespace weft {

/** Names the visit of a node that a branch makes, the same in every process and after every resume.
 *
 *  Outside of fan-outs it is the node and its visit, `plan#2`. In a branch it begins with the visit that fanned out and
 *  the number of the branch, and ends with the node and its place among the visits of that branch, whichever branch
 *  came first: `plan#2.0/web#1`; `start#0.1/web#1` where the graph begins with several branches. Graphs inside nodes
 *  continue it: `plan#2.0/web#1/search#1`. In names, `%`, `/` and `#` are written `%25`, `%2F`, `%23`.
 */
[[nodiscard]] std::string visit_address(const graph& of, const frontier& where, branch_index branch);

/** Joins the address of a visit and the name and count of an effect or a question in it: `plan#2/charge#0`. */
[[nodiscard]] std::string place_in_visit(std::string_view visit, std::string_view name, std::uint32_t count);

/** Whether an address lies below a visit. */
[[nodiscard]] bool is_below(std::string_view address, std::string_view visit) noexcept;

}  // namespace weft
