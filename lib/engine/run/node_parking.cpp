#include "node_parking.hpp"

#include "engine/visit/visit_address.hpp"
#include "run_core.hpp"
#include "run_events.hpp"
#include "run_extras.hpp"

#include <boost/assert.hpp>

#include <memory>
#include <string>
#include <utility>

namespace weft {

visit_places& places_of(run_core& core, node_run& work)
{
    // Made when a node first asks or has an effect: others need no address.
    if (!work.places()) {
        std::string address = visit_address(core.graph, core.scheduler().where(), work.branch());
        if (core.extras && core.extras->outer.run) address = core.extras->outer.visit + "/" + address;
        work.set_places(std::make_unique<visit_places>(std::move(address)));
    }
    return *work.places();
}

void update_parking(run_core& core, node_run& work)
{
    visit_places& places = places_of(core, work);
    const bool is_parked = places.only_waits() && !places.is_dropped;
    if (is_parked == places.is_parked || core.scheduler().course().is_over()) return;
    places.is_parked = is_parked;
    if (is_parked) {
        work.hold_timeout();
        core.scheduler().node_parked(work.branch());
    } else {
        work.release_timeout();
        core.scheduler().node_unparked(work.branch());
        park_in_outer(core, false);
    }
    // What follows is not done here: a coroutine of the run may be what called.
    core.go_on_soon();
}

void end_parking(run_core& core, node_run& work)
{
    if (visit_places* const places = work.places(); places && std::exchange(places->is_parked, false))
        core.scheduler().node_unparked(work.branch());
}

void drop_parked(run_core& core, branch_index branch)
{
    node_run* const work = core.nodes.find(branch);
    BOOST_ASSERT(work);
    visit_places& places = places_of(core, *work);
    places.is_parked = false;
    // The run inside pauses in order, and reports where it stands.
    if (core.extras && core.extras->inner.pause_in(branch)) return;
    places.is_dropped = true;
    core.nodes.destroy(branch);
    core.scheduler().node_dropped(branch);
}

void park_in_outer(run_core& core, bool is_parked)
{
    if (!core.extras || !core.extras->outer.run || core.extras->outer.is_parked == is_parked) return;
    outer_node& outer = core.extras->outer;
    // For the node around, a run inside that only waits is a question more.
    outer.is_parked = is_parked;
    node_run* const around = outer.run->nodes.find(outer.branch);
    if (!around) return;
    std::uint32_t& questions = places_of(*outer.run, *around).questions;
    if (is_parked)
        ++questions;
    else
        --questions;
    update_parking(*outer.run, *around);
}

work_under_way::work_under_way(run_core& core, node_run& work) : core_{core}, work_{work}
{
    ++places_of(core_, work_).effects;
    update_parking(core_, work_);
}

work_under_way::~work_under_way()
{
    --places_of(core_, work_).effects;
    update_parking(core_, work_);
}

parked_question::parked_question(run_core& core, node_run& work, std::string address, bool keeps_awake)
    : core_{core}, work_{work}, address_{std::move(address)}, keeps_awake_{keeps_awake},
      timer_{core.loop, &parked_question::on_expiry, this}
{
    if (keeps_awake_) core_.outermost().scheduler().nodes().keep_awake();
    core_.outermost().extra().questions.begin_wait(*this);
    ++places_of(core_, work_).questions;
    update_parking(core_, work_);
}

parked_question::~parked_question()
{
    run_questions& questions = core_.outermost().extra().questions;
    questions.end_wait(*this);
    end_wait();
    // A node that is dropped asks again when it begins anew: its question stays open meanwhile.
    if (!answer_ && !places_of(core_, work_).is_dropped) questions.withdraw(address_);
}

void parked_question::end_wait()
{
    if (!std::exchange(is_waiting_, false)) return;
    timer_.disarm();
    if (keeps_awake_) core_.outermost().scheduler().nodes().let_rest();
    --places_of(core_, work_).questions;
    update_parking(core_, work_);
}

void parked_question::expire_after(std::chrono::nanoseconds delay)
{
    // It may have expired while no process ran the thread.
    if (delay.count() > 0) return timer_.arm_after(delay);
    on_expiry(this);
}

void parked_question::on_expiry(void* self)
{
    auto& asked = *static_cast<parked_question*>(self);
    asked.is_expired_ = true;
    asked.end_wait();
    asked.changed_.notify();
}

void parked_question::give(boost::json::value answer)
{
    answer_ = std::move(answer);
    end_wait();
    changed_.notify();
    if (core_.events)
        core_.events->notify_question(run_event::kind::question_answered, work_.context(), work_.branch(), address_);
}

void parked_question::refuse(std::exception_ptr why)
{
    refused_ = std::move(why);
    end_wait();
    changed_.notify();
}

}  // namespace weft
