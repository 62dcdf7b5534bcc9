#include <weft/graph/node/node_host.hpp>

#include <weft/base/error.hpp>
#include <weft/graph/node_context.hpp>

namespace weft {

std::shared_ptr<const trace_context> node_host::trace(const node_context&) const { return nullptr; }
std::string node_host::purpose() const { return {}; }
std::shared_ptr<const item_space> node_host::memory(const node_context&) const { return nullptr; }

// Not coroutines: what is refused is refused at the call.

task<boost::json::value> node_host::interrupt(node_context& node, question)
{
    throw error{errc::invalid_configuration, "node '" + std::string{node.node()} + "'",
                "nobody can be asked here: run the graph with an engine"};
}

task<boost::json::value> node_host::once(node_context& node, std::string name, const effect_options&, effect_call&)
{
    throw error{errc::invalid_configuration, "node '" + std::string{node.node()} + "', effect '" + name + "'",
                "effects are not kept here: run the graph with an engine"};
}

std::size_t node_host::cancel_branches(const node_context&, const branch_choice&) { return 0; }

call_record* node_host::record_of_calls(const node_context&) { return nullptr; }

effect_context node_host::name_effect(node_context&, std::string_view) { return {}; }

}  // namespace weft
