#pragma once

#include <weft/graph/node/command.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace weft {

class node_context;

/** Where a node of an agent wants to go on, in words that never fail a run: what a model names may not exist. */
struct flow_decision {
    enum class kind : std::uint8_t {
        next,      ///< As the edges say.
        end,
        go_to,     ///< To `target`; a node that there is not ends it, with a warning.
        carry_on,  ///< The same node again; the run's limit of visits in a row holds.
        revise,    ///< To the node that revises; without one it ends.
    };

    flow_decision() {}
    explicit flow_decision(kind decided, std::string node = {}) : what{decided}, target{std::move(node)} {}

    kind what = kind::next;
    std::string target{};

    friend bool operator==(const flow_decision&, const flow_decision&) = default;
};

/** The graph that decisions are about. Name its nodes in `node_options::goes_to` of the nodes that decide. */
struct flow_targets {
    flow_targets() {}

    std::vector<std::string> nodes{};
    std::string reviser{};  ///< Empty: there is none.
};

/** A decision as the command of a node.
 *
 *      builder.node("plan", [targets](weft::node_context& node) { return weft::follow(decide(node), targets, node); },
 *                   {.goes_to = targets.nodes})
 *
 *  @param node   Is told with a `warning` that a target does not exist.
 *  @par Source   The decisions of Sulla's graph engine. */
[[nodiscard]] command follow(const flow_decision& decision, const flow_targets& targets, node_context& node);

}  // namespace weft
