#include "parked_question.hpp"

#include "node_parking.hpp"
#include "run_core.hpp"
#include "run_events.hpp"
#include "run_extras.hpp"

#include <utility>

namespace weft {

parked_question::parked_question(run_core& core, node_run& work, std::string address, bool keeps_awake)
    : core_{core}, work_{work}, address_{std::move(address)}, keeps_awake_{keeps_awake},
      timer_{core.loop, &parked_question::on_expiry, this}
{
    if (keeps_awake_) core_.outermost().scheduler.nodes().keep_awake();
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
    if (keeps_awake_) core_.outermost().scheduler.nodes().let_rest();
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
