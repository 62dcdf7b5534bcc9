#pragma once

#include <weft/base/chrono.hpp>

#include <compare>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace weft {

/** A graph that a worker can run. */
struct graph_ability {
    std::string graph;
    std::string revision = {};  ///< As `new_run::revision`; empty: the worker runs every revision of the graph.

    friend auto operator<=>(const graph_ability&, const graph_ability&) = default;

    /** In the list of a worker that claims no runs: it takes them by `resume` only, to change them or to hand them on.
     *  `queue_view::unclaimable` does not count it among those that can run the others of its list. */
    [[nodiscard]] static graph_ability no_claims() { return {"", "-"}; }
};

/** A process that becomes a worker of a store.
 *
 *      worker_entry entry{"worker-7", 15s};
 *      entry.graphs = {{"research", "9f2c"}, {"research", "a41b"}};   // two revisions side by side
 */
struct worker_entry {
    // Declared: see docs/COMPILERS.md.
    worker_entry() {}
    worker_entry(std::string name, std::chrono::milliseconds lifetime) : name{std::move(name)}, lifetime{lifetime} {}

    std::string name;  ///< For people; it need not be unique.
    /** Unless it gives signs of life within so long, the worker is given up. */
    std::chrono::milliseconds lifetime = std::chrono::seconds{15};
    /** What `claim` and `resume` may give it; empty: every run. At most `graphs_max`. */
    std::vector<graph_ability> graphs;

    static constexpr std::size_t graphs_max = 1'000;
};

}  // namespace weft
