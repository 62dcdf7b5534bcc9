#include "run_columns.hpp"
#include "sql_statements.hpp"

// $1 tenant and $2 thread are the first parameters of all statements here that name a thread.
#define WEFT_PG_THREAD_NO "(SELECT no FROM thread WHERE tenant = $1 AND name = $2)"
/** The fence: this row, or nothing at all. */
#define WEFT_PG_FENCED_COMMIT                                                                                        \
    "WITH f AS (UPDATE thread SET head = head + 1, changed = now() WHERE tenant = $1 AND name = $2 AND epoch = $3"   \
    "   AND head = $4 AND holder = $5 RETURNING no, head),"                                                          \
    " c AS (INSERT INTO checkpoint (thread, seq, id, parent, run, epoch, kind, step, at, bytes, node, graph,"        \
    "   graph_hash, label, links, body)"                                                                             \
    "   SELECT f.no, f.head, $6, $4, $5, $3, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16 FROM f),"                 \
    " b AS (INSERT INTO blob (thread, hash, bytes, links) SELECT f.no, u.hash, u.bytes, u.links"                     \
    "   FROM f, unnest($17, $18, $19) AS u (hash, bytes, links) ON CONFLICT DO NOTHING)"
/** What a checkpoint settles: the parameter has addresses. */
#define WEFT_PG_SETTLED(addresses)                                                                             \
    ", e AS (DELETE FROM effect USING f, unnest(" addresses ") AS s (top) WHERE effect.thread = f.no"       \
    "   AND (effect.address = s.top OR starts_with(effect.address, s.top || '/'))),"                           \
    " q AS (DELETE FROM question USING f, unnest(" addresses ") AS s (top) WHERE question.thread = f.no"       \
    "   AND (question.address = s.top OR starts_with(question.address, s.top || '/')))"
/** What led to it: $20 kinds and $21 data of events, $22 their bytes. */
#define WEFT_PG_EVENTS                                                                                         \
    ", l AS (INSERT INTO event_log (run, first, last, bytes) SELECT $5, 1, cardinality($20), $22 FROM f"       \
    "   ON CONFLICT (run) DO UPDATE SET last = event_log.last + excluded.last,"                                \
    "   bytes = event_log.bytes + excluded.bytes RETURNING last),"                                             \
    " v AS (INSERT INTO run_event (run, id, kind, data) SELECT $5, l.last - cardinality($20) + u.no, u.kind,"  \
    "   u.data FROM l, unnest($20, $21) WITH ORDINALITY AS u (kind, data, no))"
/** Several of them: rows of arrays. */
#define WEFT_PG_FENCED_COMMITS                                                                                      \
    "WITH f AS (UPDATE thread t SET head = t.head + 1, changed = now()"                                             \
    "   FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) WITH ORDINALITY"         \
    "   AS c (tenant, name, epoch, head, run, id, kind, step, at, bytes, node, graph, graph_hash, label, links, body," \
    "   place) WHERE t.tenant = c.tenant AND t.name = c.name AND t.epoch = c.epoch AND t.head = c.head"             \
    "   AND t.holder = c.run RETURNING t.no, t.head AS new_head, c.*),"                                             \
    " c AS (INSERT INTO checkpoint (thread, seq, id, parent, run, epoch, kind, step, at, bytes, node, graph,"       \
    "   graph_hash, label, links, body)"                                                                            \
    "   SELECT no, new_head, id, head, run, epoch, kind, step, at, bytes, node, graph, graph_hash, label, links, body" \
    "   FROM f),"                                                                                                   \
    " b AS (INSERT INTO blob (thread, hash, bytes, links) SELECT f.no, u.hash, u.bytes, u.links"                    \
    "   FROM unnest($17, $18, $19, $20) AS u (place, hash, bytes, links) JOIN f ON f.place = u.place"               \
    "   ON CONFLICT DO NOTHING)"
// Links are hashes of 16 bytes, one behind the other; the two macros make a row of each.
#define WEFT_PG_LINKS_OF(row) \
    "substr(" row ".links, g * 16 + 1, 16) FROM "
#define WEFT_PG_EACH_LINK_OF(row) "generate_series(0, length(" row ".links) / 16 - 1) g"

namespace weft::postgres_detail::sql {

// $3 epoch, $4 head, $5 run, $6 checkpoint, $7 kind, $8 step, $9 time, $10 bytes, $11 to $14 node, graph, its hash
// and label, $15 links, $16 body; $17 to $19 hashes, bytes and links of the blobs. No row comes back if the fence is
// refused.
const sql_statement commit{"commit", "ttiiuuiiiittttbbBBB", WEFT_PG_FENCED_COMMIT " SELECT head FROM f"};

// Several of `commit` at once: $1 to $16 are arrays of their parameters, $17 to $20 say of each blob to which of them
// it belongs, from 1, and what it is. A row comes back for each that is not refused: which it is, and its head. Threads
// are locked in the order of the arrays.
const sql_statement commit_many{
    "commit_many", "TTIIUUIIIITTTTBBIBBB",
    WEFT_PG_FENCED_COMMITS " SELECT place, new_head FROM f"};

// As `commit_many`, with what some of them settle and what led to them: $21 and $22 to which of them an address
// belongs, and the address; $23 and $24 how many events each of them has, and their bytes; $25 to $28 to which an
// event belongs, how many of the same are behind it, its kind, its data. A run holds one thread: no log comes twice.
const sql_statement commit_many_whole{
    "commit_many_whole", "TTIIUUIIIITTTTBBIBBBITIIIITB",
    WEFT_PG_FENCED_COMMITS
    ", s AS (SELECT f.no, u.top FROM unnest($21, $22) AS u (place, top) JOIN f ON f.place = u.place),"
    " e AS (DELETE FROM effect USING s WHERE effect.thread = s.no"
    "   AND (effect.address = s.top OR starts_with(effect.address, s.top || '/'))),"
    " q AS (DELETE FROM question USING s WHERE question.thread = s.no"
    "   AND (question.address = s.top OR starts_with(question.address, s.top || '/'))),"
    " l AS (INSERT INTO event_log (run, first, last, bytes) SELECT f.run, 1, u.count, u.bytes"
    "   FROM unnest($23, $24) WITH ORDINALITY AS u (count, bytes, place) JOIN f ON f.place = u.place"
    "   WHERE u.count > 0 ON CONFLICT (run) DO UPDATE SET last = event_log.last + excluded.last,"
    "   bytes = event_log.bytes + excluded.bytes RETURNING run, last),"
    " v AS (INSERT INTO run_event (run, id, kind, data) SELECT l.run, l.last - u.behind, u.kind, u.data"
    "   FROM unnest($25, $26, $27, $28) AS u (place, behind, kind, data) JOIN f ON f.place = u.place"
    "   JOIN l ON l.run = f.run)"
    " SELECT place, new_head FROM f"};

// As `commit`; $20 the addresses whose effects and questions the checkpoint settles.
const sql_statement commit_settling{
    "commit_settling", "ttiiuuiiiittttbbBBBT",
    WEFT_PG_FENCED_COMMIT WEFT_PG_SETTLED("$20") " SELECT head FROM f"};

const sql_statement commit_events{"commit_events", "ttiiuuiiiittttbbBBBTBi",
                                  WEFT_PG_FENCED_COMMIT WEFT_PG_EVENTS " SELECT head FROM f"};

// $23 the addresses that are settled.
const sql_statement commit_events_settling{
    "commit_events_settling", "ttiiuuiiiittttbbBBBTBiT",
    WEFT_PG_FENCED_COMMIT WEFT_PG_EVENTS WEFT_PG_SETTLED("$23") " SELECT head FROM f"};

// $3 epoch, $4 run: whether the fence holds, so that only the head can be what was refused; and the head.
const sql_statement explain_refusal{"explain_refusal", "ttiu",
                                    "SELECT epoch = $3 AND holder IS NOT DISTINCT FROM $4, head FROM thread"
                                    " WHERE tenant = $1 AND name = $2"};

// $3 the sequence; below zero: the newest.
const sql_statement load{"load", "tti",
                         "SELECT " WEFT_PG_INFO_COLUMNS ", c.body, c.links FROM checkpoint c"
                         " WHERE c.thread = " WEFT_PG_THREAD_NO
                         " AND c.seq = CASE WHEN $3 >= 0 THEN $3"
                         "   ELSE (SELECT head FROM thread WHERE tenant = $1 AND name = $2) END"};

const sql_statement find_checkpoint{
    "find_checkpoint", "u",
    "SELECT t.tenant, t.name, c.seq FROM checkpoint c JOIN thread t ON t.no = c.thread WHERE c.id = $1"};

// $3 hashes. One that is missing has no row, which the caller looks for.
const sql_statement read_blobs{"read_blobs", "ttB",
                               "SELECT b.hash, b.bytes, b.links FROM blob b WHERE b.thread = " WEFT_PG_THREAD_NO
                               " AND b.hash = ANY ($3)"};

// $3 how many rows are looked at. What is large is left to `read_blobs`, since it may not be wanted.
const sql_statement walk_blobs{"walk_blobs", "tti",
                               "SELECT b.hash, b.bytes, b.links FROM (SELECT hash, bytes, links FROM blob"
                               " WHERE thread = " WEFT_PG_THREAD_NO " LIMIT $3) b"
                               " WHERE octet_length(b.bytes) <= 4096"};

// The same of hashes from $3 to $4, not included; $5 how many rows are looked at.
const sql_statement walk_range{"walk_range", "ttbbi",
                              "SELECT b.hash, b.bytes, b.links FROM (SELECT hash, bytes, links FROM blob"
                              " WHERE thread = " WEFT_PG_THREAD_NO " AND hash >= $3 AND hash < $4 LIMIT $5) b"
                              " WHERE octet_length(b.bytes) <= 4096"};

// $3 the end, not included; $4 a kind, below zero: any; $5 how many rows.
const sql_statement history{"history", "ttiii",
                            "SELECT " WEFT_PG_INFO_COLUMNS " FROM checkpoint c WHERE c.thread = " WEFT_PG_THREAD_NO
                            " AND c.seq < $3 AND ($4 < 0 OR c.kind = $4) ORDER BY c.seq DESC LIMIT $5"};

// Of `fork`: the thread that is to have the copy, unless there is nothing to copy.
const sql_statement make_fork{
    "make_fork", "ttitu",
    "INSERT INTO thread (tenant, name) SELECT $1, $4 FROM checkpoint c WHERE c.thread = " WEFT_PG_THREAD_NO
    " AND c.seq = $3 AND NOT EXISTS (SELECT FROM checkpoint WHERE id = $5) ON CONFLICT DO NOTHING"};

// $3 the sequence, below zero: the newest, $4 the new thread, $5 the id of its checkpoint. Blobs are followed through
// their links. The second column is a hash that is missing, which refuses the fork; UNION ends loops of links.
const sql_statement fork{
    "fork", "ttitu",
    "WITH RECURSIVE s AS (SELECT c.* FROM checkpoint c WHERE c.thread = " WEFT_PG_THREAD_NO
    "   AND c.seq = CASE WHEN $3 >= 0 THEN $3 ELSE (SELECT head FROM thread WHERE tenant = $1 AND name = $2) END),"
    " reached (hash) AS (SELECT " WEFT_PG_LINKS_OF("s") "s, " WEFT_PG_EACH_LINK_OF("s")
    "   UNION SELECT " WEFT_PG_LINKS_OF("b") "reached r JOIN blob b ON b.thread = (SELECT thread FROM s)"
    "   AND b.hash = r.hash, " WEFT_PG_EACH_LINK_OF("b") "),"
    " found AS (SELECT b.hash, b.links, b.bytes FROM reached r JOIN blob b ON b.thread = (SELECT thread FROM s)"
    "   AND b.hash = r.hash),"
    " d AS (SELECT no FROM thread WHERE tenant = $1 AND name = $4 AND head = 0 AND EXISTS (SELECT FROM s)"
    "   AND NOT EXISTS (SELECT FROM checkpoint WHERE id = $5)"
    "   AND (SELECT count(*) FROM reached) = (SELECT count(*) FROM found)),"
    " x AS (INSERT INTO blob (thread, hash, links, bytes) SELECT d.no, found.hash, found.links, found.bytes"
    "   FROM d, found ON CONFLICT DO NOTHING),"
    " c AS (INSERT INTO checkpoint (thread, seq, id, parent, run, epoch, kind, step, at, bytes, node, graph,"
    "   graph_hash, label, links, body, copy_of) SELECT d.no, 1, $5, 0, NULL, 0, 5, s.step,"
    "   (extract(epoch FROM now()) * 1000000000)::int8,"
    "   length(s.body) + COALESCE((SELECT sum(length(found.bytes)) FROM found), 0), s.node, s.graph, s.graph_hash,"
    "   '', s.links, s.body, s.id FROM d, s),"
    " m AS (UPDATE checkpoint SET is_forked = true FROM s, d"
    "   WHERE checkpoint.thread = s.thread AND checkpoint.seq = s.seq),"
    " u AS (UPDATE thread SET head = 1, changed = now() FROM d WHERE thread.no = d.no)"
    " SELECT (SELECT count(*) FROM d), (SELECT r.hash FROM reached r WHERE NOT EXISTS"
    "   (SELECT FROM found WHERE found.hash = r.hash) LIMIT 1)"};

const sql_statement label{"label", "ttit",
                          "UPDATE checkpoint SET label = $4 WHERE thread = " WEFT_PG_THREAD_NO
                          " AND seq = $3 RETURNING seq"};

// $3 how many are kept, $4 the earliest time. The newest, labelled and forked ones stay, and those that an open
// question belongs to.
const sql_statement prune_checkpoints{
    "prune_checkpoints", "ttii",
    "WITH ranked AS (SELECT c.thread, c.seq, c.at, c.label, c.is_forked,"
    "   row_number() OVER (ORDER BY c.seq DESC) - 1 AS rank FROM checkpoint c WHERE c.thread = " WEFT_PG_THREAD_NO "),"
    " gone AS (DELETE FROM checkpoint c USING ranked r WHERE c.thread = r.thread AND c.seq = r.seq AND r.rank > 0"
    "   AND NOT (r.rank < $3 AND r.at >= $4) AND r.label = '' AND NOT r.is_forked"
    "   AND NOT EXISTS (SELECT FROM question q WHERE q.thread = r.thread AND q.head = r.seq AND q.phase = 0)"
    "   RETURNING length(c.body) AS bytes)"
    " SELECT count(*), COALESCE(sum(bytes), 0)::int8 FROM gone"};

// What no checkpoint that is left reaches.
const sql_statement prune_blobs{
    "prune_blobs", "tt",
    "WITH RECURSIVE reached (hash) AS (SELECT " WEFT_PG_LINKS_OF("c") "checkpoint c, " WEFT_PG_EACH_LINK_OF("c")
    "   WHERE c.thread = " WEFT_PG_THREAD_NO
    "   UNION SELECT " WEFT_PG_LINKS_OF("b") "reached r JOIN blob b ON b.thread = " WEFT_PG_THREAD_NO
    "   AND b.hash = r.hash, " WEFT_PG_EACH_LINK_OF("b") "),"
    " gone AS (DELETE FROM blob b WHERE b.thread = " WEFT_PG_THREAD_NO
    "   AND NOT EXISTS (SELECT FROM reached r WHERE r.hash = b.hash) RETURNING length(b.bytes) AS bytes)"
    " SELECT count(*), COALESCE(sum(bytes), 0)::int8 FROM gone"};

// $3 how many runs that are over are remembered.
const sql_statement prune_runs{
    "prune_runs", "tti",
    "DELETE FROM run WHERE thread = " WEFT_PG_THREAD_NO " AND phase > 3 AND no <= (SELECT r.no FROM run r"
    " WHERE r.thread = " WEFT_PG_THREAD_NO " AND r.phase > 3 ORDER BY r.no DESC OFFSET $3 LIMIT 1)"};

const sql_statement drop_thread{
    "drop_thread", "tt",
    "WITH t AS (SELECT no FROM thread WHERE tenant = $1 AND name = $2),"
    " a AS (DELETE FROM checkpoint USING t WHERE checkpoint.thread = t.no),"
    " b AS (DELETE FROM blob USING t WHERE blob.thread = t.no),"
    " c AS (DELETE FROM effect USING t WHERE effect.thread = t.no),"
    " d AS (DELETE FROM question USING t WHERE question.thread = t.no),"
    " e AS (DELETE FROM run USING t WHERE run.thread = t.no)"
    " DELETE FROM thread USING t WHERE thread.no = t.no RETURNING thread.no"};

// Bytes as memory_store counts them: bodies, blobs, effects and questions with their addresses.
const sql_statement usage{
    "usage", "tt",
    "SELECT (SELECT count(*) FROM checkpoint WHERE thread = t.no), (SELECT count(*) FROM blob WHERE thread = t.no),"
    " (COALESCE((SELECT sum(length(body)) FROM checkpoint WHERE thread = t.no), 0)"
    " + COALESCE((SELECT sum(length(bytes)) FROM blob WHERE thread = t.no), 0)"
    " + COALESCE((SELECT sum(octet_length(address) + octet_length(key) + length(body)) FROM effect"
    "     WHERE thread = t.no), 0)"
    " + COALESCE((SELECT sum(octet_length(address) + length(question) + length(answer)) FROM question"
    "     WHERE thread = t.no), 0))::int8"
    " FROM thread t WHERE t.tenant = $1 AND t.name = $2"};

// $2 the name behind which the page begins, $3 how many rows.
const sql_statement threads{"threads", "tti",
                            "SELECT name, head, active, changed FROM thread WHERE tenant = $1 AND name > $2"
                            " ORDER BY name LIMIT $3"};

}  // namespace weft::postgres_detail::sql

#undef WEFT_PG_THREAD_NO
#undef WEFT_PG_FENCED_COMMIT
#undef WEFT_PG_FENCED_COMMITS
#undef WEFT_PG_SETTLED
#undef WEFT_PG_EVENTS
#undef WEFT_PG_LINKS_OF
#undef WEFT_PG_EACH_LINK_OF
