#include <weft/base/error.hpp>
#include <weft/engine/scheduler/scheduler.hpp>
#include <weft/graph/node/node_writes.hpp>

#include <boost/assert.hpp>

#include <algorithm>
#include <functional>
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
    const fan_out_options& rules = options_of(r);
    if (status == branch_status::succeeded && t.own) cause = conflict_of(r, t);
    bool is_enough = false;
    if (status == branch_status::succeeded && !cause && !r.is_decided && rules.until)
        cause = ask_until(at, index, is_enough);
    if (status == branch_status::succeeded && cause) {
        status = branch_status::failed;
        t.phase = token_phase::choosing;  // its node has run, and what it wrote stays
        t.has_failed = false;
    }
    if (t.is_leaving) frontier_.tokens[r.parent].is_leaving = true;  // what comes behind is on the way out as well
    if (status == branch_status::succeeded) {
        ++r.succeeded;
        if (t.own) note_written(r, t);
    } else if (status != branch_status::stopped) {
        ++r.failed;
        if (!r.first_failure) r.first_failure = cause;
    }
    // When the whole run is stopped, what its nodes have completed is kept, branch by branch.
    const bool keeps_changes =
        t.own && (status == branch_status::succeeded || (status == branch_status::stopped && is_stopping_));
    if (status == branch_status::succeeded && !keeps_changes) {
        r.ended.add_plain(t.branch, r.size());
    } else {
        ended_branch& ended = r.ended.add(t.branch, status, r.size());
        ended.error = std::move(cause);
        if (keeps_changes) ended.changes = t.own->take_changes();
    }
    if (timeout_of(r, t.branch).count() > 0) push(action::kind::disarm_branch, index);
    if (limits_.notices) notify(action::notice_kind::branch_ended, index, r.first_node_of(t.branch), t.branch);
    --r.running;
    // A failure that is tolerated in any case is the end of its branch; others may fail the run, which goes on there.
    const bool may_go_on = status != branch_status::succeeded && !is_stopping_ &&
                           (status == branch_status::stopped || may_fail(r));
    const bool is_first_success = status == branch_status::succeeded && r.succeeded == 1;
    if (is_first_success && !r.broken_off.empty() && !may_fail(r)) forget_failed_branches(at);
    if (may_go_on) break_off(index);
    else free_token(index);
    // A success decides only where so many are enough.
    if (is_enough) decide(at);
    if (status != branch_status::succeeded || rules.on_failure.needed() > 0) apply_policy(at);
    close_if_settled(at);
}

/** The first branch that wrote a key is in conflict with all others. */
void scheduler::note_written(region& r, const token& t) const
{
    for (const branch_state::entry& change : t.own->changes()) {
        if (strategy_of(r, change.slot) != conflict_strategy::error) continue;
        const auto is_its_key = [&change](const region::written_key& known) { return known.slot == change.slot; };
        if (std::none_of(r.written.begin(), r.written.end(), is_its_key)) r.written.push_back({change.slot, t.branch});
    }
}

/** Whether what is joined with a branch that has succeeded is enough. @return  Why it cannot be said, if it cannot. */
failure_ptr scheduler::ask_until(region_index at, token_index index, bool& is_enough)
{
    const region& r = frontier_.regions[at];
    const token& t = frontier_.tokens[index];
    try {
        joined_part& joined = joined_so_far(at);
        if (t.own)
            for (const branch_state::entry& change : t.own->changes()) joined.seen->merge(branch_state::entry{change});
        ++joined.taken;
        is_enough = options_of(r).until(state_view{*joined.seen});
        return nullptr;
    } catch (...) {
        std::erase_if(joined_, [at](const joined_part& part) { return part.at == at; });
        return make_failure(errc::condition_failed, r.parent,
                            "`until` of the fan-out threw: " + text_of(std::current_exception()));
    }
}

/** What the branches of a region have joined so far. */
scheduler::joined_part& scheduler::joined_so_far(region_index at)
{
    region& r = frontier_.regions[at];
    const auto found = std::find_if(joined_.begin(), joined_.end(), [at](const joined_part& p) { return p.at == at; });
    joined_part& joined = found != joined_.end()
                              ? *found
                              : joined_.emplace_back(joined_part{at, 0, std::make_unique<branch_state>(r.view)});
    r.ended.settle();
    const settled_list<ended_branch> all = r.ended.all();
    all.for_each_from(joined.taken, [&joined](const ended_branch& ended) {
        for (const branch_state::entry& change : ended.changes) joined.seen->merge(branch_state::entry{change});
    });
    joined.taken = all.size();
    return joined;
}

std::size_t scheduler::cancel_branches(token_index from, const branch_choice& which)
{
    for (token_index inner = from; frontier_.tokens[inner].region != no_index;
         inner = frontier_.regions[frontier_.tokens[inner].region].parent) {
        const token& t = frontier_.tokens[inner];
        const region& r = frontier_.regions[t.region];
        bool has_meant = which.index && *which.index < r.size();
        for (std::uint32_t b = 0; !which.index && !has_meant && b < r.size(); ++b)
            has_meant = graph_.name_of(r.first_node_of(b)) == which.first_node;
        if (has_meant) return cancel_in(t.region, t.branch, which);
    }
    return 0;
}

/** Stops the branches of a region that are meant, but for the own one. */
std::size_t scheduler::cancel_in(region_index at, std::uint32_t own, const branch_choice& which)
{
    if (frontier_.regions[at].is_decided || is_stopping_) return 0;
    std::size_t count = 0;
    const auto is_meant = [&](std::uint32_t branch) {
        if (which.index) return branch != own && branch == *which.index;
        return branch != own && graph_.name_of(frontier_.regions[at].first_node_of(branch)) == which.first_node;
    };
    for (token_index t = 0; t < frontier_.tokens.size(); ++t) {
        const token& sibling = frontier_.tokens[t];
        if (sibling.phase == token_phase::free || sibling.region != at || sibling.is_stopping) continue;
        if (!is_meant(sibling.branch)) continue;
        ++count;
        stop_token(t);
    }
    region& r = frontier_.regions[at];
    const auto known = r.cancelled;
    for (std::uint32_t b = r.started; b < r.size(); ++b) {
        if (!is_meant(b) || std::binary_search(known.begin(), known.end(), b, std::greater<>{})) continue;
        r.cancelled.push_back(b);
        r.ended.push_back({b, branch_status::stopped, nullptr, {}});
        ++count;
    }
    std::sort(r.cancelled.begin(), r.cancelled.end(), std::greater<>{});
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
                                std::string{graph_.name_of(frontier_.regions[t.region].first_node_of(t.branch))} +
                                "'; raise the fan-out's `branch_timeout` if it needs longer"));
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
    std::shared_ptr<const branch_results> results = results_of(r);
    ended_branches::items ended = r.ended.take();
    try {
        join_writes(r, ended);
    } catch (const std::exception& e) {
        free_region(at);
        return fail_token(parent, make_failure(errc::node_failed, parent, std::string{"a reducer threw: "} + e.what()));
    }
    const node_index join = r.join != no_node ? r.join : r.arrived;
    frontier_.tokens[parent].branches = std::move(results);
    notify(action::notice_kind::branches_joined, parent, join == no_node ? end_node : join);
    free_region(at);
    arrive(parent, join == no_node ? end_node : join);
}

void scheduler::keep_partial_work(region_index at)
{
    region& r = frontier_.regions[at];
    ended_branches::items ended = r.ended.take();
    try {
        join_writes(r, ended);
    } catch (const std::exception&) {
        frontier_.is_degraded = true;  // a reducer that throws loses its own update; the stop goes on
    }
}

/** Whether a fan-out that is open may fail with the failures that it has. */
bool scheduler::may_fail(const region& r) const
{
    const branch_policy::kind policy = options_of(r).on_failure.which();
    if (policy == branch_policy::kind::wait_all) return false;
    return policy != branch_policy::kind::continue_others || r.succeeded == 0;
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
    // Another attempt would not mend it.
    bool is_tripped = false;
    r.ended.for_each([](std::uint32_t) {}, [&is_tripped](const ended_branch& one) {
        is_tripped |= one.error && one.error->code == errc::guardrail_tripped;
    });
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
                                        std::string{graph_.name_of(r.first_node_of(other.branch))} + "' and '" +
                                        std::string{graph_.name_of(r.first_node_of(t.branch))} + "'" +
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

/** What the branches wrote goes into the state of the token that forked. */
void scheduler::join_writes(const region& r, ended_branches::items& ended)
{
    const auto has_written = [](const ended_branch& one) { return !one.changes.empty(); };
    if (std::any_of(ended.begin(), ended.end(), has_written)) merge_branches(r, ended, own_state_of(r.parent));
}

std::shared_ptr<const branch_results> scheduler::results_of(const region& r) const
{
    auto results = std::allocate_shared<branch_results>(block_allocator<branch_results>{}, r.size());
    branch_result* const first = results->data();
    for (std::uint32_t b = 0; b < r.size(); ++b) {
        first[b].index = b;
        first[b].node = graph_.name_of(r.first_node_of(b));
    }
    r.ended.for_each([first](std::uint32_t plain) { first[plain].status = branch_status::succeeded; },
                     [first](const ended_branch& one) {
                         first[one.branch].status = one.status;
                         first[one.branch].error = one.error;
                     });
    return results;
}

/** @param ended   Of the region; what the branches wrote is moved from it. */
void scheduler::merge_branches(const region& r, ended_branches::items& ended, branch_state& into) const
{
    std::vector<std::uint32_t> taken;
    bool has_ordered = false;
    for (ended_branch& f : ended)
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
    if (!std::is_sorted(ended.begin(), ended.end(), comes_before)) std::sort(ended.begin(), ended.end(), comes_before);
    for (ended_branch& f : ended)
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
