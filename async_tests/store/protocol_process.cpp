#include "protocol_process.hpp"

#include <weft/base/ids.hpp>

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

process::process(weft::testing::simulation& sim, weft::checkpoint_store& store, std::uint64_t seed)
    : sim_{sim}, random_{seed}, store_{store, weft::testing::store_faults{}, ~seed}, paused_until_{sim.clock().now()}
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
        run.with_input(what.key + " " + std::to_string(what.steps));
        const store_reply<weft::run_admission> reply = co_await ask(store_.enqueue(std::move(run)));
        if (reply.value) co_return;
        co_await nap(200ms);
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
        {
            weft::scope incarnation{context};
            incarnation.spawn(beat(*entered.value, incarnation));
            for (int i = 0; i < 2; ++i) incarnation.spawn(take_runs(*entered.value, incarnation));
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
        const auto claims = co_await ask(store_.claim(worker, 1));
        if (!claims.value && claims.code == errc::store_outcome_unknown) break;  // perhaps a run that nobody knows of
        if (!claims.value || claims.value->empty()) continue;
        weft::run_claim claim = claims.value->front();
        co_await work_on(std::move(claim));
    }
    // A new incarnation: the old one's runs go back when it is reaped.
    incarnation.request_stop();
}

task<void> process::work_on(weft::run_claim claim)
{
    const std::string job = claim.input.substr(0, claim.input.find(' '));
    const int steps = std::stoi(claim.input.substr(claim.input.find(' ')));
    weft::write_fence fence = claim.fence;
    chain_link newest;
    co_await look(fence, newest);
    written outcome = written::no;
    while (outcome != written::lost) {
        co_await nap(300ms);
        const bool is_complete = newest.job == job && newest.step == steps;
        if (is_complete) outcome = co_await write_end(fence, newest);
        else outcome = co_await write_step(fence, newest, job);
        if (is_complete && outcome == written::yes) co_return;
    }
}

task<process::written> process::write_step(weft::write_fence& fence, chain_link& newest, std::string job)
{
    chain_link next{job, newest.job == job ? newest.step + 1 : 1, nonce(), newest.nonce};
    weft::checkpoint_draft draft;
    draft.id = new_id<weft::checkpoint_id>(sim_, random_);
    draft.body = next.text();
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

task<process::written> process::write_end(weft::write_fence& fence, chain_link& newest)
{
    const store_reply<write_state> reply = co_await ask(store_.finish(fence, weft::run_outcome{}));
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
