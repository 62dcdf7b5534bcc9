#include "durable_part.hpp"

#include <weft/async/deadline.hpp>
#include <weft/async/scope.hpp>

#include <algorithm>
#include <utility>

namespace weft {

/** Runs a claimed run to its end, whatever that is; the store has it. */
task<void> durable_engine::part::take(std::shared_ptr<part> self, run_claim claim, interrupts mode)
{
    const run_id run = claim.fence.run;
    const thread_key thread = claim.fence.thread;
    std::optional<run_claim> next{std::move(claim)};
    while (next) {
        run_request request;
        task<run_result> driving = drive(self, std::move(*next), std::move(request).on_questions(mode), true);
        store_answer<run_result> ended = co_await answer_of(std::move(driving));
        const bool is_paused = ended && ended.value->status == run_status::paused;
        const bool may_go_on = mode == interrupts::park && !self->is_draining && !self->has_unknown_runs;
        if (!is_paused || !may_go_on) co_return;
        // Who has answered while it gave itself back counts on it to go on.
        task<bool> looking = has_new_answer(self, thread, std::move(ended.value->questions));
        store_answer<bool> answered = co_await answer_of(std::move(looking));
        if (!answered || !*answered.value) co_return;
        task<std::optional<run_claim>> taking = take_run(self, run);
        store_answer<std::optional<run_claim>> taken = co_await answer_of(std::move(taking));
        next = taken ? std::move(*taken.value) : std::nullopt;
    }
}

/** Claims runs. If the answer is lost, the store counts runs as ours of which we do not know: `be_sure`. */
task<std::vector<run_claim>> durable_engine::part::claim_some(std::shared_ptr<part> self, std::size_t free)
{
    possible_claim doubt{self, run_id{}};
    task<std::vector<run_claim>> claiming = self->store.claim(self->worker, free);
    store_answer<std::vector<run_claim>> claims = co_await answer_of(std::move(claiming));
    if (claims || claims.code == errc::store_unavailable) doubt.close();
    if (claims) co_return std::move(*claims.value);
    std::rethrow_exception(claims.error);
}

/** When we hold none, all runs that the store counts as ours are unknown to us: we leave, and enter anew. */
task<void> durable_engine::part::be_sure(std::shared_ptr<part> self)
{
    if (!self->has_unknown_runs || !self->claims.empty() || self->worker == 0) co_return;
    task<bool> leaving = and_then_true(with_deadline(self->store.leave(self->worker), self->options.lifetime()));
    self->worker = 0;
    self->held.drop();
    self->has_unknown_runs = false;
    store_answer<bool> left = co_await answer_of(std::move(leaving));
    static_cast<void>(left);  // if it has not heard, it gives that worker up in time
}

task<std::size_t> durable_engine::part::recover(std::shared_ptr<part> self)
{
    const task_context& context = co_await this_task::context();
    scope children{context, failure_policy::keep_going};
    std::size_t taken = 0;
    for (;;) {
        task<void> entering = be_worker(self);
        co_await std::move(entering);
        const auto reap = [self] { return self->store.reap(1000); };
        auto reaping = patiently(self, reap);
        static_cast<void>(co_await std::move(reaping));
        const std::size_t free = std::max<std::size_t>(self->options.runs_max(), 1) - children.running();
        task<std::vector<run_claim>> claiming = claim_some(self, free);
        store_answer<std::vector<run_claim>> answer = co_await answer_of(std::move(claiming));
        if (!answer && !answer.may_retry()) std::rethrow_exception(answer.error);
        std::vector<run_claim> claims = answer ? std::move(*answer.value) : std::vector<run_claim>{};
        taken += claims.size();
        const bool is_done = answer && claims.empty() && !(self->has_unknown_runs && self->claims.empty());
        for (run_claim& each : claims) children.spawn(take(self, std::move(each), interrupts::pause));
        co_await children.join();
        if (is_done) co_return taken;
        task<void> sure = be_sure(self);
        co_await std::move(sure);
        if (!answer) co_await sleep_for(std::chrono::milliseconds{50});
    }
}

namespace {

/** One look for work. @return How many runs were taken. */
task<std::vector<run_claim>> look_for_work(std::shared_ptr<durable_engine::part> self, std::size_t free)
{
    task<void> entering = durable_engine::part::be_worker(self);
    co_await std::move(entering);
    task<std::size_t> reaping = self->store.reap(1000);
    static_cast<void>(co_await std::move(reaping));
    task<void> sure = durable_engine::part::be_sure(self);
    co_await std::move(sure);
    if (free == 0 || self->is_draining || self->has_unknown_runs || self->worker == 0)
        co_return std::vector<run_claim>{};
    task<std::vector<run_claim>> claiming = durable_engine::part::claim_some(self, free);
    co_return co_await std::move(claiming);
}

}  // namespace

task<void> durable_engine::part::work(std::shared_ptr<part> self)
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

task<void> durable_engine::part::drain(std::shared_ptr<part> self)
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
