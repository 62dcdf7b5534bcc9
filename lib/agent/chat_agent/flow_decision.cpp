#include <weft/agent/chat_agent/flow_decision.hpp>

#include "agent/text/names.hpp"

#include <weft/agent/core/agent_event.hpp>
#include <weft/graph/node_context.hpp>

namespace weft {

namespace {

command go_to_or_end(const std::string& target, const flow_targets& targets, node_context& node)
{
    if (agent_detail::contains(targets.nodes, target)) return command::go_to(target);
    node.emit(agent_event::warning, "there is no node '" + target + "' to go to: it ends here");
    return command::end();
}

}  // namespace

command follow(const flow_decision& decision, const flow_targets& targets, node_context& node)
{
    using kind = flow_decision::kind;
    switch (decision.what) {
    case kind::next: break;
    case kind::end: return command::end();
    case kind::go_to: return go_to_or_end(decision.target, targets, node);
    case kind::carry_on: return command::again();
    case kind::revise:
        return targets.reviser.empty() ? command::end() : go_to_or_end(targets.reviser, targets, node);
    }
    return command::next();
}

}  // namespace weft
