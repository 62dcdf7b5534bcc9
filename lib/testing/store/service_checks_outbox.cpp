#include "store_trial.hpp"

#include <weft/base/json.hpp>
#include <weft/store/service/webhook_outbox.hpp>

#include <array>

namespace weft::testing::store_trial {

namespace {

constexpr const char* hook = "https://example.com/done";

/** Enters a run whose end a URL hears of. */
task<run_admission> enqueue_hooked(service_store_under_test& trial, std::string thread, worker_id worker)
{
    const run_id id = co_await new_run_id();
    new_run run{thread_key{std::move(thread), "acme"}, id};
    run.graph_named("research").started_by(worker).with_attempts_max(1);
    run.webhook = hook;
    run_admission admission = co_await trial.store().enqueue(std::move(run));
    co_return admission;
}

/** The messages on their way, as another process takes them. */
task<std::vector<outbox_message>> taken_messages(service_store_under_test& trial)
{
    webhook_outbox outbox{trial.other().documents()};
    std::vector<outbox_message> taken = co_await outbox.take(long_lifetime, 10);
    co_return taken;
}

task<void> expect_message(service_store_under_test& trial, run_id run, std::string thread, std::string phase)
{
    const std::vector<outbox_message> taken = co_await taken_messages(trial);
    expect_equal(taken.size(), 1, "messages of the end");
    expect_equal(taken[0].tenant, "acme", "tenant of the message");
    expect_equal(taken[0].id, run.text(), "id of the message");
    expect_equal(taken[0].url, hook, "URL of the message");
    expect_equal(taken[0].attempts, 0, "attempts of the message");
    const boost::json::value wanted{{"run", run.text()}, {"thread", thread}, {"graph", "research"}, {"phase", phase}};
    expect(parse_json(taken[0].payload) == wanted, "the message says how the run ended: " + taken[0].payload);
}

// In the same write as the end: a crash between the two would lose the webhook.
task<void> the_end_of_a_run_is_in_the_outbox(service_store_under_test& trial)
{
    const worker_id worker = co_await enter(trial.store());
    const run_admission admission = co_await enqueue_hooked(trial, "t", worker);
    const std::vector<outbox_message> early = co_await taken_messages(trial);
    expect_equal(early.size(), 0, "messages while the run goes on");
    const write_state done = co_await trial.store().finish(admission.claim->fence, run_outcome{run_phase::failed});
    expect_equal(done, write_state::ok, "end of the run");
    co_await expect_message(trial, admission.id, "t", "failed");
}

// A rest is no end, and a writer that was given up has no say in it.
task<void> a_run_that_waits_or_is_not_ours_tells_nothing(service_store_under_test& trial)
{
    checkpoint_store& store = trial.store();
    const worker_id worker = co_await enter(store);
    const run_admission admission = co_await enqueue_hooked(trial, "t", worker);
    const run_id silent = co_await new_run_id();
    new_run plain{thread_key{"plain", "acme"}, silent};
    plain.started_by(worker);
    const run_admission other = co_await store.enqueue(std::move(plain));
    const write_state over = co_await store.finish(other.claim->fence, run_outcome{});
    expect_equal(over, write_state::ok, "end of a run without a webhook");
    write_fence stale = admission.claim->fence;
    stale.epoch += 1;
    const write_state refused = co_await store.finish(stale, run_outcome{});
    expect_equal(refused, write_state::fenced, "end by another holder");
    const write_state rests = co_await store.finish(admission.claim->fence, run_outcome{run_phase::waiting});
    expect_equal(rests, write_state::ok, "a rest");
    const std::vector<outbox_message> taken = co_await taken_messages(trial);
    expect_equal(taken.size(), 0, "messages");
}

// No worker ends it, so that no worker could tell.
task<void> a_run_that_is_cancelled_without_a_worker_is_in_the_outbox(service_store_under_test& trial)
{
    const run_admission admission = co_await enqueue_hooked(trial, "t", 0);
    const std::optional<run_id> asked =
        co_await trial.store().signal(thread_key{"t", "acme"}, run_signal::cancel);
    expect(asked && *asked == admission.id, "the run is asked to cancel");
    co_await expect_message(trial, admission.id, "t", "cancelled");
}

// The store gives the run up by itself; its client waits for a webhook all the same.
task<void> a_run_that_has_cost_its_workers_is_in_the_outbox(service_store_under_test& trial)
{
    const worker_id worker = co_await trial.store().enter("lost", trial.lifetime());
    const run_admission admission = co_await enqueue_hooked(trial, "t", worker);
    co_await trial.pass(trial.lifetime() + std::chrono::milliseconds{50});
    const std::size_t reaped = co_await trial.store().reap(10);
    expect_equal(reaped, 1, "runs of lost workers");
    co_await expect_message(trial, admission.id, "t", "dead");
}

constexpr std::array<service_store_check, 4> outbox_check_list{{
    WEFT_STORE_CHECK(the_end_of_a_run_is_in_the_outbox),
    WEFT_STORE_CHECK(a_run_that_waits_or_is_not_ours_tells_nothing),
    WEFT_STORE_CHECK(a_run_that_is_cancelled_without_a_worker_is_in_the_outbox),
    WEFT_STORE_CHECK(a_run_that_has_cost_its_workers_is_in_the_outbox),
}};

}  // namespace

std::span<const service_store_check> outbox_checks() { return outbox_check_list; }

}  // namespace weft::testing::store_trial
