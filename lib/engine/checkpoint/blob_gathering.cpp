#include "blob_gathering.hpp"

#include "engine/value/checkpoint_format.hpp"
#include "engine/value/list_tree.hpp"
#include "engine/value/stored_value.hpp"
#include "frame_sections.hpp"

#include <weft/async/task/yield_now.hpp>
#include <weft/base/error.hpp>

#include <algorithm>
#include <span>

namespace weft::checkpoint_detail {

namespace {

// How many blobs are asked for at once.
constexpr std::size_t blobs_at_once = 2048;
// Fewer are read level by level: what is read ahead costs a search for where it begins.
constexpr std::size_t many_blobs = 128;
// What a turn of the loop compares with its hashes, in bytes, and how many links it looks at.
constexpr std::size_t checked_bytes_max = 128u << 10;
constexpr std::size_t links_max = 4096;

/** About how many blobs a checkpoint leads to, by the sizes of its lists. Damage is left to who reads it. */
std::size_t likely_blobs(const checkpoint& from)
{
    try {
        const linked_reader frame{open_record(from.body, "checkpoint", format_version), "checkpoint", from.links};
        const frame_sections sections{frame};
        std::uint64_t items = 0;
        if (auto values = sections.find(frame_section::state))
            for (std::size_t left = values->count("the number of values"); left > 0; --left) {
                (void)values->number();
                items += read_form(*values).list.size();
            }
        // The nodes of a path stand in its groups.
        std::uint64_t groups = items / list_tree::width;
        if (auto path = sections.find(frame_section::path)) groups += list_tree::read(*path).size() / list_tree::width;
        return static_cast<std::size_t>(items + groups);
    } catch (const error&) {
        return 0;
    }
}

}  // namespace

void blob_gathering::take(blob_pack pack)
{
    std::vector<std::size_t> added;
    const std::size_t before = table_.size();
    table_.add(std::move(pack));
    for (std::size_t i = before; i < table_.size(); ++i) added.push_back(i);
    compare(added);
}

void blob_gathering::compare(const std::vector<std::size_t>& which)
{
    std::vector<hashed_text> texts;
    texts.reserve(which.size());
    for (const std::size_t index : which) texts.push_back({table_[index].bytes, table_[index].links});
    std::vector<content_hash> hashes(texts.size());
    hash_all(texts, key_, hashes);
    for (std::size_t i = 0; i < which.size(); ++i) {
        blob_table::entry& one = table_[which[i]];
        one.is = one.hash == hashes[i] ? blob_table::state::right : blob_table::state::wrong;
    }
}

bool blob_gathering::follow_some()
{
    std::vector<std::size_t> unknown;
    std::size_t bytes = 0;
    for (std::size_t looked = 0; next_ < left_.size() && looked < links_max && bytes < checked_bytes_max; ++looked) {
        const content_hash hash = left_[next_++];
        blob_table::entry* const found = table_.find(hash);
        if (!found || found->is == blob_table::state::wrong) {
            if (asked_.insert(hash).second) missing_.push_back(hash);
            continue;
        }
        if (std::exchange(found->is_needed, true)) continue;
        if (found->is == blob_table::state::right) {
            left_.insert(left_.end(), found->links.begin(), found->links.end());
            continue;
        }
        unknown.push_back(static_cast<std::size_t>(found - &table_[0]));
        bytes += sizeof(blob_table::entry) + found->bytes.size();
    }
    compare(unknown);
    for (const std::size_t index : unknown) {
        const blob_table::entry& one = table_[index];
        if (one.is == blob_table::state::wrong)
            throw error{errc::store_corrupt, place_, "the blob " + one.hash.text() + " is not what its hash says"};
        left_.insert(left_.end(), one.links.begin(), one.links.end());
    }
    if (next_ < left_.size()) return false;
    left_.clear();
    next_ = 0;
    return true;
}

void blob_gathering::require(const std::vector<content_hash>& hashes) const
{
    for (const content_hash& hash : hashes) {
        const blob_table::entry* const found = table_.find(hash);
        if (!found || found->is == blob_table::state::wrong)
            throw error{errc::store_corrupt, place_, "the blob " + hash.text() + " is missing"};
    }
}

task<blob_table> gather_blobs(checkpoint_store& store, thread_key thread, checkpoint from)
{
    blob_gathering gathered{store.key(), "thread '" + thread.thread + "'"};
    const std::size_t likely = likely_blobs(from);
    if (likely >= many_blobs) {
        std::vector<content_hash> roots = from.links;
        co_await store.read_ahead(thread, std::move(roots), likely, gathered);
    }
    gathered.need(from.links);
    for (;;) {
        while (!gathered.follow_some()) co_await yield_now();
        const std::vector<content_hash> missing = gathered.take_missing();
        if (missing.empty()) break;
        for (std::size_t first = 0; first < missing.size(); first += blobs_at_once) {
            const auto begin = missing.begin() + static_cast<std::ptrdiff_t>(first);
            std::vector<content_hash> part(begin, begin + static_cast<std::ptrdiff_t>(
                                                              std::min(blobs_at_once, missing.size() - first)));
            std::vector<blob> came = co_await store.read_blobs(thread, std::move(part));
            gathered.add(std::move(came));
        }
        gathered.require(missing);
        gathered.need(missing);
    }
    co_return gathered.take_table();
}

}  // namespace weft::checkpoint_detail
