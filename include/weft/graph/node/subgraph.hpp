#pragma once

#include <weft/graph/graph.hpp>
#include <weft/graph/node/command.hpp>
#include <weft/graph/node/step_limit_action.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace weft {

/** A graph as the work of a node of another one, to any depth.
 *
 *      builder.node("research", weft::subgraph{.graph = research,
 *                                              .inputs = {{"topic", "question"}},
 *                                              .outputs = {{"report", "text"}}});
 *
 *  It has a state of its own. Without mappings, keys of the same name and type are shared: the inner run begins with
 *  their values, and what it leaves in them replaces the outer values. With mappings, only what they name moves.
 *  Pausing, stopping and the events of the outer run reach into it; its limit of steps is its own.
 *
 *  A key with a reducer comes back as a whole value, not as updates: give parallel branches keys of their own.
 */
struct subgraph {
    /** What the inner run begins with, made from what the node sees. */
    using input_function = std::function<state_update(const node_context& outer)>;
    /** Writes what is to be kept of an inner run that has finished, and says where the outer one goes on. */
    using output_function = std::function<command(const state& inner, node_context& outer)>;
    /** Publishes what is worth keeping of an inner run that was cancelled. */
    using partial_function = std::function<void(const state& inner, node_context& outer)>;

    weft::graph graph;
    /** Whether keys of the same name and type are shared; with a mapping they are not. */
    bool shares_keys = true;
    /** What the inner run begins with: inner keys from outer ones. */
    std::vector<key_mapping> inputs{};
    /** What the node writes when the inner run has finished: outer keys from inner ones. */
    std::vector<key_mapping> outputs{};
    /** What the inner run begins with beside the mappings or what is shared: for what is no copy of a value. An
     *  exception fails the node. */
    input_function make_inputs{};
    /** What an inner run leaves: it writes by the outer context, and its command says where to go on. */
    output_function take_outputs{};
    /** What survives if the run is cancelled while the inner one is at work; see `node_context::publish`. */
    partial_function take_partial{};
    /** Node visits of each inner run; 0: unlimited. */
    std::uint32_t steps_max = 1000;
    /** What happens at that limit, instead of what the outer run does at its own. `raise` fails the node. */
    std::optional<step_limit_action> at_limit{};

    /** Whether only what the mappings name moves. */
    [[nodiscard]] bool is_mapped() const noexcept { return !shares_keys || !inputs.empty() || !outputs.empty(); }
};

/** The work of a node that runs the graph. */
[[nodiscard]] std::shared_ptr<const node_body> make_node_body(subgraph inner);

}  // namespace weft
