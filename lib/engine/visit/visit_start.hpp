#pragma once

#include <weft/engine/scheduler/frontier.hpp>
#include <weft/graph/node_context.hpp>

namespace weft {

// What a visit begins with.

/** Which visit of which node it is that the branch makes. */
[[nodiscard]] node_context::visit_info visit_of(const graph& of, const run_branch& t) noexcept;
/** Whether something may have come before the visit; of most nothing has. */
[[nodiscard]] inline bool has_past(const run_branch& t) noexcept { return t.past || t.visit > 1; }
/** Gives a visit what came before it, if there is something: a failure, the branches of a join, what its node wrote on
 *  the visit before. It refers to `where`. */
void give_past(const graph& of, const frontier& where, node_context& context, const run_branch& t);

}  // namespace weft
