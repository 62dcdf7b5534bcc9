#include <weft/engine/scheduler/scheduler.hpp>

#include <algorithm>
#include <utility>

namespace weft {

void scheduler::keep_outputs(node_index node, const write_set& writes)
{
    auto kept = std::make_shared<const write_set>(writes);
    auto& all = frontier_.extra().last_outputs;
    const auto found = std::find_if(all.begin(), all.end(), [node](const auto& entry) { return entry.first == node; });
    if (found == all.end())
        all.emplace_back(node, std::move(kept));
    else
        found->second = std::move(kept);
}

/** Takes over what a node that succeeded wrote. @return False if it was stopped or its writes could not be taken. */
bool scheduler::complete(token_index index, write_set&& writes)
{
    --running_;
    token& t = frontier_.tokens[index];
    if (t.is_stopping) {
        stopped_token(index);
        return false;
    }
    forget_extras(index);
    t.previous.reset();
    t.branches.reset();
    t.is_counted = false;
    const graph_node& node = graph_.node(t.node);
    if (node.keeps_outputs) keep_outputs(t.node, writes);
    if (node.observes_writes) node.observed->note(writes);
    if (pauses_at(t.node, pause_point::after)) pause();
    try {
        commit(index, std::move(writes));
    } catch (const std::exception& e) {
        take_failure_edge(index, make_failure(errc::node_failed, index, std::string{"a reducer threw: "} + e.what()));
        return false;
    }
    return true;
}

void scheduler::node_succeeded(token_index index, write_set&& writes, const command& answer)
{
    token& t = frontier_.tokens[index];
    const node_index at = t.node;
    const graph_node& node = graph_.node(at);
    // What follows comes to the same for most nodes, after more questions.
    if (node.ends_plainly && answer.which() == command::kind::next && writes.empty() && !t.is_stopping &&
        !frontier_.extras && !limits_.saves && !limits_.notices) {
        --running_;
        t.previous.reset();
        t.branches.reset();
        return arrive(index, node.only_next);
    }
    if (!complete(index, std::move(writes))) return changed(checkpoint_kind::node_complete, at);
    go_on(index, answer);
    if (frontier_.tokens[index].phase != token_phase::choosing) step_done(index, at);
}

void scheduler::node_sent(token_index index, write_set&& writes, sent_items&& items)
{
    const node_index node = frontier_.tokens[index].node;
    if (!complete(index, std::move(writes))) return changed(checkpoint_kind::node_complete, node);
    fork_sent(index, std::move(items));
    step_done(index, node);
}

void scheduler::node_paused(token_index index, std::shared_ptr<const frontier> inner)
{
    --running_;
    token& t = frontier_.tokens[index];
    if (t.is_stopping) return stopped_token(index);
    note_inner(index, std::move(inner));
    changed(checkpoint_kind::node_complete, t.node);
    --t.attempt;
    make_ready(index);
    pause();
}

void scheduler::note_inner(token_index index, std::shared_ptr<const frontier> inner)
{
    const auto note_in = [&](frontier& where) {
        if (!inner && !where.extras) return;
        auto& all = where.extra().inner;
        std::erase_if(all, [index](const auto& entry) { return entry.first == index; });
        if (inner) all.emplace_back(index, inner);
    };
    note_in(frontier_);
    if (cut_) note_in(*cut_);  // the run is being stopped, and its nodes end one after another
}

/** A token's attempt is over: what stands beside it is of no use any more. */
void scheduler::drop_extras(token_index index)
{
    const auto is_its_own = [index](const auto& entry) { return entry.first == index; };
    std::erase_if(frontier_.extras->inner, is_its_own);
    std::erase_if(frontier_.extras->late, is_its_own);
}

std::shared_ptr<const frontier> scheduler::inner_of(token_index index) const noexcept
{
    if (!frontier_.extras) return nullptr;
    for (const auto& [token, inner] : frontier_.extras->inner)
        if (token == index) return inner;
    return nullptr;
}

void scheduler::node_failed(token_index index, failure_ptr cause, double uniform, bool may_retry)
{
    --running_;
    token& t = frontier_.tokens[index];
    const node_index node = t.node;
    if (t.is_stopping) {
        stopped_token(index);
        return changed(checkpoint_kind::node_complete, node);
    }
    const retry_policy& retry = graph_.node(t.node).options.retry;
    if (!may_retry || !retry.retries_after(static_cast<int>(t.attempt), cause->code)) {
        t.is_counted = false;
        t.branches.reset();
        after_failure(index, std::move(cause));
        return changed(checkpoint_kind::node_complete, node);
    }
    forget_extras(index);
    t.previous = std::move(cause);
    t.phase = token_phase::waiting;
    ++frontier_.retries;
    const auto delay = retry.delay_before(static_cast<int>(t.attempt) + 1, uniform);
    notify(action::notice_kind::node_retried, index, t.node, t.attempt + 1);
    changed(checkpoint_kind::node_start, node);
    if (!is_pausing_) push(action::kind::wait, index, delay);
}

void scheduler::node_stopped(token_index index, write_set&& writes)
{
    --running_;
    changed(checkpoint_kind::node_complete, frontier_.tokens[index].node);
    if (is_stopping_) {
        std::erase_if(writes, [](const state_write& w) { return !w.is_published; });
        try {
            if (cut_) keep_published(index, writes);
            // Into its branch, whose older work joins the run's state with it; that of a branch that is late does not.
            const bool is_late = frontier_.lateness_of(index) != nullptr;
            if (!writes.empty()) (is_late ? *frontier_.root : own_state_of(index)).commit(std::move(writes));
        } catch (const std::exception&) {
            frontier_.is_degraded = true;  // a reducer that throws loses its own update; the stop goes on
        }
    }
    stopped_token(index);
}

void scheduler::retry_due(token_index index)
{
    if (is_finished_) return;  // its end is being saved
    if (frontier_.tokens[index].phase == token_phase::waiting) make_ready(index);
}

}  // namespace weft
