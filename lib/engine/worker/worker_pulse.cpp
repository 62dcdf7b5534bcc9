#include "worker_pulse.hpp"

#include "engine/commit/store_call.hpp"

#include <weft/async/async_start.hpp>
#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/wait/deadline.hpp>

#include <boost/asio/use_future.hpp>

#include <optional>
#include <utility>

namespace weft {

void worker_pulse::open(serial_loop& on)
{
    living_ = async_start(on, live(shared_from_this()), boost::asio::use_future);
}

void worker_pulse::close()
{
    drop();
    if (!living_.valid()) return;
    ending_->notify();
    living_.get();
}

void worker_pulse::begin(worker_id worker, const lease& entered)
{
    {
        const std::lock_guard guard{lock_};
        worker_ = worker;
        lease_ = entered;
        signals_.clear();
    }
    wanted_->notify();
}

void worker_pulse::drop() noexcept
{
    const std::lock_guard guard{lock_};
    worker_ = 0;
    lease_.drop();
}

void worker_pulse::hurry()
{
    {
        const std::lock_guard guard{lock_};
        is_hurried_ = true;
    }
    wanted_->notify();
}

bool worker_pulse::is_held(time_point now) const noexcept
{
    const std::lock_guard guard{lock_};
    return lease_.is_held(now);
}

task<worker_pulse::signal_list> worker_pulse::hear()
{
    time_point end;
    {
        const std::lock_guard guard{lock_};
        end = lease_.ends();
    }
    static_cast<void>(co_await heard_->wait_until(end));
    const std::lock_guard guard{lock_};
    co_return std::exchange(signals_, {});
}

task<void> worker_pulse::live(std::shared_ptr<worker_pulse> self)
{
    const task_context& context = co_await this_task::context();
    scope signs{context, failure_policy::keep_going};
    signs.spawn(give_signs(self));
    static_cast<void>(co_await answer_of(self->ended()));
    signs.request_stop();
    co_await signs.join();
}

task<void> worker_pulse::ended() { static_cast<void>(co_await ending_->wait()); }

std::optional<time_point> worker_pulse::next_sign(time_point now)
{
    const std::lock_guard guard{lock_};
    if (worker_ == 0) return std::nullopt;
    return std::exchange(is_hurried_, false) ? now : lease_.next();
}

worker_id worker_pulse::begin_sign(time_point now, time_point& until)
{
    const std::lock_guard guard{lock_};
    // It stood still for longer than the lease: the loop of the runs sees that by the clock, and enters anew.
    if (!lease_.is_held(now)) worker_ = 0;
    until = lease_.ends();
    lease_.sent(now);
    return worker_;
}

void worker_pulse::end_sign(worker_id worker, const heartbeat_report* report, time_point now)
{
    const std::lock_guard guard{lock_};
    if (worker_ != worker) return;  // it has entered anew meanwhile
    if (!report) {
        lease_.failed(now);
        return;
    }
    lease_.answered(report->is_alive);
    if (!report->is_alive) worker_ = 0;
    signals_.insert(signals_.end(), report->signals.begin(), report->signals.end());
}

task<void> worker_pulse::give_signs(std::shared_ptr<worker_pulse> self)
{
    const serial_loop& loop = co_await this_task::loop();
    for (;;) {
        const std::optional<time_point> next = self->next_sign(loop.now());
        if (!next || loop.now() < *next) {
            static_cast<void>(co_await self->wanted_->wait_until(next));
            continue;
        }
        const time_point sent = loop.now();
        time_point until;
        const worker_id worker = self->begin_sign(sent, until);
        if (worker != 0) {
            const store_answer<heartbeat_report> answer = co_await answer_of(
                with_deadline(self->store_.heartbeat(worker, self->options_.lifetime), until - sent));
            if (answer.code == errc::cancelled && !answer) co_return;
            self->end_sign(worker, answer ? &*answer.value : nullptr, loop.now());
        }
        self->heard_->notify();
    }
}

}  // namespace weft
