#include "visit_gate.hpp"

#include "branch_failure.hpp"

#include <boost/assert.hpp>

#include <string>
#include <utility>

namespace weft {

branch_index visit_gate::next_start()
{
    // One start at a time: what a branch that begins decides (timers, notices) is performed before the next.
    while (now_.course.may_start() && now_.actions.is_empty()) {
        if (is_full()) return no_index;
        if (now_.ready.is_empty()) {
            if (!flow().start_some_branch()) return no_index;
            continue;
        }
        const branch_index index = now_.ready.take();
        if (start(index)) return index;
    }
    return no_index;
}

node_index visit_gate::next_node() const
{
    if (is_full()) return no_node;
    if (!now_.ready.is_empty()) return now_.branches[now_.ready.front()].node;
    return now_.regions.next_first_node();
}

/** Begins a visit, which a retry or a resume goes on with. @return False if the branch may not start its node. */
bool visit_gate::start(branch_index index)
{
    run_branch& t = now_.branches[index];
    BOOST_ASSERT(t.phase == branch_phase::ready);
    if (t.node == end_node) {  // the run paused behind its last node
        flow().end(index);
        return false;
    }
    // A retry and a resume go on with a visit that is counted already.
    if (!t.is_counted) {
        if (!may_visit(t)) {
            stop_at_limit(index);
            return false;
        }
        const graph_node& node = now_.graph().node(t.node);
        if (pauses_at(node, pause_point::before) && !t.has_paused) {
            t.has_paused = true;
            now_.ready.push(index);
            flow().pause();
            return false;
        }
        t.has_paused = false;
        ++t.in_a_row;
        // It is no visit, but it is a step: a loop of nodes that are all passed over must come to its limit.
        if (node.visits_max > 0 && now_.branches.visits_of(t.node) >= node.visits_max) {
            now_.branches.count_step();
            skip_node(index);
            return false;
        }
        count_visit(t);
        // Answers of the visit before would look like those of this one.
        if (node.clears_keys && t.visit > 1) clear_stale(index);
    }
    ++t.attempt;
    t.phase = branch_phase::running;
    now_.nodes.begin();
    return true;
}

const graph_node* visit_gate::walk_on(branch_index index)
{
    run_branch& t = now_.branches[index];
    node_index to = now_.node_of(index).only_next;
    if (to == end_node || !may_walk(t)) return nullptr;
    const bool is_branch_over = t.region != no_index && now_.regions.meets_at(t, to);
    if (is_branch_over) to = now_.regions.next_straight(t, to);
    if (to == no_node) return nullptr;
    const graph_node& next = now_.graph().node(to);
    if (to != t.node || is_branch_over) t.in_a_row = 0;
    if (!next.begins_straight || !may_visit(t)) return nullptr;
    if (is_branch_over) now_.regions.pass_on(t);
    else t.past.reset();
    t.node = to;
    t.has_paused = false;
    ++t.in_a_row;
    count_visit(t);
    t.attempt = 1;
    return &next;
}

void visit_gate::clear_stale(branch_index index)
{
    write_set nothing;
    for (const std::uint32_t slot : now_.node_of(index).clears) nothing.push_back({slot, true, false, nullptr});
    flow().commit(index, std::move(nothing));
}

/** A node visited too often is passed over: its edges are followed as if it had succeeded. */
void visit_gate::skip_node(branch_index index)
{
    run_branch& t = now_.branches[index];
    now_.actions.notify(action::notice_kind::node_skipped, index, t.node);
    t.past.reset();
    flow().after_success(index);
}

failure_ptr visit_gate::time_failure(branch_index index) const
{
    return failure_at(now_.graph(), now_.branches[index], now_.course.out_of_time()->code,
                      "raise the limit `elapsed_max` if it needs longer");
}

failure_ptr visit_gate::limit_failure(branch_index index) const
{
    const run_branch& t = now_.branches[index];
    const std::uint32_t steps = now_.branches.where().steps;
    if (now_.limits.steps_max != 0 && steps >= now_.limits.steps_max) {
        std::string detail = "after " + std::to_string(steps) + " steps";
        if (t.is_leaving) detail += ", with the reserve for its way out";
        return failure_at(now_.graph(), t, errc::steps_exceeded,
                          detail + "; if the graph does not loop for ever, raise the limit `steps_max`");
    }
    if (now_.course.out_of_time() && !t.is_leaving) return time_failure(index);
    return failure_at(now_.graph(), t, errc::node_repeated,
                      std::to_string(t.in_a_row) + " times; if that is meant, raise the limit `in_a_row_max`");
}

void visit_gate::stop_at_limit(branch_index index)
{
    failure_ptr cause = limit_failure(index);
    if (take_way_out(index, cause)) return;
    const bool is_in_a_row = cause->code == errc::node_repeated;
    const bool fails = is_in_a_row ? now_.limits.fails_in_a_row : now_.limits.fails_at_limit;
    now_.branches.where().is_degraded = true;
    if (!fails) now_.course.cut_short(is_in_a_row);
    flow().stop(fails ? std::move(cause) : nullptr);
}

bool visit_gate::take_way_out(branch_index index, failure_ptr cause)
{
    run_branch& t = now_.branches[index];
    // Once only: a branch that is on the way out and comes to the limit again has used up the reserve.
    if (t.is_leaving || now_.limits.steps_reserve == 0 || !now_.limits.fails_at_limit) return false;
    if (!edge_out_of(now_.graph(), now_.graph().node(t.node), cause->code)) return false;
    const node_index node = t.node;
    t.is_leaving = true;
    flow().take_failure_edge(index, std::move(cause));
    now_.changed(checkpoint_kind::node_start, node);
    return true;
}

/** Whether a branch that is under way has an edge for that. */
bool visit_gate::has_way_out(errc code) const noexcept
{
    for (const run_branch& t : now_.branches.where().branches) {
        const bool is_under_way = t.phase != branch_phase::free && t.phase != branch_phase::forked && !t.is_stopping;
        if (is_under_way && (t.is_leaving || edge_out_of(now_.graph(), now_.graph().node(t.node), code))) return true;
    }
    return false;
}

void visit_gate::run_out_of_time(const failure_ptr& cause)
{
    if (now_.course.is_stopping() || now_.course.is_over() || now_.course.out_of_time()) return;
    // Without an edge for it there is nothing that the reserve could be used for.
    if (now_.limits.steps_reserve == 0 || !has_way_out(cause->code)) return flow().stop(cause);
    now_.course.run_out_of_time(cause);
    const branch_index size = now_.branches.size();
    for (branch_index index = 0; index < size && !now_.course.is_stopping(); ++index) end_for_want_of_time(index);
}

void visit_gate::end_for_want_of_time(branch_index index)
{
    run_branch& t = now_.branches[index];
    const bool goes_on = t.phase == branch_phase::free || t.phase == branch_phase::forked || t.is_leaving ||
                         t.phase == branch_phase::choosing;  // what it chooses is not started
    if (goes_on || t.is_stopping) return;
    t.is_leaving = edge_out_of(now_.graph(), now_.graph().node(t.node), now_.course.out_of_time()->code) != nullptr;
    if (!t.is_leaving && t.region == no_index) return flow().stop(now_.course.out_of_time());
    now_.branches.note_late(index, time_failure(index));
    now_.changed(checkpoint_kind::node_complete, t.node);
    flow().stop_branch(index);
}

}  // namespace weft
