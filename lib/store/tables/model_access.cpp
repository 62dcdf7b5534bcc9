#include "model_access.hpp"

#include <weft/base/error.hpp>

namespace weft::store_detail {

thread_row* find_thread(store_tables& tables, const thread_key& thread)
{
    const auto found = tables.threads.find(thread);
    return found == tables.threads.end() ? nullptr : &found->second;
}

const thread_row* find_thread(const store_tables& tables, const thread_key& thread)
{
    const auto found = tables.threads.find(thread);
    return found == tables.threads.end() ? nullptr : &found->second;
}

write_state may_write(const store_tables& tables, store_flaw flaw, const write_fence& fence, compares what)
{
    const thread_row* thread = find_thread(tables, fence.thread);
    if (!thread) return write_state::fenced;
    if (flaw != store_flaw::no_fence) {
        const auto run = tables.runs.find(fence.run);
        if (run == tables.runs.end()) return write_state::fenced;
        const run_record& record = run->second.record;
        const bool is_holder = record.phase == run_phase::running && record.epoch == fence.epoch &&
                               record.thread == fence.thread && !tables.workers.at(record.worker).is_given_up;
        if (!is_holder) return write_state::fenced;
    }
    const bool is_stale = what == compares::epoch_and_head && fence.head != thread->head;
    return is_stale && flaw != store_flaw::no_compare_and_set ? write_state::stale_head : write_state::ok;
}

bool is_suspect(const store_tables& tables, const run_row& run)
{
    return run.suspected_at && *run.suspected_at == find_thread(tables, run.record.thread)->head;
}

worker_row* living_worker(const model_access& store, worker_id worker)
{
    const auto found = store.tables.workers.find(worker);
    if (found == store.tables.workers.end()) return nullptr;
    worker_row& row = found->second;
    return row.is_given_up || store.at.now >= row.until ? nullptr : &row;
}

void require_space(const model_access& store, std::uint64_t bytes)
{
    if (bytes <= store.options.bytes_max && store.tables.bytes <= store.options.bytes_max - bytes) return;
    throw error{errc::store_full, "store in memory",
                "it has " + std::to_string(store.tables.bytes) + " of at most " +
                    std::to_string(store.options.bytes_max) + " bytes and needs " + std::to_string(bytes) +
                    " more: prune or drop threads, or raise the limit"};
}

void account(const model_access& store, thread_row& thread, std::int64_t bytes) noexcept
{
    thread.bytes += static_cast<std::uint64_t>(bytes);
    store.tables.bytes += static_cast<std::uint64_t>(bytes);
}

void throw_missing_blob(const std::string& thread, const content_hash& hash)
{
    throw error{errc::store_corrupt, "thread '" + thread + "'", "its blob " + hash.text() + " is missing"};
}

}  // namespace weft::store_detail
