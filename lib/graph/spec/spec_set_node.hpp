#pragma once

#include <weft/graph/expression.hpp>
#include <weft/graph/node/node.hpp>
#include <weft/graph/state/state_layout.hpp>

#include <vector>

namespace weft::spec_detail {

/** The work of a node of the kind `set`. */
class set_node final : public node_body {
public:
    struct constant {
        std::uint32_t slot;
        value_ptr update;
    };
    struct computed {
        std::uint32_t slot;
        bound_expression expression;
    };

    set_node(std::vector<constant> constants, std::vector<computed> expressions)
        : node_body{false, false}, constants_{std::move(constants)}, expressions_{std::move(expressions)}
    {
    }

    /** All expressions see the state before the node. Fails with `state_conversion` if a value does not fit its key. */
    void run(node_context& context, command& answer) const override;
    node_task make(node_context&) const override { return {}; }

    bool describe(node_spec& into, const state_layout& keys) const override;
    std::optional<std::vector<std::string>> written_keys(const state_layout& keys) const override;

private:
    std::vector<constant> constants_;
    std::vector<computed> expressions_;
};

}  // namespace weft::spec_detail
