#pragma once

#include "graph_description.hpp"

#include <string_view>
#include <vector>

namespace weft::graph_detail {

/** The nodes of a description by their names. Of two nodes with one name it knows the first.
 *
 *  @par Lifetimes  Refers to the description, which does not change meanwhile.
 */
class node_names {
public:
    explicit node_names(const graph_builder::description& of);

    /** The index in the graph, from 1 in the order of the description; `no_node` if no node has that name. */
    [[nodiscard]] node_index at(name_number name) const noexcept { return nodes_[name]; }
    [[nodiscard]] node_index at(std::string_view name) const
    {
        const name_number known = names_.find(name);
        return known == name_table::none ? no_node : nodes_[known];
    }
    [[nodiscard]] bool contains(name_number name) const noexcept { return at(name) != no_node; }
    [[nodiscard]] bool contains(std::string_view name) const { return at(name) != no_node; }

private:
    const name_table& names_;
    std::vector<node_index> nodes_;  // by number of the name
};

}  // namespace weft::graph_detail
