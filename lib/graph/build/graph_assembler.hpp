#pragma once

#include "edges_by_source.hpp"
#include "node_names.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace weft::graph_detail {

/** Puts a graph together from a description that has passed `check_description`. */
class graph_assembler {
public:
    graph_assembler(const graph_builder::description& from, const node_names& names, const edges_by_source& edges)
        : from_{from}, names_{names}, edges_{edges}
    {
    }

    [[nodiscard]] std::shared_ptr<graph::data> assemble();
    /** Fills in what is known only when everything stands. */
    void finish(const graph& g);

private:
    struct place {
        int range;
        int priority;
        std::uint32_t declared;
    };

    void add_keys();
    void add_nodes();
    [[nodiscard]] std::shared_ptr<const node_body> body_of(const graph_builder::description::node& node);
    void add_fan_outs();
    void add_edges();
    void add_edges_of(node_index n, std::vector<place>& places);
    static void use_first_match(std::span<place> of_node);
    [[nodiscard]] graph_edge edge_at(std::uint32_t declared) const;
    [[nodiscard]] std::shared_ptr<const key_scope> scope_of(const node_options& options) const;
    [[nodiscard]] weft::routing routing_of(node_index n) const;

    const graph_builder::description& from_;
    const node_names& names_;
    const edges_by_source& edges_;
    std::shared_ptr<graph::data> data_;
    std::optional<node_cache> cache_;  // of the nodes that are cached and name none
};

}  // namespace weft::graph_detail
