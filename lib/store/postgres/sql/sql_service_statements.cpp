#include "run_columns.hpp"
#include "sql_statements.hpp"

#define WEFT_PG_DOCUMENT \
    "d.kind, d.tenant, d.id, d.revision, CAST(d.body AS text), d.created, d.changed, d.due, d.no, d.change_no"
// $1 kind, $2 tenant or null, $3 filter.
#define WEFT_PG_WANTED "d.kind = $1 AND ($2 IS NULL OR d.tenant = $2) AND ($3 = '{}' OR d.body @> CAST($3 AS jsonb))"
// $4 the row behind which the page begins, null: the first page; $5 how many rows.
#define WEFT_PG_DOCUMENTS_BY(column, behind, direction)                                                      \
    "SELECT " WEFT_PG_DOCUMENT " FROM document d WHERE " WEFT_PG_WANTED " AND ($4 IS NULL OR " column " " behind \
    " $4) ORDER BY d.kind " direction ", " column " " direction " LIMIT $5"

// $1 tenant, $2 thread, $3 graph, each null if any will do; $4 bits of phases; $5 filter; $6, $7 when it was made,
// $8, $9 when it changed last, in microseconds since 1970.
#define WEFT_PG_WANTED_RUNS(scope)                                                                           \
    " FROM run r JOIN thread t ON t.no = r.thread WHERE " scope "($1 IS NULL OR r.tenant = $1)"              \
    " AND ($2 IS NULL OR t.name = $2) AND ($3 IS NULL OR r.graph = $3)"                                      \
    " AND ($4 = 0 OR (1::int8 << r.phase) & $4 <> 0) AND ($5 = '{}' OR r.metadata @> CAST($5 AS jsonb))"     \
    " AND ($6 IS NULL OR r.created >= timestamptz 'epoch' + $6 * interval '1 microsecond')"                  \
    " AND ($7 IS NULL OR r.created < timestamptz 'epoch' + $7 * interval '1 microsecond')"                   \
    " AND ($8 IS NULL OR r.changed >= timestamptz 'epoch' + $8 * interval '1 microsecond')"                  \
    " AND ($9 IS NULL OR r.changed < timestamptz 'epoch' + $9 * interval '1 microsecond')"
// $10 the run behind which the page begins, null: the first page; $11 how many rows.
#define WEFT_PG_RUN_LIST(scope, behind, direction)                                                           \
    "SELECT " WEFT_PG_RUN_COLUMNS ", r.idempotency_key, r.no" WEFT_PG_WANTED_RUNS(scope)                     \
    " AND ($10 IS NULL OR r.no " behind " $10) ORDER BY r.no " direction " LIMIT $11"
// The runs of one thread are found by an index, where a scan would walk through those of all threads.
#define WEFT_PG_ONE_THREAD "r.thread = (SELECT no FROM thread WHERE tenant = $1 AND name = $2) AND "

// A thread with the phase that `phase_of_thread` gives it.
#define WEFT_PG_THREADS                                                                                      \
    "(SELECT t.no, t.tenant, t.name, t.head, t.active, t.changed, t.created, t.metadata, t.state_values,"    \
    " CASE WHEN a.phase = 3 THEN 2 WHEN a.id IS NOT NULL THEN 1 WHEN (SELECT e.phase FROM run e"             \
    "   WHERE e.thread = t.no AND e.phase > 3 ORDER BY e.no DESC LIMIT 1) IN (5, 7) THEN 3 ELSE 0 END AS phase" \
    " FROM thread t LEFT JOIN run a ON a.id = t.active) x"
#define WEFT_PG_THREAD_COLUMNS                                                                               \
    "SELECT no, tenant, name, head, active, changed, created, CAST(metadata AS text),"                       \
    " CAST(state_values AS text), phase, (extract(epoch FROM changed) * 1000000)::int8 FROM " WEFT_PG_THREADS
// $1 tenant or null, $2 bits of phases, $3, $4 filters, $5, $6 when it changed last, in microseconds since 1970.
#define WEFT_PG_WANTED_THREADS                                                                               \
    " WHERE ($1 IS NULL OR tenant = $1) AND ($2 = 0 OR (1::int8 << phase) & $2 <> 0)"                        \
    " AND ($3 = '{}' OR metadata @> CAST($3 AS jsonb)) AND ($4 = '{}' OR state_values @> CAST($4 AS jsonb))" \
    " AND ($5 IS NULL OR changed >= timestamptz 'epoch' + $5 * interval '1 microsecond')"                    \
    " AND ($6 IS NULL OR changed < timestamptz 'epoch' + $6 * interval '1 microsecond')"

namespace weft::postgres_detail::sql {

// $5 kinds and $6 data, $7 their bytes. The row of the thread is locked.
const sql_statement append_events{
    "append_events", "ttiuTBi",
    "WITH f AS (SELECT no FROM thread WHERE tenant = $1 AND name = $2 AND epoch = $3 AND holder = $4),"
    " l AS (INSERT INTO event_log (run, first, last, bytes) SELECT $4, 1, cardinality($5), $7 FROM f"
    "   ON CONFLICT (run) DO UPDATE SET last = event_log.last + excluded.last, bytes = event_log.bytes + excluded.bytes"
    "   RETURNING last),"
    " e AS (INSERT INTO run_event (run, id, kind, data) SELECT $4, l.last - cardinality($5) + u.no, u.kind, u.data"
    "   FROM l, unnest($5, $6) WITH ORDINALITY AS u (kind, data, no))"
    " SELECT last FROM l"};

// `event_pruning` as one statement: $2, $3 the limits, $4, $5 the floor. Nothing is read of a log within its limits.
const sql_statement prune_events{
    "prune_events", "uiiii",
    "WITH l AS (SELECT run, first, last, bytes FROM event_log"
    "   WHERE run = $1 AND (last - first + 1 > $2 OR bytes > $3)),"
    " c AS (SELECT e.run, e.id, octet_length(e.kind) + length(e.data) AS size,"
    "   l.last - e.id + 1 AS left_count, l.last AS last,"
    "   l.bytes - sum(octet_length(e.kind) + length(e.data)) OVER (ORDER BY e.id)"
    "     + octet_length(e.kind) + length(e.data) AS left_bytes"
    "   FROM l JOIN run_event e ON e.run = l.run),"
    " g AS (DELETE FROM run_event e USING c WHERE e.run = c.run AND e.id = c.id AND c.id < c.last"
    "   AND (c.left_count > $4 OR c.left_bytes > $5) RETURNING c.id, c.size)"
    " UPDATE event_log SET first = x.next, bytes = event_log.bytes - x.bytes"
    " FROM (SELECT max(id) + 1 AS next, sum(size)::int8 AS bytes FROM g) x"
    " WHERE event_log.run = $1 AND x.next IS NOT NULL RETURNING first"};

// One statement, because a log may be pruned between two.
const sql_statement read_events{
    "read_events", "uii",
    "SELECT COALESCE(l.first, 0), COALESCE(l.last, 0), e.id, e.at, e.kind, e.data FROM run r"
    " LEFT JOIN event_log l ON l.run = r.id"
    " LEFT JOIN LATERAL (SELECT id, at, kind, data FROM run_event WHERE run = r.id AND id > $2 ORDER BY id LIMIT $3) e"
    " ON true WHERE r.id = $1 ORDER BY e.id"};

// Row locks do not keep two apart that make the same document. Sorted, so that no two wait for each other.
const sql_statement lock_documents{
    "lock_documents", "TTT",
    "SELECT count(pg_advisory_xact_lock(x.number)) FROM (SELECT DISTINCT hashtextextended("
    "   concat_ws(chr(1), 'weft.document', current_schema(), c.kind, c.tenant, c.id), 0) AS number"
    "   FROM unnest($1, $2, $3) AS c (kind, tenant, id) ORDER BY 1) x"};

// $4 bodies, empty: erase; $5 due in microseconds since 1970, $6 expected revisions; empty: none.
const sql_statement write_documents{
    "write_documents", "TTTTTT",
    "WITH c AS (SELECT * FROM unnest($1, $2, $3, $4, $5, $6) AS u (kind, tenant, id, body, due, expected)),"
    " x AS (SELECT c.id FROM c LEFT JOIN document d ON d.kind = c.kind AND d.tenant = c.tenant AND d.id = c.id"
    "   WHERE NULLIF(c.expected, '')::int8 <> COALESCE(d.revision, 0)),"
    " g AS (DELETE FROM document d USING c WHERE d.kind = c.kind AND d.tenant = c.tenant AND d.id = c.id"
    "   AND c.body = '' AND NOT EXISTS (SELECT FROM x)),"
    " w AS (INSERT INTO document (kind, tenant, id, body, due) SELECT c.kind, c.tenant, c.id, CAST(c.body AS jsonb),"
    "   timestamptz 'epoch' + NULLIF(c.due, '')::int8 * interval '1 microsecond'"
    "   FROM c WHERE c.body <> '' AND NOT EXISTS (SELECT FROM x)"
    "   ON CONFLICT (kind, tenant, id) DO UPDATE SET revision = document.revision + 1, body = excluded.body,"
    "   due = excluded.due, changed = now(), change_no = nextval('document_change_no'))"
    " SELECT NOT EXISTS (SELECT FROM x)"};

// $1 kind, $2 tenant, $3 id.
const sql_statement read_document{
    "read_document", "ttt",
    "SELECT " WEFT_PG_DOCUMENT " FROM document d WHERE d.kind = $1 AND d.tenant = $2 AND d.id = $3"};

// The kind stands in ORDER BY so that the indexes, which begin with it, give the order.
const sql_statement newest_documents{"newest_documents", "tttii", WEFT_PG_DOCUMENTS_BY("d.no", "<", "DESC")};
const sql_statement oldest_documents{"oldest_documents", "tttii", WEFT_PG_DOCUMENTS_BY("d.no", ">", "ASC")};
const sql_statement changed_documents{"changed_documents", "tttii", WEFT_PG_DOCUMENTS_BY("d.change_no", "<", "DESC")};
const sql_statement named_documents{
    "named_documents", "ttttti",
    "SELECT " WEFT_PG_DOCUMENT " FROM document d WHERE " WEFT_PG_WANTED
    " AND ($4 IS NULL OR (d.tenant, d.id) > ($4, $5)) ORDER BY d.kind, d.tenant, d.id LIMIT $6"};

const sql_statement count_documents{"count_documents", "ttt",
                                    "SELECT count(*) FROM document d WHERE " WEFT_PG_WANTED};

// $1 kind, $2 lease in milliseconds, $3 how many. The lease is the next time that the document is due.
const sql_statement take_due_documents{
    "take_due_documents", "tii",
    "WITH t AS (SELECT kind, no, due FROM document WHERE kind = $1 AND due <= now() ORDER BY due, no LIMIT $3"
    "   FOR UPDATE SKIP LOCKED),"
    " d AS (UPDATE document SET due = now() + $2::float8 * interval '1 millisecond', revision = revision + 1"
    "   FROM t WHERE document.kind = t.kind AND document.no = t.no RETURNING document.*, t.due AS waited_from)"
    " SELECT " WEFT_PG_DOCUMENT " FROM d ORDER BY d.waited_from, d.no"};

// $1 kind, $2 how many. SKIP LOCKED leaves those that another process takes.
const sql_statement erase_due_documents{
    "erase_due_documents", "ti",
    "WITH t AS (SELECT kind, no FROM document WHERE kind = $1 AND due <= now() ORDER BY due LIMIT $2"
    "   FOR UPDATE SKIP LOCKED),"
    " g AS (DELETE FROM document d USING t WHERE d.kind = t.kind AND d.no = t.no RETURNING 1)"
    " SELECT count(*) FROM g"};

const sql_statement newest_runs{"newest_runs", "tttitiiiiii", WEFT_PG_RUN_LIST("", "<", "DESC")};
const sql_statement oldest_runs{"oldest_runs", "tttitiiiiii", WEFT_PG_RUN_LIST("", ">", "ASC")};
const sql_statement newest_runs_of_thread{"newest_runs_of_thread", "tttitiiiiii",
                                          WEFT_PG_RUN_LIST(WEFT_PG_ONE_THREAD, "<", "DESC")};
const sql_statement oldest_runs_of_thread{"oldest_runs_of_thread", "tttitiiiiii",
                                          WEFT_PG_RUN_LIST(WEFT_PG_ONE_THREAD, ">", "ASC")};
const sql_statement count_runs{"count_runs", "tttitiiii", "SELECT count(*)" WEFT_PG_WANTED_RUNS("")};
const sql_statement count_runs_of_thread{"count_runs_of_thread", "tttitiiii",
                                         "SELECT count(*)" WEFT_PG_WANTED_RUNS(WEFT_PG_ONE_THREAD)};

// $3 metadata. No row comes back if the thread is there.
const sql_statement create_thread{
    "create_thread", "ttt",
    "INSERT INTO thread (tenant, name, metadata) VALUES ($1, $2, CAST($3 AS jsonb)) ON CONFLICT DO NOTHING"
    " RETURNING no"};

// $2 the source, $3 the copy, $4 the id of the copy's checkpoint. The two are locked after the first statement and
// before the second one; `fork` of the newest checkpoint follows, and refuses the same.
const sql_statement make_copy{
    "make_copy", "tttu",
    "INSERT INTO thread (tenant, name) SELECT $1, $3 FROM thread WHERE tenant = $1 AND name = $2"
    " AND NOT EXISTS (SELECT FROM checkpoint WHERE id = $4) ON CONFLICT DO NOTHING"};

const sql_statement copy_thread{
    "copy_thread", "tttu",
    "UPDATE thread t SET metadata = f.metadata, state_values = f.state_values, changed = now() FROM thread f"
    " WHERE t.tenant = $1 AND t.name = $3 AND t.head = 0 AND f.tenant = $1 AND f.name = $2 AND f.no <> t.no"
    " AND NOT EXISTS (SELECT FROM checkpoint WHERE id = $4) RETURNING t.no"};

const sql_statement find_stored_thread{"find_stored_thread", "tt",
                                       WEFT_PG_THREAD_COLUMNS " WHERE tenant = $1 AND name = $2"};

// $3 members that replace those of the same name, $4 values in place of those before; null: unchanged.
const sql_statement update_thread{
    "update_thread", "tttt",
    "UPDATE thread SET metadata = metadata || COALESCE(CAST($3 AS jsonb), '{}'),"
    " state_values = COALESCE(CAST($4 AS jsonb), state_values) WHERE tenant = $1 AND name = $2 RETURNING no"};

// $7, $8 the thread behind which the page begins, null: the first page; the last one is how many rows.
const sql_statement newest_threads{
    "newest_threads", "tittiiii",
    WEFT_PG_THREAD_COLUMNS WEFT_PG_WANTED_THREADS " AND ($7 IS NULL OR no < $7) ORDER BY no DESC LIMIT $8"};
const sql_statement oldest_threads{
    "oldest_threads", "tittiiii",
    WEFT_PG_THREAD_COLUMNS WEFT_PG_WANTED_THREADS " AND ($7 IS NULL OR no > $7) ORDER BY no LIMIT $8"};
const sql_statement changed_threads{
    "changed_threads", "tittiiiii",
    WEFT_PG_THREAD_COLUMNS WEFT_PG_WANTED_THREADS
    " AND ($7 IS NULL OR (changed, no) < (timestamptz 'epoch' + $7 * interval '1 microsecond', $8))"
    " ORDER BY changed DESC, no DESC LIMIT $9"};
const sql_statement named_threads{
    "named_threads", "tittiitti",
    WEFT_PG_THREAD_COLUMNS WEFT_PG_WANTED_THREADS
    " AND ($7 IS NULL OR (tenant, name) > ($7, $8)) ORDER BY tenant, name LIMIT $9"};
const sql_statement count_threads{"count_threads", "tittii",
                                  "SELECT count(*) FROM " WEFT_PG_THREADS WEFT_PG_WANTED_THREADS};

}  // namespace weft::postgres_detail::sql

#undef WEFT_PG_WANTED_RUNS
#undef WEFT_PG_RUN_LIST
#undef WEFT_PG_ONE_THREAD
#undef WEFT_PG_THREADS
#undef WEFT_PG_THREAD_COLUMNS
#undef WEFT_PG_WANTED_THREADS
#undef WEFT_PG_DOCUMENT
#undef WEFT_PG_WANTED
#undef WEFT_PG_DOCUMENTS_BY
