#include <weft/base/error.hpp>
#include <weft/engine/scheduler.hpp>
#include <weft/graph/node_writes.hpp>

#include <boost/assert.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

/** ` (nodes that write it: 'a', 'b')`, as far as it is known. */
std::string writers_of(const graph& g, std::uint32_t slot)
{
    std::string text;
    for (const std::string_view name : nodes_that_write(g, slot))
        text.append(text.empty() ? " (nodes that write it: '" : ", '").append(name).append("'");
    return text.empty() ? text : text + ")";
}

}  // namespace

const fan_out_options& scheduler::options_of(const region& r) const { return graph_.node(r.source).fan_out; }

/** A branch has ended. */
void scheduler::settle(token_index index, branch_status status, failure_ptr cause)
{
    token& t = frontier_.tokens[index];
    const region_index at = t.region;
    region& r = frontier_.regions[at];
    if (status == branch_status::succeeded && t.own) cause = conflict_of(r, t);
    bool is_enough = false;
    if (status == branch_status::succeeded && !cause && !r.is_decided && options_of(r).until)
        cause = ask_until(at, index, is_enough);
    if (status == branch_status::succeeded && cause) {
        status = branch_status::failed;
        t.phase = token_phase::choosing;  // its node has run, and what it wrote stays
        t.has_failed = false;
    }
    if (t.is_leaving) frontier_.tokens[r.parent].is_leaving = true;  // what comes behind is on the way out as well
    r.results[t.branch].status = status;
    r.results[t.branch].error = cause;
    if (status == branch_status::succeeded) {
        ++r.succeeded;
        if (t.own) {
            for (const branch_state::entry& change : t.own->changes())
                if (strategy_of(r, change.slot) == conflict_strategy::error)
                    r.written.push_back({change.slot, t.branch});
            r.finished.push_back({t.branch, t.own->take_changes()});
        }
    } else if (status == branch_status::stopped) {
        // When the whole run is stopped, what its nodes have completed is kept, branch by branch.
        if (is_stopping_ && t.own) r.finished.push_back({t.branch, t.own->take_changes()});
    } else {
        ++r.failed;
        if (!r.first_failure) r.first_failure = cause;
    }
    if (timeout_of(r, t.branch).count() > 0) push(action::kind::disarm_branch, index);
    if (limits_.notices)
        notify(action::notice_kind::branch_ended, index, graph_.find(r.results[t.branch].node), t.branch);
    --r.running;
    // A failure that is tolerated in any case is the end of its branch; others may fail the run, which goes on there.
    const bool may_go_on = status != branch_status::succeeded && !is_stopping_ &&
                           (status == branch_status::stopped ||
                            options_of(r).on_failure.which() != branch_policy::kind::wait_all);
    if (may_go_on) break_off(index);
    else free_token(index);
    // A success decides only where so many are enough.
    if (is_enough) decide(at);
    if (status != branch_status::succeeded || options_of(r).on_failure.needed() > 0) apply_policy(at);
    close_if_settled(at);
}

/** Whether what is joined with a branch that has succeeded is enough. @return  Why it cannot be said, if it cannot. */
failure_ptr scheduler::ask_until(region_index at, token_index index, bool& is_enough)
{
    const region& r = frontier_.regions[at];
    const token& t = frontier_.tokens[index];
    try {
        joined_part& joined = joined_so_far(at);
        if (t.own) {
            for (const branch_state::entry& change : t.own->changes()) joined.seen->merge(branch_state::entry{change});
            ++joined.taken;
        }
        is_enough = options_of(r).until(state_view{*joined.seen});
        return nullptr;
    } catch (...) {
        std::erase_if(joined_, [at](const joined_part& part) { return part.at == at; });
        return make_failure(errc::condition_failed, r.parent,
                            "fan_out_options::until threw: " + text_of(std::current_exception()));
    }
}

/** What the branches of a region have joined so far; made anew where it does not follow from what is known. */
scheduler::joined_part& scheduler::joined_so_far(region_index at)
{
    region& r = frontier_.regions[at];
    const auto found = std::find_if(joined_.begin(), joined_.end(), [at](const joined_part& p) { return p.at == at; });
    if (found != joined_.end() && found->taken == r.finished.size()) return *found;
    joined_part& joined = found != joined_.end() ? *found : joined_.emplace_back();
    joined = {at, r.finished.size(), std::make_unique<branch_state>(r.view)};
    for (const region::finished_branch& f : r.finished)
        for (const branch_state::entry& change : f.changes) joined.seen->merge(branch_state::entry{change});
    return joined;
}

std::size_t scheduler::cancel_branches(token_index from, const branch_choice& which)
{
    for (token_index inner = from; frontier_.tokens[inner].region != no_index;
         inner = frontier_.regions[frontier_.tokens[inner].region].parent) {
        const token& t = frontier_.tokens[inner];
        const region& r = frontier_.regions[t.region];
        const auto is_meant = [&](const branch_result& b) {
            return which.index ? b.index == *which.index : b.node == which.first_node;
        };
        if (std::any_of(r.results.begin(), r.results.end(), is_meant)) return cancel_in(t.region, t.branch, which);
    }
    return 0;
}

/** Stops the branches of a region that are meant, but for the own one. */
std::size_t scheduler::cancel_in(region_index at, std::uint32_t own, const branch_choice& which)
{
    if (frontier_.regions[at].is_decided || is_stopping_) return 0;
    std::size_t count = 0;
    const auto is_meant = [&](std::uint32_t branch) {
        const branch_result& b = frontier_.regions[at].results[branch];
        return branch != own && (which.index ? branch == *which.index : b.node == which.first_node);
    };
    for (token_index t = 0; t < frontier_.tokens.size(); ++t) {
        const token& sibling = frontier_.tokens[t];
        if (sibling.phase == token_phase::free || sibling.region != at || sibling.is_stopping) continue;
        if (!is_meant(sibling.branch)) continue;
        ++count;
        stop_token(t);
    }
    region& r = frontier_.regions[at];
    for (std::uint32_t b = r.started; b < r.size(); ++b) {
        if (!is_meant(b) || r.results[b].status == branch_status::stopped) continue;
        r.results[b].status = branch_status::stopped;
        ++count;
    }
    r.skip_cancelled();
    if (count > 0) changed(checkpoint_kind::node_start, r.source);
    return count;
}

void scheduler::apply_policy(region_index at)
{
    const region& r = frontier_.regions[at];
    if (r.is_decided) return;
    const branch_policy policy = options_of(r).on_failure;
    switch (policy.which()) {
    case branch_policy::kind::fail_all:
        if (r.failed > 0) decide(at);
        return;
    case branch_policy::kind::first_success:
    case branch_policy::kind::quorum:
        if (r.succeeded >= policy.needed() || r.size() - r.failed < policy.needed()) decide(at);
        return;
    case branch_policy::kind::continue_others:
    case branch_policy::kind::wait_all: return;
    }
}

void scheduler::decide(region_index at)
{
    if (frontier_.regions[at].is_decided) return;
    frontier_.regions[at].is_decided = true;
    // Held open meanwhile: the last branch that stops at once must not close the region under the loop.
    ++frontier_.regions[at].running;
    stop_branches(at);
    --frontier_.regions[at].running;
}

void scheduler::stop_branches(region_index at)
{
    for (token_index t = 0; t < frontier_.tokens.size(); ++t)
        if (frontier_.tokens[t].phase != token_phase::free && frontier_.tokens[t].region == at) stop_token(t);
}

void scheduler::stop_token(token_index index)
{
    token& t = frontier_.tokens[index];
    if (t.is_stopping || t.phase == token_phase::free || t.phase == token_phase::broken_off) return;
    t.is_stopping = true;
    switch (t.phase) {
    case token_phase::ready:
        if (const auto it = std::find(ready_.begin() + static_cast<std::ptrdiff_t>(ready_taken_), ready_.end(), index);
            it != ready_.end())
            ready_.erase(it);
        return stopped_token(index);
    case token_phase::waiting:
        if (!is_pausing_) push(action::kind::stop_waiting, index);  // a pause has ended all waits already
        return stopped_token(index);
    case token_phase::deciding:
    case token_phase::running: node_unparked(index); return push(action::kind::stop_node, index);
    case token_phase::forked: {
        const region_index fork = t.fork;
        decide(fork);
        return close_if_settled(fork);
    }
    case token_phase::choosing:  // its predicates are being asked; `edge_chosen` comes next and stops it
    case token_phase::broken_off:
    case token_phase::free: return;
    }
}

void scheduler::branch_timed_out(token_index index)
{
    const token& t = frontier_.tokens[index];
    const bool has_ended = t.phase == token_phase::free || t.phase == token_phase::broken_off;
    if (is_finished_ || has_ended || t.is_stopping || t.region == no_index) return;
    frontier_.extra().late.emplace_back(
        index, make_failure(errc::branch_timeout, index,
                            "its branch began at '" +
                                std::string{frontier_.regions[t.region].results[t.branch].node} +
                                "'; raise fan_out_options::branch_timeout if it needs longer"));
    changed(checkpoint_kind::node_complete, t.node);
    stop_token(index);
}

/** All branches have ended: the token that forked goes on at the join, or takes the failure up. */
void scheduler::close(region_index at)
{
    region& r = frontier_.regions[at];
    const token_index parent = r.parent;
    if (frontier_.tokens[parent].is_stopping) {
        if (is_stopping_) keep_partial_work(at);
        r.is_decided = true;
        return stopped_token(parent);
    }
    if (failure_ptr cause = failure_of(r)) {
        r.is_decided = true;
        return fail_token(parent, std::move(cause));
    }
    frontier_.tokens[parent].fork = no_index;
    if (r.failed > 0) frontier_.is_degraded = true;
    try {
        if (!r.finished.empty()) merge_branches(r, own_state_of(parent));
    } catch (const std::exception& e) {
        free_region(at);
        return fail_token(parent, make_failure(errc::node_failed, parent, std::string{"a reducer threw: "} + e.what()));
    }
    const node_index join = r.join != no_node ? r.join : r.arrived;
    frontier_.tokens[parent].branches = std::allocate_shared<const branch_results>(
        block_allocator<branch_results>{}, std::move(r.results));
    notify(action::notice_kind::branches_joined, parent, join == no_node ? end_node : join);
    free_region(at);
    arrive(parent, join == no_node ? end_node : join);
}

void scheduler::keep_partial_work(region_index at)
{
    region& r = frontier_.regions[at];
    if (r.finished.empty()) return;
    try {
        merge_branches(r, own_state_of(r.parent));
    } catch (const std::exception&) {
        frontier_.is_degraded = true;  // a reducer that throws loses its own update; the stop goes on
    }
}

/** Whether a fan-out whose branches have all ended fails. */
bool scheduler::has_failed(const region& r) const
{
    const branch_policy policy = options_of(r).on_failure;
    const bool is_quorum = policy.which() == branch_policy::kind::quorum;
    if (policy.which() == branch_policy::kind::wait_all || (!r.first_failure && !is_quorum)) return false;
    return policy.which() == branch_policy::kind::fail_all || r.succeeded < std::max(policy.needed(), 1u);
}

/** What goes up from a fan-out whose branches have all ended; null if its join goes on. */
failure_ptr scheduler::failure_of(const region& r) const
{
    if (!has_failed(r)) return nullptr;
    const branch_policy policy = options_of(r).on_failure;
    const bool is_quorum = policy.which() == branch_policy::kind::quorum;
    if (policy.which() == branch_policy::kind::fail_all) return r.first_failure;
    const std::uint32_t needed = std::max(policy.needed(), 1u);
    const auto is_trip = [](const branch_result& one) {
        return one.error && one.error->code == errc::guardrail_tripped;
    };
    // Another attempt would not mend it.
    const bool is_tripped = std::any_of(r.results.begin(), r.results.end(), is_trip);
    const errc code = is_tripped ? errc::guardrail_tripped : is_quorum ? errc::quorum_missed : errc::branches_failed;
    return make_failure(code, r.parent,
                        std::to_string(r.succeeded) + " of " + std::to_string(r.size()) + " branches succeeded, " +
                            std::to_string(needed) + " needed" +
                            (r.first_failure ? "; the first failure: " + r.first_failure->message : ""));
}

conflict_strategy scheduler::strategy_of(const region& r, std::uint32_t slot) const
{
    if (const auto own = (*graph_.layout())[slot].conflict) return *own;
    return options_of(r).conflict.value_or(graph_.conflict());
}

failure_ptr scheduler::conflict_of(const region& r, const token& t) const
{
    for (const branch_state::entry& change : t.own->changes()) {
        if (!change.is_overwrite || strategy_of(r, change.slot) != conflict_strategy::error) continue;
        for (const region::written_key& other : r.written)
            if (other.slot == change.slot && other.branch != t.branch)
                return make_failure(errc::write_conflict, r.parent,
                                    "key '" + (*graph_.layout())[change.slot].name + "' was written by the branches '" +
                                        std::string{r.results[other.branch].node} + "' and '" +
                                        std::string{r.results[t.branch].node} + "'" +
                                        writers_of(graph_, change.slot) +
                                        "; give the key a reducer or choose another conflict_strategy");
    }
    return nullptr;
}

/** Whether what the branches did to a key joins in the order of the branches, and not in that of their ends. */
bool scheduler::joins_in_order(const region& r, std::uint32_t slot) const
{
    const conflict_strategy strategy = strategy_of(r, slot);
    if (strategy == conflict_strategy::branch_order) return true;
    const state_layout::slot& key = (*graph_.layout())[slot];
    if (!key.type->has_reducer || strategy == conflict_strategy::first_wins) return false;
    // Without a word to the contrary a result does not depend on time.
    return strategy == conflict_strategy::error || !(key.conflict || options_of(r).conflict);
}

void scheduler::merge_branches(region& r, branch_state& into) const
{
    std::vector<std::uint32_t> taken;
    bool has_ordered = false;
    for (region::finished_branch& f : r.finished)
        for (branch_state::entry& change : f.changes) {
            if (joins_in_order(r, change.slot)) {
                has_ordered = true;
                continue;
            }
            if (strategy_of(r, change.slot) == conflict_strategy::first_wins && change.is_overwrite) {
                if (std::find(taken.begin(), taken.end(), change.slot) != taken.end()) continue;
                taken.push_back(change.slot);
            }
            into.merge(std::move(change));
        }
    if (!has_ordered) return;
    const auto comes_before = [](const auto& a, const auto& b) { return a.branch < b.branch; };
    // Branches that wait for nothing end in their order.
    if (!std::is_sorted(r.finished.begin(), r.finished.end(), comes_before))
        std::sort(r.finished.begin(), r.finished.end(), comes_before);
    for (region::finished_branch& f : r.finished)
        for (branch_state::entry& change : f.changes)
            if (joins_in_order(r, change.slot)) into.merge(std::move(change));
}

void scheduler::free_region(region_index at)
{
    if (!joined_.empty()) std::erase_if(joined_, [at](const joined_part& part) { return part.at == at; });
    for (const token_index t : std::exchange(frontier_.regions[at].broken_off, {})) free_token(t);
    frontier_.regions[at] = region{};
    frontier_.regions[at].parent = std::exchange(free_region_, at);
}

}  // namespace weft
