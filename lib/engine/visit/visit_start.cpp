#include "visit_start.hpp"

namespace weft {

node_context::visit_info visit_of(const graph& of, const run_branch& t) noexcept
{
    const graph_node& node = of.node(t.node);
    return {node.name, t.visit, t.attempt, node.scope.get(),
            node.joins_conversation ? of.conversation_slot() : state_layout::none};
}

void give_past(const graph& of, const frontier& where, node_context& context, const run_branch& t)
{
    const bool has_history = of.node(t.node).gives_feedback && t.visit > 1;
    if (!t.past && !has_history) return;
    context.set_past({t.previous().get(), t.branches(), has_history ? where.last_outputs_of(t.node) : nullptr});
}

}  // namespace weft
