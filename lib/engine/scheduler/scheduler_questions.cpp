#include <weft/engine/scheduler/scheduler.hpp>

#include <algorithm>

namespace weft {

void scheduler::node_parked(token_index index)
{
    token& t = frontier_.tokens[index];
    if (t.phase != token_phase::running || t.is_parked || t.is_stopping || is_finished_) return;
    t.is_parked = true;
    ++parked_;
    --running_;
}

void scheduler::node_unparked(token_index index)
{
    token& t = frontier_.tokens[index];
    if (!t.is_parked) return;
    t.is_parked = false;
    --parked_;
    ++running_;
    is_parked_told_ = false;
}

void scheduler::node_dropped(token_index index)
{
    --running_;
    token& t = frontier_.tokens[index];
    if (t.is_stopping) return stopped_token(index);
    --t.attempt;
    make_ready(index);
}

/** Whether something is left that goes on without an answer. */
bool scheduler::may_move() const noexcept
{
    return std::any_of(frontier_.tokens.begin(), frontier_.tokens.end(), [](const token& t) {
        return t.phase == token_phase::waiting || t.phase == token_phase::choosing;
    });
}

bool scheduler::is_parked() const noexcept
{
    const bool has_rest = ready_taken_ < ready_.size() || taken_ < actions_.size() || is_unsaved_;
    return parked_ > 0 && running_ == 0 && !is_pausing_ && !is_finished_ && !has_rest &&
           saving_ == save_stage::none && !may_move();
}

/** Nothing runs but nodes that wait for answers. @return True if something follows from that. */
bool scheduler::settle_parked()
{
    if (running_ > 0 || is_finished_) return false;
    if (!is_pausing_) {
        if (when_parked_ == parked_rule::wait || is_parked_told_ || may_move()) return false;
        if (when_parked_ == parked_rule::tell) {
            is_parked_told_ = true;
            push(action::kind::all_parked, no_index);
            return true;
        }
        pause();
    }
    for (token_index index = 0; index < frontier_.tokens.size(); ++index) {
        if (!frontier_.tokens[index].is_parked) continue;
        node_unparked(index);  // until it is taken down
        push(action::kind::drop_node, index);
    }
    return true;
}

}  // namespace weft
