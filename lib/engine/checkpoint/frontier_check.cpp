#include "frontier_check.hpp"

#include <weft/base/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::checkpoint_detail {

namespace {

/** Looks at a frontier as the scheduler will: whatever it follows must lead somewhere. */
class frontier_check {
public:
    frontier_check(const frontier_data& parts, const graph& of) : parts_{parts}, of_{of} {}

    void run() const
    {
        for (region_index r = 0; r < parts_.regions.size(); ++r)
            if (parts_.regions[r].is_open) check_region(r);
        for (branch_index t = 0; t < parts_.branches.size(); ++t)
            if (parts_.branches[t].phase != branch_phase::free) check_branch(t);
        count_branches();
        if (parts_.extras) check_extras();
    }

private:
    static void require(bool holds, const char* what)
    {
        if (!holds) throw error{errc::store_corrupt, "checkpoint", std::string{what}};
    }

    [[nodiscard]] bool is_node(node_index n) const { return n < of_.size(); }
    [[nodiscard]] bool is_target(node_index n) const { return is_node(n) && n != start_node; }
    [[nodiscard]] bool is_target_or_end(node_index n) const { return n == end_node || is_target(n); }
    [[nodiscard]] bool is_open(region_index r) const { return r < parts_.regions.size() && parts_.regions[r].is_open; }

    void check_branch(branch_index index) const
    {
        const run_branch& t = parts_.branches[index];
        const bool works = t.phase == branch_phase::ready || t.phase == branch_phase::running ||
                           t.phase == branch_phase::waiting;  // not at the start, which has no work
        require(works ? is_target(t.node) || (t.node == end_node && t.phase == branch_phase::ready) : is_node(t.node),
                "a token is at no node");
        const bool may_be_forked = t.phase == branch_phase::forked || t.phase == branch_phase::broken_off;
        require(t.phase != branch_phase::forked || t.fork != no_index, "a token waits for no fan-out");
        require(may_be_forked || t.fork == no_index, "a token waits for a fan-out and does something else");
        if (t.fork != no_index)
            require(is_open(t.fork) && parts_.regions[t.fork].parent == index, "a token waits for another's fan-out");
        if (t.phase == branch_phase::choosing && t.has_failed)
            require(t.previous() != nullptr, "a node has failed without a failure");
        if (t.region == no_index) {
            require(index == 0 && !t.input && !t.own, "a token is of no branch");
            return;
        }
        require(index != 0 && is_open(t.region), "a token is a branch of no fan-out");
        require(t.branch < parts_.regions[t.region].started, "a token is a branch that has not begun");
    }

    void check_region(region_index index) const
    {
        const region& r = parts_.regions[index];
        require(r.parent < parts_.branches.size() && parts_.branches[r.parent].fork == index,
                "a fan-out is of no token");
        require(is_node(r.source), "a fan-out has no source");
        require(r.join == no_node || is_target_or_end(r.join), "a fan-out has no join");
        require(r.arrived == no_node || is_target_or_end(r.arrived), "a fan-out has no join");
        const std::size_t branches = !r.groups.empty() ? r.groups.size()
                                     : r.sent          ? r.sent->items.size()
                                                       : r.targets.size();
        require(branches == r.branches && branches > 0, "a fan-out has another number of branches");
        require(r.started <= branches && r.running <= r.started && r.succeeded <= r.started &&
                    r.failed <= r.started - r.succeeded && r.running <= r.started - r.succeeded - r.failed,
                "a fan-out counts more branches than it has");
        const bool is_broken_off = parts_.branches[r.parent].phase == branch_phase::broken_off;
        require(is_broken_off || r.running > 0 || (r.started < branches && !r.is_decided),
                "a fan-out is over and open");
        require(!is_broken_off || (r.running == 0 && r.is_decided), "a fan-out is broken off and runs");
        for (const auto& group : r.groups) {
            require(!group.empty(), "a branch begins nowhere");
            for (const node_index n : group) require(is_target_or_end(n), "a branch begins nowhere");
        }
        for (const node_index n : r.targets) require(is_target_or_end(n), "a branch begins nowhere");
        if (r.sent)
            for (const sent_item& item : r.sent->items) require(is_target(item.target), "an item is sent nowhere");
        check_ended(r);
        for (const auto& written : r.written) require(written.branch < branches, "a branch is beyond its fan-out");
        check_way_out(index);
    }

    /** A branch ends once; one that has not begun may have been cancelled. */
    static void check_ended(const region& r)
    {
        std::vector<bool> has_ended(r.size());
        r.ended.all().for_each([&](const ended_branch& one) {
            require(one.branch < r.size(), "a branch is beyond its fan-out");
            require(!has_ended[one.branch], "a branch has ended twice");
            require(one.branch < r.started || one.status == branch_status::stopped,
                    "a branch has ended before it began");
            has_ended[one.branch] = true;
        });
    }

    /** Fan-outs stand in one another, and never in themselves. */
    void check_way_out(region_index index) const
    {
        region_index at = index;
        for (std::size_t steps = 0; at != no_index; ++steps) {
            require(steps <= parts_.regions.size(), "a fan-out is within itself");
            require(is_open(at) && parts_.regions[at].parent < parts_.branches.size(), "a fan-out is within none");
            at = parts_.branches[parts_.regions[at].parent].region;
        }
    }

    void count_branches() const
    {
        std::vector<std::vector<bool>> running(parts_.regions.size());
        std::vector<std::uint32_t> counts(parts_.regions.size());
        for (const run_branch& t : parts_.branches) {
            if (t.phase == branch_phase::free || t.region == no_index) continue;
            auto& branches = running[t.region];
            branches.resize(parts_.regions[t.region].size());
            require(!branches[t.branch], "a branch has two tokens");
            branches[t.branch] = true;
            counts[t.region] += t.phase == branch_phase::broken_off ? 0 : 1;
        }
        for (region_index r = 0; r < parts_.regions.size(); ++r)
            if (parts_.regions[r].is_open)
                require(counts[r] == parts_.regions[r].running, "a fan-out counts its branches wrongly");
    }

    void check_extras() const
    {
        const frontier_extras& extras = *parts_.extras;
        for (const node_index n : extras.deferred) require(is_target(n), "a deferred node is none");
        for (const auto& [branch, cause] : extras.late)
            require(branch < parts_.branches.size() && cause, "a late branch is none");
        for (const auto& [branch, inside] : extras.inner)
            require(branch < parts_.branches.size() && inside, "a graph in a node is at no node");
    }

    const frontier_data& parts_;
    const graph& of_;
};

}  // namespace

void check_frontier(const frontier_data& parts, const graph& of) { frontier_check{parts, of}.run(); }

}  // namespace weft::checkpoint_detail
