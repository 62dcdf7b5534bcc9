#include <weft/base/error.hpp>
#include <weft/graph/node_context.hpp>

namespace weft {

namespace {

std::string effect_place(const node_context& node, std::string_view name)
{
    return "node '" + std::string{node.node()} + "', effect '" + std::string{name} + "'";
}

}  // namespace

// Not coroutines: what is refused is refused at once, to whoever asks.

task<boost::json::value> node_host::interrupt(node_context& node, question)
{
    throw error{errc::invalid_configuration, "node '" + std::string{node.node()} + "'",
                "nobody can be asked here: run the graph with an engine"};
}

task<boost::json::value> node_host::once(node_context& node, std::string name, const effect_options&, effect_call&)
{
    throw error{errc::invalid_configuration, effect_place(node, name),
                "effects are not kept here: run the graph with an engine"};
}

std::size_t node_host::cancel_branches(const node_context&, const branch_choice&) { return 0; }

effect_context node_host::name_effect(node_context&, std::string_view) { return {}; }

namespace graph_detail {

void refuse_outcome(const node_context& node, const std::string& name, const error& why)
{
    throw error{errc::state_conversion, effect_place(node, name),
                "what the journal has is no such outcome, at " + why.where() + ": " + why.detail()};
}

}  // namespace graph_detail

}  // namespace weft
