#pragma once

#include <weft/graph/graph.hpp>
#include <weft/graph/node/command.hpp>
#include <weft/graph/node/step_limit_action.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace weft {

/** A graph as the work of a node of another one, to any depth.
 *
 *  It has a state of its own. Without mappings, keys of the same name and type are shared: the inner run begins with
 *  their values, and what it leaves in them replaces the outer values. With mappings, only what they name moves.
 *  Pausing, stopping and the events of the outer run reach into it; its limit of steps is its own.
 *
 *      builder.node("research", weft::subgraph{research}.inputs({{"topic", "question"}})
 *                                   .outputs({{"report", "text"}}));
 *
 *  A key with a reducer comes back as a whole value, not as updates: give parallel branches keys of their own.
 */
class subgraph {
public:
    /** What the inner run begins with, made from what the node sees. */
    using input_function = std::function<state_update(const node_context& outer)>;
    /** Writes what is to be kept of an inner run that has finished, and says where the outer one goes on. */
    using output_function = std::function<command(const state& inner, node_context& outer)>;
    /** Publishes what is worth keeping of an inner run that was cancelled. */
    using partial_function = std::function<void(const state& inner, node_context& outer)>;

    /** Shares keys of the same name and type until mappings say something else. */
    explicit subgraph(weft::graph of) : graph_{std::move(of)} {}

    /** What the inner run begins with: inner keys from outer ones. Also turns sharing off. */
    subgraph& inputs(std::vector<key_mapping> from_outer)
    {
        inputs_ = std::move(from_outer);
        is_mapped_ = true;
        return *this;
    }
    /** What the node writes when the inner run has finished: outer keys from inner ones. Also turns sharing off. */
    subgraph& outputs(std::vector<key_mapping> from_inner)
    {
        outputs_ = std::move(from_inner);
        is_mapped_ = true;
        return *this;
    }
    /** The same by a function, beside the mappings or what is shared: for what is no copy of a value. An exception
     *  fails the node. */
    subgraph& inputs(input_function from_outer)
    {
        make_inputs_ = std::move(from_outer);
        return *this;
    }
    /** What an inner run leaves, by a function: it writes by the outer context, and its command says where to go on. */
    subgraph& outputs(output_function from_inner)
    {
        take_outputs_ = std::move(from_inner);
        return *this;
    }
    /** What survives if the run is cancelled while the inner one is at work; see `node_context::publish`. */
    subgraph& partial_outputs(partial_function from_inner)
    {
        take_partial_ = std::move(from_inner);
        return *this;
    }
    /** Node visits of each inner run; 0: unlimited. */
    subgraph& steps_max(std::uint32_t count)
    {
        steps_max_ = count;
        return *this;
    }

    /** What happens at that limit, instead of what the outer run does at its own. `raise` fails the node. */
    subgraph& at_limit(step_limit_action action)
    {
        at_limit_ = action;
        return *this;
    }

    [[nodiscard]] const weft::graph& graph() const noexcept { return graph_; }
    [[nodiscard]] bool is_mapped() const noexcept { return is_mapped_; }
    [[nodiscard]] const std::vector<key_mapping>& inputs() const noexcept { return inputs_; }
    [[nodiscard]] const std::vector<key_mapping>& outputs() const noexcept { return outputs_; }
    [[nodiscard]] const input_function& make_inputs() const noexcept { return make_inputs_; }
    [[nodiscard]] const output_function& take_outputs() const noexcept { return take_outputs_; }
    [[nodiscard]] const partial_function& take_partial() const noexcept { return take_partial_; }
    [[nodiscard]] std::uint32_t steps_max() const noexcept { return steps_max_; }
    [[nodiscard]] const std::optional<step_limit_action>& at_limit() const noexcept { return at_limit_; }

private:
    weft::graph graph_;
    bool is_mapped_ = false;
    std::vector<key_mapping> inputs_;
    std::vector<key_mapping> outputs_;
    input_function make_inputs_;
    output_function take_outputs_;
    partial_function take_partial_;
    std::uint32_t steps_max_ = 1000;
    std::optional<step_limit_action> at_limit_;
};

/** The work of a node that runs the graph. */
[[nodiscard]] std::shared_ptr<const node_body> make_node_body(subgraph inner);

}  // namespace weft
