#include "durable_impl.hpp"

#include <weft/engine/checkpoint/checkpoint_reader.hpp>
#include <weft/graph/state/finite_value.hpp>

#include <utility>

namespace weft {

namespace {

[[noreturn]] void refuse_unknown(const thread_key& thread, std::optional<std::int64_t> sequence)
{
    throw error{errc::thread_not_found, "thread '" + thread.thread + "'",
                sequence ? "it has no checkpoint " + std::to_string(*sequence) : "it has no checkpoints"};
}

[[noreturn]] void refuse_taken(const thread_key& thread)
{
    throw error{errc::thread_is_busy, "thread '" + thread.thread + "'",
                "it has a history or a run that is under way; name a new thread"};
}

task<thread_snapshot> snapshot_of(std::shared_ptr<durable_engine::impl> self, thread_key thread, checkpoint from)
{
    const durable_graphs::entry& of = self->graphs->require(from.graph, from.graph_hash);
    const auto read = [self, thread, &from, &of] {
        return read_frontier(self->store, thread, from, of.graph(), of.migrations);
    };
    auto reading = patiently(self, read);
    frontier where = co_await std::move(reading);
    co_return thread_snapshot{checkpoint_info{from}, of.graph(), std::move(where)};
}

/** Writes changed values behind the newest checkpoint of a thread that we hold. */
task<void> write_edit(std::shared_ptr<durable_engine::impl> self, write_fence fence, state_update edits)
{
    const auto load = [self, thread = fence.thread] { return self->store.load(thread, std::nullopt); };
    auto loading = patiently(self, load);
    std::optional<checkpoint> head = co_await std::move(loading);
    if (!head) refuse_unknown(fence.thread, std::nullopt);
    task<thread_snapshot> reading = snapshot_of(self, fence.thread, *head);
    const thread_snapshot at = co_await std::move(reading);
    const durable_graphs::entry& of = self->graphs->require(head->graph, head->graph_hash);
    checkpoint_writer writer{of.table, self->store.key()};
    writer.know(at.where(), *head);
    frontier edited{at.where()};
    if (at.is_unfinished()) edited.extra().origin = origin_of(*head);
    write_set writes;
    for (state_update::item& item : edits.items()) {
        const std::uint32_t slot = of.graph().layout()->require(item.key, "edit");
        require_finite(item.value, (*of.graph().layout())[slot]);
        writes.push_back({slot, item.is_overwrite, false, std::move(item.value)});
    }
    edited.root->commit(std::move(writes));
    checkpoint_committer committer{self->store, *self->ids, std::move(fence), std::move(writer), self->options};
    task<void> keeping = committer.keep(std::move(edited), checkpoint_kind::edit, std::string{});
    co_await std::move(keeping);
    const std::optional<run_outcome> outcome{run_outcome{run_phase::finished, std::string{"values were changed"}}};
    task<write_state> telling = durable_engine::impl::give_back(self, committer.fence(), outcome);
    static_cast<void>(co_await std::move(telling));
}

}  // namespace

task<thread_snapshot> durable_engine::impl::read(std::shared_ptr<impl> self, thread_key thread,
                                                 std::optional<std::int64_t> sequence)
{
    const auto load = [self, thread, sequence] { return self->store.load(thread, sequence); };
    auto loading = patiently(self, load);
    std::optional<checkpoint> found = co_await std::move(loading);
    if (!found) refuse_unknown(thread, sequence);
    task<thread_snapshot> reading = snapshot_of(self, std::move(thread), std::move(*found));
    co_return co_await std::move(reading);
}

task<thread_snapshot> durable_engine::impl::edit(std::shared_ptr<impl> self, thread_key thread, state_update edits)
{
    task<void> entering = be_worker(self);
    co_await std::move(entering);
    const auto load = [self, thread] { return self->store.load(thread, std::nullopt); };
    auto loading = patiently(self, load);
    const std::optional<checkpoint> head = co_await std::move(loading);
    if (!head) refuse_unknown(thread, std::nullopt);
    new_run entry{thread, self->ids->next<run_id>()};
    entry.graph_named(head->graph).started_by(self->worker);
    task<run_admission> admitting = admit(self, std::move(entry));
    run_admission admission = co_await std::move(admitting);
    if (!admission.claim) refuse_taken(thread);
    const write_fence fence = admission.claim->fence;
    task<void> writing = write_edit(self, fence, std::move(edits));
    store_answer<bool> written = co_await answer_of(and_then_true(std::move(writing)));
    if (!written) {
        const std::optional<run_outcome> outcome{run_outcome{run_phase::failed, text_of(written.error)}};
        task<write_state> telling = give_back(self, fence, outcome);
        store_answer<write_state> told = co_await answer_of(std::move(telling));
        if (!told) self->orphans.push_back(fence);
        std::rethrow_exception(written.error);
    }
    task<thread_snapshot> reading = read(self, std::move(thread), std::nullopt);
    co_return co_await std::move(reading);
}

task<thread_snapshot> durable_engine::impl::fork(std::shared_ptr<impl> self, thread_key from, std::int64_t sequence,
                                                 thread_key to, state_update edits)
{
    task<void> entering = be_worker(self);
    co_await std::move(entering);
    const auto load = [self, from, sequence] { return self->store.load(from, sequence); };
    auto loading = patiently(self, load);
    const std::optional<checkpoint> source = co_await std::move(loading);
    if (!source) refuse_unknown(from, sequence);
    const checkpoint_id id = self->ids->next<checkpoint_id>();
    task<bool> forking = self->store.fork(std::move(from), sequence, to, id);
    store_answer<bool> made = co_await answer_of(std::move(forking));
    if (!made) {
        // Its answer may have been lost: the id tells.
        if (made.code != errc::store_outcome_unknown) std::rethrow_exception(made.error);
        const auto look = [self, id] { return self->store.find(id); };
        auto looking = patiently(self, look);
        const auto place = co_await std::move(looking);
        if (!place) std::rethrow_exception(made.error);
    } else if (!*made.value) {
        refuse_taken(to);
    }
    if (edits.is_empty()) {
        task<thread_snapshot> reading = read(self, std::move(to), std::nullopt);
        co_return co_await std::move(reading);
    }
    task<thread_snapshot> editing = edit(self, std::move(to), std::move(edits));
    co_return co_await std::move(editing);
}

task<run_result> durable_engine::impl::replay(std::shared_ptr<impl> self, thread_key from, std::int64_t sequence,
                                              durable_request request)
{
    task<thread_snapshot> forking = fork(self, std::move(from), sequence, request.key(), state_update{});
    const thread_snapshot at = co_await std::move(forking);
    if (request.graph.empty()) request.graph = at.info().graph;
    task<run_result> running = run(self, std::move(request));
    co_return co_await std::move(running);
}

task<bool> durable_engine::impl::forget(std::shared_ptr<impl> self, thread_key thread)
{
    const auto drop = [self, thread] { return self->store.drop(thread); };
    auto dropping = patiently(self, drop);
    const bool was_there = co_await std::move(dropping);
    if (held_run* const held = self->find(thread)) held->committer->lose();
    co_return was_there;
}

}  // namespace weft
