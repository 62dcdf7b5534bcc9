#include "model_runs.hpp"

#include "model_queue.hpp"
#include "run_line.hpp"
#include "store/record/limit_checks.hpp"

#include <boost/assert.hpp>

#include <algorithm>
#include <utility>

namespace weft::store_detail {

run_admission enqueue_run(const model_access& store, new_run run)
{
    check_limits(run);
    BOOST_ASSERT_MSG(!run.id.is_nil(), "a run has an id");
    run_admission admission;
    admission.id = run.id;
    const bool has_key = !run.idempotency_key.empty() && store.options.flaw != store_flaw::no_idempotency;
    const auto key = store.tables.idempotency.find({run.thread.tenant, run.idempotency_key});
    if (has_key && key != store.tables.idempotency.end()) admission.id = key->second;
    // A second attempt to enter a run, whose first answer was lost, is told which run it was.
    admission.what = run_admission::kind::duplicate;
    if (admission.id != run.id || store.tables.runs.contains(run.id)) return admission;

    thread_row& thread = store.tables.thread_made(run.thread, store.at.today);
    if (thread.active && run.busy == busy_policy::reject) {
        admission.what = run_admission::kind::rejected;
        admission.id = *thread.active;
        return admission;
    }
    // A run without a worker is over at once, and the thread is free; one with a worker goes on until it hears of it.
    if (thread.active && run.busy == busy_policy::replace) signal_run(store, run.thread, run_signal::cancel);

    thread.changed = store.at.today;
    if (has_key) store.tables.idempotency.emplace(std::pair{run.thread.tenant, run.idempotency_key}, run.id);
    run_row& row = store.tables.runs[run.id];
    row.order = ++store.tables.last_order;
    row.attempts_max = run.attempts_max;
    row.idempotency_key = has_key ? std::move(run.idempotency_key) : std::string{};
    row.record.id = run.id;
    row.record.thread = std::move(run.thread);
    row.record.graph = std::move(run.graph);
    row.record.input = std::move(run.input);
    row.record.metadata = std::move(run.metadata);
    row.record.webhook = std::move(run.webhook);
    row.record.priority = run.priority;
    row.record.revision = std::move(run.revision);
    row.record.limit_keys = std::move(run.limit_keys);
    row.place = place_in_queue(store.at.today, run.priority);
    row.record.not_before = run.not_before;
    row.record.created = store.at.today;
    row.record.changed = store.at.today;
    row.record.phase = run_phase::queued;
    if (thread.active && store.options.flaw != store_flaw::no_queue) {
        thread.queued.push_back(run.id);
        admission.what = run_admission::kind::queued;
        return admission;
    }
    thread.active = run.id;
    make_run_ready_in_time(store, row);
    admission.what = run_admission::kind::queued;
    if (row.record.phase != run_phase::ready) return admission;
    admission.what = run_admission::kind::ready;
    // A worker that was given up, or cannot run it, does not have it: another one takes it later.
    if (!may_start_at_once(store, row, run.start_on)) return admission;
    admission.what = run_admission::kind::started;
    admission.claim = take_run(store, row, run.start_on);
    return admission;
}

std::vector<run_claim> claim_runs(const model_access& store, worker_id worker, std::size_t max)
{
    std::vector<run_claim> claims;
    if (!living_worker(store, worker)) return claims;
    make_due_runs_ready(store);
    run_row* suspect = nullptr;
    if (max > 0 && !store.tables.suspects.empty()) {
        // If this one has to wait, so have those behind it, which have cost as many workers or more.
        run_row& first = store.tables.runs.at(store.tables.suspects.begin()->second);
        if (may_try(store, first, worker)) suspect = &first;
    }
    std::vector<run_row*> taken = next_in_turn(store, worker, suspect, max);
    std::sort(taken.begin(), taken.end(), [](const run_row* a, const run_row* b) { return comes_before(*a, *b); });
    for (run_row* const run : taken) claims.push_back(take_run(store, *run, worker));
    return claims;
}

std::optional<run_claim> resume_run(const model_access& store, worker_id worker, run_id run)
{
    if (!living_worker(store, worker)) return std::nullopt;
    make_due_runs_ready(store);
    const auto found = store.tables.runs.find(run);
    if (found == store.tables.runs.end()) return std::nullopt;
    const run_phase phase = found->second.record.phase;
    if (phase != run_phase::ready && phase != run_phase::waiting) return std::nullopt;
    if (is_suspect(store.tables, found->second) && !may_try(store, found->second, worker)) return std::nullopt;
    if (!can_run(store, worker, found->second.record)) return std::nullopt;
    if (!limits_of_run(store, found->second).empty()) {
        if (phase == run_phase::waiting) make_run_ready(store, found->second);
        return std::nullopt;
    }
    return take_run(store, found->second, worker);
}

write_state finish_run(const model_access& store, const write_fence& fence, run_outcome outcome)
{
    check_limits(outcome);
    BOOST_ASSERT_MSG(outcome.phase == run_phase::waiting || is_over(outcome.phase), "a finished run waits or is over");
    const write_state state = may_write(store.tables, store.options.flaw, fence, compares::epoch_and_head);
    const auto found = store.tables.runs.find(fence.run);
    if (state != write_state::ok || found == store.tables.runs.end()) return state;
    run_row& run = found->second;
    if (is_over(run.record.phase)) return state;  // a store without fences
    if (outcome.phase == run_phase::failed && outcome.may_retry &&
        try_run_again(store, run, outcome.message))
        return state;
    if (outcome.phase != run_phase::waiting) {
        end_run(store, run, outcome.phase, std::move(outcome.message));
        return state;
    }
    let_go_of_run(store, run);
    run.record.phase = run_phase::waiting;
    run.record.changed = store.at.today;
    run.record.message = std::move(outcome.message);
    run.record.attempt = 0;  // it came to a rest: what follows is a new beginning
    run.suspected_at.reset();
    thread_row& thread = store.tables.threads.at(fence.thread);
    thread.changed = store.at.today;
    if (outcome.wakes_at) wake_run_at(store, run, *outcome.wakes_at);
    if (!outcome.asked_below.empty() && run.record.signal == run_signal::none)
        make_ready_if_answered(store, thread, outcome.asked_below);
    if (run.record.signal == run_signal::pause) run.record.signal = run_signal::none;
    cancel_unheld_run(store, run);
    return state;
}

write_state bind_run(const model_access& store, const write_fence& fence, std::string revision)
{
    check_name_limit(revision, "revision");
    const write_state state = may_write(store.tables, store.options.flaw, fence, compares::epoch);
    const auto found = store.tables.runs.find(fence.run);
    if (state == write_state::ok && found != store.tables.runs.end())
        found->second.record.revision = std::move(revision);
    return state;
}

bool change_input_of_run(store_tables& tables, const thread_key& thread, run_id run, std::string input)
{
    check_text_limit(input, "input");
    const auto found = tables.runs.find(run);
    if (found == tables.runs.end()) return false;
    run_record& record = found->second.record;
    if (record.thread != thread || record.phase == run_phase::running || is_over(record.phase)) return false;
    record.input = std::move(input);
    return true;
}

write_state yield_run(const model_access& store, const write_fence& fence)
{
    const write_state state = may_write(store.tables, store.options.flaw, fence, compares::epoch);
    const auto found = store.tables.runs.find(fence.run);
    if (state != write_state::ok || found == store.tables.runs.end()) return state;
    if (found->second.record.phase != run_phase::running) return state;  // a store without fences
    --found->second.record.attempt;
    make_run_ready_again(store, found->second);
    return state;
}

std::optional<run_id> signal_run(const model_access& store, const thread_key& thread, run_signal what)
{
    const thread_row* row = find_thread(store.tables, thread);
    if (!row || !row->active) return std::nullopt;
    const run_id id = *row->active;
    run_row& run = store.tables.runs.at(id);
    const bool rests = run.record.phase == run_phase::waiting && what == run_signal::pause;
    if (what > run.record.signal && !rests) {
        run.record.signal = what;
        run.record.changed = store.at.today;
    }
    cancel_unheld_run(store, run);
    return id;
}

bool cancel_queued_run(const model_access& store, run_id run)
{
    const auto found = store.tables.runs.find(run);
    if (found == store.tables.runs.end() || found->second.record.phase != run_phase::queued) return false;
    run_record& record = found->second.record;
    thread_row& thread = store.tables.threads.at(record.thread);
    const auto place = std::find(thread.queued.begin(), thread.queued.end(), run);
    if (place == thread.queued.end()) return false;  // it is the active one, and waits for its moment
    thread.queued.erase(place);
    thread.ended.push_back(run);
    thread.changed = store.at.today;
    record.phase = run_phase::cancelled;
    record.message = "cancelled while it was in line";
    record.ended = record.changed = store.at.today;
    announce_end(store, record);
    return true;
}

bool remove_run(const model_access& store, run_id run)
{
    const auto found = store.tables.runs.find(run);
    if (found == store.tables.runs.end() || !is_over(found->second.record.phase)) return false;
    std::erase(store.tables.threads.at(found->second.record.thread).ended, run);
    forget_run(store, run);
    return true;
}

}  // namespace weft::store_detail
