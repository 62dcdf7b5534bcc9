#include "model_history.hpp"

#include "model_events.hpp"
#include "model_journal.hpp"
#include "store/record/limit_checks.hpp"

#include <weft/base/error.hpp>

#include <boost/assert.hpp>

#include <unordered_set>
#include <utility>

namespace weft::store_detail {

namespace {

void put_blobs(const model_access& store, thread_row& thread, std::vector<blob> blobs)
{
    for (blob& each : blobs) {
        const auto size = static_cast<std::int64_t>(each.bytes.size());
        // Blobs of equal hashes are equal: the one that is there stays, and is counted once.
        const bool is_new =
            thread.blobs.try_emplace(each.hash, std::move(each.bytes), std::move(each.links)).second;
        if (is_new) account(store, thread, size);
    }
}

std::vector<blob> reached_blobs(const model_access& store, const thread_row& thread, const checkpoint& from)
{
    std::vector<blob> found;
    std::unordered_set<content_hash> seen;
    std::vector<content_hash> open = from.links;
    while (!open.empty()) {
        const content_hash hash = open.back();
        open.pop_back();
        if (!seen.insert(hash).second) continue;
        const auto each = thread.blobs.find(hash);
        if (each == thread.blobs.end()) throw_missing_blob(store.tables.places.at(from.id).first.thread, hash);
        found.push_back(blob{hash, each->second.bytes, each->second.links});
        open.insert(open.end(), each->second.links.begin(), each->second.links.end());
    }
    return found;
}

}  // namespace

commit_result commit_checkpoint(const model_access& store, const write_fence& fence, checkpoint_draft draft)
{
    check_limits(draft);
    BOOST_ASSERT_MSG(!draft.id.is_nil(), "a checkpoint has an id");
    const write_state state = may_write(store.tables, store.options.flaw, fence, compares::epoch_and_head);
    thread_row* thread = find_thread(store.tables, fence.thread);
    const std::int64_t head = thread ? thread->head : 0;
    if (state != write_state::ok) return {state, head};
    if (store.tables.places.contains(draft.id) && store.options.flaw != store_flaw::no_compare_and_set)
        return {write_state::duplicate, head};
    require_space(store, bytes_of(draft));

    checkpoint made;
    made.id = draft.id;
    made.sequence = head + 1;
    made.parent = head;
    made.run = fence.run;
    made.epoch = fence.epoch;
    made.kind = draft.kind;
    made.step = draft.step;
    made.node = std::move(draft.node);
    made.graph = std::move(draft.graph);
    made.graph_hash = std::move(draft.graph_hash);
    made.label = std::move(draft.label);
    made.at = draft.at;
    made.bytes = bytes_of(draft);
    made.body = std::move(draft.body);
    made.links = std::move(draft.links);

    // Everything that can refuse was asked above: from here nothing fails half-way.
    settle_addresses(store, *thread, draft.settled);
    if (!draft.events.empty())
        add_events(store.tables.runs.at(fence.run).log, std::move(draft.events), draft.event_limits, store.at.today);
    put_blobs(store, *thread, std::move(draft.blobs));
    account(store, *thread, static_cast<std::int64_t>(made.body.size()));
    store.tables.places[made.id] = {fence.thread, made.sequence};
    thread->head = made.sequence;
    thread->changed = store.at.today;
    thread->checkpoints.emplace(made.sequence, std::move(made));
    return {write_state::ok, thread->head};
}

bool fork_thread(const model_access& store, const thread_key& from, std::int64_t sequence, const thread_key& to,
                 checkpoint_id id)
{
    check_limits(to);
    if (from.tenant != to.tenant)
        throw error{errc::store_refused, "thread '" + from.thread + "'", "threads fork within their tenant"};
    thread_row* source = find_thread(store.tables, from);
    const thread_row* taken = find_thread(store.tables, to);
    if (!source || !source->checkpoints.contains(sequence) || store.tables.places.contains(id)) return false;
    if (taken && taken->head > 0) return false;

    checkpoint made = source->checkpoints.at(sequence);
    std::vector<blob> blobs = reached_blobs(store, *source, made);
    // A copy has nothing in common with its source: all that it reaches counts as its own.
    made.bytes = made.body.size();
    for (const blob& each : blobs) made.bytes += each.bytes.size();
    require_space(store, made.bytes);
    made.copy_of = std::exchange(made.id, id);
    made.sequence = 1;
    made.parent = 0;
    made.run = run_id{};
    made.epoch = 0;
    made.kind = checkpoint_kind::edit;
    made.label.clear();
    made.at = store.at.today;

    // A checkpoint that others began with is not pruned.
    source->forked_from.insert(sequence);
    thread_row& thread = store.tables.thread_made(to, store.at.today);
    thread.changed = store.at.today;
    thread.head = 1;
    put_blobs(store, thread, std::move(blobs));
    account(store, thread, static_cast<std::int64_t>(made.body.size()));
    store.tables.places[id] = {to, 1};
    thread.checkpoints.emplace(1, std::move(made));
    return true;
}

bool label_checkpoint(const model_access& store, const thread_key& thread, std::int64_t sequence, std::string name)
{
    check_name_limit(name, "label");
    thread_row* row = find_thread(store.tables, thread);
    if (!row) return false;
    const auto found = row->checkpoints.find(sequence);
    if (found == row->checkpoints.end()) return false;
    found->second.label = std::move(name);
    return true;
}

}  // namespace weft::store_detail
