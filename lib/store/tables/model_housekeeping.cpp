#include "model_housekeeping.hpp"

#include "run_line.hpp"

#include <unordered_set>
#include <vector>

namespace weft::store_detail {

namespace {

bool is_kept_by_age(const checkpoint_info& info, std::size_t rank, const retention& what)
{
    return rank < what.keep_last && (!what.older_than || info.at >= *what.older_than);
}

bool is_open_to_a_question(const thread_row& thread, std::int64_t sequence)
{
    for (const question_row& each : thread.questions)
        if (each.head == sequence && each.record.phase == question_phase::open) return true;
    return false;
}

std::vector<std::int64_t> superfluous_checkpoints(const thread_row& thread, const retention& what)
{
    std::vector<std::int64_t> found;
    std::size_t rank = 0;
    for (auto each = thread.checkpoints.rbegin(); each != thread.checkpoints.rend(); ++each, ++rank) {
        const std::int64_t sequence = each->first;
        const bool is_kept = rank == 0 || is_kept_by_age(each->second, rank, what) || !each->second.label.empty() ||
                             thread.forked_from.contains(sequence) || is_open_to_a_question(thread, sequence);
        if (!is_kept) found.push_back(sequence);
    }
    return found;
}

/** All that the checkpoints refer to, directly and through other blobs. */
std::unordered_set<content_hash> blobs_reached_by(const thread_row& thread)
{
    std::unordered_set<content_hash> marked;
    std::vector<content_hash> open;
    for (const auto& [sequence, each] : thread.checkpoints)
        open.insert(open.end(), each.links.begin(), each.links.end());
    while (!open.empty()) {
        const content_hash hash = open.back();
        open.pop_back();
        const auto found = thread.blobs.find(hash);
        if (found == thread.blobs.end() || !marked.insert(hash).second) continue;
        open.insert(open.end(), found->second.links.begin(), found->second.links.end());
    }
    return marked;
}

}  // namespace

prune_report prune_thread(const model_access& store, const thread_key& thread, const retention& what)
{
    prune_report report;
    thread_row* row = find_thread(store.tables, thread);
    if (!row) return report;
    for (const std::int64_t sequence : superfluous_checkpoints(*row, what)) {
        const auto found = row->checkpoints.find(sequence);
        report.checkpoints += 1;
        report.bytes += found->second.body.size();
        store.tables.places.erase(found->second.id);
        row->checkpoints.erase(found);
    }
    const std::unordered_set<content_hash> needed = blobs_reached_by(*row);
    for (auto each = row->blobs.begin(); each != row->blobs.end();) {
        if (needed.contains(each->first)) {
            ++each;
            continue;
        }
        report.blobs += 1;
        report.bytes += each->second.bytes.size();
        each = row->blobs.erase(each);
    }
    account(store, *row, -static_cast<std::int64_t>(report.bytes));
    return report;
}

bool drop_thread(const model_access& store, const thread_key& thread)
{
    const auto found = store.tables.threads.find(thread);
    if (found == store.tables.threads.end()) return false;
    thread_row& row = found->second;
    if (row.active) forget_run(store, *row.active);
    for (const run_id& run : row.queued) forget_run(store, run);
    for (const run_id& run : row.ended) forget_run(store, run);
    for (const auto& [sequence, each] : row.checkpoints) store.tables.places.erase(each.id);
    store.tables.bytes -= row.bytes;
    store.tables.threads.erase(found);
    return true;
}

}  // namespace weft::store_detail
