#include "run_claimer.hpp"

#include "durable_core.hpp"

#include <utility>

namespace weft {

namespace {

/** Notes whether the answer of a call was lost. */
task<std::optional<run_claim>> noting_doubt(task<std::optional<run_claim>> call, bool& is_in_doubt)
{
    store_answer<std::optional<run_claim>> answer = co_await answer_of(std::move(call));
    is_in_doubt |= !answer && answer.code == errc::store_outcome_unknown;
    if (!answer) std::rethrow_exception(answer.error);
    co_return std::move(*answer.value);
}

}  // namespace

/** The claim of a run that the store attributes to this worker and whose answer was lost. */
task<std::optional<run_claim>> run_claimer::recover_claim(run_id run)
{
    const std::optional<run_record> record = co_await core_.patient.find_run(run);
    if (!record || record->phase != run_phase::running || record->worker != core_.lease.worker())
        co_return std::nullopt;
    // This call counts as one.
    const bool is_taken = core_.claims.count(run) > 1;  // by another coroutine
    if (is_taken) co_return std::nullopt;
    const std::optional<checkpoint> head = co_await core_.patient.load(record->thread, std::nullopt);
    run_claim claim;
    claim.fence = write_fence{record->thread, run, record->epoch, head ? head->sequence : 0};
    claim.attempt = record->attempt;
    claim.is_suspect = record->is_suspect;
    claim.graph = record->graph;
    claim.revision = record->revision;
    claim.input = record->input;
    co_return claim;
}

task<run_admission> run_claimer::admit(new_run entry)
{
    possible_claim doubt{core_.claims, entry.id};
    store_answer<run_admission> answer = co_await answer_of(core_.patient.enqueue(entry));
    if (!answer) {
        if (answer.code == errc::cancelled) doubt.mark_stopped();
        std::rethrow_exception(answer.error);
    }
    run_admission admission = std::move(*answer.value);
    // A duplicate of itself: an earlier try has entered it, and its answer was lost.
    if (admission.what != run_admission::kind::duplicate || admission.id != entry.id) {
        doubt.close();
        co_return admission;
    }
    admission.claim = co_await recover_claim(entry.id);
    doubt.close();
    admission.what = admission.claim ? run_admission::kind::started : run_admission::kind::queued;
    co_return admission;
}

task<std::optional<run_claim>> run_claimer::take(run_id run)
{
    bool is_in_doubt = false;
    const auto resume = [this, run, &is_in_doubt](checkpoint_store& store) {
        return noting_doubt(store.resume(core_.lease.worker(), run), is_in_doubt);
    };
    possible_claim doubt{core_.claims, run};
    std::optional<run_claim> claim = co_await core_.patient.until_answered(resume);
    if (!claim && is_in_doubt) claim = co_await recover_claim(run);
    doubt.close();
    co_return claim;
}

task<bool> run_claimer::is_idle(run_record active)
{
    if (active.phase == run_phase::waiting) co_return true;
    if (active.phase != run_phase::ready) co_return false;
    // A run that has a checkpoint was left in its middle; one without begins at any moment in the process that
    // entered it.
    const std::optional<checkpoint> head = co_await core_.patient.load(active.thread, std::nullopt);
    co_return head && head->run == active.id;
}

task<std::optional<run_claim>> run_claimer::take_idle(thread_key thread)
{
    const std::optional<run_record> active = co_await core_.patient.active_run(std::move(thread));
    if (!active) co_return std::nullopt;
    const bool may_take = co_await is_idle(*active);
    if (!may_take) co_return std::nullopt;
    co_return co_await take(active->id);
}

task<std::vector<run_claim>> run_claimer::claim(std::size_t runs_max)
{
    // Nil: which runs it may get is not known before the answer.
    possible_claim doubt{core_.claims, run_id{}};
    store_answer<std::vector<run_claim>> claims =
        co_await answer_of(core_.store.claim(core_.lease.worker(), runs_max));
    const bool has_none = !claims && may_pass(claims.code) && claims.code != errc::store_outcome_unknown;
    if (claims || has_none) doubt.close();
    if (!claims) std::rethrow_exception(claims.error);
    co_return std::move(*claims.value);
}

task<run_id> run_claimer::held_back_run(thread_key thread)
{
    const std::optional<run_record> active = co_await core_.patient.active_run(std::move(thread));
    const bool is_held_back = active && active->phase == run_phase::ready && active->is_suspect;
    co_return is_held_back ? active->id : run_id{};
}

task<std::optional<new_run>> run_claimer::broken_off_run(thread_key thread)
{
    const std::optional<run_record> active = co_await core_.patient.active_run(thread);
    if (active) co_return std::nullopt;
    const std::optional<checkpoint> head = co_await core_.patient.load(thread, std::nullopt);
    if (!head) co_return std::nullopt;
    const checkpoint_outline where = co_await core_.patient.read_outline(thread, *head);
    if (!where.is_unfinished) co_return std::nullopt;
    new_run next{std::move(thread), core_.ids->next<run_id>()};
    next.graph_named(head->graph).with_attempts_max(core_.options.attempts_max);
    co_return next;
}

}  // namespace weft
