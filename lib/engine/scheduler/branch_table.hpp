#pragma once

#include <weft/base/memory/free_list.hpp>
#include <weft/base/memory/pooled_vector.hpp>
#include <weft/engine/scheduler/frontier.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace weft {

/** Where a run stands whose only branch is in the first attempt of a node, and of which nothing else is known. */
struct resting_place {
    /** Where the run came from, unless that is the line of its graph and nothing else (`frontier::is_on_line`). */
    struct trail {
        static void* operator new(std::size_t size) { return allocate_block(size); }
        static void operator delete(void* memory, std::size_t size) noexcept { free_block(memory, size); }

        pooled_vector<std::uint32_t> visits;
        node_path path;
        std::uint32_t visit;
        std::uint32_t step;
        std::uint32_t in_a_row;
    };

    node_index node = no_node;
    std::uint32_t steps = 0;  ///< That it has taken, this node's included.
    std::unique_ptr<trail> off_line;
};

/** The branches of a run in their slots, with the states that they see. It owns the frontier. A slot whose branch has
 *  ended is used again; until then it is on a chain of free ones, and what stood beside its branch is forgotten.
 *
 *  @par Thread safety   None.
 *  @par Lifetimes       The graph outlives it.
 */
class branch_table {
public:
    /** @param from   A fresh frontier, without branches, or one that was kept. */
    branch_table(const weft::graph& of, frontier&& from);
    /** Of a run that begins. @param values   Its state, which outlives it. */
    branch_table(const weft::graph& of, branch_state& values) : graph_{of}, where_{values} { where_.is_on_line = true; }

    [[nodiscard]] const weft::graph& graph() const noexcept { return graph_; }
    [[nodiscard]] frontier& where() noexcept { return where_; }
    [[nodiscard]] const frontier& where() const noexcept { return where_; }
    [[nodiscard]] run_branch& operator[](branch_index index) noexcept { return where_.branches[index]; }
    [[nodiscard]] const run_branch& operator[](branch_index index) const noexcept { return where_.branches[index]; }
    /** Where `leave` of another table said. Of a run that has no branch yet. */
    void stand_at(resting_place&& at);
    /** Where the only branch is at work; nothing if there is more to be known. Then the table is only destroyed. */
    [[nodiscard]] std::optional<resting_place> leave();
    /** How many slots there are, free ones included. */
    [[nodiscard]] branch_index size() const noexcept { return static_cast<branch_index>(where_.branches.size()); }

    /** A branch in a free slot. References to others do not outlive this. */
    [[nodiscard]] branch_index add()
    {
        if (free_ == no_index) {
            where_.branches.emplace_back();
            return size() - 1;
        }
        const branch_index index = free_;
        free_ = std::exchange(where_.branches[index].fork, no_index);
        return index;
    }
    /** The branch has ended. @return  The fan-out that it had open, which ends with it; mostly `no_index`. */
    [[nodiscard]] region_index release(branch_index index);
    /** So many more branches are about to be added. */
    void reserve(std::size_t more) { where_.branches.reserve(where_.branches.size() + more); }

    /** A visit of a node begins, which is a step. @return  Which visit of it this is, from 1. */
    [[nodiscard]] std::uint32_t count_visit(node_index node)
    {
        if (where_.is_on_line) {
            if (graph_.node(node).line_place == where_.steps + 1) return ++where_.steps, 1;
            where_.write_trail(graph_);
        }
        ++where_.steps;
        where_.path.push_back(node);
        return ++where_.visits[node];
    }
    /** A node is passed over: it is a step and no visit. */
    void count_step()
    {
        where_.write_trail(graph_);
        ++where_.steps;
    }
    /** How often a node was visited. */
    [[nodiscard]] std::uint32_t visits_of(node_index node) const noexcept
    {
        if (!where_.is_on_line) return where_.visits[node];
        const std::uint32_t place = graph_.node(node).line_place;
        return place != 0 && place <= where_.steps ? 1 : 0;
    }

    /** The state that a branch sees. */
    [[nodiscard]] branch_state& view_of(branch_index index) noexcept { return where_.view_of(where_.branches[index]); }
    /** Where a branch writes: a state of its own, or that of the run outside of fan-outs. */
    [[nodiscard]] branch_state& own_state_of(branch_index index);

    /** An attempt is over: what stands beside its branch is of no use any more. */
    void forget_extras(branch_index index)
    {
        if (where_.extras) drop_extras(index);
    }
    /** It is being stopped because it took too long. */
    void note_late(branch_index index, failure_ptr cause);
    void forget_lateness(branch_index index);
    /** The node runs before the run ends, once. */
    void defer(node_index node);
    /** The first node that was deferred; `no_node` if none is left. */
    [[nodiscard]] node_index take_deferred()
    {
        return where_.extras && !where_.extras->deferred.empty() ? take_first_deferred() : no_node;
    }
    /** Keeps what a node wrote, for feedback or for an expression. */
    void keep_outputs(node_index node, const write_set& writes);

private:
    void drop_extras(branch_index index);
    [[nodiscard]] node_index take_first_deferred();

    const weft::graph& graph_;
    [[no_unique_address]] frontier where_;  // what follows lies in its last bytes
    branch_index free_ = no_index;  // the first of a chain through `branch::fork`
};

}  // namespace weft
