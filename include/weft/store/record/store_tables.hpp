#pragma once

#include <weft/store/record/checkpoint.hpp>
#include <weft/store/record/history_page.hpp>
#include <weft/store/record/journal.hpp>
#include <weft/store/record/retention.hpp>
#include <weft/store/record/run_record.hpp>
#include <weft/store/record/stored_document.hpp>
#include <weft/store/record/stored_event.hpp>
#include <weft/store/record/thread_summary.hpp>
#include <weft/store/record/worker_entry.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

/** What a `store_model` remembers, as plain tables. */
namespace weft::store_detail {

struct blob_row {
    std::string bytes;
    std::vector<content_hash> links;
};

struct question_row {
    question_record record;
    std::int64_t head = 0;  // the newest checkpoint when it was asked
};

struct thread_row {
    std::int64_t head = 0;
    std::map<std::int64_t, checkpoint> checkpoints;
    std::set<std::int64_t> forked_from;
    std::unordered_map<content_hash, blob_row> blobs;
    std::map<std::string, effect_record> effects;
    std::vector<question_row> questions;  // oldest first
    std::optional<run_id> active;
    std::deque<run_id> queued;
    std::deque<run_id> ended;             // oldest first
    wall_time changed;
    std::uint64_t bytes = 0;
    std::uint64_t no = 0;  // of its making
    wall_time created;
    std::string metadata = "{}";
    std::string values = "{}";
};

struct worker_row {
    std::string name;
    time_point until;
    wall_time since;
    wall_time seen;
    std::vector<graph_ability> graphs;
    bool is_given_up = false;
    std::set<run_id> runs;
};

struct event_rows {
    std::deque<stored_event> events;  // oldest first
    std::uint64_t last = 0;
    std::size_t bytes = 0;
};

struct run_row {
    run_record record;
    std::string idempotency_key;
    std::uint32_t attempts_max = 0;
    std::optional<std::int64_t> suspected_at;  // the head of its thread when its worker was lost
    std::uint64_t order = 0;  // of its admission
    std::optional<wall_time> wakes_at;         // while it waits, or for its next attempt: when it is ready by itself
    std::int64_t place = 0;                    // in the queue: microseconds since 1970, less its head start
    std::vector<std::string> buckets;          // of limits, in which it counts while a worker has it
    event_rows log;
};

/** What a limit counts. */
struct bucket_row {
    std::int64_t active = 0;
    wall_time next_even{};             // as `bucket_state`
    std::optional<wall_time> opens{};  // a run waits for its rate until then
};

struct document_row {
    stored_document document;
    std::uint64_t no = 0;         // of its making, among all documents
    std::uint64_t change_no = 0;  // of its last change, among all changes
};

struct store_tables {
    std::map<worker_id, worker_row> workers;
    std::map<thread_key, thread_row> threads;
    std::unordered_map<run_id, run_row> runs;
    std::map<std::pair<std::string, std::string>, run_id> idempotency;  // by tenant and key
    /** Runs that are ready, without suspects: by tenant, then by place and order. */
    std::map<std::string, std::map<std::pair<std::int64_t, std::uint64_t>, run_id>> ready;
    std::map<std::string, bucket_row> buckets;
    std::string turn_tenant;      // whose turn it is in the queue
    std::uint32_t turn_left = 0;  // and how many of its runs may follow
    std::map<std::pair<wall_time, std::uint64_t>, run_id> later;     // those that wait for their moment, and order
    std::map<std::pair<std::uint32_t, std::uint64_t>, run_id> suspects;  // those that are ready, by attempt and order
    std::unordered_map<checkpoint_id, std::pair<thread_key, std::int64_t>> places;
    std::map<document_key, document_row> documents;
    std::uint64_t last_change = 0;  // of a document
    worker_id last_worker = 0;
    std::uint64_t last_order = 0;
    // One count for all threads: a thread that is made again after a `drop` never meets an epoch of its former life.
    std::int64_t last_epoch = 0;
    std::uint64_t bytes = 0;
    std::uint64_t last_thread = 0;

    /** The row of a thread that is there afterwards. */
    thread_row& thread_made(const thread_key& thread, wall_time now)
    {
        const auto [found, is_new] = threads.try_emplace(thread);
        if (is_new) {
            found->second.no = ++last_thread;
            found->second.created = now;
        }
        return found->second;
    }
};

}  // namespace weft::store_detail
