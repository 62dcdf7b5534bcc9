#pragma once

#include <weft/graph/node/graph_structure.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** A checked, immutable description of what a run does. Copies share everything.
 *
 *  Nodes and edges by index are those of `graph_structure`.
 *
 *  @par Thread safety   Any number of runs on any OS threads may use one graph.
 */
class graph final : public graph_structure {
public:
    using graph_structure::graph_structure;

    /** What its runs are for; null if it has none. */
    [[nodiscard]] const weft::goal* goal() const noexcept { return all().goal ? &*all().goal : nullptr; }

    /** What it does, for people and agents; empty if it was not given. */
    [[nodiscard]] std::string_view description() const noexcept { return all().description; }
    /** Description and goal as text for a model; empty if it has neither. */
    [[nodiscard]] std::string purpose() const;
    /** Of its nodes; a run may have a stricter one. */
    [[nodiscard]] const weft::row_limit& row_limit() const noexcept { return all().row_limit; }
    /** The conversation of its nodes; null if it has none. */
    [[nodiscard]] const graph_conversation* conversation() const noexcept
    {
        return all().conversation ? &*all().conversation : nullptr;
    }

    /** Which memory its nodes use; null: that of the run, or of the node that the graph is in. */
    [[nodiscard]] const graph_memory* memory() const noexcept { return all().memory ? &*all().memory : nullptr; }

    [[nodiscard]] std::string_view name() const noexcept;
    [[nodiscard]] std::size_t node_count() const noexcept;  ///< Without `start`.
    [[nodiscard]] std::vector<std::string_view> node_names() const;
    /** The join of a fan-out, by name; empty if its branches run to the end. */
    [[nodiscard]] std::string_view join_of(std::string_view source) const;
    [[nodiscard]] std::span<const warning> warnings() const noexcept;
    /** The graph as text, one line per node: its edges in the order in which they are tried, its join, its limits. */
    [[nodiscard]] std::string explain() const;
};

}  // namespace weft
