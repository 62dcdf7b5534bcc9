#include "sql_statements.hpp"

#define WEFT_PG_THREAD_NO "(SELECT no FROM thread WHERE tenant = $1 AND name = $2)"
// $3 epoch, $4 run. The row of the thread is written, so that a claim by another worker waits for this or goes first.
#define WEFT_PG_FENCE                                                                                            \
    "WITH f AS (UPDATE thread SET changed = now() WHERE tenant = $1 AND name = $2 AND epoch = $3 AND holder = $4" \
    "   RETURNING no, epoch, head)"
#define WEFT_PG_ITEM_COLUMNS "space, name, value, created, changed, expires"

namespace weft::postgres_detail::sql {

// $5 address, $6 phase, $7 key, $8 body. An outcome replaces the intent, and nothing replaces an outcome. Two counts:
// fences that held, rows that were written.
const sql_statement record_effect{
    "record_effect", "ttiutitb",
    WEFT_PG_FENCE ", e AS (INSERT INTO effect (thread, address, phase, epoch, key, body)"
    "   SELECT f.no, $5, $6, f.epoch, $7, $8 FROM f ON CONFLICT (thread, address) DO UPDATE"
    "   SET phase = excluded.phase, epoch = excluded.epoch, key = excluded.key, body = excluded.body"
    "   WHERE effect.phase = 0 AND excluded.phase <> 0 RETURNING 1)"
    " SELECT (SELECT count(*) FROM f), (SELECT count(*) FROM e)"};

const sql_statement effects{"effects", "tt",
                            "SELECT address, phase, key, body, epoch FROM effect WHERE thread = " WEFT_PG_THREAD_NO
                            " ORDER BY address"};

// $5 address, $6 question. Two counts, as `record_effect`.
const sql_statement ask{"ask", "ttiutb",
                        WEFT_PG_FENCE ", e AS (INSERT INTO question (thread, address, head, question)"
                        "   SELECT f.no, $5, f.head, $6 FROM f ON CONFLICT (thread, address) DO NOTHING RETURNING 1)"
                        " SELECT (SELECT count(*) FROM f), (SELECT count(*) FROM e)"};

// $3 address, $4 answer. An answer is written once; a second one changes no row.
const sql_statement answer{"answer", "tttb",
                           "UPDATE question SET phase = 1, answer = $4, answered = now()"
                           " WHERE thread = " WEFT_PG_THREAD_NO " AND address = $3 AND phase = 0 RETURNING no"};

// Behind `answer`, in the same transaction: tells an unknown question from one that was answered before.
const sql_statement find_question{
    "find_question", "ttt",
    "SELECT phase FROM question WHERE thread = " WEFT_PG_THREAD_NO " AND address = $3"};

const sql_statement questions{"questions", "tt",
                              "SELECT address, phase, question, answer, asked, answered FROM question"
                              " WHERE thread = " WEFT_PG_THREAD_NO " ORDER BY no"};

// $2 space, $3 name, $4 value, $5 lifetime in milliseconds, null: for ever. An item whose end has come is a new one.
const sql_statement put_item{
    "put_item", "tTtbi",
    "INSERT INTO item (tenant, space, name, value, created, changed, expires)"
    " VALUES ($1, $2, $3, $4, now(), now(), now() + $5::float8 * interval '1 millisecond')"
    " ON CONFLICT (tenant, space, name) DO UPDATE SET value = excluded.value, changed = excluded.changed,"
    " expires = excluded.expires, created = CASE WHEN item.expires <= now() THEN now() ELSE item.created END"};

const sql_statement get_item{"get_item", "tTt",
                             "SELECT " WEFT_PG_ITEM_COLUMNS " FROM item WHERE tenant = $1 AND space = $2 AND name = $3"
                             " AND (expires IS NULL OR expires > now())"};

// One whose end has come is removed too, but it was not there any more.
const sql_statement erase_item{"erase_item", "tTt",
                               "DELETE FROM item WHERE tenant = $1 AND space = $2 AND name = $3"
                               " RETURNING expires IS NULL OR expires > now()"};

// Between ($2, $3) and the space $4, which is null if there is no end; without the item ($5, $6).
const sql_statement list_items{
    "list_items", "tTtTTti",
    "SELECT " WEFT_PG_ITEM_COLUMNS " FROM item WHERE tenant = $1 AND (space, name) >= ($2, $3)"
    " AND ($4 IS NULL OR space < $4) AND (space, name) IS DISTINCT FROM ($5, $6)"
    " AND (expires IS NULL OR expires > now()) ORDER BY space, name LIMIT $7"};

// Behind `put_item`, in the same transaction: a trigger has removed the vector of the value before.
const sql_statement put_vector{
    "put_vector", "tTttb",
    "INSERT INTO item_vector (tenant, space, name, model, vector) VALUES ($1, $2, $3, $4, $5)"
    " ON CONFLICT (tenant, space, name) DO UPDATE SET model = excluded.model, vector = excluded.vector"};

// As `list_items`, the vectors of the model $7; an item whose end has come is null. The limit stands inside, and OFFSET
// keeps the items a look-up for each vector: a planner that joins and sorts the whole table does so for every slice.
const sql_statement list_vectors{
    "list_vectors", "tTtTTtti",
    "SELECT v.space, v.name, i.value, i.created, i.changed, i.expires, v.vector"
    " FROM (SELECT space, name, vector FROM item_vector WHERE tenant = $1 AND (space, name) >= ($2, $3)"
    "   AND ($4 IS NULL OR space < $4) AND (space, name) IS DISTINCT FROM ($5, $6) AND model = $7"
    "   ORDER BY space, name LIMIT $8) v"
    " LEFT JOIN LATERAL (SELECT value, created, changed, expires FROM item WHERE tenant = $1 AND space = v.space"
    "   AND name = v.name AND (expires IS NULL OR expires > now()) OFFSET 0) i ON true"
    " ORDER BY v.space, v.name"};

// Whether the column is there that pgvector searches. With the extension it goes too.
const sql_statement find_embeddings{
    "find_embeddings", "",
    "SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = 'item_vector'::regclass AND attname = 'embedding'"
    " AND NOT attisdropped)"};

// SKIP LOCKED: several processes sweep at once, and each removes others.
const sql_statement sweep_items{
    "sweep_items", "i",
    "WITH gone AS (DELETE FROM item WHERE (tenant, space, name) IN (SELECT tenant, space, name FROM item"
    "   WHERE expires <= now() ORDER BY expires LIMIT $1 FOR UPDATE SKIP LOCKED) RETURNING 1)"
    " SELECT count(*) FROM gone"};

}  // namespace weft::postgres_detail::sql

#undef WEFT_PG_THREAD_NO
#undef WEFT_PG_FENCE
#undef WEFT_PG_ITEM_COLUMNS

namespace weft::postgres_detail {

std::span<const sql_statement* const> all_statements() noexcept
{
    using namespace sql;
    static const sql_statement* const all[] = {
        &set_tenant, &lock_thread, &lock_threads, &lock_thread_of_run, &enter, &heartbeat, &give_up_worker,
        &give_up_expired,
        &fence_given_up, &leave_runs, &reap_runs, &remove_given_up, &next_due, &notify, &notify_of_events,
        &notify_of_entry, &wait_for_no_disk, &reach_disk, &make_thread,
        &enqueue, &claim, &ready_if_limited, &resume, &finish, &yield_run, &signal,
        &bind_run, &change_input, &change_graphs,
        &queue_depths, &unclaimable_runs, &dead_by_graph, &list_workers,
        &cancel_queued, &remove_run, &forget_idle_buckets, &find_run, &active_run, &commit, &commit_many,
        &commit_many_whole, &commit_settling, &commit_events, &commit_events_settling,
        &explain_refusal, &load, &find_checkpoint, &read_blobs, &walk_blobs, &walk_range, &history,
        &make_fork, &fork, &label, &prune_checkpoints, &prune_blobs, &prune_runs, &drop_thread, &usage, &threads,
        &record_effect, &effects, &ask,
        &answer, &find_question, &ready_if_answered, &questions, &put_item, &get_item, &erase_item, &list_items,
        &sweep_items, &put_vector, &list_vectors, &find_embeddings, &append_events, &prune_events,
        &prune_events_of_many,
        &prune_ended_events, &read_events,
        &lock_documents, &write_documents, &read_document, &newest_documents, &oldest_documents, &changed_documents,
        &named_documents, &count_documents,
        &take_due_documents, &erase_due_documents, &claim_rate, &newest_runs, &oldest_runs, &newest_runs_of_thread,
        &oldest_runs_of_thread, &count_runs, &count_runs_of_thread, &create_thread, &find_stored_thread, &make_copy,
        &copy_thread, &update_thread, &newest_threads, &oldest_threads, &changed_threads, &named_threads,
        &count_threads, &allow_bitmaps, &threads_by_metadata, &threads_by_values, &count_threads_by_metadata,
        &count_threads_by_values, &runs_by_metadata, &count_runs_by_metadata,
    };
    return all;
}

}  // namespace weft::postgres_detail
