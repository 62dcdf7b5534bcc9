#include "sql_statements.hpp"

#define WEFT_PG_DOCUMENT \
    "d.kind, d.tenant, d.id, d.revision, CAST(d.body AS text), d.created, d.changed, d.due, d.no, d.change_no"
// $1 kind, $2 tenant or null, $3 filter.
#define WEFT_PG_WANTED "d.kind = $1 AND ($2 IS NULL OR d.tenant = $2) AND ($3 = '{}' OR d.body @> CAST($3 AS jsonb))"
// $4 the row behind which the page begins, null: the first page; $5 how many rows.
#define WEFT_PG_DOCUMENTS_BY(column, behind, direction)                                                      \
    "SELECT " WEFT_PG_DOCUMENT " FROM document d WHERE " WEFT_PG_WANTED " AND ($4 IS NULL OR " column " " behind \
    " $4) ORDER BY d.kind " direction ", " column " " direction " LIMIT $5"
// What a rate is behind a claim, in microseconds since 1970; `rate` is what it was. $2 holder, $3 and $4 costs, $5 and
// $6 what is given back, $7 a pause, $8 how long a holder counts.
#define WEFT_PG_RATE(rate)                                                                                         \
    "(SELECT jsonb_build_object('at', t.now, 'paused', t.paused,"                                                  \
    "   'calls', GREATEST(COALESCE((" rate "->>'calls')::int8, 0) - $5, t.now, t.paused) + $3,"                    \
    "   'tokens', GREATEST(COALESCE((" rate "->>'tokens')::int8, 0) - $6, t.now, t.paused) + $4,"                  \
    "   'holders', (SELECT jsonb_object_agg(h.key, h.value)"                                                       \
    "     FROM jsonb_each(COALESCE(" rate "->'holders', '{}') || jsonb_build_object($2::text, t.now)) h"           \
    "     WHERE CAST(h.value AS int8) > t.now - $8))"                                                              \
    " FROM (SELECT c.now, GREATEST(COALESCE((" rate "->>'paused')::int8, 0), c.now + $7) AS paused"                \
    "   FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8 AS now OFFSET 0) c OFFSET 0) t)"

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

// The same for many runs: arrays of their ids, limits and floors. Events are looked up log by log, and only of logs
// that exceed their limits: else a planner without statistics reads the events of all runs to find those of none.
const sql_statement prune_events_of_many{
    "prune_events_of_many", "UIIII",
    "WITH l AS (SELECT l.run, l.last, l.bytes, a.events_left, a.bytes_left"
    "   FROM unnest($1, $2, $3, $4, $5) AS a (run, events_max, bytes_max, events_left, bytes_left)"
    "   JOIN event_log l ON l.run = a.run WHERE l.last - l.first + 1 > a.events_max OR l.bytes > a.bytes_max),"
    " c AS (SELECT e.run, e.id, e.size, l.last - e.id + 1 AS left_count, l.last AS last, l.events_left, l.bytes_left"
    "     AS bytes_floor, l.bytes - sum(e.size) OVER (PARTITION BY e.run ORDER BY e.id) + e.size AS left_bytes"
    "   FROM l, LATERAL (SELECT run, id, octet_length(kind) + length(data) AS size FROM run_event"
    "     WHERE run = l.run OFFSET 0) e),"
    " g AS (DELETE FROM run_event e USING c WHERE e.run = c.run AND e.id = c.id AND c.id < c.last"
    "   AND (c.left_count > c.events_left OR c.left_bytes > c.bytes_floor) RETURNING c.run, c.id, c.size)"
    " UPDATE event_log SET first = x.next, bytes = event_log.bytes - x.bytes"
    " FROM (SELECT run, max(id) + 1 AS next, sum(size)::int8 AS bytes FROM g GROUP BY run) x"
    " WHERE event_log.run = x.run"};

// $1 milliseconds since the end, $2 events. `before` are the events of the runs in front.
const sql_statement prune_ended_events{
    "prune_ended_events", "ii",
    "WITH c AS (SELECT id, ended FROM run WHERE log_is_whole AND phase IN (4, 5, 6)"
    "   AND ended <= now() - $1::float8 * interval '1 millisecond' ORDER BY ended LIMIT 500 FOR UPDATE SKIP LOCKED),"
    " n AS (SELECT c.id, c.ended, l.last, coalesce(l.last - l.first, 0) AS surplus"
    "   FROM c LEFT JOIN event_log l ON l.run = c.id),"
    " g AS (SELECT id, last, surplus FROM (SELECT n.*, sum(surplus) OVER (ORDER BY ended, id) - surplus AS before"
    "   FROM n) s WHERE before < $2),"
    " e AS (DELETE FROM run_event e USING g WHERE g.surplus > 0 AND e.run = g.id AND e.id < g.last),"
    " l AS (UPDATE event_log l SET first = l.last, bytes = (SELECT octet_length(e.kind) + length(e.data)"
    "   FROM run_event e WHERE e.run = l.run AND e.id = l.last) FROM g WHERE g.surplus > 0 AND l.run = g.id),"
    " r AS (UPDATE run SET log_is_whole = false FROM g WHERE run.id = g.id)"
    " SELECT count(*) FILTER (WHERE surplus > 0), coalesce(sum(surplus), 0)::int8, count(*) > 0 FROM g"};

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

// As `local_rates::claim`. The clock is read when the row is locked: the claims of a rate stand one behind the other.
const sql_statement claim_rate{
    "claim_rate", "ttiiiiii",
    "INSERT INTO document AS d (kind, tenant, id, body) VALUES ('model_rate', '', $1, " WEFT_PG_RATE("'{}'::jsonb") ")"
    " ON CONFLICT (kind, tenant, id) DO UPDATE SET body = " WEFT_PG_RATE("d.body")
    " RETURNING (body->>'calls')::int8 - (body->>'at')::int8, (body->>'tokens')::int8 - (body->>'at')::int8,"
    " (body->>'paused')::int8 - (body->>'at')::int8, (SELECT count(*) FROM jsonb_object_keys(body->'holders'))"};

}  // namespace weft::postgres_detail::sql

#undef WEFT_PG_RATE
#undef WEFT_PG_DOCUMENT
#undef WEFT_PG_WANTED
#undef WEFT_PG_DOCUMENTS_BY
