#pragma once

#include <weft/store/checkpoint_store.hpp>

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
};

struct worker_row {
    std::string name;
    time_point until;
    bool is_given_up = false;
    std::set<run_id> runs;
};

struct run_row {
    run_record record;
    std::string idempotency_key;
    std::uint32_t attempts_max = 0;
    std::optional<std::int64_t> suspected_at;  // the head of its thread when its worker was lost
    std::uint64_t order = 0;  // of its admission
};

struct store_tables {
    std::map<worker_id, worker_row> workers;
    std::map<thread_key, thread_row> threads;
    std::unordered_map<run_id, run_row> runs;
    std::map<std::pair<std::string, std::string>, run_id> idempotency;  // by tenant and key
    std::map<std::uint64_t, run_id> ready;                              // by order; without suspects
    std::map<std::pair<std::uint32_t, std::uint64_t>, run_id> suspects;  // those that are ready, by attempt and order
    std::unordered_map<checkpoint_id, std::pair<thread_key, std::int64_t>> places;
    worker_id last_worker = 0;
    std::uint64_t last_order = 0;
    // One count for all threads: a thread that is made again after a `drop` never meets an epoch of its former life.
    std::int64_t last_epoch = 0;
    std::uint64_t bytes = 0;
};

}  // namespace weft::store_detail
