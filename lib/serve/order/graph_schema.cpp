#include "graph_schema.hpp"

#include <weft/graph/state/state.hpp>

#include <utility>

namespace weft::serve_detail {

boost::json::object schema_of_state(const weft::graph& of)
{
    boost::json::object properties;
    const state_layout& layout = *of.layout();
    for (std::uint32_t slot = 0; slot < layout.size(); ++slot) {
        const key_type& type = *layout[slot].type;
        if (!type.is_transient && type.value->schema) properties.emplace(layout[slot].name, type.value->schema());
    }
    return {{"type", "object"}, {"title", of.name()}, {"properties", std::move(properties)}};
}

}  // namespace weft::serve_detail
