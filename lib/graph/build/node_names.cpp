#include "node_names.hpp"

namespace weft::graph_detail {

node_names::node_names(const graph_builder::description& of) : names_{of.names}, nodes_(of.names.size(), no_node)
{
    nodes_[name_table::start] = start_node;
    nodes_[name_table::end] = end_node;
    for (std::size_t i = 0; i < of.nodes.size(); ++i)
        if (node_index& place = nodes_[of.nodes[i].name]; place == no_node) place = static_cast<node_index>(i + 1);
}

}  // namespace weft::graph_detail
