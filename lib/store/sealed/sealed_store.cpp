#include <weft/store/sealed_store.hpp>

#include <weft/base/error.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace weft {

namespace {

constexpr std::size_t lineages_max = 10'000;

std::string_view bytes_of_hash(const content_hash& hash) noexcept
{
    return {reinterpret_cast<const char*>(hash.bytes.data()), hash.bytes.size()};
}

std::string text_of_links(const std::vector<content_hash>& links)
{
    std::string text;
    for (const content_hash& link : links) text += bytes_of_hash(link);
    return text;
}

/** Its links, because it names blobs by their place among them; not its id, which a fork changes. */
sealed_place place_of_body(const content_hash& lineage, const std::vector<content_hash>& links)
{
    return sealed_place{"checkpoint of lineage"}.part(lineage.text()).part(text_of_links(links));
}

sealed_place place_of_blob(const content_hash& lineage, const blob& one)
{
    return sealed_place{"blob of lineage"}.part(lineage.text()).part(one.hash.text()).part(text_of_links(one.links));
}

error corrupt(const thread_key& thread, std::string what)
{
    return error{errc::store_corrupt, "thread " + thread.thread, std::move(what)};
}

/** What stands in front of a body. */
content_hash lineage_in(const thread_key& thread, const checkpoint& found)
{
    content_hash lineage;
    if (found.body.size() < lineage.bytes.size())
        throw corrupt(thread, "checkpoint " + std::to_string(found.sequence) + " is not sealed, or its body was cut");
    std::copy_n(found.body.begin(), lineage.bytes.size(), lineage.bytes.begin());
    return lineage;
}

/** All hashes of a draft or of blobs in one row, changed together, and put back. */
template <class Change>
void change_hashes(std::vector<content_hash>& links, std::vector<blob>& blobs, Change change)
{
    std::vector<content_hash> all = links;
    for (const blob& one : blobs) {
        all.push_back(one.hash);
        all.insert(all.end(), one.links.begin(), one.links.end());
    }
    change(all);
    auto next = all.begin();
    for (content_hash& link : links) link = *next++;
    for (blob& one : blobs) {
        one.hash = *next++;
        for (content_hash& link : one.links) link = *next++;
    }
}

}  // namespace

sealed_store::sealed_store(std::shared_ptr<checkpoint_store> inner, std::shared_ptr<const value_cipher> cipher)
    : inner_{std::move(inner)}, cipher_{std::move(cipher)}
{
}

std::optional<sealed_store::known_lineage> sealed_store::find_lineage(const thread_key& thread)
{
    const std::lock_guard lock{mutex_};
    const auto found = lineages_.find(thread);
    return found == lineages_.end() ? std::nullopt : std::optional{found->second};
}

void sealed_store::keep_lineage(const thread_key& thread, known_lineage what)
{
    const std::lock_guard lock{mutex_};
    if (lineages_.size() >= lineages_max) lineages_.clear();
    lineages_[thread] = what;
}

void sealed_store::forget_lineage(const thread_key& thread)
{
    const std::lock_guard lock{mutex_};
    lineages_.erase(thread);
}

/** The lineage of a thread's history; without one, the thread's own. */
task<content_hash> sealed_store::stored_lineage(thread_key thread)
{
    const std::optional<checkpoint> newest = co_await inner_->load(thread, std::nullopt);
    if (newest) co_return lineage_in(thread, *newest);
    co_return cipher_->name(sealed_place{"lineage"}.part(thread.tenant).part(thread.thread).bytes());
}

/** As long as one holder has a thread, its lineage stays what it is: with every epoch it is looked up once. */
task<content_hash> sealed_store::lineage_for(thread_key thread, std::int64_t epoch)
{
    const std::optional<known_lineage> known = find_lineage(thread);
    if (known && known->epoch == epoch) co_return known->lineage;
    const content_hash lineage = co_await stored_lineage(thread);
    keep_lineage(thread, {lineage, epoch});
    co_return lineage;
}

task<commit_result> sealed_store::commit(write_fence fence, checkpoint_draft draft)
{
    const content_hash lineage = co_await lineage_for(fence.thread, fence.epoch);
    draft.body = std::string{bytes_of_hash(lineage)} + cipher_->seal(draft.body, place_of_body(lineage, draft.links));
    for (blob& one : draft.blobs) one.bytes = cipher_->seal(one.bytes, place_of_blob(lineage, one));
    change_hashes(draft.links, draft.blobs,
                  [&](std::vector<content_hash>& all) { cipher_->hide(all, bytes_of_hash(lineage)); });
    const thread_key thread = fence.thread;
    const commit_result result = co_await inner_->commit(std::move(fence), std::move(draft));
    // The history is another one than we know.
    if (result.state == write_state::fenced || result.state == write_state::stale_head) forget_lineage(thread);
    co_return result;
}

checkpoint sealed_store::opened(const thread_key& thread, checkpoint found)
{
    const content_hash lineage = lineage_in(thread, found);
    cipher_->reveal(found.links, bytes_of_hash(lineage));
    const std::string_view sealed = std::string_view{found.body}.substr(lineage.bytes.size());
    try {
        found.body = cipher_->open(sealed, place_of_body(lineage, found.links));
    } catch (const error& e) {
        if (e.code() != errc::store_corrupt) throw;
        throw corrupt(thread, "the body of checkpoint " + std::to_string(found.sequence) + ": " + e.detail());
    }
    if (!find_lineage(thread)) keep_lineage(thread, {lineage, -1});
    return found;
}

task<std::optional<checkpoint>> sealed_store::load(thread_key thread, std::optional<std::int64_t> sequence)
{
    std::optional<checkpoint> found = co_await inner_->load(thread, sequence);
    if (found) found = opened(thread, std::move(*found));
    co_return found;
}

task<std::vector<blob>> sealed_store::read_hidden(thread_key thread, std::vector<content_hash> hashes,
                                                  content_hash lineage)
{
    cipher_->hide(hashes, bytes_of_hash(lineage));
    std::vector<blob> found = co_await inner_->read_blobs(thread, std::move(hashes));
    std::vector<content_hash> none;
    change_hashes(none, found, [&](std::vector<content_hash>& all) { cipher_->reveal(all, bytes_of_hash(lineage)); });
    for (blob& one : found) {
        try {
            one.bytes = cipher_->open(one.bytes, place_of_blob(lineage, one));
        } catch (const error& e) {
            if (e.code() != errc::store_corrupt) throw;
            throw corrupt(thread, "blob " + one.hash.text() + ": " + e.detail());
        }
    }
    co_return found;
}

task<std::vector<blob>> sealed_store::read_blobs(thread_key thread, std::vector<content_hash> hashes)
{
    const std::optional<known_lineage> known = find_lineage(thread);
    std::optional<error> failure;
    if (known) {
        try {
            std::vector<blob> found = co_await read_hidden(thread, hashes, known->lineage);
            co_return found;
        } catch (const error& e) {
            if (e.code() != errc::store_corrupt) throw;
            failure = e;
        }
    }
    // Another process may have dropped the thread and begun it anew.
    const content_hash lineage = co_await stored_lineage(thread);
    if (known && known->lineage == lineage) throw *failure;
    keep_lineage(thread, {lineage, -1});
    std::vector<blob> found = co_await read_hidden(std::move(thread), std::move(hashes), lineage);
    co_return found;
}

task<bool> sealed_store::fork(thread_key from, std::int64_t sequence, thread_key to, checkpoint_id id)
{
    const bool is_made = co_await inner_->fork(std::move(from), sequence, to, id);
    if (is_made) forget_lineage(to);
    co_return is_made;
}

task<bool> sealed_store::drop(thread_key thread)
{
    const bool was_there = co_await inner_->drop(thread);
    forget_lineage(thread);
    co_return was_there;
}

// What has nothing to be sealed.

task<worker_id> sealed_store::enter(std::string name, std::chrono::milliseconds lifetime)
{
    return inner_->enter(std::move(name), lifetime);
}

task<heartbeat_report> sealed_store::heartbeat(worker_id worker, std::chrono::milliseconds lifetime)
{
    return inner_->heartbeat(worker, lifetime);
}

task<void> sealed_store::leave(worker_id worker) { return inner_->leave(worker); }

task<std::size_t> sealed_store::reap(std::size_t runs_max) { return inner_->reap(runs_max); }

task<write_state> sealed_store::yield(write_fence fence) { return inner_->yield(std::move(fence)); }

task<std::optional<run_id>> sealed_store::signal(thread_key thread, run_signal what)
{
    return inner_->signal(std::move(thread), what);
}

task<std::optional<std::pair<thread_key, std::int64_t>>> sealed_store::find(checkpoint_id id)
{
    return inner_->find(id);
}

task<std::vector<checkpoint_info>> sealed_store::history(thread_key thread, history_page page)
{
    return inner_->history(std::move(thread), page);
}

task<bool> sealed_store::label(thread_key thread, std::int64_t sequence, std::string name)
{
    return inner_->label(std::move(thread), sequence, std::move(name));
}

task<prune_report> sealed_store::prune(thread_key thread, retention what)
{
    return inner_->prune(std::move(thread), what);
}

task<thread_usage> sealed_store::usage(thread_key thread) { return inner_->usage(std::move(thread)); }

task<std::vector<thread_summary>> sealed_store::threads(std::string tenant, std::string after, std::size_t max)
{
    return inner_->threads(std::move(tenant), std::move(after), max);
}

}  // namespace weft
