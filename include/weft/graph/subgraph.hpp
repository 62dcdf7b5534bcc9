#pragma once

#include <weft/graph/graph.hpp>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace weft {

/** A graph as the work of a node of another one, to any depth.
 *
 *  It has a state of its own. Without mappings, keys of the same name and type are shared: the inner run begins with
 *  their values, and what it leaves in them replaces the outer values. With mappings, only what they name moves.
 *  Pausing, stopping and the events of the outer run reach into it; its limit of steps is its own.
 *
 *  A key with a reducer comes back as a whole value, not as updates: give parallel branches keys of their own.
 */
class subgraph {
public:
    explicit subgraph(graph what) : what_{std::move(what)} {}

    /** What the inner run begins with: inner keys from outer ones. Also turns sharing off. */
    subgraph&& inputs(std::vector<key_mapping> from_outer) &&
    {
        inputs_ = std::move(from_outer);
        is_mapped_ = true;
        return std::move(*this);
    }
    /** What the node writes when the inner run has finished: outer keys from inner ones. Also turns sharing off. */
    subgraph&& outputs(std::vector<key_mapping> from_inner) &&
    {
        outputs_ = std::move(from_inner);
        is_mapped_ = true;
        return std::move(*this);
    }
    /** Node visits of each inner run; 0: unlimited. */
    subgraph&& steps_max(std::uint32_t count) &&
    {
        steps_max_ = count;
        return std::move(*this);
    }

    [[nodiscard]] const graph& what() const noexcept { return what_; }
    [[nodiscard]] bool is_mapped() const noexcept { return is_mapped_; }
    [[nodiscard]] const std::vector<key_mapping>& inputs() const noexcept { return inputs_; }
    [[nodiscard]] const std::vector<key_mapping>& outputs() const noexcept { return outputs_; }
    [[nodiscard]] std::uint32_t steps_max() const noexcept { return steps_max_; }

private:
    graph what_;
    bool is_mapped_ = false;
    std::vector<key_mapping> inputs_;
    std::vector<key_mapping> outputs_;
    std::uint32_t steps_max_ = 1000;
};

[[nodiscard]] std::shared_ptr<const node_body> make_node_body(subgraph inner);

}  // namespace weft
