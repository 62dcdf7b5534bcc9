#include <weft/engine/scheduler/scheduler.hpp>

#include <algorithm>
#include <utility>

namespace weft {

void scheduler::save_step(token_index index, node_index node)
{
    if (limits_.holds_for_save) return changed(checkpoint_kind::node_complete, node);
    if (is_finished_) return;
    frontier_.settle();
    push(action::kind::save, index);
}

void scheduler::note_change(checkpoint_kind moment, node_index node)
{
    is_unsaved_ = true;
    is_start_saved_ = false;
    unsaved_moment_ = moment;
    unsaved_node_ = node;
}

void scheduler::node_changed(token_index index)
{
    changed(checkpoint_kind::node_complete, frontier_.tokens[index].node);
}

/** What is to be kept now, if anything. */
std::optional<action> scheduler::next_save()
{
    if (saving_ != save_stage::none) return std::nullopt;
    if (is_finished_) {
        if (!std::exchange(owes_end_save_, false)) return std::nullopt;
        return begin_save(moment_of_end(), failure_ ? node_of_failure() : no_node, true);
    }
    // Where a pause finds the run is kept by the save of the end.
    if (!limits_.saves || is_stopping_ || (is_pausing_ && running_ == 0)) return std::nullopt;
    if (is_unsaved_) return begin_save(unsaved_moment_, unsaved_node_, false);
    if (!limits_.saves_starts || is_start_saved_ || is_pausing_) return std::nullopt;
    const node_index node = next_to_start();
    if (node == no_node) return std::nullopt;
    is_start_saved_ = true;
    return begin_save(checkpoint_kind::node_start, node, false);
}

/** Starts that follow a save happen in an order that the frontier tells, so that a resume from it counts the visits of
 *  its branches in the same way: effects are known by their visit. */
action scheduler::begin_save(checkpoint_kind moment, node_index node, bool is_end)
{
    is_unsaved_ = false;
    saving_ = is_end ? save_stage::end : save_stage::step;
    std::sort(ready_.begin() + static_cast<std::ptrdiff_t>(ready_taken_), ready_.end());
    std::sort(starting_.begin(), starting_.end());
    frontier_.settle();
    action save{};
    save.what = action::kind::save;
    save.node = node;
    save.moment = moment;
    return save;
}

/** By its name a checkpoint tells a failure from an end: one of the run itself is said of a node that was under way. */
node_index scheduler::node_of_failure() const
{
    const node_index named = graph_.find(failure_->node);
    return named == no_node && !unfinished_.empty() ? unfinished_.front() : named;
}

checkpoint_kind scheduler::moment_of_end() const noexcept
{
    if (status_ == run_status::paused) return checkpoint_kind::pause;
    return status_ == run_status::cancelled ? checkpoint_kind::cancel : checkpoint_kind::finish;
}

bool scheduler::may_start_branch(const region& r) const
{
    if (!r.is_open || r.is_decided || r.started == r.size()) return false;
    const std::uint32_t most = options_of(r).concurrency_max;
    return most == 0 || r.running < most;
}

/** The node that would start next; `no_node` if none would. */
node_index scheduler::next_to_start() const
{
    if (limits_.in_flight_max != 0 && running_ >= limits_.in_flight_max) return no_node;
    if (ready_taken_ < ready_.size()) return frontier_.tokens[ready_[ready_taken_]].node;
    for (const region_index at : starting_) {
        const region& r = frontier_.regions[at];
        if (may_start_branch(r)) return r.first_node_of(r.started);
    }
    return no_node;
}

void scheduler::finish(run_status status)
{
    if (is_finished_) return;
    is_finished_ = true;
    status_ = status;
    if (limits_.saves_end)
        owes_end_save_ = true;
    else
        tell_finish();
}

void scheduler::tell_finish()
{
    is_finish_told_ = true;
    push(action::kind::finish, no_index);
}

void scheduler::saved()
{
    if (std::exchange(saving_, save_stage::none) == save_stage::end && !is_finish_told_) tell_finish();
}

void scheduler::save_failed(failure_ptr cause)
{
    if (is_finish_told_) return;
    const bool was_last = saving_ == save_stage::end;
    saving_ = save_stage::none;
    is_unsaved_ = false;
    limits_.saves = false;
    limits_.saves_end = false;
    if (was_last || std::exchange(owes_end_save_, false)) {
        status_ = run_status::failed;
        if (!failure_) failure_ = std::move(cause);
        return tell_finish();
    }
    if (!is_stopping_) return stop(std::move(cause));
    if (!failure_) failure_ = std::move(cause);
}

/** Keeps the frontier of a run that is about to be cancelled: its nodes are to start again when it is resumed. */
void scheduler::keep_where_it_was()
{
    frontier_.settle();
    cut_ = std::make_unique<frontier>(frontier_);
}

/** What a stopped node had published joins what its branch had when the run was cancelled. May throw as reducers do. */
void scheduler::keep_published(token_index index, const write_set& writes)
{
    if (writes.empty() || cut_->lateness_of(index)) return;
    token& t = cut_->tokens[index];
    branch_state* into = cut_->root.get();
    if (t.region != no_index) {
        if (!t.own) t.own = std::make_unique<branch_state>(t.input ? t.input.get() : cut_->regions[t.region].view);
        into = t.own.get();
    }
    into->commit(write_set{writes});
}

}  // namespace weft
