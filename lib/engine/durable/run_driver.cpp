#include "run_driver.hpp"

#include "answer_watch.hpp"
#include "durable_core.hpp"
#include "engine/commit/checkpoint_committer.hpp"
#include "engine/commit/event_recorder.hpp"
#include "engine/commit/store_journal.hpp"
#include "engine/run/run_access.hpp"
#include "engine/run/run_awaiter.hpp"
#include "run_basis.hpp"
#include "run_input.hpp"
#include "run_lineage.hpp"
#include "run_outcomes.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/engine/run/run_observer.hpp>
#include <weft/store/record/abilities.hpp>

#include <string>
#include <utility>
#include <vector>

namespace weft {

namespace {

/** Lets the recorder and the watcher of the engine see the run, beside that of the request. */
void add_watchers(run_request& request, const held_run& held, const durable_options::event_function& of_all)
{
    if (!of_all && !held.recorder) return;
    const run_request::event_function* const own = request.watcher();
    auto all = [thread = held.thread, recorder = held.recorder, of_all,
                first = own ? *own : run_request::event_function{}](const run_event& event) {
        if (recorder) recorder->record(event);
        if (first) first(event);
        if (of_all) of_all(thread, event);
    };
    request.on_event(std::move(all));
}

run_options limits_for(const run_request& request, const durable_graphs::entry& of, const durable_options& options,
                       std::shared_ptr<checkpoint_saver> saver)
{
    run_options limits = request.has_options() ? request.limits() : of.options;
    save_options saving{std::move(saver)};
    saving.mode = options.mode;
    saving.is_best_effort = options.is_best_effort;
    saving.is_before_nodes = options.is_before_nodes;
    saving.queue_max = options.queue_max;
    limits.save_by(std::move(saving));
    return limits;
}

/** What the store is to keep of a run that could not begin; nothing: it is ready for another process. It waits where
 *  only a person can help: for the graph that it needs, or for a look at what went wrong. */
std::optional<run_outcome> outcome_of_refusal(errc code, std::string message, run_driver::on_stop stop)
{
    const bool yields = stop == run_driver::on_stop::yield;
    if (code == errc::cancelled)
        return yields ? std::nullopt : std::optional{run_outcome{run_phase::cancelled, std::move(message)}};
    const bool may_begin_elsewhere = yields || may_retry_after(code);
    const bool needs_a_person = code == errc::graph_changed || code == errc::invalid_configuration;
    if (may_begin_elsewhere && !needs_a_person) return std::nullopt;
    return run_outcome{run_phase::waiting, std::move(message)};
}

task<run_result> end_of(std::shared_ptr<held_run> held)
{
    run_awaiter running{held->active_run};
    co_return co_await running;
}

/** @param children   They outlive the task. */
task<void> join_all(scope& children) { co_await children.join(); }

/** Whether another process is to go on with a run that came to rest here. */
bool is_left_open(const held_run& held, const run_result& result)
{
    return held.is_yielding && (result.status == run_status::paused || result.status == run_status::cancelled);
}

/** What the store is to keep of a run that came to rest; nothing: it is ready for another process. */
std::optional<run_outcome> outcome_of(const held_run& held, const run_result& result)
{
    if (is_left_open(held, result) || held.committer->is_store_away()) return std::nullopt;
    run_outcome outcome{phase_of(result.status), result.message()};
    // What was answered while it came to its rest is not waited for.
    if (!result.questions.empty()) outcome.for_answers_below(held.origin.text());
    return std::move(outcome.until(first_end_of_wait(result.questions)));
}

}  // namespace

task<write_state> run_driver::finish(write_fence fence, std::optional<run_outcome> outcome) const
{
    // A second try after an answer that was lost is refused: the run is not ours any more, which is what was wanted.
    return core_.patient.until_answered([fence = std::move(fence), outcome = std::move(outcome)](
                                            checkpoint_store& store) {
        return outcome ? store.finish(fence, *outcome) : store.yield(fence);
    });
}

task<bool> run_driver::release(write_fence fence, std::optional<run_outcome> outcome)
{
    const store_answer<write_state> answer =
        co_await answer_of(shielded(finish(std::move(fence), std::move(outcome)), core_.options.lifetime));
    co_return static_cast<bool>(answer);
}

task<bool> run_driver::leave_to_others(const run_claim& claim, errc why) const
{
    if (!core_.options.names_graphs) co_return false;
    // It was taken just before the graph went away.
    if (!core_.graphs->find(claim.graph)) co_return !core_.lease.graphs().empty();
    if (why != errc::graph_changed) co_return false;
    const store_answer<std::optional<checkpoint>> head =
        co_await answer_of(core_.patient.load(claim.fence.thread, std::nullopt));
    if (!head || !*head.value) co_return false;
    const std::string revision = (*head.value)->graph_hash;
    // It would come back here at once.
    if (store_detail::has_ability(core_.lease.graphs(), claim.graph, revision)) co_return false;
    const auto bind = [&](checkpoint_store& store) { return store.bind(claim.fence, revision); };
    const store_answer<write_state> bound = co_await answer_of(core_.patient.until_answered(bind));
    co_return bound && *bound.value == write_state::ok;
}

task<void> run_driver::free_from_revision(const run_claim& claim) const
{
    const auto bind = [&](checkpoint_store& store) { return store.bind(claim.fence, std::string{}); };
    // A refusal means that the run is lost, which its first checkpoint finds out.
    static_cast<void>(co_await answer_of(core_.patient.until_answered(bind)));
}

task<run_result> run_driver::refuse(const run_claim& claim, std::exception_ptr why, on_stop stop)
{
    const write_fence& fence = claim.fence;
    const errc code = code_of(why);
    std::string message = text_of(why);
    std::optional<run_outcome> outcome = outcome_of_refusal(code, message, stop);
    bool is_for_others = false;
    if (stop == on_stop::yield) is_for_others = co_await leave_to_others(claim, code);
    if (is_for_others) outcome.reset();
    const bool is_released = co_await release(fence, std::move(outcome));
    if (!is_released) core_.claims.abandon(fence);
    run_result result = failed_result(code, std::move(message), why);
    if (code == errc::cancelled) result.status = run_status::cancelled;
    co_return result;
}

std::shared_ptr<held_run> run_driver::hold(const run_basis& at, const run_claim& claim, on_stop stop)
{
    const write_fence& fence = claim.fence;
    checkpoint_writer writer{at.of->table, core_.store.key()};
    if (at.from) writer.know(*at.from, *at.head);
    auto held = std::make_shared<held_run>();
    held->thread = fence.thread;
    held->id = fence.run;
    held->news_name = core_.news_name(fence.thread);
    held->origin = at.origin_for(fence.run);
    held->is_of_worker = stop == on_stop::yield;
    held->committer =
        std::make_shared<checkpoint_committer>(core_.store, *core_.ids, fence, std::move(writer), core_.options);
    if (held->is_of_worker) held->committer->wait_for_room();
    if (core_.options.event_log) {
        held->recorder = std::make_shared<event_recorder>(*core_.options.event_log, *held->committer,
                                                          core_.options.event_limits);
        held->committer->record_by(held->recorder);
    }
    // A suspect that has made a checkpoint is none any more: a worker that waits for that may take the next one.
    if (claim.is_suspect) held->committer->on_first_saved([changes = core_.changes] { changes->notify(); });
    return held;
}

std::optional<run_request> run_driver::prepare(const run_basis& at, const run_claim& claim, const held_run& held,
                                               run_request request, run_result& result) const
{
    std::optional<run_request> prepared;
    if (at.ended) {
        result = at.ended_result();
        return prepared;
    }
    try {
        prepared.emplace(at.begin(claim, std::move(request)));
    } catch (const error& wrong) {
        result = failed_result(wrong.code(), wrong.what(), std::current_exception());
        return prepared;
    }
    prepared->options(limits_for(*prepared, *at.of, core_.options, held.committer));
    prepared->journal(journal_of(at, claim, held));
    add_watchers(*prepared, held, core_.options.on_event);
    if (core_.options.amend_writes) prepared->amend_writes(core_.options.amend_writes);
    if (!run_request_access::on_questions(*prepared)) prepared->on_questions(core_.options.on_questions);
    return prepared;
}

task<void> run_driver::have_observed(run_request& request, const run_basis& at, const run_claim& claim) const
{
    serial_loop& loop = co_await this_task::loop();
    observed_run what{.graph = claim.graph, .thread = claim.fence.thread.thread, .loop = &loop};
    const run_id run = claim.fence.run;
    what.identity = run_identity{run, static_cast<std::uint32_t>(claim.fence.epoch)};
    what.is_first = !at.has_begun(run);
    const auto link_to_earlier = [&](const checkpoint_info& made, const std::string& input) {
        run_request ordered;
        give_trace_of_input(input, ordered);
        const auto part = static_cast<std::uint32_t>(made.epoch);
        what.earlier.push_back(trace_context::of_run(ordered.trace_of().get(), made.run.text(), part).place());
    };
    if (!what.is_first) {
        link_to_earlier(*at.head, claim.input);
    } else if (at.head && (at.goes_on || at.head->kind == checkpoint_kind::edit)) {
        checkpoint_info head = *at.head;
        task<std::optional<earlier_run>> looking = run_before(core_.patient, claim.fence.thread, std::move(head));
        const store_answer<std::optional<earlier_run>> before = co_await answer_of(std::move(looking));
        if (before && *before.value) link_to_earlier((*before.value)->left, (*before.value)->input);
    }
    observe(request, *core_.options.observer, std::move(what));
}

std::shared_ptr<store_journal> run_driver::journal_of(const run_basis& at, const run_claim& claim,
                                                      const held_run& held) const
{
    const bool is_new = claim.attempt <= 1 && held.origin == held.id && !at.has_begun(held.id);
    auto journal = std::make_shared<store_journal>(core_.store, held.committer, held.origin,
                                                   is_new ? store_journal::beginning::anew
                                                          : store_journal::beginning::goes_on);
    journal->on_question(answers_.question_handler());
    return journal;
}

/** While the run goes on, its events go to the log. */
task<run_result> run_driver::end_of_streamed(std::shared_ptr<held_run> held) const
{
    const task_context& context = co_await this_task::context();
    scope beside{context, failure_policy::keep_going};
    beside.spawn(held->recorder->stream(core_.options.streaming, core_.options.lifetime));
    run_awaiter running{held->active_run};
    run_result result = co_await running;
    held->recorder->end_stream();
    static_cast<void>(co_await answer_of(join_all(beside)));
    co_return result;
}

task<run_result> run_driver::perform(std::shared_ptr<held_run> held, graph what, run_request request, on_stop stop)
{
    held->active_run.reset(new run{std::move(what), core_.lease.loop(), std::move(request)});
    if (core_.options.records_requests) held->active_run->record_calls();
    if (stop == on_stop::yield) held->committer->leave_end_open();
    if (core_.is_draining) {
        held->yield();
        held->active_run->pause();
    }
    task<run_result> running = core_.streams_events() ? end_of_streamed(held) : end_of(held);
    run_result result = co_await std::move(running);
    held->active_run.reset();
    const bool is_stopped = co_await this_task::stop_requested();
    held->is_yielding |= stop == on_stop::yield && is_stopped;
    co_return result;
}

task<run_result> run_driver::drive(run_claim claim, run_request request, on_stop stop,
                                   std::shared_ptr<const head_ahead> ahead)
{
    claim_guard guard{core_.claims, claim.fence};
    const run_places::hold place{core_.places, 1};
    store_answer<run_basis> basis =
        co_await answer_of(read_basis(core_.patient, core_.graphs, claim, std::move(ahead)));
    if (!basis) {
        run_result refused = co_await refuse(claim, basis.error, stop);
        guard.close();
        co_return refused;
    }
    const run_basis& at = *basis.value;
    const bool is_bound = core_.options.names_graphs && !claim.revision.empty();
    if (is_bound && claim.revision != at.of->table->fingerprint()) co_await free_from_revision(claim);
    const std::shared_ptr<held_run> held = hold(at, claim, stop);
    const run_registration registered{*core_.runs, held};
    run_result result;
    std::optional<run_request> prepared = prepare(at, claim, *held, std::move(request), result);
    if (prepared && core_.options.observer) co_await have_observed(*prepared, at, claim);
    if (prepared) result = co_await perform(held, at.of->graph(), std::move(*prepared), stop);
    // A run that is lost belongs to another process, which reports its end.
    if (held->committer->is_lost()) {
        guard.close();
        co_return result;
    }
    // A reader that sees the end of the run finds all its events.
    if (held->recorder)
        static_cast<void>(
            co_await answer_of(shielded(held->recorder->flush_all(), core_.options.lifetime)));
    const bool is_released = co_await release(held->committer->fence(), outcome_of(*held, result));
    if (!is_released) co_return result;
    guard.close();
    const bool is_over = !is_left_open(*held, result) && result.status != run_status::paused;
    if (is_over)
        static_cast<void>(
            co_await answer_of(shielded(held->committer->prune(), core_.options.lifetime)));
    co_return result;
}

}  // namespace weft
