#include "durable_impl.hpp"

#include "engine/checkpoint/left_state.hpp"
#include "engine/run/run_access.hpp"
#include "engine/run/run_awaiter.hpp"
#include "run_input.hpp"
#include "engine/commit/store_journal.hpp"

#include <weft/async/wait/deadline.hpp>
#include <weft/engine/checkpoint/checkpoint_reader.hpp>

#include <algorithm>
#include <utility>

namespace weft {

namespace {

/** What a claimed run goes on from. */
struct run_basis {
    const durable_graphs::entry* of = nullptr;
    std::optional<checkpoint> head;
    std::shared_ptr<const frontier> from;  ///< Null: it begins with nothing.
    std::optional<run_phase> ended;        ///< It was over, and nobody has told the store.
    bool goes_on = false;                  ///< It begins where `from` stands, not anew.
};

/** The run was over when its process went away before it could say so. */
std::optional<run_phase> end_of(const checkpoint& head, run_id run)
{
    if (head.run != run) return std::nullopt;
    if (head.kind == checkpoint_kind::cancel) return run_phase::cancelled;
    if (head.kind != checkpoint_kind::finish) return std::nullopt;
    return head.node.empty() ? run_phase::finished : run_phase::failed;
}

task<run_basis> read_basis(std::shared_ptr<durable_engine::impl> self, const run_claim& claim)
{
    run_basis basis;
    const thread_key thread = claim.fence.thread;
    auto loading = durable_engine::impl::newest_checkpoint(self, thread);
    basis.head = co_await std::move(loading);
    const bool goes_on = basis.head && basis.head->graph == claim.graph;
    basis.of = &self->graphs->require(claim.graph, goes_on ? basis.head->graph_hash : std::string{});
    if (!basis.head) co_return basis;
    basis.ended = end_of(*basis.head, claim.fence.run);
    const checkpoint& head = *basis.head;
    const auto read = [self, thread, &head, of = basis.of] {
        return read_frontier(self->store, thread, head, of->graph(), of->migrations);
    };
    auto reading = patiently(self, read);
    frontier where = co_await std::move(reading);
    // A run that begins anew does so with the newest revision of its graph.
    const durable_graphs::entry* const newest = self->graphs->find(claim.graph);
    const bool has_begun = head.run == claim.fence.run;
    const bool may_go_on = has_begun || beginning_of_input(claim.input) == run_beginning::where_it_stands;
    basis.goes_on = may_go_on && is_unfinished(where);
    if (!has_begun && newest != basis.of && !basis.goes_on) {
        basis.of = newest;
        const auto read_again = [self, thread, &head, newest] {
            return read_frontier(self->store, thread, head, newest->graph(), newest->migrations);
        };
        auto reading_again = patiently(self, read_again);
        where = co_await std::move(reading_again);
    }
    basis.from = std::make_shared<const frontier>(std::move(where));
    co_return basis;
}

/** Where the next run begins: where the last one stands, or anew with the state that it left. */
std::shared_ptr<const frontier> beginning_of(const run_basis& at)
{
    if (!at.from || at.goes_on) return at.from;
    return std::make_shared<const frontier>(frontier{left_state(at.of->graph(), *at.from, at.head->kind)});
}

run_status status_of(run_phase phase)
{
    switch (phase) {
    case run_phase::finished: return run_status::finished;
    case run_phase::cancelled: return run_status::cancelled;
    case run_phase::waiting: return run_status::paused;
    default: return run_status::failed;
    }
}

run_phase phase_of(run_status status)
{
    switch (status) {
    case run_status::finished: return run_phase::finished;
    case run_status::paused: return run_phase::waiting;
    case run_status::cancelled: return run_phase::cancelled;
    case run_status::failed: break;
    }
    return run_phase::failed;
}

/** Gives a run back whose coroutine is destroyed before the store has heard what became of it. */
class claim_guard {
public:
    claim_guard(std::shared_ptr<durable_engine::impl> owner, write_fence fence)
        : owner_{std::move(owner)}, fence_{std::move(fence)}
    {
        owner_->claims.push_back(fence_.run);
    }
    claim_guard(const claim_guard&) = delete;
    claim_guard& operator=(const claim_guard&) = delete;
    ~claim_guard()
    {
        owner_->claims.erase(std::find(owner_->claims.begin(), owner_->claims.end(), fence_.run));
        if (is_open_) owner_->orphans.push_back(fence_);
        owner_->ring();
    }
    void close() noexcept { is_open_ = false; }

private:
    std::shared_ptr<durable_engine::impl> owner_;
    write_fence fence_;
    bool is_open_ = true;
};

/** Keeps a run registered while its coroutine lives. */
class registration {
public:
    registration(std::shared_ptr<durable_engine::impl> owner, std::shared_ptr<held_run> held)
        : owner_{std::move(owner)}, held_{std::move(held)}
    {
        owner_->runs.push_back(held_);
    }
    registration(const registration&) = delete;
    registration& operator=(const registration&) = delete;
    ~registration()
    {
        held_->at_work.reset();
        std::erase(owner_->runs, held_);
    }

private:
    std::shared_ptr<durable_engine::impl> owner_;
    std::shared_ptr<held_run> held_;
};

/** The result of a run that was over before. */
run_result ended_result(const run_basis& at)
{
    run_result result{status_of(*at.ended), run_quality::clean};
    if (result.status == run_status::failed)
        result = failed_result(errc::node_failed, "it failed at '" + at.head->node + "', and its process ended");
    result.state = left_state(at.of->graph(), *at.from, at.head->kind);
    result.steps = at.from->steps;
    result.retries = at.from->retries;
    run_result_access::set_trail(result, at.of->graph(), at.from->path, at.from->visits);
    return result;
}

/** The run that began to count the visits: this one, unless it goes on where another one was broken off. */
run_id origin_for(const run_basis& at, run_id run)
{
    if (!at.from || !at.goes_on) return run;
    const run_id counted = at.from->extras ? at.from->extras->origin : run_id{};
    const run_id origin = counted.is_nil() ? at.head->run : counted;
    return origin.is_nil() ? run : origin;
}

bool has_begun(const run_basis& at, const run_claim& claim) { return at.head && at.head->run == claim.fence.run; }

/** What a run begins with. @par Errors  Those of its input. */
run_request begin_from(const run_basis& at, const run_claim& claim, run_id origin, run_request request)
{
    // Who takes a run over makes an empty request; its nodes know their thread all the same.
    request.in_thread(claim.fence.thread.thread);
    // Each claim has an epoch of its own, so that its events come after those of the claims before.
    request.identity({claim.fence.run, static_cast<std::uint32_t>(claim.fence.epoch)});
    if (!has_begun(at, claim))
        request = read_run_input(claim.input, *at.of->graph().layout(), std::move(request));
    std::shared_ptr<const frontier> from = beginning_of(at);
    if (origin != claim.fence.run) {
        auto marked = std::make_shared<frontier>(*from);
        marked->extra().origin = origin;
        from = std::move(marked);
    }
    if (from) request.resume(std::move(from));
    return request;
}

/** Lets the watcher of the engine see the run, beside that of the request. */
void add_watcher(run_request& request, const thread_key& thread, const durable_options::event_function& of_all)
{
    if (!of_all) return;
    const run_request::event_function* const own = request.watcher();
    auto both = [thread, of_all, first = own ? *own : run_request::event_function{}](const run_event& event) {
        if (first) first(event);
        of_all(thread, event);
    };
    request.on_event(std::move(both));
}

/** The journal of a run that begins, or goes on. */
std::shared_ptr<store_journal> open_journal(durable_engine::impl& all, const run_basis& at, const run_claim& claim,
                                            const held_run& held)
{
    const bool is_new = claim.attempt <= 1 && held.origin == held.id && !has_begun(at, claim);
    auto journal = std::make_shared<store_journal>(all.store, held.committer, held.origin,
                                                   is_new ? store_journal::beginning::anew
                                                          : store_journal::beginning::goes_on);
    journal->on_question([owner = all.weak_from_this()] {
        if (const auto still_there = owner.lock()) still_there->questions_asked();
    });
    return journal;
}

}  // namespace

run_result failed_result(errc code, std::string message, std::exception_ptr cause)
{
    run_result result{run_status::failed, run_quality::failed};
    failure why;
    why.code = code;
    why.message = std::move(message);
    why.cause = std::move(cause);
    result.why = std::make_shared<const failure>(std::move(why));
    return result;
}

run_options durable_engine::impl::options_for(const run_request& request, const durable_graphs::entry& of,
                                              std::shared_ptr<checkpoint_saver> saver) const
{
    run_options limits = request.has_options() ? request.limits() : of.options;
    run_keeping how{std::move(saver)};
    how.mode(options.mode()).best_effort(options.is_best_effort()).queue_max(options.queue_max());
    limits.keep_by(how.before_nodes(options.is_before_nodes()));
    return limits;
}

held_run* durable_engine::impl::find(const thread_key& thread) noexcept
{
    for (const std::shared_ptr<held_run>& each : runs)
        if (each->thread == thread) return each.get();
    return nullptr;
}

/** Tells the store what became of a run: the outcome, or that it is for others; again until it has heard. */
task<write_state> durable_engine::impl::give_back(std::shared_ptr<impl> self, write_fence fence,
                                                  std::optional<run_outcome> outcome)
{
    std::chrono::nanoseconds pause = std::chrono::milliseconds{50};
    for (;;) {
        task<write_state> call = outcome ? self->store.finish(fence, *outcome) : self->store.yield(fence);
        store_answer<write_state> answer = co_await answer_of(std::move(call));
        // A refusal after an answer that was lost is that answer: the run is not ours any more.
        if (answer) co_return *answer.value;
        if (!answer.may_retry() || !self->is_alive()) std::rethrow_exception(answer.error);
        co_await sleep_for(pause);
        pause = std::min<std::chrono::nanoseconds>(pause * 2, std::chrono::seconds{2});
    }
}

/** Tells the store, a stop or not, and leaves what it did not hear to the heart beat. */
task<void> durable_engine::impl::release(std::shared_ptr<impl> self, write_fence fence,
                                         std::optional<run_outcome> outcome, bool* was_told)
{
    task<write_state> telling = give_back(self, std::move(fence), std::move(outcome));
    task<write_state> in_time = shielded(std::move(telling), self->options.lifetime());
    store_answer<write_state> answer = co_await answer_of(std::move(in_time));
    *was_told = static_cast<bool>(answer);
}

/** A run that cannot begin here waits for a process that knows its graph, or for somebody who looks. */
task<run_result> durable_engine::impl::refuse(std::shared_ptr<impl> self, write_fence fence, std::exception_ptr why,
                                              bool yields_on_stop)
{
    const errc code = code_of(why);
    std::string message = text_of(why);
    std::optional<run_outcome> outcome;
    const bool may_begin_elsewhere =
        code == errc::store_unavailable || code == errc::store_outcome_unknown || yields_on_stop;
    if (code == errc::cancelled && !yields_on_stop) outcome.emplace(run_phase::cancelled, message);
    else if (code != errc::cancelled && (!may_begin_elsewhere || code == errc::graph_changed ||
                                         code == errc::invalid_configuration))
        outcome.emplace(run_phase::waiting, message);
    bool was_told = false;
    task<void> telling = release(self, fence, std::move(outcome), &was_told);
    co_await std::move(telling);
    if (!was_told) self->orphans.push_back(fence);
    run_result result = failed_result(code, std::move(message), why);
    if (code == errc::cancelled) result.status = run_status::cancelled;
    co_return result;
}

/** The run itself. */
task<run_result> durable_engine::impl::run_here(std::shared_ptr<impl> self, std::shared_ptr<held_run> held,
                                                const graph& what, run_request request, bool yields_on_stop)
{
    held->at_work.reset(new weft::run{what, *self->loop, std::move(request)});
    if (yields_on_stop) held->committer->leave_end_open();
    if (self->is_draining) {
        held->yield();
        held->at_work->pause();
    }
    run_awaiter running{held->at_work};
    run_result result = co_await running;
    held->at_work.reset();
    const bool is_stopped = co_await this_task::stop_requested();
    held->is_yielding |= yields_on_stop && is_stopped;
    co_return result;
}

task<run_result> durable_engine::impl::drive(std::shared_ptr<impl> self, run_claim claim, run_request request,
                                             bool yields_on_stop)
{
    const write_fence fence = claim.fence;
    claim_guard guard{self, fence};
    task<run_basis> reading = read_basis(self, claim);
    store_answer<run_basis> basis = co_await answer_of(std::move(reading));
    if (!basis) {
        task<run_result> refusing = refuse(self, fence, basis.error, yields_on_stop);
        run_result result = co_await std::move(refusing);
        guard.close();
        co_return result;
    }
    run_basis& at = *basis.value;
    checkpoint_writer writer{at.of->table, self->store.key()};
    if (at.from) writer.know(*at.from, *at.head);
    auto held = std::make_shared<held_run>();
    held->thread = fence.thread;
    held->id = fence.run;
    held->origin = origin_for(at, fence.run);
    held->is_of_worker = yields_on_stop;
    held->committer = std::make_shared<checkpoint_committer>(self->store, *self->ids, fence, std::move(writer),
                                                             self->options);
    checkpoint_committer& committer = *held->committer;
    // A suspect that has made a checkpoint is none any more: who waits for that may take the next one.
    if (claim.is_suspect) committer.on_first_kept([self] { self->ring(); });
    const registration registered{self, held};
    std::optional<run_request> made;
    run_result result;
    try {
        if (at.ended) result = ended_result(at);
        else made.emplace(begin_from(at, claim, held->origin, std::move(request)));
    } catch (const error& wrong) {
        result = failed_result(wrong.code(), wrong.what(), std::current_exception());
    }
    if (made) {
        run_options limits = self->options_for(*made, *at.of, held->committer);
        made->options(std::move(limits));
        made->journal(open_journal(*self, at, claim, *held));
        add_watcher(*made, fence.thread, self->options.event_watcher());
        if (!run_request_access::on_questions(*made)) made->on_questions(self->options.on_questions());
        task<run_result> running = run_here(self, held, at.of->graph(), std::move(*made), yields_on_stop);
        result = co_await std::move(running);
    }
    if (committer.is_lost()) {
        guard.close();
        co_return result;
    }
    std::optional<run_outcome> outcome;
    const bool is_left_open =
        held->is_yielding && (result.status == run_status::paused || result.status == run_status::cancelled);
    if (!is_left_open && !committer.is_store_away()) outcome.emplace(phase_of(result.status), result.message());
    // What was answered while it came to its rest is not waited for.
    if (outcome && !result.questions.empty()) outcome->for_answers_below(held->origin.text());
    bool was_told = false;
    task<void> telling = release(self, committer.fence(), std::move(outcome), &was_told);
    co_await std::move(telling);
    if (was_told) guard.close();
    const bool is_over = !is_left_open && result.status != run_status::paused;
    if (was_told && is_over) {
        task<void> pruning = shielded(committer.prune(), self->options.lifetime());
        store_answer<bool> pruned = co_await answer_of(and_then_true(std::move(pruning)));
        static_cast<void>(pruned);
    }
    co_return result;
}

task<run_result> durable_engine::impl::answer_and_drive(std::shared_ptr<impl> self, run_claim claim, run_id origin,
                                                        question_answers answers, run_request with)
{
    if (!answers.empty()) {
        const write_fence fence = claim.fence;
        claim_guard guard{self, fence};
        task<void> telling = tell(self, fence.thread, origin, std::move(answers));
        store_answer<bool> told = co_await answer_of(and_then_true(std::move(telling)));
        if (!told) {
            run_outcome outcome{run_phase::waiting, text_of(told.error)};
            bool was_told = false;
            task<void> releasing =
                release(self, fence, std::move(outcome.for_answers_below(origin.text())), &was_told);
            co_await std::move(releasing);
            if (was_told) guard.close();
            std::rethrow_exception(told.error);
        }
        guard.close();
    }
    task<run_result> driving = drive(self, std::move(claim), std::move(with), false);
    co_return co_await std::move(driving);
}

}  // namespace weft
