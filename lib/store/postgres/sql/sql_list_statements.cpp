#include "run_columns.hpp"
#include "sql_statements.hpp"

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

// Threads and runs whose metadata or values contain a filter, by their GIN indexes, which have no empty objects. The
// conditions stand alone: behind an OR no index is used. At most one more than the limit: of so many that a walk in
// the order of the list soon finds a page.
#define WEFT_PG_MATCHES(table, column, filter, limit)                                                        \
    "WITH m AS MATERIALIZED (SELECT no FROM " table " WHERE " column " @> CAST(" filter " AS jsonb)"         \
    " AND " column " <> '{}' AND ($1 IS NULL OR tenant = $1)" limit ")"
// $7 the order as a number of `list_order`; $8 to $11 the place behind which the page begins, unless $12: it is the
// first one; $13 how many rows, $14 how many matches. A row with nulls comes if there is no other; the last column is
// how many match.
#define WEFT_PG_MATCHING_THREADS(column, filter)                                                             \
    WEFT_PG_MATCHES("thread", column, filter, " LIMIT $14 + 1")                                              \
    " SELECT y.*, c.count FROM (SELECT count(*) AS count FROM m) c LEFT JOIN LATERAL ("                      \
    WEFT_PG_THREAD_COLUMNS " JOIN m USING (no)" WEFT_PG_WANTED_THREADS " AND c.count <= $14"                 \
    " AND ($12 OR CASE $7 WHEN 0 THEN no < $8 WHEN 1 THEN no > $8"                                           \
    "   WHEN 2 THEN (changed, no) < (timestamptz 'epoch' + $8 * interval '1 microsecond', $9)"               \
    "   ELSE (tenant, name) > ($10, $11) END)"                                                               \
    " ORDER BY CASE $7 WHEN 0 THEN -no WHEN 1 THEN no WHEN 2 THEN -(extract(epoch FROM changed) * 1000000)::int8 END,"\
    "   CASE $7 WHEN 2 THEN -no END, CASE $7 WHEN 3 THEN tenant END, CASE $7 WHEN 3 THEN name END LIMIT $13) y ON true"
#define WEFT_PG_COUNT_MATCHING(column, filter)                                                               \
    WEFT_PG_MATCHES("thread", column, filter, "") " SELECT count(*) FROM " WEFT_PG_THREADS " JOIN m USING (no)"\
    WEFT_PG_WANTED_THREADS

namespace weft::postgres_detail::sql {

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

// An index of the kind GIN is read by bitmap scans only, and gives no order.
const sql_statement allow_bitmaps{
    "allow_bitmaps", "", "SELECT set_config('enable_bitmapscan', 'on', true), set_config('enable_sort', 'on', true)"};

const sql_statement threads_by_metadata{"threads_by_metadata", "tittiiiiittoii",
                                        WEFT_PG_MATCHING_THREADS("metadata", "$3")};
const sql_statement threads_by_values{"threads_by_values", "tittiiiiittoii",
                                      WEFT_PG_MATCHING_THREADS("state_values", "$4")};
const sql_statement count_threads_by_metadata{"count_threads_by_metadata", "tittii",
                                              WEFT_PG_COUNT_MATCHING("metadata", "$3")};
const sql_statement count_threads_by_values{"count_threads_by_values", "tittii",
                                            WEFT_PG_COUNT_MATCHING("state_values", "$4")};

// $10 whether the newest come first, $11 the run behind which the page begins, null: the first page; $12 how many
// rows, $13 how many matches. The last column is how many match.
const sql_statement runs_by_metadata{
    "runs_by_metadata", "tttitiiiioiii",
    WEFT_PG_MATCHES("run", "metadata", "$5", " LIMIT $13 + 1")
    " SELECT y.*, c.count FROM (SELECT count(*) AS count FROM m) c LEFT JOIN LATERAL (SELECT " WEFT_PG_RUN_COLUMNS
    ", r.idempotency_key, r.no" WEFT_PG_WANTED_RUNS("r.no IN (SELECT no FROM m) AND ") " AND c.count <= $13"
    " AND ($11 IS NULL OR CASE WHEN $10 THEN r.no < $11 ELSE r.no > $11 END)"
    " ORDER BY CASE WHEN $10 THEN -r.no ELSE r.no END LIMIT $12) y ON true"};
const sql_statement count_runs_by_metadata{
    "count_runs_by_metadata", "tttitiiii",
    WEFT_PG_MATCHES("run", "metadata", "$5", "")
    " SELECT count(*)" WEFT_PG_WANTED_RUNS("r.no IN (SELECT no FROM m) AND ")};

}  // namespace weft::postgres_detail::sql

#undef WEFT_PG_WANTED_RUNS
#undef WEFT_PG_RUN_LIST
#undef WEFT_PG_ONE_THREAD
#undef WEFT_PG_THREADS
#undef WEFT_PG_THREAD_COLUMNS
#undef WEFT_PG_WANTED_THREADS
#undef WEFT_PG_MATCHES
#undef WEFT_PG_MATCHING_THREADS
#undef WEFT_PG_COUNT_MATCHING
