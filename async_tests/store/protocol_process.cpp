#include "protocol_process.hpp"

#include <weft/base/system/ids.hpp>

namespace protocol_world {

using weft::errc;
using weft::task;
using weft::write_state;

namespace {

template <class Id>
Id new_id(weft::testing::simulation& sim, weft::random_source& random)
{
    weft::id_source ids{sim.clock(), random};
    return ids.next<Id>();
}

}  // namespace

process::process(weft::testing::simulation& sim, weft::checkpoint_store& store, std::uint64_t seed, int threads)
    : sim_{sim}, random_{seed}, store_{store, weft::testing::store_faults{}, ~seed},
      paused_until_{sim.clock().now()}, threads_{threads}
{
}

std::string process::nonce() { return std::to_string(random_.next()); }

task<void> process::gate()
{
    while (sim_.clock().now() < paused_until_) co_await weft::sleep_for(paused_until_ - sim_.clock().now());
}

task<void> process::nap(std::chrono::milliseconds max)
{
    co_await weft::sleep_for(std::chrono::milliseconds{1 + random_.below(static_cast<std::uint64_t>(max.count()))});
    co_await gate();
}

task<void> process::enter_job(job what)
{
    for (;;) {
        weft::new_run run{what.thread, new_id<weft::run_id>(sim_, random_)};
        run.on_busy(weft::busy_policy::queue).with_idempotency_key(what.key).with_attempts_max(1'000);
        run.with_input(what.text());
        const store_reply<weft::run_admission> reply = co_await ask(store_.enqueue(std::move(run)));
        if (reply.value) co_return;
        co_await nap(200ms);
    }
}

task<void> process::answer_job(job what)
{
    if (what.asks_after == 0) co_return;
    for (;;) {
        co_await nap(2s);
        const auto reply = co_await ask(store_.answer(what.thread, what.question(), nonce()));
        if (reply.value && *reply.value != weft::answer_state::unknown) co_return;
    }
}

task<void> process::shut_down()
{
    kill();
    try {
        co_await store_.leave(worker_);
    } catch (const weft::error&) {
        // Its runs wait until another process reaps it.
    }
}

task<void> process::live()
{
    const weft::task_context& context = co_await weft::this_task::context();
    for (;;) {
        const store_reply<weft::worker_id> entered = co_await ask(store_.enter("a process", worker_lifetime));
        if (!entered.value) {
            co_await nap(200ms);
            continue;
        }
        worker_ = *entered.value;
        {
            weft::scope incarnation{context};
            incarnation.spawn(beat(worker_, incarnation));
            for (int i = 0; i < 2; ++i) incarnation.spawn(take_runs(worker_, incarnation));
            co_await incarnation.join();
        }
        co_await gate();
    }
}

task<void> process::beat(weft::worker_id worker, weft::scope& incarnation)
{
    weft::time_point good_until = sim_.clock().now() + worker_lifetime;
    for (;;) {
        co_await nap(3s);
        const weft::time_point asked = sim_.clock().now();
        const auto report = co_await ask(store_.heartbeat(worker, worker_lifetime));
        if (report.value) good_until = asked + worker_lifetime;
        const bool is_given_up = report.value && !report.value->is_alive;
        if (is_given_up || sim_.clock().now() > good_until) break;
        static_cast<void>(co_await ask(store_.reap(10)));
    }
    incarnation.request_stop();
}

task<void> process::take_runs(weft::worker_id worker, weft::scope& incarnation)
{
    for (;;) {
        co_await nap(1s);
        const auto claims = co_await find_work(worker);
        if (!claims.value && claims.code == errc::store_outcome_unknown) break;  // perhaps a run without a holder
        if (!claims.value || claims.value->empty()) continue;
        weft::run_claim claim = claims.value->front();
        co_await work_on(std::move(claim));
    }
    // A new incarnation: the old one's runs go back when it is reaped.
    incarnation.request_stop();
}

task<store_reply<std::vector<weft::run_claim>>> process::find_work(weft::worker_id worker)
{
    store_reply<std::vector<weft::run_claim>> ready = co_await ask(store_.claim(worker, 1));
    if (!ready.value || !ready.value->empty()) co_return ready;
    const weft::thread_key thread{"t" + std::to_string(random_.below(static_cast<std::uint64_t>(threads_)))};
    const auto active = co_await ask(store_.active_run(thread));
    const bool waits = active.value && *active.value && (*active.value)->phase == weft::run_phase::waiting;
    if (!waits) co_return ready;
    const auto questions = co_await ask(store_.questions(thread));
    bool has_answers = false;
    if (questions.value)
        for (const weft::question_record& each : *questions.value)
            has_answers = has_answers || each.phase == weft::question_phase::answered;
    if (!has_answers) co_return ready;
    const auto resumed = co_await ask(store_.resume(worker, (*active.value)->id));
    if (!resumed.value) {
        ready.value.reset();
        ready.code = resumed.code;
    } else if (*resumed.value) {
        ready.value->push_back(**resumed.value);
    }
    co_return ready;
}

task<void> process::work_on(weft::run_claim claim)
{
    const job what = job::parse(claim.fence.thread, claim.input);
    weft::write_fence fence = claim.fence;
    chain_link newest;
    co_await look(fence, newest);
    bool must_rest = false;
    written outcome = written::no;
    while (outcome != written::lost) {
        co_await nap(300ms);
        const int step = newest.job == what.key ? newest.step : 0;
        bool rests = step == what.steps;
        weft::run_phase rest = weft::run_phase::finished;
        if (!rests && step > 0 && step == what.asks_after) {
            const bool is_answered = co_await has_answer(fence, what, must_rest);
            rests = must_rest || !is_answered;
            rest = weft::run_phase::waiting;
        }
        if (rests) outcome = co_await write_end(fence, newest, rest);
        else outcome = co_await write_step(fence, newest, what);
        if (rests && outcome == written::yes) co_return;
    }
}

task<bool> process::has_answer(weft::write_fence fence, job what, bool& must_rest)
{
    for (;;) {
        const auto questions = co_await ask(store_.questions(what.thread));
        if (questions.value)
            for (const weft::question_record& each : *questions.value)
                if (each.address == what.question()) co_return each.phase == weft::question_phase::answered;
        if (questions.value) {
            must_rest = true;
            const weft::question_record question{what.question(), "{}"};
            const auto asked = co_await ask(store_.ask(fence, question));
            // Who was fenced learns it from its next write.
            if (asked.value) co_return false;
        }
        co_await nap(100ms);
    }
}

task<process::written> process::write_step(weft::write_fence& fence, chain_link& newest, job what)
{
    chain_link next{what.key, newest.job == what.key ? newest.step + 1 : 1, nonce(), newest.nonce};
    weft::checkpoint_draft draft;
    draft.id = new_id<weft::checkpoint_id>(sim_, random_);
    draft.body = next.text();
    if (next.step == what.asks_after + 1) draft.settled.push_back(what.question());
    const store_reply<weft::commit_result> reply = co_await ask(store_.commit(fence, std::move(draft)));
    if (!reply.value && reply.code != errc::store_outcome_unknown) co_return written::no;
    if (reply.value && reply.value->state == write_state::fenced) co_return written::lost;
    if (reply.value && reply.value->state == write_state::ok) {
        fence.head = reply.value->head;
        newest = next;
        co_return written::yes;
    }
    co_await look(fence, newest);
    co_return written::no;
}

task<process::written> process::write_end(weft::write_fence& fence, chain_link& newest, weft::run_phase phase)
{
    const weft::run_outcome outcome{phase};
    const store_reply<write_state> reply = co_await ask(store_.finish(fence, outcome));
    if (reply.value && *reply.value == write_state::ok) co_return written::yes;
    if (reply.value && *reply.value == write_state::fenced) co_return written::lost;
    co_await look(fence, newest);
    co_return written::no;
}

task<void> process::look(weft::write_fence& fence, chain_link& newest)
{
    for (;;) {
        const auto reply = co_await ask(store_.load(fence.thread, std::nullopt));
        if (!reply.value) {
            co_await nap(100ms);
            continue;
        }
        const std::optional<weft::checkpoint>& found = *reply.value;
        fence.head = found ? found->sequence : 0;
        newest = found ? chain_link::parse(found->body) : chain_link{};
        co_return;
    }
}

}  // namespace protocol_world
