#include "partial_joins.hpp"

#include <algorithm>

namespace weft {

bool partial_joins::is_enough(region_index at, region& r, const run_branch& branch, const fan_out_options& options)
{
    try {
        partial& joined = joined_so_far(at, r);
        if (branch.own)
            for (const branch_state::entry& change : branch.own->changes())
                joined.seen->merge(branch_state::entry{change});
        ++joined.taken;
        return options.until(state_view{*joined.seen});
    } catch (...) {
        // A state that a reducer left half-way is of no use: the next branch joins anew.
        drop(at);
        throw;
    }
}

partial_joins::partial& partial_joins::joined_so_far(region_index at, region& r)
{
    // Only fan-outs with `until` need it.
    if (!joins_) joins_ = std::make_unique<std::vector<partial>>();
    const auto found = std::find_if(joins_->begin(), joins_->end(), [at](const partial& p) { return p.at == at; });
    partial& joined = found != joins_->end()
                          ? *found
                          : joins_->emplace_back(partial{at, 0, std::make_unique<branch_state>(r.view)});
    r.ended.settle();
    const settled_list<ended_branch> all = r.ended.all();
    all.for_each_from(joined.taken, [&joined](const ended_branch& ended) {
        for (const branch_state::entry& change : ended.changes) joined.seen->merge(branch_state::entry{change});
    });
    joined.taken = all.size();
    return joined;
}

void partial_joins::drop(region_index at)
{
    std::erase_if(*joins_, [at](const partial& one) { return one.at == at; });
}

}  // namespace weft
