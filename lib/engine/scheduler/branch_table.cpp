#include "branch_table.hpp"

#include <algorithm>
#include <memory>

namespace weft {

branch_table::branch_table(const weft::graph& of, frontier&& from) : graph_{of}, where_{std::move(from)}
{
    if (where_.steps == 0 && where_.path.empty()) where_.is_on_line = true;
    if (!where_.is_on_line) where_.visits.resize(of.size());
    for (branch_index index = 0; index < size(); ++index)
        if (where_.branches[index].phase == branch_phase::free)
            where_.branches[index].fork = std::exchange(free_, index);
}

void branch_table::stand_at(resting_place&& at)
{
    where_.steps = at.steps;
    run_branch& t = where_.branches[add()];
    t.node = at.node;
    t.phase = branch_phase::running;
    t.attempt = t.visit = t.in_a_row = 1;
    t.is_counted = true;
    t.step = at.steps;
    const std::unique_ptr<resting_place::trail> from = std::move(at.off_line);
    if (!from) return;
    t.visit = from->visit;
    t.step = from->step;
    t.in_a_row = from->in_a_row;
    where_.is_on_line = false;
    where_.visits = std::move(from->visits);
    where_.path = std::move(from->path);
}

namespace {

/** Whether a branch is in the first attempt of a node, came to it alone, and nothing was asked of it. */
bool is_plainly_at_work(const run_branch& t) noexcept
{
    const bool is_marked = t.is_stopping || t.has_paused || t.is_parked || t.has_failed || t.is_leaving;
    return t.phase == branch_phase::running && t.attempt == 1 && !is_marked && !t.past;
}

}  // namespace

std::optional<resting_place> branch_table::leave()
{
    if (where_.extras || where_.branches.size() != 1 || !where_.regions.empty()) return std::nullopt;
    const run_branch& t = where_.branches.front();
    if (!is_plainly_at_work(t) || where_.is_degraded || where_.retries != 0) return std::nullopt;
    resting_place at{t.node, where_.steps, nullptr};
    if (!where_.is_on_line)
        at.off_line.reset(new resting_place::trail{std::move(where_.visits), std::move(where_.path), t.visit, t.step,
                                                   t.in_a_row});
    return at;
}

region_index branch_table::release(branch_index index)
{
    forget_extras(index);
    run_branch* const place = &where_.branches[index];
    const region_index within = place->fork;
    // Made anew where it is: an assignment would look at each member twice.
    std::destroy_at(place);
    std::construct_at(place)->fork = std::exchange(free_, index);
    return within;
}

branch_state& branch_table::own_state_of(branch_index index)
{
    run_branch& t = where_.branches[index];
    if (t.region == no_index) return *where_.root;
    if (!t.own) t.own = std::make_unique<branch_state>(t.input ? t.input.get() : where_.regions[t.region].view);
    return *t.own;
}

void branch_table::drop_extras(branch_index index)
{
    const auto is_its_own = [index](const auto& entry) { return entry.first == index; };
    std::erase_if(where_.extras->inner, is_its_own);
    std::erase_if(where_.extras->late, is_its_own);
}

void branch_table::note_late(branch_index index, failure_ptr cause)
{
    where_.extra().late.emplace_back(index, std::move(cause));
}

void branch_table::forget_lateness(branch_index index)
{
    if (where_.extras) std::erase_if(where_.extras->late, [index](const auto& entry) { return entry.first == index; });
}

void branch_table::defer(node_index node)
{
    auto& deferred = where_.extra().deferred;
    if (std::find(deferred.begin(), deferred.end(), node) == deferred.end()) deferred.push_back(node);
}

node_index branch_table::take_first_deferred()
{
    auto& deferred = where_.extras->deferred;
    const node_index first = deferred.front();
    deferred.erase(deferred.begin());
    return first;
}

void branch_table::keep_outputs(node_index node, const write_set& writes)
{
    auto shared = std::make_shared<const write_set>(writes);
    auto& all = where_.extra().last_outputs;
    const auto found = std::find_if(all.begin(), all.end(), [node](const auto& entry) { return entry.first == node; });
    if (found == all.end())
        all.emplace_back(node, std::move(shared));
    else
        found->second = std::move(shared);
}

}  // namespace weft
