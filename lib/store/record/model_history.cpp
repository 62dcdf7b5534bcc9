#include <weft/base/error.hpp>
#include <weft/store/record/store_model.hpp>

#include "limit_checks.hpp"

#include <boost/assert.hpp>

#include <unordered_set>

namespace weft {

namespace {

[[noreturn]] void throw_missing_blob(const std::string& thread, const content_hash& hash)
{
    throw error{errc::store_corrupt, "thread '" + thread + "'", "its blob " + hash.text() + " is missing"};
}

}  // namespace

void store_model::require_space(std::uint64_t bytes) const
{
    if (bytes <= options_.bytes_max && tables_.bytes <= options_.bytes_max - bytes) return;
    throw error{errc::store_full, "store in memory",
                "it has " + std::to_string(tables_.bytes) + " of at most " + std::to_string(options_.bytes_max) +
                    " bytes and needs " + std::to_string(bytes) + " more: prune or drop threads, or raise the limit"};
}

void store_model::account(thread_row& thread, std::int64_t bytes) noexcept
{
    thread.bytes += static_cast<std::uint64_t>(bytes);
    tables_.bytes += static_cast<std::uint64_t>(bytes);
}

void store_model::put_blobs(thread_row& thread, std::vector<blob> blobs)
{
    for (blob& each : blobs) {
        const auto size = static_cast<std::int64_t>(each.bytes.size());
        const bool is_new =
            thread.blobs.try_emplace(each.hash, std::move(each.bytes), std::move(each.links)).second;
        if (is_new) account(thread, size);
    }
}

commit_result store_model::commit(const write_fence& fence, checkpoint_draft draft, store_moment at)
{
    check_limits(draft);
    BOOST_ASSERT_MSG(!draft.id.is_nil(), "a checkpoint has an id");
    const write_state state = may_write(fence, compares::epoch_and_head);
    thread_row* thread = find_thread(fence.thread);
    const std::int64_t head = thread ? thread->head : 0;
    if (state != write_state::ok) return {state, head};
    if (tables_.places.contains(draft.id) && options_.flaw != store_flaw::no_compare_and_set)
        return {write_state::duplicate, head};
    require_space(bytes_of(draft));

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

    settle(*thread, draft.settled);
    put_blobs(*thread, std::move(draft.blobs));
    account(*thread, static_cast<std::int64_t>(made.body.size()));
    tables_.places[made.id] = {fence.thread, made.sequence};
    thread->head = made.sequence;
    thread->changed = at.today;
    thread->checkpoints.emplace(made.sequence, std::move(made));
    return {write_state::ok, thread->head};
}

std::optional<checkpoint> store_model::load(const thread_key& thread, std::optional<std::int64_t> sequence) const
{
    const thread_row* row = find_thread(thread);
    if (!row) return std::nullopt;
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
    const thread_row* row = find_thread(thread);
    if (!row) throw_missing_blob(thread.thread, hashes.front());
    std::unordered_set<content_hash> seen;
    for (const content_hash& hash : hashes) {
        if (!seen.insert(hash).second) continue;
        const auto each = row->blobs.find(hash);
        if (each == row->blobs.end()) throw_missing_blob(thread.thread, hash);
        found.push_back(blob{hash, each->second.bytes, each->second.links});
    }
    return found;
}

std::vector<checkpoint_info> store_model::history(const thread_key& thread, const history_page& page) const
{
    std::vector<checkpoint_info> found;
    const thread_row* row = find_thread(thread);
    if (!row) return found;
    auto each = page.before ? row->checkpoints.lower_bound(*page.before) : row->checkpoints.end();
    while (each != row->checkpoints.begin() && found.size() < page.count_max) {
        --each;
        if (!page.kind || *page.kind == each->second.kind) found.push_back(each->second);
    }
    return found;
}

std::vector<blob> store_model::reached_blobs(const thread_row& thread, const checkpoint& from) const
{
    std::vector<blob> found;
    std::unordered_set<content_hash> seen;
    std::vector<content_hash> open = from.links;
    while (!open.empty()) {
        const content_hash hash = open.back();
        open.pop_back();
        if (!seen.insert(hash).second) continue;
        const auto each = thread.blobs.find(hash);
        if (each == thread.blobs.end()) throw_missing_blob(tables_.places.at(from.id).first.thread, hash);
        found.push_back(blob{hash, each->second.bytes, each->second.links});
        open.insert(open.end(), each->second.links.begin(), each->second.links.end());
    }
    return found;
}

bool store_model::fork(const thread_key& from, std::int64_t sequence, const thread_key& to, checkpoint_id id,
                       store_moment at)
{
    check_limits(to);
    if (from.tenant != to.tenant)
        throw error{errc::store_refused, "thread '" + from.thread + "'", "threads fork within their tenant"};
    thread_row* source = find_thread(from);
    const thread_row* taken = find_thread(to);
    if (!source || !source->checkpoints.contains(sequence) || tables_.places.contains(id)) return false;
    if (taken && taken->head > 0) return false;

    checkpoint made = source->checkpoints.at(sequence);
    std::vector<blob> blobs = reached_blobs(*source, made);
    made.bytes = made.body.size();
    for (const blob& each : blobs) made.bytes += each.bytes.size();
    require_space(made.bytes);
    made.id = id;
    made.sequence = 1;
    made.parent = 0;
    made.run = run_id{};
    made.epoch = 0;
    made.kind = checkpoint_kind::edit;
    made.label.clear();
    made.at = at.today;

    source->forked_from.insert(sequence);
    thread_row& thread = tables_.thread_made(to, at.today);
    thread.changed = at.today;
    thread.head = 1;
    put_blobs(thread, std::move(blobs));
    account(thread, static_cast<std::int64_t>(made.body.size()));
    tables_.places[id] = {to, 1};
    thread.checkpoints.emplace(1, std::move(made));
    return true;
}

bool store_model::label(const thread_key& thread, std::int64_t sequence, std::string name)
{
    check_name_limit(name, "label");
    thread_row* row = find_thread(thread);
    if (!row) return false;
    const auto found = row->checkpoints.find(sequence);
    if (found == row->checkpoints.end()) return false;
    found->second.label = std::move(name);
    return true;
}

}  // namespace weft
