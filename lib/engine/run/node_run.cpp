#include "node_run.hpp"

#include "engine/visit/visit_address.hpp"
#include "run_core.hpp"
#include "stop_polling.hpp"

#include <weft/async/loop/serial_loop.hpp>

#include <algorithm>

namespace weft {

std::string visit_places::next(std::string_view name)
{
    // Few names in one visit: a list is smaller than a map, and made of nothing until one is asked for.
    auto found = std::find_if(counts_.begin(), counts_.end(), [&](const auto& entry) { return entry.first == name; });
    if (found == counts_.end()) found = counts_.emplace(counts_.end(), name, 0);
    return place_in_visit(address_, name, found->second++);
}

node_run::node_run(run_core& core, branch_index branch, branch_state& view, node_context::visit_info info)
    : task_{&core.loop, this}, context_{core, task_, view, info}, branch_{branch}
{
}

run_core& node_run::core() const noexcept { return static_cast<run_core&>(context_.host()); }

void* node_run::operator new(std::size_t, node_runner& owner) { return owner.take_place(); }
void node_run::operator delete(void* memory, node_runner& owner) noexcept { owner.give_back(memory); }

void node_run::operator delete(node_run* ended, std::destroying_delete_t) noexcept
{
    node_runner& owner = ended->core().nodes;
    ended->~node_run();
    owner.give_back(ended);
}

bool node_run::start(node_task work)
{
    work_ = std::move(work);
    return work_.start(task_, &node_run::on_done, this);
}

void node_run::begin_wait(std::chrono::nanoseconds timeout)
{
    has_waited_ = true;
    if (is_stopping_) return;  // by what its start has done: its grace counts already
    const time_point asked = deadline_;
    const bool is_timed = timeout.count() > 0;
    // No time counts while the node waits for a person; what is left of it counts afterwards.
    if (places() && places()->is_parked) {
        deadline_ = time_point::max();
        if (is_timed) places()->timeout_left = timeout;
        core().nodes.find_deadline();
        return;
    }
    if (!is_timed)
        deadline_ = time_point::max();
    else if (asked != time_point::min())
        core().wake_until(asked);
    else if (!core().begin_times_later())
        set_time(timeout);
}

void node_run::begin_time()
{
    if (has_waited_ && deadline_ == time_point::min()) set_time(core().nodes.limit_of(branch_));
}

void node_run::set_time(std::chrono::nanoseconds left) { deadline_ = core().nodes.note_time(left); }

time_point node_run::timeout_at() const noexcept
{
    // The clock is not read when a node starts. One that computes before its time begins has it from where it first
    // asks.
    if (deadline_ == time_point::min()) {
        const std::chrono::nanoseconds limit = core().nodes.limit_of(branch_);
        deadline_ = limit.count() > 0 ? core().nodes.deadline_after(limit) : time_point::max();
    }
    return deadline_;
}

bool node_run::is_due() const noexcept
{
    if (due_stop(core(), branch_, timeout_at()) == stop_cause::none) return false;
    saw_stop_ = true;
    return true;
}

command node_run::answer()
{
    if (work_.exception()) std::rethrow_exception(work_.exception());
    return work_.take();
}

bool node_run::takes_step(std::chrono::nanoseconds held) const
{
    if (!is_amending_) core().nodes.note_step(context_, held);
    return true;
}

void node_run::stop(std::chrono::nanoseconds grace)
{
    if (is_stopping_) return;
    is_stopping_ = true;
    // In place of the timeout, which does not matter any more.
    set_time(grace);
    request_stop();
}

void node_run::limit_idleness(std::chrono::nanoseconds most)
{
    serial_loop& loop = *task_.loop;
    // One timer that looks when it fires how long ago the last progress was, in place of one that is armed anew with
    // each piece of output.
    beside().idle.reset(new idleness{loop_timer{loop, &node_run::on_idle, this}, most, loop.now()});
    beside_->idle->timer.arm_after(most);
}

void node_run::on_idle(void* self)
{
    auto& node = *static_cast<node_run*>(self);
    if (node.is_stopping_) return;
    idleness& idle = *node.beside_->idle;
    if (node.places() && node.places()->is_parked) node.note_progress();  // it waits for a person
    const std::chrono::nanoseconds left = idle.last + idle.most - node.task_.loop->now();
    if (left.count() > 0) return idle.timer.arm_after(left);
    idle.is_over = true;
    node.has_timed_out_ = true;
    node.core().nodes.timed_out(node);
}

void node_run::hold_timeout()
{
    if (is_stopping_ || !has_waited_) return;
    begin_time();
    if (deadline_ != time_point::max()) places()->timeout_left = deadline_ - task_.loop->now();
    deadline_ = time_point::max();
    core().nodes.find_deadline();
}

void node_run::release_timeout()
{
    note_progress();
    if (!places()->timeout_left || is_stopping_) return;
    set_time(*std::exchange(places()->timeout_left, std::nullopt));
}

void node_run::on_done(void* self)
{
    auto& node = *static_cast<node_run*>(self);
    node.core().nodes.ended(node);
}

void node_run::end_time()
{
    if (!is_stopping_) {
        has_timed_out_ = true;
        return core().nodes.timed_out(*this);
    }
    // The grace is over. The coroutine is destroyed where it waits: its destructors run, its code does not.
    was_destroyed_ = true;
    core().nodes.will_be_destroyed();
    work_.reset();
    core().nodes.did_not_stop(*this);
}

}  // namespace weft
