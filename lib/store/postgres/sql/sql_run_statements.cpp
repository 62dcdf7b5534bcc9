#include "run_columns.hpp"
#include "sql_statements.hpp"

// Pieces of statements, put together by the compiler.
#define WEFT_PG_UNHELD "convert_to('cancelled while no worker had it', 'UTF8')"
#define WEFT_PG_LIVING_WORKER \
    "w AS (SELECT id, graphs FROM worker WHERE id = $1 AND until > now() AND NOT is_given_up FOR KEY SHARE)"
/** After `r (id, thread, phase)`, runs that have left their phase: starts the next run of those threads that
 *  are over, and gives it the thread; announces the end of those with a webhook. The snapshot
 *  still shows `r` as it was, perhaps queued. */
#define WEFT_PG_START_NEXT                                                                                       \
    " n AS (UPDATE run SET phase = CASE WHEN run.not_before > now() THEN 0 ELSE 1 END,"                          \
    "   later = CASE WHEN run.not_before > now() THEN run.not_before END,"                                       \
    "   changed = CASE WHEN run.not_before > now() THEN run.changed ELSE now() END FROM (SELECT"                 \
    "   (SELECT q.id FROM run q WHERE q.thread = r.thread AND q.phase = 0 AND q.id <> r.id ORDER BY q.no LIMIT 1)"\
    "   AS id FROM r WHERE r.phase > 3) q WHERE run.id = q.id"                                                   \
    "   RETURNING run.id, run.thread)," WEFT_PG_ANNOUNCE_END                                                     \
    " u AS (UPDATE thread SET holder = NULL, changed = now(), active = CASE WHEN r.phase > 3"                    \
    "   THEN (SELECT n.id FROM n WHERE n.thread = r.thread) ELSE thread.active END"                              \
    "   FROM r WHERE thread.no = r.thread)"
/** After `r (id, thread, phase)`: a message into the outbox for each run that is over and has a webhook. */
#define WEFT_PG_ANNOUNCE_END                                                                                     \
    " o AS (INSERT INTO document (kind, tenant, id, body, due) SELECT 'outbox', e.tenant, CAST(e.id AS text),"   \
    "   jsonb_build_object('url', e.webhook, 'payload', jsonb_build_object('run', e.id, 'thread', h.name,"       \
    "     'graph', e.graph, 'phase', CASE r.phase WHEN 4 THEN 'finished' WHEN 5 THEN 'failed'"                   \
    "     WHEN 6 THEN 'cancelled' ELSE 'dead' END), 'attempts', 0, 'last_error', '', 'is_dead', false), now()"   \
    "   FROM r JOIN run e ON e.id = r.id JOIN thread h ON h.no = e.thread WHERE r.phase > 3 AND e.webhook <> ''" \
    "   ON CONFLICT DO NOTHING),"
/** After `u`, runs that a worker has just taken. */
#define WEFT_PG_TAKEN                                                                                            \
    " t AS (UPDATE thread SET epoch = u.epoch, holder = u.id, changed = now() FROM u WHERE thread.no = u.thread" \
    "   RETURNING thread.no, thread.tenant, thread.name, thread.head)"                                           \
    " SELECT u.id, t.tenant, t.name, u.epoch, t.head, u.attempt, u.graph, u.input, u.no,"                        \
    " u.suspected_at IS NOT DISTINCT FROM t.head, u.revision FROM u JOIN t ON t.no = u.thread"
/** Whether worker $1 may take the suspect `r`: two at once would leave open which of them ends processes. */
#define WEFT_PG_MAY_TRY                                                                                          \
    "NOT EXISTS (SELECT FROM run h JOIN thread ht ON ht.no = h.thread WHERE h.phase = 2"                         \
    " AND h.suspected_at IS NOT NULL AND h.suspected_at = ht.head"                                               \
    " AND (h.worker = $1 OR h.attempt > 2 OR r.attempt > 1))"
#define WEFT_PG_WHOLE_RUN                                                                                        \
    WEFT_PG_RUN_COLUMNS ", r.input, r.worker, r.epoch, r.phase < 4 AND r.suspected_at IS NOT DISTINCT FROM t.head,"  \
    " CAST(r.limit_keys AS text), r.lost_attempts"

/** Whether question `q` is at or below an address; '0' is the character behind '/'. */
#define WEFT_PG_BELOW(top) \
    "(q.address = " top " OR (q.address >= " top " || '/' AND q.address < " top " || '0'))"

namespace weft::postgres_detail::sql {

// $1 `tenant_mark`: on whose behalf the rest of its transaction is, up to the next one.
const sql_statement set_tenant{"set_tenant", "t", "SELECT set_config('weft.tenant', $1, true)"};

const sql_statement lock_thread{"lock_thread", "tt",
                                "SELECT no FROM thread WHERE tenant = $1 AND name = $2 FOR UPDATE"};

// In the order of names, so that two forks between the same threads do not wait for each other.
const sql_statement lock_threads{
    "lock_threads", "ttt",
    "SELECT no FROM thread WHERE tenant = $1 AND name IN ($2, $3) ORDER BY name FOR UPDATE"};

const sql_statement lock_thread_of_run{
    "lock_thread_of_run", "u",
    "SELECT t.no FROM run r JOIN thread t ON t.no = r.thread WHERE r.id = $1 FOR UPDATE OF t"};

// $1 name, $2 lifetime in milliseconds, $3 graphs.
const sql_statement enter{"enter", "tit",
                          "INSERT INTO worker (name, until, graphs)"
                          " VALUES ($1, now() + $2::float8 * interval '1 millisecond', CAST($3 AS jsonb))"
                          " RETURNING id"};

// $1 worker, $2 lifetime in milliseconds. A row for each run that is asked to do something, or one with nulls; no row:
// the worker was given up.
const sql_statement heartbeat{
    "heartbeat", "ii",
    "WITH h AS (UPDATE worker SET until = now() + $2::float8 * interval '1 millisecond', seen = now()"
    "   WHERE id = $1 AND NOT is_given_up RETURNING id)"
    " SELECT r.id, r.signal FROM h LEFT JOIN run r ON r.worker = h.id AND r.phase = 2 AND r.signal <> 0"};

// $1 worker, $2 graphs.
const sql_statement change_graphs{
    "change_graphs", "it",
    "UPDATE worker SET graphs = CAST($2 AS jsonb) WHERE id = $1 AND NOT is_given_up RETURNING id"};

// Waits for claims that are under way, which hold the row FOR KEY SHARE, and keeps out later ones.
const sql_statement give_up_worker{"give_up_worker", "i",
                                   "UPDATE worker SET is_given_up = true WHERE id ="
                                   " (SELECT id FROM worker WHERE id = $1 FOR UPDATE)"};

// At most 64 workers at once, and none that another process gives up meanwhile.
const sql_statement give_up_expired{
    "give_up_expired", "",
    "UPDATE worker SET is_given_up = true WHERE id IN (SELECT id FROM worker"
    " WHERE until <= now() AND NOT is_given_up ORDER BY until LIMIT 64 FOR UPDATE SKIP LOCKED)"};

// Before the runs change hands: from here no write of a given-up worker passes its fence.
const sql_statement fence_given_up{
    "fence_given_up", "",
    "WITH c AS (SELECT t.no, r.id FROM worker w JOIN run r ON r.worker = w.id AND r.phase = 2"
    "   JOIN thread t ON t.no = r.thread WHERE w.is_given_up ORDER BY t.no FOR UPDATE OF t)"
    " UPDATE thread SET holder = NULL, changed = now() FROM c WHERE thread.no = c.no AND thread.holder = c.id"};

// $1 worker. A run that is asked to cancel is over; the others are ready, and the attempt does not count.
const sql_statement leave_runs{
    "leave_runs", "i",
    "WITH r AS (UPDATE run SET phase = CASE WHEN signal = 2 THEN 6 ELSE 1 END, worker = NULL, attempt = attempt - 1,"
    "   changed = now(),"
    "   ended = CASE WHEN signal = 2 THEN now() END,"
    "   message = CASE WHEN signal = 2 THEN " WEFT_PG_UNHELD " ELSE message END"
    "   FROM worker w WHERE w.id = $1 AND w.is_given_up AND run.worker = w.id AND run.phase = 2"
    "   RETURNING run.id, run.thread, run.phase)," WEFT_PG_START_NEXT
    " SELECT count(*) FROM r"};

// Of the runs that a worker had any may have ended it; of suspects it had one.
const sql_statement reap_runs{
    "reap_runs", "i",
    "WITH l AS (SELECT r.id, r.graph, t.head, CASE WHEN r.suspected_at = t.head THEN r.attempt ELSE 1 END AS lost,"
    "   convert_to('the worker ''' || w.name || ''' was lost', 'UTF8') AS cause"
    "   FROM worker w JOIN run r ON r.worker = w.id AND r.phase = 2 JOIN thread t ON t.no = r.thread"
    "   WHERE w.is_given_up ORDER BY w.id, r.no LIMIT $1),"
    " c AS (SELECT l.*, back_off(l.graph, l.lost, l.id) AS span FROM l),"
    " r AS (UPDATE run SET worker = NULL, changed = now(), attempt = c.lost, suspected_at = c.head,"
    "   lost_attempts = with_lost_attempt(lost_attempts, c.cause),"
    "   later = CASE WHEN c.lost < attempts_max AND signal <> 2 AND c.span > interval '0' THEN now() + c.span END,"
    "   phase = CASE WHEN c.lost >= attempts_max THEN 7 WHEN signal = 2 THEN 6"
    "     WHEN c.span > interval '0' THEN 0 ELSE 1 END,"
    "   ended = CASE WHEN c.lost >= attempts_max OR signal = 2 THEN now() END,"
    "   message = CASE WHEN c.lost >= attempts_max"
    "     THEN convert_to('taken up ' || c.lost || ' times without an end', 'UTF8')"
    "     WHEN signal = 2 THEN " WEFT_PG_UNHELD " ELSE message END"
    "   FROM c WHERE run.id = c.id AND run.phase + 0 = 2 RETURNING run.id, run.thread, run.phase)," WEFT_PG_START_NEXT
    " SELECT count(*) FROM r"};

// A worker stays while a run names it, for the next reap.
const sql_statement remove_given_up{"remove_given_up", "",
                                    "DELETE FROM worker w WHERE w.is_given_up"
                                    " AND NOT EXISTS (SELECT FROM run r WHERE r.worker = w.id AND r.phase = 2)"};

// In milliseconds, rounded up; null: nothing becomes due. `phase + 0` keeps the planner from the indexes of phases.
const sql_statement next_due{
    "next_due", "",
    "SELECT ceil(extract(epoch FROM LEAST("
    "   (SELECT later FROM run WHERE later IS NOT NULL AND phase + 0 IN (0, 3) ORDER BY later LIMIT 1),"
    "   (SELECT opens FROM bucket WHERE opens IS NOT NULL ORDER BY opens LIMIT 1),"
    "   (SELECT until FROM worker WHERE NOT is_given_up ORDER BY until LIMIT 1)) - now()) * 1000)::int8"};

// $1 payloads. Notices need not outlive a crash of the server, so that their transaction waits for no disk.
const sql_statement notify{
    "notify", "T",
    "SELECT set_config('synchronous_commit', 'off', true),"
    " (SELECT count(pg_notify('weft.' || current_schema(), x)) FROM unnest($1) x)"};

// The same on the channel that only those hear who follow runs.
const sql_statement notify_of_events{
    "notify_of_events", "T",
    "SELECT set_config('synchronous_commit', 'off', true),"
    " (SELECT count(pg_notify('weft.' || current_schema() || '.events', x)) FROM unnest($1) x)"};

// The rest of the transaction is seen by others before it is on disk.
const sql_statement wait_for_no_disk{"wait_for_no_disk", "", "SELECT set_config('synchronous_commit', 'off', true)"};

// A transaction that writes something: its commit waits until all that others can see by then is on disk.
const sql_statement reach_disk{"reach_disk", "", "SELECT pg_logical_emit_message(true, 'weft', '')"};

// $1 payload, $2 the run that the transaction before this one entered: one that was refused, or that waits in line, is
// no news.
const sql_statement notify_of_entry{
    "notify_of_entry", "tu",
    "SELECT set_config('synchronous_commit', 'off', true), (SELECT count(pg_notify('weft.' || current_schema(), $1))"
    " FROM run WHERE id = $2 AND phase + 0 = 1)"};

// $3 run, $4 key. A run that is there already makes no thread.
const sql_statement make_thread{
    "make_thread", "ttut",
    "INSERT INTO thread (tenant, name) SELECT $1, $2 WHERE NOT EXISTS (SELECT FROM run WHERE id = $3)"
    " AND NOT EXISTS (SELECT FROM run WHERE tenant = $1 AND idempotency_key = $4) ON CONFLICT DO NOTHING"};

// $1 the worker, $2 tenant, $3 thread, $4 run, $5 key, $6 graph, $7 input, $8 whether it may queue, $9 attempts,
// $10 metadata, $11 webhook, $12 priority, $13 the moment, in microseconds since 1970, or null, $14 revision, $15 limit
// keys.
// The first column is that of run_admission::kind.
const sql_statement enqueue{
    "enqueue", "ittuttboittiitt",
    "WITH d AS (SELECT id FROM run WHERE tenant = $2 AND idempotency_key = $5"
    "   UNION ALL SELECT id FROM run WHERE id = $4)," WEFT_PG_LIVING_WORKER ","
    " m AS (SELECT timestamptz 'epoch' + $13 * interval '1 microsecond' AS at),"
    " t AS (SELECT no, head, active, m.at, CASE WHEN m.at > now() THEN m.at END AS later,"
    "   CASE WHEN (SELECT id FROM w) IS NULL OR m.at > now() OR has_limit($2, $6, CAST($15 AS jsonb)) THEN NULL"
    "   ELSE (SELECT id FROM w WHERE is_able(w.graphs, $6, $14)) END AS worker FROM thread, m"
    "   WHERE tenant = $2 AND name = $3 AND NOT EXISTS (SELECT FROM d)),"
    " r AS (INSERT INTO run (id, thread, tenant, phase, attempt, attempts_max, worker, epoch, idempotency_key, graph,"
    "   input, metadata, webhook, priority, not_before, later, revision, limit_keys, place) SELECT $4, t.no, $2,"
    "   CASE WHEN t.active IS NOT NULL OR t.later IS NOT NULL THEN 0 WHEN t.worker IS NULL THEN 1 ELSE 2 END,"
    "   CASE WHEN t.active IS NULL AND t.worker IS NOT NULL THEN 1 ELSE 0 END, $9,"
    "   CASE WHEN t.active IS NULL THEN t.worker END,"
    "   CASE WHEN t.active IS NULL AND t.worker IS NOT NULL THEN nextval('epoch_no') ELSE 0 END, $5, $6, $7,"
    "   CAST($10 AS jsonb), $11, $12, t.at, CASE WHEN t.active IS NULL THEN t.later END, $14,"
    "   CAST($15 AS jsonb), (extract(epoch FROM now()) * 1000000)::int8 - $12 * 60000000"
    "   FROM t WHERE t.active IS NULL OR $8 RETURNING id, thread, phase, epoch, later),"
    " u AS (UPDATE thread SET active = r.id, holder = CASE WHEN r.phase = 2 THEN r.id END,"
    "   epoch = CASE WHEN r.phase = 2 THEN r.epoch ELSE thread.epoch END, changed = now()"
    "   FROM r WHERE thread.no = r.thread AND (r.phase > 0 OR r.later IS NOT NULL))"
    " SELECT 4, x.id, 0::int8, 0::int8 FROM (SELECT id FROM d LIMIT 1) x"
    " UNION ALL SELECT CASE r.phase WHEN 2 THEN 0 WHEN 1 THEN 1 ELSE 2 END, r.id, r.epoch, t.head FROM r, t"
    " UNION ALL SELECT 3, t.active, 0, 0 FROM t WHERE NOT EXISTS (SELECT FROM r)"};

// $1 worker, $2 how many, $3 whose turn it is, $4 how many of its runs may follow, $5 the place before which nothing is
// ready. A queue of one tenant, graph and revision without rules, suspects and runs that are due is plain, and this
// statement takes its runs itself: PL/pgSQL takes two to three times as long in a server process that was idle. The
// scalar subqueries keep the scan in the order of the index, whatever its length, and hide the parameters from
// estimates, so that the plan is kept. A limit that the planner knows and a condition that it cannot estimate (the
// CASE) keep it from sorting all ready runs, which takes seconds with a million; no more rows are locked than taken. A
// run whose worker is lost at this moment may be a suspect by the time its thread is locked: it is left to the next
// claim. A checkpoint that is not large comes along; the LIMIT has it looked up for each run, whatever the planner
// thinks of their number. One that was committed during the claim is not seen.
const sql_statement claim{
    "claim", "iitii",
    "WITH p AS MATERIALIZED (SELECT GREATEST($2, 0) AS most, $5 AS floor),"
    " look AS MATERIALIZED (SELECT f.tenant, f.graph, f.revision,"
    "   NOT EXISTS (SELECT FROM run r WHERE r.later <= now() AND r.phase + 0 IN (0, 3))"
    "   AND NOT EXISTS (SELECT FROM document d WHERE d.kind = 'queue_rule')"
    "   AND NOT EXISTS (SELECT FROM run r WHERE r.phase = 1 AND r.suspected_at IS NOT NULL)"
    "   AND (f.tenant, f.graph, f.revision) = (l.tenant, l.graph, l.revision) AS is_plain"
    "   FROM (VALUES (1)) v LEFT JOIN LATERAL (SELECT r.tenant, r.graph COLLATE \"C\" AS graph, r.revision FROM run r"
    "     WHERE r.phase = 1 AND r.held_by IS NULL AND r.place >= (SELECT floor FROM p)"
    "     ORDER BY r.tenant, r.graph COLLATE \"C\", r.revision LIMIT 1) f ON true"
    "   LEFT JOIN LATERAL (SELECT r.tenant, r.graph COLLATE \"C\" AS graph, r.revision FROM run r"
    "     WHERE r.phase = 1 AND r.held_by IS NULL AND r.place >= (SELECT floor FROM p)"
    "     ORDER BY r.tenant DESC, r.graph COLLATE \"C\" DESC, r.revision DESC LIMIT 1) l ON true),"
    " w AS MATERIALIZED (SELECT worker.id FROM look, worker WHERE look.is_plain AND worker.id = $1"
    "   AND worker.until > now() AND NOT worker.is_given_up AND (worker.graphs = '[]' OR EXISTS"
    "    (SELECT FROM jsonb_array_elements(worker.graphs) g WHERE g->>0 = look.graph"
    "     AND (look.revision = '' OR g->>1 IN ('', look.revision)))) FOR KEY SHARE OF worker),"
    " x AS MATERIALIZED (SELECT o.id FROM (SELECT r.id FROM run r JOIN thread t ON t.no = r.thread"
    "   WHERE (SELECT id FROM w) IS NOT NULL AND r.phase = 1 AND r.held_by IS NULL AND r.place >= (SELECT floor FROM p)"
    "   AND r.tenant = (SELECT tenant FROM look) AND r.graph COLLATE \"C\" = (SELECT graph FROM look)"
    "   AND r.revision = (SELECT revision FROM look) AND CASE WHEN t.active = r.id THEN t.holder IS NULL END"
    "   ORDER BY r.place, r.no LIMIT 1000 FOR UPDATE OF t SKIP LOCKED) o LIMIT (SELECT most FROM p)),"
    " u AS (UPDATE run SET phase = 2, changed = now(), worker = $1, epoch = y.e, attempt = run.attempt + 1,"
    "   held_by = NULL, buckets = NULL, bucket_epoch = NULL FROM (SELECT id, nextval('epoch_no') AS e FROM x) y"
    "   WHERE run.id = y.id AND run.phase + 0 = 1 AND run.suspected_at IS NULL"
    "   RETURNING run.id, run.thread, run.epoch, run.attempt, run.graph, run.input, run.place, run.no, run.revision),"
    " t AS (UPDATE thread SET epoch = u.epoch, holder = u.id, changed = now() FROM u WHERE thread.no = u.thread"
    "   RETURNING thread.no, thread.tenant, thread.name, thread.head)"
    " SELECT q.*, h.* FROM"
    " ((SELECT u.id, t.tenant, t.name, u.epoch, t.head, u.attempt, u.graph, u.input, u.place, false, u.revision,"
    "   t.tenant, int8 '0' FROM u JOIN t ON t.no = u.thread ORDER BY u.place, u.no)"
    " UNION ALL SELECT c.* FROM look, LATERAL claim_in_turn($1, CASE WHEN look.is_plain THEN 0 ELSE $2 END, $3, $4,"
    "   $5) c WHERE NOT look.is_plain) q LEFT JOIN LATERAL (SELECT " WEFT_PG_INFO_COLUMNS ", c.body, c.links"
    "  FROM run r JOIN checkpoint c ON c.thread = r.thread AND c.seq = q.head"
    "  WHERE q.head > 0 AND r.id = q.id AND c.bytes < 65536 LIMIT 1) h ON true"};

// $1 worker, $2 run. A run that a limit is for is left to claims, which go by the queue.
const sql_statement ready_if_limited{
    "ready_if_limited", "iu",
    "WITH " WEFT_PG_LIVING_WORKER
    " UPDATE run SET phase = 1, later = NULL, changed = now() FROM w WHERE run.id = $2 AND run.phase + 0 = 3"
    " AND is_able(w.graphs, run.graph, run.revision) AND has_limit(run.tenant, run.graph, run.limit_keys)"};

// $1 worker, $2 run. `phase + 0` keeps the planner from the partial indexes of phases.
const sql_statement resume{
    "resume", "iu",
    "WITH " WEFT_PG_LIVING_WORKER ","
    " u AS (UPDATE run SET phase = 2, changed = now(), worker = $1, epoch = nextval('epoch_no'),"
    "     attempt = run.attempt + 1, later = NULL, held_by = NULL"
    "   FROM run r JOIN thread rt ON rt.no = r.thread"
    "   WHERE run.id = $2 AND r.id = $2 AND (SELECT id FROM w) IS NOT NULL"
    "   AND (run.phase + 0 IN (1, 3) OR run.phase + 0 = 0 AND run.later <= now())"
    "   AND (r.suspected_at IS DISTINCT FROM rt.head OR " WEFT_PG_MAY_TRY ")"
    "   AND is_able((SELECT graphs FROM w), run.graph, run.revision)"
    "   AND NOT has_limit(run.tenant, run.graph, run.limit_keys)"
    "   RETURNING run.id, run.no, run.thread, run.epoch, run.attempt, run.graph, run.input, run.suspected_at,"
    "     run.revision),"
    WEFT_PG_TAKEN};

// That the run is running is looked up by its key only: the planner takes the index of running runs for empty.
// $3 epoch, $4 head, $5 run, $6 phase, $7 message, $8 the address whose questions the run waits for, $9 the moment at
// which it is ready by itself, in microseconds, or null, $10 whether a failed run may try again: 0 if not. `later`
// counts in the phases 0 and 3 only.
const sql_statement finish{
    "finish", "ttiiuibtii",
    "WITH t AS (SELECT no FROM thread WHERE tenant = $1 AND name = $2 AND epoch = $3 AND head = $4 AND holder = $5),"
    " q AS (SELECT run.id, $10 <> 0 AND retries_failures(run.graph) AS again,"
    "   CASE WHEN $10 <> 0 THEN back_off(run.graph, run.attempt, run.id) ELSE interval '0' END AS span"
    "   FROM run, t WHERE run.id = $5 AND run.phase + 0 = 2),"
    " r AS (UPDATE run SET worker = NULL, changed = now(),"
    "   later = CASE WHEN $6 = 3 THEN timestamptz 'epoch' + $9 * interval '1 microsecond'"
    "     WHEN q.again THEN now() + q.span END,"
    "   phase = CASE WHEN q.again AND attempt >= attempts_max THEN 7"
    "     WHEN q.again THEN CASE WHEN signal = 2 THEN 6 WHEN q.span > interval '0' THEN 0 ELSE 1 END"
    "     WHEN $6 = 3 AND signal = 2 THEN 6"
    "     WHEN $6 = 3 AND signal = 0 AND $8 <> '' AND NOT EXISTS (SELECT FROM question q WHERE q.thread = t.no"
    "       AND q.phase = 0 AND " WEFT_PG_BELOW("$8") ") THEN 1 ELSE $6 END,"
    "   lost_attempts = CASE WHEN q.again THEN with_lost_attempt(lost_attempts, $7) ELSE lost_attempts END,"
    "   attempt = CASE WHEN $6 = 3 THEN 0 ELSE attempt END,"
    "   suspected_at = CASE WHEN $6 = 3 THEN NULL ELSE suspected_at END,"
    "   signal = CASE WHEN $6 = 3 AND signal = 1 THEN 0 ELSE signal END,"
    "   ended = CASE WHEN $6 = 3 AND signal <> 2 OR q.again AND attempt < attempts_max AND signal <> 2 THEN NULL"
    "     ELSE now() END,"
    "   message = CASE WHEN $6 = 3 AND signal = 2 OR q.again AND attempt < attempts_max AND signal = 2"
    "     THEN " WEFT_PG_UNHELD " WHEN q.again AND attempt < attempts_max THEN message ELSE $7 END"
    "   FROM t, q WHERE run.id = q.id AND run.phase + 0 = 2 RETURNING run.id, run.thread, run.phase),"
    WEFT_PG_START_NEXT
    " SELECT id FROM r"};

// $3 epoch, $4 run, $5 revision.
const sql_statement bind_run{
    "bind_run", "ttiut",
    "UPDATE run SET revision = $5 FROM thread t WHERE t.tenant = $1 AND t.name = $2 AND t.epoch = $3 AND t.holder = $4"
    " AND run.id = $4 AND run.phase + 0 = 2 RETURNING run.id"};

const sql_statement change_input{
    "change_input", "ttub",
    "UPDATE run SET input = $4 FROM thread t WHERE t.tenant = $1 AND t.name = $2 AND run.thread = t.no AND run.id = $3"
    " AND run.phase + 0 IN (0, 1, 3) RETURNING run.id"};

const sql_statement yield_run{
    "yield_run", "ttiu",
    "WITH t AS (SELECT no FROM thread WHERE tenant = $1 AND name = $2 AND epoch = $3 AND holder = $4),"
    " r AS (UPDATE run SET worker = NULL, changed = now(), attempt = attempt - 1,"
    "   phase = CASE WHEN signal = 2 THEN 6 ELSE 1 END, ended = CASE WHEN signal = 2 THEN now() END,"
    "   message = CASE WHEN signal = 2 THEN " WEFT_PG_UNHELD " ELSE message END"
    "   FROM t WHERE run.id = $4 AND run.phase + 0 = 2 RETURNING run.id, run.thread, run.phase)," WEFT_PG_START_NEXT
    " SELECT id FROM r"};

// $4 and $5: the run that replaces the active one, if any, and its key. If it is there already, nothing is signalled.
const sql_statement signal{
    "signal", "ttiut",
    "WITH a AS (SELECT no, active, holder FROM thread WHERE tenant = $1 AND name = $2 AND active IS NOT NULL"
    "   AND NOT EXISTS (SELECT FROM run WHERE id = $4)"
    "   AND NOT EXISTS (SELECT FROM run WHERE tenant = $1 AND idempotency_key = $5)),"
    " s AS (UPDATE run SET"
    "   changed = CASE WHEN $3 > signal AND NOT (phase = 3 AND $3 = 1) THEN now() ELSE changed END,"
    "   signal = CASE WHEN phase = 3 AND $3 = 1 THEN signal ELSE GREATEST(signal, $3) END,"
    "   phase = CASE WHEN phase IN (0, 1, 3) AND $3 = 2 THEN 6 ELSE phase END,"
    "   later = CASE WHEN $3 = 2 THEN NULL ELSE later END,"
    "   ended = CASE WHEN phase IN (0, 1, 3) AND $3 = 2 THEN now() END,"
    "   message = CASE WHEN phase IN (0, 1, 3) AND $3 = 2 THEN " WEFT_PG_UNHELD " ELSE message END"
    "   FROM a WHERE run.id = a.active RETURNING run.id, run.thread, run.phase),"
    " r AS (SELECT id, thread, phase FROM s WHERE phase > 3)," WEFT_PG_START_NEXT
    " SELECT id FROM s"};

// The thread is locked. The active run may be queued too, until its moment comes: a signal is for that one.
const sql_statement cancel_queued{
    "cancel_queued", "u",
    "WITH r AS (UPDATE run SET phase = 6, later = NULL, ended = now(), changed = now(),"
    "   message = convert_to('cancelled while it was in line', 'UTF8')"
    "   FROM thread t WHERE run.id = $1 AND run.phase + 0 = 0 AND t.no = run.thread"
    "   AND t.active IS DISTINCT FROM run.id"
    "   RETURNING run.id, run.thread, run.phase)," WEFT_PG_ANNOUNCE_END
    " u AS (UPDATE thread SET changed = now() FROM r WHERE thread.no = r.thread)"
    " SELECT id FROM r"};

const sql_statement remove_run{"remove_run", "u", "DELETE FROM run WHERE id = $1 AND phase > 3 RETURNING no"};

// After an answer at $3: a run that waits is ready, if none of its questions is open any more. The thread is locked.
const sql_statement ready_if_answered{
    "ready_if_answered", "ttt",
    "UPDATE run SET phase = 1, later = NULL, changed = now() FROM thread t"
    " WHERE t.tenant = $1 AND t.name = $2 AND run.id = t.active AND run.phase + 0 = 3"
    " AND EXISTS (SELECT FROM question a WHERE a.thread = t.no AND a.address = $3)"
    " AND NOT EXISTS (SELECT FROM question q WHERE q.thread = t.no AND q.phase = 0"
    "   AND " WEFT_PG_BELOW("split_part($3, '/', 1)") ") RETURNING run.no"};

const sql_statement find_run{
    "find_run", "u", "SELECT " WEFT_PG_WHOLE_RUN " FROM run r JOIN thread t ON t.no = r.thread WHERE r.id = $1"};

const sql_statement active_run{"active_run", "tt",
                               "SELECT " WEFT_PG_WHOLE_RUN " FROM thread t JOIN run r ON r.id = t.active"
                               " WHERE t.tenant = $1 AND t.name = $2"};

}  // namespace weft::postgres_detail::sql

#undef WEFT_PG_UNHELD
#undef WEFT_PG_LIVING_WORKER
#undef WEFT_PG_START_NEXT
#undef WEFT_PG_ANNOUNCE_END
#undef WEFT_PG_TAKEN
#undef WEFT_PG_WHOLE_RUN
#undef WEFT_PG_MAY_TRY
#undef WEFT_PG_BELOW
