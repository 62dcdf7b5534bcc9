#pragma once

#include <weft/graph/expression.hpp>
#include <weft/graph/graph_spec.hpp>
#include <weft/graph/node/node.hpp>
#include <weft/graph/state/state_layout.hpp>

namespace weft::spec_detail {

/** The work of a node of the kind `send`: a branch for each item of a list. */
class send_node final : public node_body {
public:
    /** @param items   Gives the list. @param slot  Of the key that a branch finds its item in. */
    send_node(send_settings settings, bound_expression items, std::uint32_t slot)
        : node_body{false, true}, settings_{std::move(settings)}, items_{std::move(items)}, slot_{slot}
    {
    }

    /** Fails with `state_conversion` if there is no list, or an item does not fit its key. */
    void run(node_context& context, command& answer) const override;
    node_task make(node_context&) const override { return {}; }
    bool describe(node_spec& into, const state_layout& keys) const override;

private:
    send_settings settings_;
    bound_expression items_;
    std::uint32_t slot_;
};

}  // namespace weft::spec_detail
