#include <weft/store/record/store_model.hpp>

#include "model_access.hpp"
#include "model_history.hpp"
#include "model_housekeeping.hpp"
#include "model_journal.hpp"
#include "model_runs.hpp"
#include "model_workers.hpp"

#include <unordered_set>
#include <utility>

namespace weft {

// What writes is in the models of the roles; here are the reads, which take no moment.
write_state store_model::check(const write_fence& fence) const
{
    return store_detail::may_write(tables_, options_.flaw, fence, store_detail::compares::epoch);
}

worker_id store_model::enter(worker_entry entry, store_moment at)
{
    return store_detail::enter_worker({tables_, options_, at}, std::move(entry));
}

heartbeat_report store_model::heartbeat(worker_id worker, std::chrono::milliseconds lifetime, store_moment at)
{
    return store_detail::keep_worker_alive({tables_, options_, at}, worker, lifetime);
}

bool store_model::change_graphs(worker_id worker, std::vector<graph_ability> graphs)
{
    return store_detail::change_graphs_of(tables_, worker, std::move(graphs));
}

void store_model::leave(worker_id worker, store_moment at)
{
    store_detail::leave_worker({tables_, options_, at}, worker);
}

std::size_t store_model::reap(std::size_t runs_max, store_moment at)
{
    return store_detail::reap_workers({tables_, options_, at}, runs_max);
}

run_admission store_model::enqueue(new_run run, store_moment at)
{
    return store_detail::enqueue_run({tables_, options_, at}, std::move(run));
}

std::vector<run_claim> store_model::claim(worker_id worker, std::size_t max, store_moment at)
{
    return store_detail::claim_runs({tables_, options_, at}, worker, max);
}

std::optional<run_claim> store_model::resume(worker_id worker, run_id run, store_moment at)
{
    return store_detail::resume_run({tables_, options_, at}, worker, run);
}

write_state store_model::finish(const write_fence& fence, run_outcome outcome, store_moment at)
{
    return store_detail::finish_run({tables_, options_, at}, fence, std::move(outcome));
}

write_state store_model::bind(const write_fence& fence, std::string revision, store_moment at)
{
    return store_detail::bind_run({tables_, options_, at}, fence, std::move(revision));
}

bool store_model::change_input(const thread_key& thread, run_id run, std::string input)
{
    return store_detail::change_input_of_run(tables_, thread, run, std::move(input));
}

write_state store_model::yield(const write_fence& fence, store_moment at)
{
    return store_detail::yield_run({tables_, options_, at}, fence);
}

bool store_model::cancel_queued(run_id run, store_moment at)
{
    return store_detail::cancel_queued_run({tables_, options_, at}, run);
}

bool store_model::remove(run_id run, store_moment at)
{
    return store_detail::remove_run({tables_, options_, at}, run);
}

std::optional<run_id> store_model::signal(const thread_key& thread, run_signal what, store_moment at)
{
    return store_detail::signal_run({tables_, options_, at}, thread, what);
}

std::optional<run_record> store_model::find_run(run_id run) const
{
    const auto found = tables_.runs.find(run);
    if (found == tables_.runs.end()) return std::nullopt;
    run_record record = found->second.record;
    record.is_suspect = !is_over(record.phase) && store_detail::is_suspect(tables_, found->second);
    return record;
}

std::optional<std::chrono::milliseconds> store_model::next_due(store_moment at) const
{
    return store_detail::next_due(tables_, at);
}

std::optional<run_record> store_model::active_run(const thread_key& thread) const
{
    const store_detail::thread_row* row = store_detail::find_thread(tables_, thread);
    if (!row || !row->active) return std::nullopt;
    return find_run(*row->active);
}

commit_result store_model::commit(const write_fence& fence, checkpoint_draft draft, store_moment at)
{
    return store_detail::commit_checkpoint({tables_, options_, at}, fence, std::move(draft));
}

std::optional<checkpoint> store_model::load(const thread_key& thread, std::optional<std::int64_t> sequence) const
{
    const store_detail::thread_row* row = store_detail::find_thread(tables_, thread);
    if (!row) return std::nullopt;
    // A thread without history has the head 0, which no checkpoint has.
    const auto found = row->checkpoints.find(sequence.value_or(row->head));
    if (found == row->checkpoints.end()) return std::nullopt;
    return found->second;
}

std::optional<std::pair<thread_key, std::int64_t>> store_model::find(checkpoint_id id) const
{
    const auto found = tables_.places.find(id);
    if (found == tables_.places.end()) return std::nullopt;
    return found->second;
}

std::vector<blob> store_model::read_blobs(const thread_key& thread, const std::vector<content_hash>& hashes) const
{
    std::vector<blob> found;
    if (hashes.empty()) return found;
    const store_detail::thread_row* row = store_detail::find_thread(tables_, thread);
    if (!row) store_detail::throw_missing_blob(thread.thread, hashes.front());
    std::unordered_set<content_hash> seen;
    for (const content_hash& hash : hashes) {
        // Asked for twice, given once, as a set of rows would be.
        if (!seen.insert(hash).second) continue;
        const auto each = row->blobs.find(hash);
        if (each == row->blobs.end()) store_detail::throw_missing_blob(thread.thread, hash);
        found.push_back(blob{hash, each->second.bytes, each->second.links});
    }
    return found;
}

std::vector<checkpoint_info> store_model::history(const thread_key& thread, const history_page& page) const
{
    std::vector<checkpoint_info> found;
    const store_detail::thread_row* row = store_detail::find_thread(tables_, thread);
    if (!row) return found;
    // Backwards from the end: the newest comes first.
    auto each = page.before ? row->checkpoints.lower_bound(*page.before) : row->checkpoints.end();
    while (each != row->checkpoints.begin() && found.size() < page.count_max) {
        --each;
        if (!page.kind || *page.kind == each->second.kind) found.push_back(each->second);
    }
    return found;
}

bool store_model::fork(const thread_key& from, std::int64_t sequence, const thread_key& to, checkpoint_id id,
                       store_moment at)
{
    return store_detail::fork_thread({tables_, options_, at}, from, sequence, to, id);
}

bool store_model::label(const thread_key& thread, std::int64_t sequence, std::string name)
{
    return store_detail::label_checkpoint({tables_, options_, store_moment{}}, thread, sequence, std::move(name));
}

write_state store_model::record(const write_fence& fence, effect_record effect, store_moment at)
{
    return store_detail::record_effect({tables_, options_, at}, fence, std::move(effect));
}

std::vector<effect_record> store_model::effects(const thread_key& thread) const
{
    std::vector<effect_record> found;
    const store_detail::thread_row* row = store_detail::find_thread(tables_, thread);
    if (!row) return found;
    for (const auto& [address, effect] : row->effects) found.push_back(effect);
    return found;
}

write_state store_model::ask(const write_fence& fence, question_record question, store_moment at)
{
    return store_detail::ask_question({tables_, options_, at}, fence, std::move(question));
}

answer_state store_model::answer(const thread_key& thread, const std::string& address, std::string answer,
                                 store_moment at)
{
    return store_detail::answer_question({tables_, options_, at}, thread, address, std::move(answer));
}

std::vector<question_record> store_model::questions(const thread_key& thread) const
{
    std::vector<question_record> found;
    const store_detail::thread_row* row = store_detail::find_thread(tables_, thread);
    if (!row) return found;
    for (const store_detail::question_row& each : row->questions) found.push_back(each.record);
    return found;
}

prune_report store_model::prune(const thread_key& thread, const retention& what)
{
    return store_detail::prune_thread({tables_, options_, store_moment{}}, thread, what);
}

bool store_model::drop(const thread_key& thread)
{
    return store_detail::drop_thread({tables_, options_, store_moment{}}, thread);
}

thread_usage store_model::usage(const thread_key& thread) const
{
    thread_usage usage;
    const store_detail::thread_row* row = store_detail::find_thread(tables_, thread);
    if (!row) return usage;
    usage.checkpoints = row->checkpoints.size();
    usage.blobs = row->blobs.size();
    usage.bytes = row->bytes;
    return usage;
}

std::vector<thread_summary> store_model::threads(const std::string& tenant, const std::string& after,
                                                 std::size_t max) const
{
    std::vector<thread_summary> found;
    // Threads are sorted by tenant, then by name.
    for (auto each = tables_.threads.upper_bound(thread_key{after, tenant});
         each != tables_.threads.end() && each->first.tenant == tenant && found.size() < max; ++each) {
        const store_detail::thread_row& row = each->second;
        found.push_back(thread_summary{each->first, row.head, row.active, row.changed});
    }
    return found;
}

}  // namespace weft
