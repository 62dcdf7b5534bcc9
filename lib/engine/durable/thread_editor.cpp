#include "thread_editor.hpp"

#include "durable_core.hpp"
#include "engine/commit/checkpoint_committer.hpp"
#include "run_claimer.hpp"
#include "run_driver.hpp"
#include "run_outcomes.hpp"
#include "thread_questions.hpp"
#include "thread_reader.hpp"

#include <weft/engine/checkpoint/checkpoint_reader.hpp>
#include <weft/graph/state/finite_value.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

namespace {

[[noreturn]] void refuse_taken(const thread_key& thread)
{
    throw error{errc::thread_is_busy, "thread '" + thread.thread + "'",
                "it has a history or a run that is under way; wait for that, or name a new thread"};
}

}  // namespace

/** Writes changed values behind a checkpoint of a thread that this process holds. */
task<write_fence> thread_editor::write_edit(write_fence fence, state_update edits, std::optional<std::int64_t> from)
{
    const bool is_from_start = from == 0;
    if (is_from_start) from.reset();
    const checkpoint head = co_await reader_.require_checkpoint(fence.thread, from);
    const thread_snapshot at = co_await reader_.snapshot_of(fence.thread, head);
    const std::shared_ptr<const durable_graphs> graphs = core_.graphs;
    const durable_graphs::entry& of = graphs->require(head.graph, head.graph_hash);
    checkpoint_writer writer{of.table, core_.store.key()};
    frontier edited = is_from_start ? frontier{state{of.graph().layout()}} : frontier{at.where()};
    if (!from && !is_from_start) {
        writer.know(at.where(), head);
        if (at.is_unfinished()) edited.extra().origin = origin_of(head);
    } else if (edited.extras) {
        // What is done again is done anew: under the keys of another run, no effect of before stands for it.
        edited.extra().origin = run_id{};
    }
    co_return co_await save(std::move(fence), std::move(writer), std::move(edited), std::move(edits));
}

/** Makes the first checkpoint of a thread that this process holds: it stands at the end of a graph. */
task<write_fence> thread_editor::write_first(write_fence fence, std::string graph, state_update values)
{
    const std::shared_ptr<const durable_graphs> graphs = core_.graphs;
    const durable_graphs::entry& of = graphs->require(graph);
    checkpoint_writer writer{of.table, core_.store.key()};
    frontier empty{state{of.graph().layout()}};
    co_return co_await save(std::move(fence), std::move(writer), std::move(empty), std::move(values));
}

task<write_fence> thread_editor::save(write_fence fence, checkpoint_writer writer, frontier at, state_update edits)
{
    const state_layout& layout = at.root->layout();
    write_set writes;
    for (state_update::item& item : edits.items()) {
        const std::uint32_t slot = layout.require(item.key, "edit");
        require_finite(item.value, layout[slot]);
        writes.push_back({slot, item.is_overwrite, false, std::move(item.value)});
    }
    at.root->commit(std::move(writes));
    checkpoint_committer committer{core_.store, *core_.ids, std::move(fence), std::move(writer), core_.options};
    co_await committer.save(std::move(at), checkpoint_kind::edit, std::string{});
    co_return committer.fence();
}

/** Waits for a write and lets go of the run that it was made in. @param waits  If that run waits, how. */
task<void> thread_editor::release_after(write_fence fence, task<write_fence> write, std::optional<run_outcome> waits)
{
    const store_answer<write_fence> written = co_await answer_of(std::move(write));
    run_outcome outcome{run_phase::finished, std::string{"values were changed"}};
    if (!written) outcome = run_outcome{run_phase::failed, text_of(written.error)};
    if (waits) outcome = std::move(*waits);
    if (written) fence = *written.value;
    const bool is_released = co_await driver_.release(fence, std::move(outcome));
    if (!is_released) core_.claims.abandon(fence);
    if (!written) std::rethrow_exception(written.error);
}

// The thread is held by a run of its own while it is changed: no other run begins in between.
task<write_fence> thread_editor::hold(thread_key thread, std::string graph, std::string metadata)
{
    new_run entry{thread, core_.ids->next<run_id>()};
    entry.graph_named(std::move(graph)).started_by(core_.lease.worker());
    entry.metadata = std::move(metadata);
    const run_admission admission = co_await claimer_.admit(std::move(entry));
    if (!admission.claim) refuse_taken(thread);
    co_return admission.claim->fence;
}

/** Changes values of a run that waits: it waits on behind the change, for the same answers.
 *  @return   False if it does not wait any more. */
task<bool> thread_editor::edit_waiting(run_record waiting, state_update edits)
{
    const checkpoint head = co_await reader_.require_checkpoint(waiting.thread, std::nullopt);
    const std::vector<open_question> asked = co_await questions_.open(waiting.thread);
    std::optional<run_claim> claim = co_await claimer_.take(waiting.id);
    if (!claim) co_return false;
    run_outcome waits{run_phase::waiting, std::move(waiting.message)};
    if (!asked.empty()) waits.for_answers_below(origin_of(head).text());
    waits.until(first_end_of_wait(asked));
    const write_fence fence = claim->fence;
    co_await release_after(fence, write_edit(fence, std::move(edits), std::nullopt), std::move(waits));
    co_return true;
}

task<thread_snapshot> thread_editor::edit(thread_key thread, state_update edits, std::optional<std::int64_t> from)
{
    co_await core_.lease.wait_until_alive();
    const checkpoint head = co_await reader_.require_checkpoint(thread, std::nullopt);
    std::optional<run_record> active = co_await core_.patient.active_run(thread);
    if (active && active->phase == run_phase::waiting) {
        if (!from) {
            const bool is_edited = co_await edit_waiting(std::move(*active), std::move(edits));
            if (!is_edited) refuse_taken(thread);
            co_return co_await reader_.read(std::move(thread), std::nullopt);
        }
        // What it waits for lies behind the place that the thread goes back to.
        static_cast<void>(co_await core_.patient.signal(thread, run_signal::cancel));
    }
    std::string metadata = R"({"weft.kind":"edit")";  // lists of runs leave it out
    if (from) metadata.append(R"(,"weft.from":)").append(std::to_string(*from));
    const write_fence fence = co_await hold(thread, head.graph, std::move(metadata) + '}');
    co_await release_after(fence, write_edit(fence, std::move(edits), from), std::nullopt);
    co_return co_await reader_.read(std::move(thread), std::nullopt);
}

task<thread_snapshot> thread_editor::begin(thread_key thread, std::string graph, state_update values)
{
    co_await core_.lease.wait_until_alive();
    static_cast<void>(core_.graphs->require(graph));
    const std::optional<checkpoint> head = co_await core_.patient.load(thread, std::nullopt);
    if (head) refuse_taken(thread);
    const write_fence fence = co_await hold(thread, graph, R"({"weft.kind":"edit"})");
    co_await release_after(fence, write_first(fence, std::move(graph), std::move(values)), std::nullopt);
    co_return co_await reader_.read(std::move(thread), std::nullopt);
}

task<thread_snapshot> thread_editor::fork(thread_key from, std::int64_t sequence, thread_key to, state_update edits)
{
    co_await core_.lease.wait_until_alive();
    static_cast<void>(co_await reader_.require_checkpoint(from, sequence));
    const checkpoint_id id = core_.ids->next<checkpoint_id>();
    store_answer<bool> made = co_await answer_of(core_.store.fork(std::move(from), sequence, to, id));
    if (!made) {
        // Its answer may have been lost: then the id says whether it was made.
        if (made.code != errc::store_outcome_unknown) std::rethrow_exception(made.error);
        const bool is_made = co_await core_.patient.has_checkpoint(id);
        if (!is_made) std::rethrow_exception(made.error);
    } else if (!*made.value) {
        refuse_taken(to);
    }
    if (edits.is_empty()) co_return co_await reader_.read(std::move(to), std::nullopt);
    co_return co_await edit(std::move(to), std::move(edits));
}

task<bool> thread_editor::forget(thread_key thread)
{
    const bool was_there = co_await core_.patient.drop(thread);
    if (held_run* const held = core_.runs->find(thread)) held->committer->lose();
    co_return was_there;
}

}  // namespace weft
