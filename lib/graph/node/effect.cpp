#include <weft/base/error.hpp>
#include <weft/graph/node_context.hpp>

namespace weft {

namespace {

std::string effect_place(const node_context& node, std::string_view name)
{
    return "node '" + std::string{node.node()} + "', effect '" + std::string{name} + "'";
}

}  // namespace

namespace graph_detail {

void refuse_outcome(const node_context& node, const std::string& name, const error& why)
{
    throw error{errc::state_conversion, effect_place(node, name),
                "what the journal has is no such outcome, at " + why.where() + ": " + why.detail()};
}

}  // namespace graph_detail

}  // namespace weft
