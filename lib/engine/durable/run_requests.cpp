#include "run_requests.hpp"

#include "durable_core.hpp"
#include "engine/run/run_access.hpp"
#include "head_ahead.hpp"
#include "run_driver.hpp"
#include "run_input.hpp"
#include "thread_editor.hpp"
#include "thread_questions.hpp"
#include "thread_reader.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace weft {

namespace {

[[noreturn]] void refuse_idle(const thread_key& thread)
{
    throw error{errc::thread_not_found, "thread '" + thread.thread + "'",
                "it has no run that waits, was left or broken off; `run` begins one"};
}

std::optional<run_options> limits_of(const run_request& request)
{
    return request.has_options() ? std::optional{request.limits()} : std::nullopt;
}

std::string whereabouts(const run_record& of, worker_id here)
{
    if (of.phase == run_phase::ready) return "is ready for the next worker";
    if (of.phase != run_phase::running) return "is " + std::string{name_of(of.phase)};
    return "is under way " + (of.worker == here ? "in this process" : "at worker " + std::to_string(of.worker));
}

}  // namespace

task<void> run_requests::refuse_busy(thread_key thread, run_id active)
{
    const std::optional<run_record> record = co_await core_.patient.find_run(active);
    throw error{errc::thread_is_busy, "thread '" + thread.thread + "'",
                "run " + active.text() + " " +
                    (record ? whereabouts(*record, core_.lease.worker()) : "has just ended") +
                    "; wait for it, or queue or replace it"};
}

task<run_result> run_requests::run(durable_request request)
{
    co_await core_.lease.wait_until_alive();
    const std::string name = request.graph.empty() ? std::string{core_.graphs->only()} : request.graph;
    static_cast<void>(core_.graphs->require(name));
    const thread_key thread = request.key();
    if (thread.thread.empty())
        throw error{errc::invalid_configuration, "durable_engine",
                    "the request names no thread, under which its run is kept: name one, e.g. order-17"};
    // A run that waits for answers holds its thread: a request that queues behind it would wait as long. It goes on
    // with that run.
    const bool may_go_on = request.busy != busy_policy::replace && !request.begins_anew;
    const bool is_elsewhere = core_.free_places() == 0;
    std::optional<run_options> limits = limits_of(request.request);
    const bool goes_on_here = !is_elsewhere && request.busy == busy_policy::queue;
    if (may_go_on && (is_elsewhere || goes_on_here || limits)) {
        const std::optional<run_record> active = co_await core_.patient.active_run(thread);
        const bool waits = active && active->phase == run_phase::waiting;
        if (waits) co_await hand_limits_on(*active, std::move(limits));
        if (waits && is_elsewhere)
            co_return co_await resume_elsewhere(thread, run_id{}, question_answers{}, std::move(request.request));
        std::optional<run_claim> idle;
        if (waits && goes_on_here) idle = co_await take(active->id);
        if (idle) co_return co_await driver_.drive(std::move(*idle), std::move(request.request));
    }
    new_run entry{thread, request.id.is_nil() ? core_.ids->next<run_id>() : request.id};
    entry.metadata = request.metadata;
    entry.webhook = request.webhook;
    entry.priority = request.priority;
    entry.not_before = request.not_before;
    entry.graph_named(name).on_busy(request.busy).with_input(
        write_run_input(request.request, request.begins_anew ? run_beginning::anew : run_beginning::where_it_stands));
    entry.with_idempotency_key(request.idempotency_key).with_attempts_max(core_.options.attempts_max);
    run_admission admission = co_await admit(std::move(entry));
    std::optional<run_claim> claim = std::move(admission.claim);
    if (admission.what == run_admission::kind::rejected) claim = co_await claim_rejected(request, admission.id);
    // Else the run is another process's, or waits for its turn: this one follows what becomes of it.
    if (claim) co_return co_await driver_.drive(std::move(*claim), std::move(request.request));
    // One that is replaced and runs here need not wait for a heartbeat.
    const held_run* const before = request.busy == busy_policy::replace ? core_.runs->find(thread) : nullptr;
    if (before && before->id != admission.id) core_.runs->signal_soon(before->id, run_signal::cancel);
    co_return co_await wait_for_turn(admission.id, std::move(request.request));
}

/** @return   The active run of the thread, which the request then goes on with; nothing: it is waited for. */
task<std::optional<run_claim>> run_requests::claim_rejected(const durable_request& request, run_id active)
{
    const thread_key thread = request.key();
    std::optional<run_claim> claim;
    if (!request.begins_anew) claim = co_await take_idle(thread);
    if (claim) co_return claim;
    const run_id held_back = co_await claimer_.held_back_run(thread);
    if (held_back.is_nil()) co_await refuse_busy(thread, active);
    co_return std::nullopt;
}

// A run is taken before its answers are recorded, so that no other worker takes it in between.
task<run_result> run_requests::resume(thread_key thread, question_answers answers, run_request with)
{
    co_await core_.lease.wait_until_alive();
    const run_id origin = co_await questions_.check(thread, answers);
    std::optional<run_options> limits = limits_of(with);
    const bool is_elsewhere = core_.free_places() == 0;
    std::optional<run_record> active;
    if (limits || !is_elsewhere) active = co_await core_.patient.active_run(thread);
    // Before the answers are there: they may make the run ready.
    if (active) co_await hand_limits_on(*active, std::move(limits));
    if (is_elsewhere)
        co_return co_await resume_elsewhere(std::move(thread), origin, std::move(answers), std::move(with));
    const bool is_idle = active && (active->phase == run_phase::waiting || active->phase == run_phase::ready);
    taken_run taken;
    if (is_idle) taken = co_await take_and_read(core_.store, thread, take(active->id));
    if (taken.claim) co_return co_await answer_and_drive(std::move(taken), origin, std::move(answers), std::move(with));
    if (answers.empty()) co_return co_await go_on(std::move(thread), std::move(with));
    // It is under way, here or elsewhere.
    co_await questions_.record(thread, origin, std::move(answers));
    co_return co_await follow(std::move(thread), std::move(with));
}

// A run is ready at once when all that it asks is answered; one that waits for more is given back for another look.
task<run_result> run_requests::resume_elsewhere(thread_key thread, run_id origin, question_answers answers,
                                                run_request with)
{
    const std::optional<run_record> active = co_await core_.patient.active_run(thread);
    const bool is_idle = active && (active->phase == run_phase::waiting || active->phase == run_phase::ready);
    if (!is_idle && answers.empty()) co_return co_await go_on(std::move(thread), std::move(with));
    if (active && active->phase == run_phase::waiting) co_await change_waiting(thread, with);
    co_await questions_.record(thread, origin, std::move(answers));
    if (!active) refuse_idle(thread);
    co_await hand_on(*active);
    co_return co_await wait_for_turn(active->id, std::move(with));
}

task<void> run_requests::change_waiting(thread_key thread, run_request& with)
{
    if (run_request_access::json_values(with))
        throw error{errc::invalid_configuration, "thread '" + thread.thread + "'",
                    "this process performs no runs, and hands values on by their keys only: input(key, value)"};
    state_update* const values = run_request_access::first_values(with);
    if (!values || values->is_empty()) co_return;
    state_update edits = std::move(*values);
    run_request_access::drop_first_values(with);
    static_cast<void>(co_await editor_.edit(std::move(thread), std::move(edits)));
}

task<void> run_requests::hand_limits_on(run_record to, std::optional<run_options> limits)
{
    if (!limits || to.phase == run_phase::running) co_return;
    std::string input = input_with_limits(to.input, *limits);
    static_cast<void>(co_await core_.patient.change_input(to.thread, to.id, std::move(input)));
}

task<void> run_requests::hand_on(run_record run)
{
    const std::optional<run_record> now = co_await core_.patient.find_run(run.id);
    const bool waits_on = now && now->phase == run_phase::waiting;
    // An edit of ours has taken and released it; a worker that takes it comes to another wait.
    if (!waits_on || run.phase != run_phase::waiting) co_return;
    const std::optional<run_claim> claim = co_await claimer_.take(run.id);
    if (!claim) co_return;
    claim_guard guard{core_.claims, claim->fence};
    const bool is_released = co_await driver_.release(claim->fence, std::nullopt);
    if (is_released) guard.close();
}

task<run_admission> run_requests::admit(new_run entry)
{
    const std::size_t places = std::min<std::size_t>(core_.free_places(), 1);
    const run_places::hold asked{core_.places, places};
    if (places > 0) entry.started_by(core_.lease.worker());
    co_return co_await claimer_.admit(std::move(entry));
}

task<std::optional<run_claim>> run_requests::take(run_id run)
{
    if (core_.free_places() == 0) co_return std::nullopt;
    const run_places::hold asked{core_.places, 1};
    co_return co_await claimer_.take(run);
}

task<std::optional<run_claim>> run_requests::take_idle(thread_key thread)
{
    if (core_.free_places() == 0) co_return std::nullopt;
    const run_places::hold asked{core_.places, 1};
    co_return co_await claimer_.take_idle(std::move(thread));
}

task<run_result> run_requests::answer_and_drive(taken_run taken, run_id origin, question_answers answers,
                                                run_request with)
{
    run_claim& claim = *taken.claim;
    run_places::hold place{core_.places, 1};
    if (!answers.empty()) {
        claim_guard guard{core_.claims, claim.fence};
        const store_answer<bool> recorded = co_await answer_of(
            questions_.record(claim.fence.thread, origin, std::move(answers)));
        if (!recorded) {
            run_outcome outcome{run_phase::waiting, text_of(recorded.error)};
            outcome.for_answers_below(origin.text());
            const bool is_released = co_await driver_.release(claim.fence, std::move(outcome));
            if (is_released) guard.close();
            std::rethrow_exception(recorded.error);
        }
        guard.close();
    }
    place.release();
    co_return co_await driver_.drive(std::move(claim), std::move(with), run_driver::on_stop::cancel,
                                     std::move(taken.ahead));
}

task<run_result> run_requests::go_on(thread_key thread, run_request with)
{
    const run_id held_back = co_await claimer_.held_back_run(thread);
    if (!held_back.is_nil()) co_return co_await wait_for_turn(held_back, std::move(with));
    std::optional<new_run> next = co_await claimer_.broken_off_run(thread);
    if (!next) refuse_idle(thread);
    const run_id& named = run_request_access::identity(with).id;
    if (!named.is_nil()) next->id = named;
    with.in_thread(thread.thread);
    next->with_input(write_run_input(with));
    run_admission admission = co_await admit(std::move(*next));
    if (admission.what == run_admission::kind::ready) co_return co_await wait_for_turn(admission.id, std::move(with));
    if (!admission.claim) co_await refuse_busy(thread, admission.id);
    co_return co_await driver_.drive(std::move(*admission.claim), std::move(with));
}

task<bool> run_requests::revive(thread_key thread)
{
    co_await core_.lease.wait_until_alive();
    std::optional<new_run> next = co_await claimer_.broken_off_run(std::move(thread));
    if (!next) co_return false;
    const run_admission admission = co_await core_.patient.enqueue(std::move(*next));
    co_return admission.what != run_admission::kind::rejected;
}

task<bool> run_requests::retry(run_id dead)
{
    co_await core_.lease.wait_until_alive();
    const std::optional<run_record> record = co_await core_.patient.find_run(dead);
    if (!record || record->phase != run_phase::dead) co_return false;
    const std::optional<run_record> active = co_await core_.patient.active_run(record->thread);
    if (active) co_return false;
    const std::optional<checkpoint> head = co_await core_.patient.load(record->thread, std::nullopt);
    const bool has_begun = head && head->run == dead;
    if (has_begun) co_return co_await revive(record->thread);
    new_run next{record->thread, core_.ids->next<run_id>()};
    next.graph_named(record->graph).with_input(record->input).with_attempts_max(core_.options.attempts_max);
    next.metadata = record->metadata;
    next.webhook = record->webhook;
    next.priority = record->priority;
    const run_admission admission = co_await core_.patient.enqueue(std::move(next));
    co_return admission.what != run_admission::kind::rejected;
}

task<run_result> run_requests::follow(thread_key thread, run_request with)
{
    std::optional<run_id> followed;
    change_signal::watch changes{*core_.changes, core_.news_name(thread)};
    for (;;) {
        co_await core_.lease.wait_until_alive();
        const std::optional<run_record> active = co_await core_.patient.active_run(thread);
        if (!followed && !active) refuse_idle(thread);
        if (!followed) followed = active->id;
        // It is over; its result is read below.
        if (!active || active->id != *followed) break;
        if (active->phase == run_phase::waiting || active->phase == run_phase::ready) {
            std::optional<run_claim> claim = co_await take(*followed);
            if (claim) co_return co_await driver_.drive(std::move(*claim), std::move(with));
        }
        static_cast<void>(co_await changes.wait(core_.look_every()));
    }
    co_return co_await wait_for_turn(*followed, std::move(with));
}

task<run_result> run_requests::wait_for_turn(run_id run, run_request request)
{
    std::optional<change_signal::watch> changes;
    for (;;) {
        co_await core_.lease.wait_until_alive();
        run_record record = co_await core_.patient.require_run(run);
        if (is_over(record.phase) || record.phase == run_phase::waiting)
            co_return co_await reader_.result_of(std::move(record));
        if (core_.is_draining)
            throw error{errc::cancelled, "run " + run.text(), "this process drains; another one takes the run"};
        if (record.phase == run_phase::ready) {
            std::optional<run_claim> claim = co_await take(run);
            if (claim) co_return co_await driver_.drive(std::move(*claim), std::move(request));
        }
        const bool is_new = !changes;
        if (is_new) changes.emplace(*core_.changes, core_.news_name(record.thread));
        // What happened between the look and the watch is not remembered: it looks again.
        else static_cast<void>(co_await changes->wait(core_.look_every()));
    }
}

task<bool> run_requests::signal(thread_key thread, run_signal what)
{
    co_await core_.lease.wait_until_alive();
    const std::optional<run_id> signalled = co_await core_.patient.signal(std::move(thread), what);
    // One that runs here need not wait for a heartbeat.
    if (signalled) core_.runs->signal_soon(*signalled, what);
    co_return signalled.has_value();
}

}  // namespace weft
