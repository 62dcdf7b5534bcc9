#include "thread_editor.hpp"

#include "durable_core.hpp"
#include "engine/commit/checkpoint_committer.hpp"
#include "run_claimer.hpp"
#include "run_driver.hpp"
#include "thread_reader.hpp"

#include <weft/engine/checkpoint/checkpoint_reader.hpp>
#include <weft/graph/state/finite_value.hpp>

#include <optional>
#include <string>
#include <utility>

namespace weft {

namespace {

[[noreturn]] void refuse_taken(const thread_key& thread)
{
    throw error{errc::thread_is_busy, "thread '" + thread.thread + "'",
                "it has a history or a run that is under way; name a new thread"};
}

}  // namespace

/** Writes changed values behind the newest checkpoint of a thread that this process holds, and lets go of it. */
task<void> thread_editor::write_edit(write_fence fence, state_update edits, std::optional<std::int64_t> from)
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
    write_set writes;
    for (state_update::item& item : edits.items()) {
        const std::uint32_t slot = of.graph().layout()->require(item.key, "edit");
        require_finite(item.value, (*of.graph().layout())[slot]);
        writes.push_back({slot, item.is_overwrite, false, std::move(item.value)});
    }
    edited.root->commit(std::move(writes));
    checkpoint_committer committer{core_.store, *core_.ids, std::move(fence), std::move(writer), core_.options};
    co_await committer.save(std::move(edited), checkpoint_kind::edit, std::string{});
    run_outcome outcome{run_phase::finished, std::string{"values were changed"}};
    static_cast<void>(co_await driver_.finish(committer.fence(), std::move(outcome)));
}

// The thread is held by a run of its own while it is changed: no other run begins in between.
task<thread_snapshot> thread_editor::edit(thread_key thread, state_update edits, std::optional<std::int64_t> from)
{
    co_await core_.lease.wait_until_alive();
    const checkpoint head = co_await reader_.require_checkpoint(thread, std::nullopt);
    new_run entry{thread, core_.ids->next<run_id>()};
    entry.graph_named(head.graph).started_by(core_.lease.worker());
    entry.metadata = R"({"weft.kind":"edit")";  // lists of runs leave it out
    if (from) entry.metadata.append(R"(,"weft.from":)").append(std::to_string(*from));
    entry.metadata += '}';
    const run_admission admission = co_await claimer_.admit(std::move(entry));
    if (!admission.claim) refuse_taken(thread);
    const write_fence fence = admission.claim->fence;
    const store_answer<bool> written = co_await answer_of(and_then_true(write_edit(fence, std::move(edits), from)));
    if (!written) {
        run_outcome outcome{run_phase::failed, text_of(written.error)};
        const bool is_released = co_await driver_.release(fence, std::move(outcome));
        if (!is_released) core_.claims.abandon(fence);
        std::rethrow_exception(written.error);
    }
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
