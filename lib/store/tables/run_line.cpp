#include "run_line.hpp"

#include "model_documents.hpp"
#include "store/record/lost_attempts.hpp"
#include "store/record/outbox_document.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace weft::store_detail {

namespace {

std::pair<std::int64_t, std::uint64_t> place_in_line(const run_row& run) { return {run.place, run.order}; }

void forget_moment(const model_access& store, run_row& run)
{
    if (run.wakes_at) store.tables.later.erase({*run.wakes_at, run.order});
    run.wakes_at.reset();
}

void start_next_run(const model_access& store, thread_row& thread)
{
    if (thread.active || thread.queued.empty()) return;
    thread.active = thread.queued.front();
    thread.queued.pop_front();
    make_run_ready_in_time(store, store.tables.runs.at(*thread.active));
}

bool has_open_question(const thread_row& thread, std::string_view below)
{
    return std::any_of(thread.questions.begin(), thread.questions.end(), [&](const auto& each) {
        return each.record.phase == question_phase::open && is_at_or_below(each.record.address, below);
    });
}

}  // namespace

void leave_queue(const model_access& store, run_row& run)
{
    const auto of_tenant = store.tables.ready.find(run.record.thread.tenant);
    if (of_tenant != store.tables.ready.end()) {
        of_tenant->second.erase(place_in_line(run));
        if (of_tenant->second.empty()) store.tables.ready.erase(of_tenant);
    }
    if (run.record.not_before) store.tables.later.erase({*run.record.not_before, run.order});
    forget_moment(store, run);
    store.tables.suspects.erase({run.record.attempt, run.order});
}

void announce_end(const model_access& store, const run_record& record)
{
    if (record.webhook.empty()) return;
    stored_run ended;
    ended.id = record.id;
    ended.thread = record.thread;
    ended.graph = record.graph;
    ended.phase = record.phase;
    ended.webhook = record.webhook;
    add_document(store.tables, message_of_end(ended, store.at.today), store.at.today);
}

void make_run_ready(const model_access& store, run_row& run)
{
    forget_moment(store, run);
    run.record.phase = run_phase::ready;
    run.record.changed = store.at.today;
    if (is_suspect(store.tables, run))
        store.tables.suspects.emplace(std::pair{run.record.attempt, run.order}, run.record.id);
    else
        store.tables.ready[run.record.thread.tenant].emplace(place_in_line(run), run.record.id);
}

void make_run_ready_later(const model_access& store, run_row& run, std::chrono::milliseconds span)
{
    if (span.count() <= 0 || store.options.flaw == store_flaw::no_back_off) return make_run_ready_again(store, run);
    let_go_of_run(store, run);
    // As one whose moment has not come: it is the active run of its thread, and no claim sees it.
    run.record.phase = run_phase::queued;
    run.record.changed = store.at.today;
    wake_run_at(store, run, store.at.today + span);
    cancel_unheld_run(store, run);
}

void note_lost_attempt(const model_access& store, run_record& run, std::string cause)
{
    add_lost_attempt(run.lost_attempts, store.at.today, std::move(cause));
}

void make_run_ready_in_time(const model_access& store, run_row& run)
{
    const std::optional<wall_time> moment = run.record.not_before;
    if (!moment || *moment <= store.at.today) return make_run_ready(store, run);
    // It is the active run of its thread, and no claim sees it.
    run.record.phase = run_phase::queued;
    store.tables.later.emplace(std::pair{*moment, run.order}, run.record.id);
}

void wake_run_at(const model_access& store, run_row& run, wall_time moment)
{
    run.wakes_at = moment;
    store.tables.later.emplace(std::pair{moment, run.order}, run.record.id);
}

void make_due_runs_ready(const model_access& store)
{
    std::map<std::pair<wall_time, std::uint64_t>, run_id>& later = store.tables.later;
    while (!later.empty() && later.begin()->first.first <= store.at.today) {
        run_row& run = store.tables.runs.at(later.begin()->second);
        // Out of the list before it is in the line: it stands in one of them.
        later.erase(later.begin());
        make_run_ready(store, run);
    }
}

bool comes_before(const run_row& one, const run_row& other) { return place_in_line(one) < place_in_line(other); }

void let_go_of_run(const model_access& store, run_row& run)
{
    leave_queue(store, run);
    const auto worker = store.tables.workers.find(run.record.worker);
    if (worker != store.tables.workers.end()) worker->second.runs.erase(run.record.id);
    run.record.worker = 0;
    for (const std::string& each : run.buckets) --store.tables.buckets[each].active;
    run.buckets.clear();
}

run_claim take_run(const model_access& store, run_row& run, worker_id worker)
{
    run_record& record = run.record;
    thread_row& thread = store.tables.threads.at(record.thread);
    leave_queue(store, run);
    store.tables.workers.at(worker).runs.insert(record.id);
    record.phase = run_phase::running;
    record.changed = store.at.today;
    record.worker = worker;
    // A new epoch fences whatever the holder before still writes.
    record.epoch = ++store.tables.last_epoch;
    ++record.attempt;
    thread.changed = store.at.today;
    run_claim claim;
    claim.fence = write_fence{record.thread, record.id, record.epoch, thread.head};
    claim.attempt = record.attempt;
    claim.is_suspect = is_suspect(store.tables, run);
    claim.graph = record.graph;
    claim.revision = record.revision;
    claim.input = record.input;
    return claim;
}

/** Two suspects at once would leave open which of them ends the process. */
bool may_try(const model_access& store, const run_row& suspect, worker_id worker)
{
    const bool was_caught = suspect.record.attempt > 1;  // it was a suspect already when its worker was lost
    for (const auto& [id, each] : store.tables.workers) {
        for (const run_id& run : each.runs) {
            const run_row& held = store.tables.runs.at(run);
            const bool rules_out = id == worker || was_caught || held.record.attempt > 2;
            if (rules_out && is_suspect(store.tables, held)) return false;
        }
    }
    return true;
}

void forget_run(const model_access& store, run_id run)
{
    const auto found = store.tables.runs.find(run);
    run_row& row = found->second;
    let_go_of_run(store, row);
    if (!row.idempotency_key.empty()) store.tables.idempotency.erase({row.record.thread.tenant, row.idempotency_key});
    store.tables.runs.erase(found);
}

void end_run(const model_access& store, run_row& run, run_phase phase, std::string message)
{
    let_go_of_run(store, run);
    run.record.phase = phase;
    run.record.message = std::move(message);
    run.record.ended = store.at.today;
    run.record.changed = store.at.today;
    announce_end(store, run.record);
    thread_row& thread = store.tables.threads.at(run.record.thread);
    thread.changed = store.at.today;
    thread.ended.push_back(run.record.id);
    if (thread.active == run.record.id) thread.active.reset();
    start_next_run(store, thread);
    // The run that just ended stays, even if none is to be remembered: its end is asked for next.
    if (thread.ended.size() <= std::max<std::size_t>(store.options.ended_runs_max, 1)) return;
    forget_run(store, thread.ended.front());
    thread.ended.pop_front();
}

void cancel_unheld_run(const model_access& store, run_row& run)
{
    const run_record& record = run.record;
    const bool is_unheld = record.phase == run_phase::ready || record.phase == run_phase::waiting ||
                           record.phase == run_phase::queued;
    if (is_unheld && record.signal == run_signal::cancel)
        end_run(store, run, run_phase::cancelled, "cancelled while no worker had it");
}

void make_run_ready_again(const model_access& store, run_row& run)
{
    let_go_of_run(store, run);
    make_run_ready(store, run);
    cancel_unheld_run(store, run);
}

void make_ready_if_answered(const model_access& store, thread_row& thread, std::string_view below)
{
    if (!thread.active || has_open_question(thread, below)) return;
    run_row& run = store.tables.runs.at(*thread.active);
    if (run.record.phase == run_phase::waiting) make_run_ready(store, run);
}

}  // namespace weft::store_detail
