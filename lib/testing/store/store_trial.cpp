#include "store_trial.hpp"

#include <weft/base/system/ids.hpp>

#include <algorithm>

namespace weft::testing::store_trial {

namespace {

task<unique_id> new_id()
{
    serial_loop& loop = co_await this_task::loop();
    id_source ids{loop.clock(), loop.random()};
    co_return ids.next();
}

}  // namespace

void fail(std::string_view what, const std::string& came, const std::string& wanted, const where& at)
{
    const std::string_view path = at.file_name();
    const std::string file{path.substr(path.rfind('/') + 1)};
    throw store_check_failure{std::string{what} + ": expected " + wanted + ", came " + came + " (" + file + ":" +
                              std::to_string(at.line()) + ")"};
}

task<void> expect_error(task<void> work, errc code, std::string what, where at)
{
    std::optional<errc> came;
    try {
        co_await std::move(work);
    } catch (const error& e) {
        came = e.code();
    }
    if (came != code) fail(what, came ? std::string{name_of(*came)} : "success", std::string{name_of(code)}, at);
}

task<run_id> new_run_id()
{
    const unique_id id = co_await new_id();
    co_return run_id{id};
}

task<checkpoint_id> new_checkpoint_id()
{
    const unique_id id = co_await new_id();
    co_return checkpoint_id{id};
}

task<worker_id> enter(checkpoint_store& store) { co_return co_await store.enter("a worker", long_lifetime); }

task<run_claim> start(checkpoint_store& store, thread_key thread, worker_id worker)
{
    const run_id id = co_await new_run_id();
    new_run run{std::move(thread), id};
    run.graph_named("graph").with_input("{}").started_by(worker);
    run_admission admission = co_await store.enqueue(std::move(run));
    expect_equal(admission.what, run_admission::kind::started, "admission of a run on an idle thread");
    expect(admission.claim.has_value(), "a run that started has a claim");
    co_return std::move(*admission.claim);
}

task<holder> hold(checkpoint_store& store, thread_key thread)
{
    holder by;
    by.worker = co_await enter(store);
    const run_claim claim = co_await start(store, std::move(thread), by.worker);
    by.fence = claim.fence;
    co_return by;
}

task<holder> hold_shortly(store_under_test& trial, thread_key thread)
{
    holder by;
    by.worker = co_await trial.store().enter("short-lived", trial.lifetime());
    const run_claim claim = co_await start(trial.store(), std::move(thread), by.worker);
    by.fence = claim.fence;
    co_return by;
}

task<void> outlive(store_under_test& trial)
{
    co_await trial.pass(trial.lifetime() + std::chrono::milliseconds{50});
}

task<run_id> enqueue_ready(checkpoint_store& store, thread_key thread)
{
    const run_id id = co_await new_run_id();
    const run_admission admission = co_await store.enqueue(new_run{std::move(thread), id});
    expect_equal(admission.what, run_admission::kind::ready, "admission of a run without a worker");
    co_return id;
}

task<checkpoint_draft> draft_of(std::string body)
{
    checkpoint_draft draft;
    draft.id = co_await new_checkpoint_id();
    draft.body = std::move(body);
    serial_loop& loop = co_await this_task::loop();
    draft.at = std::chrono::time_point_cast<std::chrono::milliseconds>(loop.clock().system_now());
    co_return draft;
}

blob blob_of(checkpoint_store& store, std::string bytes, std::vector<content_hash> links)
{
    const content_hash hash = hash_of(bytes, links, store.key());
    return blob{hash, std::move(bytes), std::move(links)};
}

task<void> commit(checkpoint_store& store, holder& by, checkpoint_draft draft, where at)
{
    const commit_result result = co_await store.commit(by.fence, std::move(draft));
    expect_equal(result.state, write_state::ok, "commit of who holds the thread", at);
    expect_equal(result.head, by.fence.head + 1, "head after a commit", at);
    by.fence.head = result.head;
}

task<void> commit_body(checkpoint_store& store, holder& by, std::string body, where at)
{
    checkpoint_draft draft = co_await draft_of(std::move(body));
    co_await commit(store, by, std::move(draft), at);
}

task<std::int64_t> head_of(checkpoint_store& store, thread_key thread)
{
    const std::optional<checkpoint> newest = co_await store.load(std::move(thread), std::nullopt);
    co_return newest ? newest->sequence : 0;
}

task<run_phase> phase_of(checkpoint_store& store, run_id run)
{
    const std::optional<run_record> record = co_await store.find_run(run);
    expect(record.has_value(), "the run is known");
    co_return record->phase;
}

task<std::vector<checkpoint_info>> chain_of(checkpoint_store& store, thread_key thread)
{
    const history_page page{.count_max = 100'000};
    std::vector<checkpoint_info> chain = co_await store.history(std::move(thread), page);
    std::reverse(chain.begin(), chain.end());
    co_return chain;
}

void expect_whole(const std::vector<checkpoint_info>& chain, const where& at)
{
    std::int64_t sequence = 0;
    std::int64_t epoch = 0;
    for (const checkpoint_info& each : chain) {
        expect_equal(each.parent, sequence, "parent of a checkpoint", at);
        expect_equal(each.sequence, ++sequence, "sequence without holes", at);
        expect(each.epoch >= epoch, "epochs never fall along a chain", at);
        epoch = each.epoch;
    }
}

}  // namespace weft::testing::store_trial
