#include "node_run.hpp"

#include "engine/visit/visit_address.hpp"
#include "node_runner.hpp"

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

node_run::node_run(node_runner& owner, node_host& host, branch_index branch, serial_loop& loop, branch_state& view,
                   node_context::visit_info info)
    : outer_stop_scope{&node_run::is_stop_due, nullptr, &node_run::held_loop}, owner_{owner}, branch_{branch},
      task_{&loop, this}, context_{host, task_, view, info},
      timer_{loop, &node_run::on_timer, this}
{
}

void* node_run::operator new(std::size_t, node_runner& owner) { return owner.take_place(); }
void node_run::operator delete(void* memory, node_runner& owner) noexcept { owner.give_back(memory); }

void node_run::operator delete(node_run* ended, std::destroying_delete_t) noexcept
{
    node_runner& owner = ended->owner_;
    ended->~node_run();
    owner.give_back(ended);
}

bool node_run::start(node_task work)
{
    work_ = std::move(work);
    const bool has_ended = work_.start(task_, &node_run::on_done, this);
    has_waited_ = !has_ended;
    return has_ended;
}

void node_run::limit(std::chrono::nanoseconds timeout)
{
    // No time counts while the node waits for a person; what is left of it counts afterwards.
    if (places_ && places_->is_parked)
        places_->timeout_left = timeout;
    else if (first_asked_timeout_ != time_point{})
        timer_.arm_at(first_asked_timeout_);
    else
        timer_.arm_after(timeout);
}

time_point node_run::timeout_at() const noexcept
{
    if (has_waited_) return timer_.is_armed() ? timer_.deadline() : time_point::max();
    // The clock is not read when a node starts. One that computes before it first waits has its time from where it
    // first asks.
    if (first_asked_timeout_ == time_point{}) {
        const std::chrono::nanoseconds limit = owner_.limit_of(branch_);
        const time_point now = task_.loop->now();
        first_asked_timeout_ = limit.count() > 0 && limit < time_point::max() - now ? now + limit : time_point::max();
    }
    return first_asked_timeout_;
}

bool node_run::is_stop_due(const outer_stop_scope& self) noexcept
{
    const auto& node = static_cast<const node_run&>(self);
    if (node.owner_.due_stop(node.branch_, node.timeout_at()) == stop_polling::cause::none) return false;
    node.saw_stop_ = true;
    return true;
}

command node_run::answer()
{
    if (work_.exception()) std::rethrow_exception(work_.exception());
    return work_.take();
}

void node_run::held_loop(const outer_stop_scope& self, std::chrono::nanoseconds held)
{
    const auto& node = static_cast<const node_run&>(self);
    if (!node.is_amending_) node.owner_.note_step(node.context_, held);
}

void node_run::stop(std::chrono::nanoseconds grace)
{
    if (is_stopping_) return;
    is_stopping_ = true;
    // The timer of the timeout, which does not matter any more.
    timer_.arm_after(grace);
    request_stop();
}

void node_run::limit_idleness(std::chrono::nanoseconds most)
{
    serial_loop& loop = *task_.loop;
    // One timer that looks when it fires how long ago the last progress was, in place of one that is armed anew with
    // each piece of output.
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
    node.owner_.timed_out(node);
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
    node.owner_.ended(node);
}

void node_run::on_timer(void* self)
{
    auto& node = *static_cast<node_run*>(self);
    if (!node.is_stopping_) {
        node.has_timed_out_ = true;
        return node.owner_.timed_out(node);
    }
    // The grace is over. The coroutine is destroyed where it waits: its destructors run, its code does not.
    node.was_destroyed_ = true;
    node.owner_.will_be_destroyed();
    node.work_.reset();
    node.owner_.did_not_stop(node);
}

}  // namespace weft
