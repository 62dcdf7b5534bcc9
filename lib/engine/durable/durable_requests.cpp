#include "durable_impl.hpp"

#include <weft/engine/checkpoint/checkpoint_outline.hpp>
#include <weft/engine/checkpoint/checkpoint_reader.hpp>

#include "engine/run/run_access.hpp"
#include "run_input.hpp"

#include <algorithm>
#include <utility>

namespace weft {

namespace {

using namespace std::chrono_literals;

/** The claim of a run that the store counts as ours and whose answer was lost. */
task<std::optional<run_claim>> recovered_claim(std::shared_ptr<durable_engine::impl> self, run_id id)
{
    const auto look = [self, id] { return self->store.find_run(id); };
    auto looking = patiently(self, look);
    const std::optional<run_record> record = co_await std::move(looking);
    if (!record || record->phase != run_phase::running || record->worker != self->worker) co_return std::nullopt;
    const bool is_taken = std::count(self->claims.begin(), self->claims.end(), id) > 1;  // by another coroutine
    if (is_taken) co_return std::nullopt;
    auto loading = durable_engine::impl::newest_checkpoint(self, record->thread);
    const std::optional<checkpoint> head = co_await std::move(loading);
    run_claim claim;
    claim.fence = write_fence{record->thread, id, record->epoch, head ? head->sequence : 0};
    claim.attempt = record->attempt;
    claim.is_suspect = record->is_suspect;
    claim.graph = record->graph;
    claim.input = record->input;
    co_return claim;
}

/** What a run must be to be taken: of those that are ready, some begin at any moment elsewhere, and some are left in
 *  their middle until a worker comes. */
enum class taking : std::uint8_t { waiting, waiting_or_begun, waiting_or_ready };

/** Whether a thread's active run may be taken. */
task<bool> is_idle(std::shared_ptr<durable_engine::impl> self, run_record active, taking which)
{
    if (active.phase == run_phase::waiting) co_return true;
    if (active.phase != run_phase::ready || which == taking::waiting) co_return false;
    if (which == taking::waiting_or_ready) co_return true;
    auto loading = durable_engine::impl::newest_checkpoint(std::move(self), active.thread);
    const std::optional<checkpoint> head = co_await std::move(loading);
    co_return head && head->run == active.id;
}

/** Takes the active run of a thread, if it is idle and nobody else is quicker. */
task<std::optional<run_claim>> take_idle(std::shared_ptr<durable_engine::impl> self, thread_key thread, taking which)
{
    auto looking = durable_engine::impl::active_run(self, std::move(thread));
    const std::optional<run_record> active = co_await std::move(looking);
    if (!active) co_return std::nullopt;
    task<bool> asking = is_idle(self, *active, which);
    const bool may_take = co_await std::move(asking);
    if (!may_take) co_return std::nullopt;
    task<std::optional<run_claim>> taking = durable_engine::impl::take_run(self, active->id);
    co_return co_await std::move(taking);
}

/** The run of a thread if it is left over and has to wait, since this worker tries another suspect; or nil. */
task<run_id> held_back_run(std::shared_ptr<durable_engine::impl> self, thread_key thread)
{
    auto looking = durable_engine::impl::active_run(std::move(self), std::move(thread));
    const std::optional<run_record> active = co_await std::move(looking);
    const bool is_held_back = active && active->phase == run_phase::ready && active->is_suspect;
    co_return is_held_back ? active->id : run_id{};
}

/** Says whether the answer of a call was lost. */
task<std::optional<run_claim>> noting_doubt(task<std::optional<run_claim>> call, bool& is_in_doubt)
{
    store_answer<std::optional<run_claim>> answer = co_await answer_of(std::move(call));
    is_in_doubt |= !answer && answer.code == errc::store_outcome_unknown;
    if (!answer) std::rethrow_exception(answer.error);
    co_return std::move(*answer.value);
}

[[noreturn]] void refuse_idle(const thread_key& thread)
{
    throw error{errc::thread_not_found, "thread '" + thread.thread + "'",
                "it has no run that waits, was left or broken off; `run` begins one"};
}

std::string whereabouts(const run_record& of, worker_id here)
{
    if (of.phase == run_phase::ready) return "is ready for the next worker";
    if (of.phase != run_phase::running) return "is " + std::string{name_of(of.phase)};
    return "is under way " + (of.worker == here ? "in this process" : "at worker " + std::to_string(of.worker));
}

/** Says which run has the thread, and who has that. */
task<void> refuse_busy(std::shared_ptr<durable_engine::impl> self, thread_key thread, run_id active)
{
    const auto look = [self, active] { return self->store.find_run(active); };
    auto looking = patiently(self, look);
    const std::optional<run_record> record = co_await std::move(looking);
    throw error{errc::thread_is_busy, "thread '" + thread.thread + "'",
                "run " + active.text() + " " + (record ? whereabouts(*record, self->worker) : "has just ended") +
                    "; wait for it, or queue or replace it"};
}

}  // namespace

/** Enters a run. A second try after an answer that was lost finds what the first one did. */
task<run_admission> durable_engine::impl::admit(std::shared_ptr<impl> self, new_run entry)
{
    possible_claim doubt{self, entry.id};
    const auto enter = [self, entry] { return self->store.enqueue(entry); };
    task<run_admission> entering = patiently(self, enter);
    store_answer<run_admission> answer = co_await answer_of(std::move(entering));
    if (!answer) {
        if (answer.code == errc::cancelled) doubt.was_stopped();
        std::rethrow_exception(answer.error);
    }
    run_admission admission = std::move(*answer.value);
    if (admission.what != run_admission::kind::duplicate || admission.id != entry.id) {
        doubt.close();
        co_return admission;
    }
    task<std::optional<run_claim>> recovering = recovered_claim(self, entry.id);
    std::optional<run_claim> claim = co_await std::move(recovering);
    doubt.close();
    admission.what = run_admission::kind::queued;
    if (!claim) co_return admission;
    admission.what = run_admission::kind::started;
    admission.claim = std::move(claim);
    co_return admission;
}

/** A run that waits, or that its process left, goes on, with the input of the request. It is taken before its answers
 *  are told, so that no other worker takes it in between. */
task<run_result> durable_engine::impl::resume(std::shared_ptr<impl> self, thread_key thread, question_answers answers,
                                              run_request with)
{
    task<void> entering = be_worker(self);
    co_await std::move(entering);
    task<run_id> checking = check(self, thread, answers);
    const run_id origin = co_await std::move(checking);
    task<std::optional<run_claim>> idle = take_idle(self, thread, taking::waiting_or_ready);
    std::optional<run_claim> claim = co_await std::move(idle);
    if (claim) {
        task<run_result> driving =
            answer_and_drive(self, std::move(*claim), origin, std::move(answers), std::move(with));
        co_return co_await std::move(driving);
    }
    if (answers.empty()) {
        task<run_result> going_on = go_on(self, std::move(thread), std::move(with));
        co_return co_await std::move(going_on);
    }
    // It is under way, here or elsewhere.
    task<void> telling = tell(self, thread, origin, std::move(answers));
    co_await std::move(telling);
    task<run_result> following = follow(self, std::move(thread), std::move(with));
    co_return co_await std::move(following);
}

/** Where the last run of an idle thread was broken off. */
task<run_result> durable_engine::impl::go_on(std::shared_ptr<impl> self, thread_key thread, run_request with)
{
    task<run_id> looking_back = held_back_run(self, thread);
    const run_id held_back = co_await std::move(looking_back);
    if (!held_back.is_nil()) {
        task<run_result> waiting = wait_for_turn(self, held_back, std::move(with));
        co_return co_await std::move(waiting);
    }
    task<std::optional<new_run>> looking = broken_off_run(self, thread);
    std::optional<new_run> next = co_await std::move(looking);
    if (!next) refuse_idle(thread);
    with.in_thread(thread.thread);
    next->with_input(write_run_input(with)).started_by(self->worker);
    task<run_admission> admitting = admit(self, std::move(*next));
    run_admission admission = co_await std::move(admitting);
    if (!admission.claim) {
        task<void> refusing = refuse_busy(self, thread, admission.id);
        co_await std::move(refusing);
    }
    task<run_result> driving = drive(self, std::move(*admission.claim), std::move(with), false);
    co_return co_await std::move(driving);
}

task<std::optional<new_run>> durable_engine::impl::broken_off_run(std::shared_ptr<impl> self, thread_key thread)
{
    auto looking = active_run(self, thread);
    const std::optional<run_record> active = co_await std::move(looking);
    if (active) co_return std::nullopt;
    auto loading = newest_checkpoint(self, thread);
    const std::optional<checkpoint> head = co_await std::move(loading);
    if (!head) co_return std::nullopt;
    const auto outline = [self, thread, head = *head] { return read_outline(self->store, thread, head); };
    auto outlining = patiently(self, outline);
    const checkpoint_outline where = co_await std::move(outlining);
    if (!where.is_unfinished) co_return std::nullopt;
    new_run next{thread, self->ids->next<run_id>()};
    next.graph_named(head->graph).with_attempts_max(self->options.attempts_max());
    co_return next;
}

task<bool> durable_engine::impl::revive(std::shared_ptr<impl> self, thread_key thread)
{
    task<void> entering = be_worker(self);
    co_await std::move(entering);
    task<std::optional<new_run>> looking = broken_off_run(self, thread);
    std::optional<new_run> next = co_await std::move(looking);
    if (!next) co_return false;
    const auto enter = [self, entry = *next] { return self->store.enqueue(entry); };
    task<run_admission> entering_run = patiently(self, enter);
    const run_admission admission = co_await std::move(entering_run);
    co_return admission.what != run_admission::kind::rejected;
}

task<run_result> durable_engine::impl::follow(std::shared_ptr<impl> self, thread_key thread, run_request with)
{
    std::optional<run_id> followed;
    for (;;) {
        task<void> entering = be_worker(self);
        co_await std::move(entering);
        auto looking = active_run(self, thread);
        const std::optional<run_record> active = co_await std::move(looking);
        if (!followed && !active) refuse_idle(thread);
        if (!followed) followed = active->id;
        if (!active || active->id != *followed) break;
        if (active->phase == run_phase::waiting || active->phase == run_phase::ready) {
            task<std::optional<run_claim>> taking = take_run(self, *followed);
            std::optional<run_claim> claim = co_await std::move(taking);
            if (claim) {
                task<run_result> driving = drive(self, std::move(*claim), std::move(with), false);
                co_return co_await std::move(driving);
            }
        }
        task<void> waiting = wait_for_news(self, self->options.poll_every());
        co_await std::move(waiting);
    }
    task<run_result> ending = wait_for_turn(self, *followed, std::move(with));
    co_return co_await std::move(ending);
}

task<run_result> durable_engine::impl::run(std::shared_ptr<impl> self, durable_request request)
{
    task<void> entering = be_worker(self);
    co_await std::move(entering);
    const std::string name = request.graph.empty() ? std::string{self->graphs->only()} : request.graph;
    static_cast<void>(self->graphs->require(name));
    const thread_key thread = request.key();
    if (thread.thread.empty())
        throw error{errc::invalid_configuration, "durable_engine",
                    "the request names no thread, under which its run is kept: name one, e.g. order-17"};
    if (request.busy == busy_policy::queue && !request.begins_anew) {
        task<std::optional<run_claim>> idle = take_idle(self, thread, taking::waiting);
        std::optional<run_claim> claim = co_await std::move(idle);
        if (claim) {
            task<run_result> driving = drive(self, std::move(*claim), std::move(request.request), false);
            co_return co_await std::move(driving);
        }
    }
    new_run entry{thread, self->ids->next<run_id>()};
    entry.graph_named(name).on_busy(request.busy).with_input(
        write_run_input(request.request, request.begins_anew ? run_beginning::anew : run_beginning::where_it_stands));
    entry.with_idempotency_key(request.idempotency_key).started_by(self->worker);
    entry.with_attempts_max(self->options.attempts_max());
    task<run_admission> admitting = admit(self, std::move(entry));
    run_admission admission = co_await std::move(admitting);
    std::optional<run_claim> claim = std::move(admission.claim);
    if (admission.what == run_admission::kind::rejected) {
        if (!request.begins_anew) {
            task<std::optional<run_claim>> idle = take_idle(self, thread, taking::waiting_or_begun);
            claim = co_await std::move(idle);
        }
        if (!claim) {
            task<run_id> looking = held_back_run(self, thread);
            const run_id held_back = co_await std::move(looking);
            if (held_back.is_nil()) {
                task<void> refusing = refuse_busy(self, thread, admission.id);
                co_await std::move(refusing);
            }
        }
    }
    if (claim) {
        task<run_result> driving = drive(self, std::move(*claim), std::move(request.request), false);
        co_return co_await std::move(driving);
    }
    // One that is replaced and runs here need not wait for a heartbeat.
    const held_run* const before = request.busy == busy_policy::replace ? self->find(thread) : nullptr;
    if (before && before->id != admission.id) self->ask_soon(before->id, run_signal::cancel);
    task<run_result> waiting = wait_for_turn(self, admission.id, std::move(request.request));
    co_return co_await std::move(waiting);
}

task<std::optional<run_claim>> durable_engine::impl::take_run(std::shared_ptr<impl> self, run_id run)
{
    bool is_in_doubt = false;
    const auto take = [self, run, &is_in_doubt]() -> task<std::optional<run_claim>> {
        return noting_doubt(self->store.resume(self->worker, run), is_in_doubt);
    };
    possible_claim doubt{self, run};
    auto taking = patiently(self, take);
    std::optional<run_claim> claim = co_await std::move(taking);
    if (!claim && is_in_doubt) {
        task<std::optional<run_claim>> recovering = recovered_claim(self, run);
        claim = co_await std::move(recovering);
    }
    doubt.close();
    co_return claim;
}

task<run_result> durable_engine::impl::wait_for_turn(std::shared_ptr<impl> self, run_id id, run_request request)
{
    for (;;) {
        task<void> entering = be_worker(self);
        co_await std::move(entering);
        task<run_record> looking = require_run(self, id);
        run_record record = co_await std::move(looking);
        if (is_over(record.phase) || record.phase == run_phase::waiting) {
            task<run_result> reading = stored_result(self, std::move(record));
            co_return co_await std::move(reading);
        }
        if (self->is_draining)
            throw error{errc::cancelled, "run " + id.text(), "this process drains; another one takes the run"};
        if (record.phase == run_phase::ready) {
            task<std::optional<run_claim>> taking = take_run(self, id);
            std::optional<run_claim> claim = co_await std::move(taking);
            if (claim) {
                task<run_result> driving = drive(self, std::move(*claim), std::move(request), false);
                co_return co_await std::move(driving);
            }
        }
        task<void> waiting = wait_for_news(self, self->options.poll_every());
        co_await std::move(waiting);
    }
}

namespace {

/** The newest checkpoint that a run has made; nothing if it has none among the last thousand. */
task<std::optional<std::int64_t>> last_checkpoint_of(std::shared_ptr<durable_engine::impl> self, run_record record)
{
    history_page page;
    for (int i = 0; i < 10; ++i) {
        const auto look = [self, page, thread = record.thread] { return self->store.history(thread, page); };
        auto looking = patiently(self, look);
        const std::vector<checkpoint_info> infos = co_await std::move(looking);
        for (const checkpoint_info& info : infos)
            if (info.run == record.id) co_return info.sequence;
        if (infos.empty()) break;
        page.before = infos.back().sequence;
    }
    co_return std::nullopt;
}

run_result result_of(const run_record& record)
{
    switch (record.phase) {
    case run_phase::finished: return run_result{run_status::finished, run_quality::clean};
    case run_phase::waiting: return run_result{run_status::paused, run_quality::clean};
    case run_phase::cancelled: return run_result{run_status::cancelled, run_quality::failed};
    default: return failed_result(errc::node_failed, record.message);
    }
}

}  // namespace

/** What the store knows of a run that is over or waits, wherever it ran. */
task<run_result> durable_engine::impl::stored_result(std::shared_ptr<impl> self, run_record record)
{
    run_result result = result_of(record);
    task<std::optional<std::int64_t>> looking = last_checkpoint_of(self, record);
    const std::optional<std::int64_t> last = co_await std::move(looking);
    if (!last) co_return result;
    task<thread_snapshot> reading = read(self, record.thread, last);
    const thread_snapshot at = co_await std::move(reading);
    result.state = at.state();
    result.steps = at.where().steps;
    result.retries = at.where().retries;
    run_result_access::set_trail(result, at.graph(), at.where().path, at.where().visits);
    if (result.status == run_status::paused) result.paused_at = std::make_shared<const frontier>(at.where());
    co_return result;
}

task<bool> durable_engine::impl::signal_thread(std::shared_ptr<impl> self, thread_key thread, run_signal what)
{
    task<void> entering = be_worker(self);
    co_await std::move(entering);
    const auto tell = [self, thread, what] { return self->store.signal(thread, what); };
    auto telling = patiently(self, tell);
    const std::optional<run_id> told = co_await std::move(telling);
    if (told) self->ask_soon(*told, what);
    co_return told.has_value();
}

}  // namespace weft
