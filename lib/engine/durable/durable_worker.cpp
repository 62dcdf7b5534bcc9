#include "durable_impl.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/wait/deadline.hpp>

#include <algorithm>
#include <utility>

namespace weft {

/** Runs a claimed run to its end, whatever that is; the store has it. */
task<void> durable_engine::impl::take(std::shared_ptr<impl> self, run_claim claim, interrupts mode)
{
    run_request request;
    request.on_questions(mode);
    task<run_result> driving = drive(self, std::move(claim), std::move(request), true);
    store_answer<run_result> ended = co_await answer_of(std::move(driving));
    static_cast<void>(ended);
}

/** Claims runs. If the answer is lost, the store counts runs as ours of which we do not know: `be_sure`. */
task<std::vector<run_claim>> durable_engine::impl::claim_some(std::shared_ptr<impl> self, std::size_t free)
{
    possible_claim doubt{self, run_id{}};
    task<std::vector<run_claim>> claiming = self->store.claim(self->worker, free);
    store_answer<std::vector<run_claim>> claims = co_await answer_of(std::move(claiming));
    if (claims || claims.code == errc::store_unavailable) doubt.close();
    if (claims) co_return std::move(*claims.value);
    std::rethrow_exception(claims.error);
}

/** When we hold none, all runs that the store counts as ours are unknown to us: we leave, and enter anew. */
task<void> durable_engine::impl::be_sure(std::shared_ptr<impl> self)
{
    if (!self->has_unknown_runs || !self->claims.empty() || self->worker == 0) co_return;
    task<bool> leaving = and_then_true(with_deadline(self->store.leave(self->worker), self->options.lifetime()));
    self->worker = 0;
    self->held.drop();
    self->has_unknown_runs = false;
    store_answer<bool> left = co_await answer_of(std::move(leaving));
    static_cast<void>(left);  // if it has not heard, it gives that worker up in time
}

namespace {

/** One look for what others left. @return How many runs it took. */
task<std::vector<run_claim>> look_for_left(std::shared_ptr<durable_engine::impl> self, std::size_t free)
{
    task<void> entering = durable_engine::impl::be_worker(self);
    co_await std::move(entering);
    const auto reap = [self] { return self->store.reap(1000); };
    auto reaping = patiently(self, reap);
    static_cast<void>(co_await std::move(reaping));
    task<std::vector<run_claim>> claiming = durable_engine::impl::claim_some(self, free);
    co_return co_await std::move(claiming);
}

}  // namespace

task<std::size_t> durable_engine::impl::recover(std::shared_ptr<impl> self)
{
    const task_context& context = co_await this_task::context();
    scope children{context, failure_policy::keep_going};
    const std::size_t most = std::max<std::size_t>(self->options.runs_max(), 1);
    std::size_t taken = 0;
    std::exception_ptr failed;
    while (!failed) {
        task<std::vector<run_claim>> looking = look_for_left(self, most - std::min(most, children.running()));
        store_answer<std::vector<run_claim>> claims = co_await answer_of(std::move(looking));
        const bool may_retry = !claims && claims.may_retry() && self->is_alive();
        if (!claims && !may_retry) {
            failed = claims.error;
            break;
        }
        if (claims) taken += claims.value->size();
        const bool has_none = claims && claims.value->empty();
        const bool is_unsure = self->has_unknown_runs && self->claims.empty();
        if (has_none && children.running() == 0 && !is_unsure) break;
        if (claims)
            for (run_claim& each : *claims.value) children.spawn(take(self, std::move(each), interrupts::pause));
        task<void> sure = be_sure(self);
        co_await std::move(sure);
        if (claims && !has_none) continue;
        // Until one has ended, or a suspect is none any more.
        const auto rest = may_retry ? std::chrono::milliseconds{50} : self->options.poll_every();
        task<void> waiting = wait_for_news(self, rest);
        store_answer<bool> waited = co_await answer_of(and_then_true(std::move(waiting)));
        failed = waited.error;
    }
    co_await children.join();
    if (failed) std::rethrow_exception(failed);
    co_return taken;
}

namespace {

/** One look for work. @return How many runs were taken. */
task<std::vector<run_claim>> look_for_work(std::shared_ptr<durable_engine::impl> self, std::size_t free)
{
    task<void> entering = durable_engine::impl::be_worker(self);
    co_await std::move(entering);
    task<std::size_t> reaping = self->store.reap(1000);
    static_cast<void>(co_await std::move(reaping));
    task<void> sure = durable_engine::impl::be_sure(self);
    co_await std::move(sure);
    if (free == 0 || self->is_draining || self->has_unknown_runs || self->worker == 0)
        co_return std::vector<run_claim>{};
    task<std::vector<run_claim>> claiming = durable_engine::impl::claim_some(self, free);
    co_return co_await std::move(claiming);
}

}  // namespace

task<void> durable_engine::impl::work(std::shared_ptr<impl> self)
{
    const task_context& context = co_await this_task::context();
    scope children{context, failure_policy::keep_going};
    while (!self->is_draining) {
        const std::size_t most = std::max<std::size_t>(self->options.runs_max(), 1);
        const std::size_t busy = children.running() - std::min(children.running(), self->parked_of_worker());
        task<std::vector<run_claim>> looking = look_for_work(self, most - std::min(most, busy));
        store_answer<std::vector<run_claim>> claims = co_await answer_of(std::move(looking));
        const bool is_stopped = co_await this_task::stop_requested();
        if (claims)
            for (run_claim& each : *claims.value) {
                // In a stopped scope it would not start, and the run would wait for our end.
                if (is_stopped) self->orphans.push_back(each.fence);
                else children.spawn(take(self, std::move(each), self->options.on_questions()));
            }
        if (is_stopped) break;
        if (claims && !claims.value->empty()) continue;
        // Not all workers at once.
        const auto rest = std::chrono::nanoseconds{self->options.poll_every()};
        const auto jitter = std::chrono::nanoseconds{
            static_cast<std::int64_t>(static_cast<double>(rest.count()) * 0.2 * self->loop->random().uniform())};
        task<void> waiting = wait_for_news(self, rest + jitter);
        store_answer<bool> waited = co_await answer_of(and_then_true(std::move(waiting)));
        if (!waited) break;
    }
    co_await children.join();
}

task<void> durable_engine::impl::drain(std::shared_ptr<impl> self)
{
    self->is_draining = true;
    const auto held_now = self->runs;
    for (const std::shared_ptr<held_run>& each : held_now) {
        each->yield();
        self->ask_soon(each->id, run_signal::pause);
    }
    self->ring();
    while (!self->runs.empty()) {
        task<void> waiting = wait_for_news(self, self->options.lifetime());
        co_await std::move(waiting);
    }
}

}  // namespace weft
