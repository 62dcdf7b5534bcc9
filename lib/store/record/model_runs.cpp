#include <weft/store/record/store_model.hpp>

#include "limit_checks.hpp"

#include <boost/assert.hpp>

#include <algorithm>

namespace weft {

store_detail::thread_row* store_model::find_thread(const thread_key& thread)
{
    const auto found = tables_.threads.find(thread);
    return found == tables_.threads.end() ? nullptr : &found->second;
}

const store_detail::thread_row* store_model::find_thread(const thread_key& thread) const
{
    const auto found = tables_.threads.find(thread);
    return found == tables_.threads.end() ? nullptr : &found->second;
}

write_state store_model::may_write(const write_fence& fence, compares what) const
{
    const thread_row* thread = find_thread(fence.thread);
    if (!thread) return write_state::fenced;
    if (options_.flaw != store_flaw::no_fence) {
        const auto run = tables_.runs.find(fence.run);
        if (run == tables_.runs.end()) return write_state::fenced;
        const run_record& record = run->second.record;
        const bool is_holder = record.phase == run_phase::running && record.epoch == fence.epoch &&
                               record.thread == fence.thread && !tables_.workers.at(record.worker).is_given_up;
        if (!is_holder) return write_state::fenced;
    }
    const bool is_stale = what == compares::epoch_and_head && fence.head != thread->head;
    return is_stale && options_.flaw != store_flaw::no_compare_and_set ? write_state::stale_head : write_state::ok;
}

bool store_model::is_suspect(const run_row& run) const
{
    return run.suspected_at && *run.suspected_at == find_thread(run.record.thread)->head;
}

/** Two suspects at once would leave open which of them ends the process. */
bool store_model::may_try(const run_row& suspect, worker_id worker) const
{
    const bool was_caught = suspect.record.attempt > 1;  // it was a suspect already when its worker was lost
    for (const auto& [id, each] : tables_.workers) {
        for (const run_id& run : each.runs) {
            const run_row& held = tables_.runs.at(run);
            const bool rules_out = id == worker || was_caught || held.record.attempt > 2;
            if (rules_out && is_suspect(held)) return false;
        }
    }
    return true;
}

run_claim store_model::take(run_row& run, worker_id worker, store_moment at)
{
    run_record& record = run.record;
    thread_row& thread = tables_.threads.at(record.thread);
    leave_line(run);
    tables_.workers.at(worker).runs.insert(record.id);
    record.phase = run_phase::running;
    record.worker = worker;
    record.epoch = ++tables_.last_epoch;
    ++record.attempt;
    thread.changed = at.today;
    run_claim claim;
    claim.fence = write_fence{record.thread, record.id, record.epoch, thread.head};
    claim.attempt = record.attempt;
    claim.is_suspect = is_suspect(run);
    claim.graph = record.graph;
    claim.input = record.input;
    return claim;
}

void store_model::let_go(run_row& run)
{
    leave_line(run);
    const auto worker = tables_.workers.find(run.record.worker);
    if (worker != tables_.workers.end()) worker->second.runs.erase(run.record.id);
    run.record.worker = 0;
}

void store_model::make_ready(run_row& run)
{
    run.record.phase = run_phase::ready;
    if (is_suspect(run)) tables_.suspects.emplace(std::pair{run.record.attempt, run.order}, run.record.id);
    else tables_.ready.emplace(run.order, run.record.id);
}

void store_model::leave_line(const run_row& run)
{
    tables_.ready.erase(run.order);
    tables_.suspects.erase({run.record.attempt, run.order});
}

bool store_model::has_open_question(const thread_row& thread, std::string_view below) const
{
    return std::any_of(thread.questions.begin(), thread.questions.end(), [&](const auto& each) {
        return each.record.phase == question_phase::open && is_at_or_below(each.record.address, below);
    });
}

void store_model::make_ready_if_answered(thread_row& thread, std::string_view below)
{
    if (!thread.active || has_open_question(thread, below)) return;
    run_row& run = tables_.runs.at(*thread.active);
    if (run.record.phase == run_phase::waiting) make_ready(run);
}

void store_model::back_to_ready(run_row& run, store_moment at)
{
    let_go(run);
    make_ready(run);
    cancel_unheld(run, at);
}

void store_model::cancel_unheld(run_row& run, store_moment at)
{
    const run_record& record = run.record;
    const bool is_unheld = record.phase == run_phase::ready || record.phase == run_phase::waiting;
    if (is_unheld && record.signal == run_signal::cancel)
        end(run, run_phase::cancelled, "cancelled while no worker had it", at);
}

void store_model::end(run_row& run, run_phase phase, std::string message, store_moment at)
{
    let_go(run);
    run.record.phase = phase;
    run.record.message = std::move(message);
    run.record.ended = at.today;
    thread_row& thread = tables_.threads.at(run.record.thread);
    thread.changed = at.today;
    thread.ended.push_back(run.record.id);
    if (thread.active == run.record.id) thread.active.reset();
    start_next(thread);
    if (thread.ended.size() <= std::max<std::size_t>(options_.ended_runs_max, 1)) return;
    forget_run(thread.ended.front());
    thread.ended.pop_front();
}

void store_model::start_next(thread_row& thread)
{
    if (thread.active || thread.queued.empty()) return;
    thread.active = thread.queued.front();
    thread.queued.pop_front();
    make_ready(tables_.runs.at(*thread.active));
}

void store_model::forget_run(run_id run)
{
    const auto found = tables_.runs.find(run);
    run_row& row = found->second;
    let_go(row);
    if (!row.idempotency_key.empty()) tables_.idempotency.erase({row.record.thread.tenant, row.idempotency_key});
    tables_.runs.erase(found);
}

run_admission store_model::enqueue(new_run run, store_moment at)
{
    check_limits(run);
    BOOST_ASSERT_MSG(!run.id.is_nil(), "a run has an id");
    run_admission admission;
    admission.id = run.id;
    const bool has_key = !run.idempotency_key.empty() && options_.flaw != store_flaw::no_idempotency;
    const auto key = tables_.idempotency.find({run.thread.tenant, run.idempotency_key});
    if (has_key && key != tables_.idempotency.end()) admission.id = key->second;
    admission.what = run_admission::kind::duplicate;
    if (admission.id != run.id || tables_.runs.contains(run.id)) return admission;

    thread_row& thread = tables_.thread_made(run.thread, at.today);
    if (thread.active && run.busy == busy_policy::reject) {
        admission.what = run_admission::kind::rejected;
        admission.id = *thread.active;
        return admission;
    }
    if (thread.active && run.busy == busy_policy::replace) signal(run.thread, run_signal::cancel, at);

    thread.changed = at.today;
    if (has_key) tables_.idempotency.emplace(std::pair{run.thread.tenant, run.idempotency_key}, run.id);
    run_row& row = tables_.runs[run.id];
    row.order = ++tables_.last_order;
    row.attempts_max = run.attempts_max;
    row.idempotency_key = has_key ? std::move(run.idempotency_key) : std::string{};
    row.record.id = run.id;
    row.record.thread = std::move(run.thread);
    row.record.graph = std::move(run.graph);
    row.record.input = std::move(run.input);
    row.record.metadata = std::move(run.metadata);
    row.record.webhook = std::move(run.webhook);
    row.record.created = at.today;
    row.record.phase = run_phase::queued;
    if (thread.active && options_.flaw != store_flaw::no_queue) {
        thread.queued.push_back(run.id);
        admission.what = run_admission::kind::queued;
        return admission;
    }
    thread.active = run.id;
    make_ready(row);
    admission.what = run_admission::kind::ready;
    if (!living_worker(run.start_on, at)) return admission;
    admission.what = run_admission::kind::started;
    admission.claim = take(row, run.start_on, at);
    return admission;
}

std::vector<run_claim> store_model::claim(worker_id worker, std::size_t max, store_moment at)
{
    std::vector<run_claim> claims;
    if (!living_worker(worker, at)) return claims;
    std::vector<run_row*> taken;
    if (max > 0 && !tables_.suspects.empty()) {
        // If this one has to wait, so have those behind it, which have cost as many workers or more.
        run_row& first = tables_.runs.at(tables_.suspects.begin()->second);
        if (may_try(first, worker)) taken.push_back(&first);
    }
    for (const auto& [order, id] : tables_.ready) {
        if (taken.size() >= max) break;
        taken.push_back(&tables_.runs.at(id));
    }
    std::sort(taken.begin(), taken.end(), [](const run_row* a, const run_row* b) { return a->order < b->order; });
    for (run_row* const run : taken) claims.push_back(take(*run, worker, at));
    return claims;
}

std::optional<run_claim> store_model::resume(worker_id worker, run_id run, store_moment at)
{
    const auto found = tables_.runs.find(run);
    if (found == tables_.runs.end() || !living_worker(worker, at)) return std::nullopt;
    const run_phase phase = found->second.record.phase;
    if (phase != run_phase::ready && phase != run_phase::waiting) return std::nullopt;
    if (is_suspect(found->second) && !may_try(found->second, worker)) return std::nullopt;
    return take(found->second, worker, at);
}

write_state store_model::finish(const write_fence& fence, run_outcome outcome, store_moment at)
{
    check_limits(outcome);
    BOOST_ASSERT_MSG(outcome.phase == run_phase::waiting || is_over(outcome.phase), "a finished run waits or is over");
    const write_state state = may_write(fence, compares::epoch_and_head);
    const auto found = tables_.runs.find(fence.run);
    if (state != write_state::ok || found == tables_.runs.end()) return state;
    run_row& run = found->second;
    if (is_over(run.record.phase)) return state;  // a store without fences
    if (outcome.phase != run_phase::waiting) {
        end(run, outcome.phase, std::move(outcome.message), at);
        return state;
    }
    let_go(run);
    run.record.phase = run_phase::waiting;
    run.record.message = std::move(outcome.message);
    run.record.attempt = 0;  // it came to a rest: what follows is a new beginning
    run.suspected_at.reset();
    thread_row& thread = tables_.threads.at(fence.thread);
    thread.changed = at.today;
    if (!outcome.asked_below.empty() && run.record.signal == run_signal::none)
        make_ready_if_answered(thread, outcome.asked_below);
    if (run.record.signal == run_signal::pause) run.record.signal = run_signal::none;
    cancel_unheld(run, at);
    return state;
}

write_state store_model::yield(const write_fence& fence, store_moment at)
{
    const write_state state = may_write(fence, compares::epoch);
    const auto found = tables_.runs.find(fence.run);
    if (state != write_state::ok || found == tables_.runs.end()) return state;
    if (found->second.record.phase != run_phase::running) return state;  // a store without fences
    --found->second.record.attempt;
    back_to_ready(found->second, at);
    return state;
}

std::optional<run_id> store_model::signal(const thread_key& thread, run_signal what, store_moment at)
{
    const thread_row* row = find_thread(thread);
    if (!row || !row->active) return std::nullopt;
    const run_id id = *row->active;
    run_row& run = tables_.runs.at(id);
    const bool rests = run.record.phase == run_phase::waiting && what == run_signal::pause;
    if (what > run.record.signal && !rests) run.record.signal = what;
    cancel_unheld(run, at);
    return id;
}

std::optional<run_record> store_model::find_run(run_id run) const
{
    const auto found = tables_.runs.find(run);
    if (found == tables_.runs.end()) return std::nullopt;
    run_record record = found->second.record;
    record.is_suspect = !is_over(record.phase) && is_suspect(found->second);
    return record;
}

std::optional<run_record> store_model::active_run(const thread_key& thread) const
{
    const thread_row* row = find_thread(thread);
    if (!row || !row->active) return std::nullopt;
    return find_run(*row->active);
}

}  // namespace weft
