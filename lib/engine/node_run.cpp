#include "node_run.hpp"

#include "run.hpp"

namespace weft {

node_run::node_run(run& owner, token_index token, serial_loop& loop, branch_state& view, node_context::visit_info info)
    : owner_{owner}, token_{token}, task_{&loop, &scope_}, context_{owner, task_, view, info},
      timer_{loop, &node_run::on_timer, this}
{
}

bool node_run::start(node_task work)
{
    work_ = std::move(work);
    return work_.start(task_, &node_run::on_done, this);
}

command node_run::answer()
{
    if (work_.exception()) std::rethrow_exception(work_.exception());
    return work_.take();
}

void node_run::stop(std::chrono::nanoseconds grace)
{
    if (is_stopping_) return;
    is_stopping_ = true;
    timer_.arm_after(grace);
    scope_.request_stop();
}

void node_run::limit_idleness(std::chrono::nanoseconds most)
{
    serial_loop& loop = *task_.loop;
    idle_.reset(new idleness{loop_timer{loop, &node_run::on_idle, this}, most, loop.now()});
    idle_->timer.arm_after(most);
}

void node_run::on_idle(void* self)
{
    auto& node = *static_cast<node_run*>(self);
    if (node.is_stopping_) return;
    idleness& idle = *node.idle_;
    if (node.places_ && node.places_->is_parked) node.note_progress();  // it waits for a person
    const std::chrono::nanoseconds left = idle.last + idle.most - node.task_.loop->now();
    if (left.count() > 0) return idle.timer.arm_after(left);
    idle.is_over = true;
    node.has_timed_out_ = true;
    node.owner_.node_timed_out(node);
}

void node_run::hold_timeout()
{
    if (is_stopping_ || !timer_.is_armed()) return;
    places_->timeout_left = timer_.deadline() - task_.loop->now();
    timer_.disarm();
}

void node_run::release_timeout()
{
    note_progress();
    if (!places_->timeout_left || is_stopping_) return;
    timer_.arm_after(*std::exchange(places_->timeout_left, std::nullopt));
}

void node_run::on_done(void* self)
{
    auto& node = *static_cast<node_run*>(self);
    node.owner_.node_ended(node);
}

void node_run::on_timer(void* self)
{
    auto& node = *static_cast<node_run*>(self);
    if (!node.is_stopping_) {
        node.has_timed_out_ = true;
        return node.owner_.node_timed_out(node);
    }
    node.was_destroyed_ = true;
    node.work_.reset();
    node.owner_.node_did_not_stop(node);
}

}  // namespace weft
