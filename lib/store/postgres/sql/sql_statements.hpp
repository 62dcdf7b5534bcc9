#pragma once

#include "sql_statement.hpp"

#include <span>

/** All statements of the store. Each state change takes the lock of the thread's row first and hangs everything else on
 *  it; order of locks: worker, thread, run, then the rest of the thread.
 *
 *  What a statement sees beside the row that it locks is as old as its own beginning, perhaps older than the lock. So
 *  where it decides by other rows, `sql::lock_…` goes before it, as a statement of its own in the same transaction.
 */
namespace weft::postgres_detail::sql {

extern const sql_statement set_tenant;

extern const sql_statement lock_thread;
extern const sql_statement lock_threads;
extern const sql_statement lock_thread_of_run;

// Workers.
extern const sql_statement enter;
extern const sql_statement heartbeat;
extern const sql_statement give_up_worker;
extern const sql_statement give_up_expired;
extern const sql_statement fence_given_up;
extern const sql_statement leave_runs;
extern const sql_statement reap_runs;
extern const sql_statement remove_given_up;
extern const sql_statement next_due;
extern const sql_statement notify;
extern const sql_statement notify_of_events;
extern const sql_statement notify_of_entry;
extern const sql_statement wait_for_no_disk;
extern const sql_statement reach_disk;

// Runs.
extern const sql_statement make_thread;
extern const sql_statement enqueue;
extern const sql_statement claim;
extern const sql_statement ready_if_limited;

extern const sql_statement queue_depths;
extern const sql_statement unclaimable_runs;
extern const sql_statement dead_by_graph;
extern const sql_statement list_workers;
extern const sql_statement resume;
extern const sql_statement finish;
extern const sql_statement cancel_queued;
extern const sql_statement remove_run;
extern const sql_statement forget_idle_buckets;
extern const sql_statement yield_run;
extern const sql_statement bind_run;
extern const sql_statement change_input;
extern const sql_statement change_graphs;
extern const sql_statement signal;
extern const sql_statement find_run;
extern const sql_statement active_run;

// Checkpoints.
extern const sql_statement commit;
extern const sql_statement commit_many;
extern const sql_statement commit_many_whole;
extern const sql_statement commit_settling;
extern const sql_statement commit_events;
extern const sql_statement commit_events_settling;
extern const sql_statement explain_refusal;
extern const sql_statement load;
extern const sql_statement find_checkpoint;
extern const sql_statement read_blobs;
extern const sql_statement walk_blobs;
extern const sql_statement walk_range;
extern const sql_statement history;
extern const sql_statement make_fork;
extern const sql_statement fork;
extern const sql_statement label;

// The journal.
extern const sql_statement record_effect;
extern const sql_statement effects;
extern const sql_statement ask;
extern const sql_statement answer;
extern const sql_statement find_question;
extern const sql_statement ready_if_answered;
extern const sql_statement questions;

// Housekeeping.
extern const sql_statement prune_checkpoints;
extern const sql_statement prune_blobs;
extern const sql_statement prune_runs;
extern const sql_statement drop_thread;
extern const sql_statement usage;
extern const sql_statement threads;

// Items.
extern const sql_statement put_item;
extern const sql_statement get_item;
extern const sql_statement erase_item;
extern const sql_statement list_items;
extern const sql_statement sweep_items;
extern const sql_statement put_vector;
extern const sql_statement list_vectors;
extern const sql_statement find_embeddings;

// Events of runs.
extern const sql_statement append_events;
extern const sql_statement prune_events;
extern const sql_statement prune_events_of_many;
extern const sql_statement prune_ended_events;
extern const sql_statement read_events;

// Documents.
extern const sql_statement lock_documents;
extern const sql_statement write_documents;
extern const sql_statement read_document;
extern const sql_statement newest_documents;
extern const sql_statement oldest_documents;
extern const sql_statement changed_documents;
extern const sql_statement named_documents;
extern const sql_statement count_documents;
extern const sql_statement take_due_documents;
extern const sql_statement erase_due_documents;
extern const sql_statement claim_rate;

// Lists of runs and threads.
extern const sql_statement newest_runs;
extern const sql_statement oldest_runs;
extern const sql_statement newest_runs_of_thread;
extern const sql_statement oldest_runs_of_thread;
extern const sql_statement count_runs;
extern const sql_statement count_runs_of_thread;
extern const sql_statement create_thread;
extern const sql_statement find_stored_thread;
extern const sql_statement make_copy;
extern const sql_statement copy_thread;
extern const sql_statement update_thread;
extern const sql_statement newest_threads;
extern const sql_statement oldest_threads;
extern const sql_statement changed_threads;
extern const sql_statement named_threads;
extern const sql_statement count_threads;
extern const sql_statement allow_bitmaps;
extern const sql_statement threads_by_metadata;
extern const sql_statement threads_by_values;
extern const sql_statement count_threads_by_metadata;
extern const sql_statement count_threads_by_values;
extern const sql_statement runs_by_metadata;
extern const sql_statement count_runs_by_metadata;

}  // namespace weft::postgres_detail::sql

namespace weft::postgres_detail {

/** All of the above, to be prepared. */
[[nodiscard]] std::span<const sql_statement* const> all_statements() noexcept;

}  // namespace weft::postgres_detail
