#include "queue_schema.hpp"

namespace weft::postgres_detail {

namespace {

// `place` is the moment of a run's admission, less the head start of its priority, in microseconds since 1970.
// `held_by` is the bucket of a key that holds a ready run back: the index of the queue does not have it then.
// `buckets` are those that a run counts in; they mean something while `bucket_epoch` is its epoch, which programs that
// know nothing of them leave behind. The index run_line stays for the claims of such programs.
constexpr const char* statements[] = {
    "ALTER TABLE run ADD COLUMN revision text COLLATE \"C\" NOT NULL DEFAULT '',"
    " ADD COLUMN limit_keys jsonb NOT NULL DEFAULT '{}',"
    " ADD COLUMN lost_attempts bytea NOT NULL DEFAULT '',"
    " ADD COLUMN place int8 NOT NULL DEFAULT (extract(epoch FROM now()) * 1000000)::int8,"
    " ADD COLUMN held_by text COLLATE \"C\","
    " ADD COLUMN buckets jsonb, ADD COLUMN bucket_epoch int8",
    "DROP INDEX run_ready",
    "CREATE INDEX run_turn ON run (tenant, graph COLLATE \"C\", revision, place, no)"
    " WHERE phase = 1 AND held_by IS NULL",
    "CREATE INDEX run_held ON run (held_by, place, no) WHERE phase = 1 AND held_by IS NOT NULL",

    "ALTER TABLE worker ADD COLUMN graphs jsonb NOT NULL DEFAULT '[]',"
    " ADD COLUMN since timestamptz NOT NULL DEFAULT now(), ADD COLUMN seen timestamptz NOT NULL DEFAULT now()",

    // A bucket is locked by claims only. What leaves it is noted in a table of its own, without a lock; the next claim
    // that locks the bucket settles that.
    "CREATE TABLE bucket (name text COLLATE \"C\" PRIMARY KEY, active int8 NOT NULL DEFAULT 0,"
    " next_even timestamptz NOT NULL DEFAULT '-infinity', opens timestamptz, holds bool NOT NULL DEFAULT false)"
    " WITH (fillfactor = 50)",
    "CREATE INDEX bucket_opens ON bucket (opens) WHERE opens IS NOT NULL",
    "CREATE INDEX bucket_holds ON bucket (name) WHERE holds",
    "CREATE TABLE bucket_freed (name text COLLATE \"C\" NOT NULL)",
    "CREATE INDEX bucket_freed_name ON bucket_freed (name)",
    "ALTER TABLE bucket SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)",
    "ALTER TABLE bucket_freed SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)",
    R"(CREATE FUNCTION free_buckets() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
INSERT INTO bucket_freed (name) SELECT jsonb_array_elements_text(OLD.buckets);
RETURN NULL; END $$)",
    "CREATE TRIGGER run_frees_buckets AFTER UPDATE OF phase ON run FOR EACH ROW"
    " WHEN (OLD.phase = 2 AND NEW.phase <> 2 AND OLD.bucket_epoch = OLD.epoch) EXECUTE FUNCTION free_buckets()",
    "CREATE TRIGGER gone_run_frees_buckets AFTER DELETE ON run FOR EACH ROW"
    " WHEN (OLD.phase = 2 AND OLD.bucket_epoch = OLD.epoch) EXECUTE FUNCTION free_buckets()",
    // A changed rule may let go what the one before held back.
    R"(CREATE FUNCTION let_held_runs_go() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
UPDATE bucket SET holds = false, opens = NULL WHERE holds OR opens IS NOT NULL;
UPDATE run SET held_by = NULL WHERE phase = 1 AND held_by IS NOT NULL;
RETURN NULL; END $$)",
    "CREATE TRIGGER rule_lets_runs_go AFTER INSERT OR UPDATE ON document FOR EACH ROW"
    " WHEN (NEW.kind = 'queue_rule') EXECUTE FUNCTION let_held_runs_go()",
    "CREATE TRIGGER gone_rule_lets_runs_go AFTER DELETE ON document FOR EACH ROW"
    " WHEN (OLD.kind = 'queue_rule') EXECUTE FUNCTION let_held_runs_go()",

    R"(CREATE FUNCTION queue_rule(rule text) RETURNS jsonb LANGUAGE sql STABLE AS $$
SELECT body FROM document WHERE kind = 'queue_rule' AND tenant = '' AND id = rule $$)",
    R"(CREATE FUNCTION is_able(graphs jsonb, graph text, revision text) RETURNS bool LANGUAGE sql STABLE AS $$
SELECT graphs = '[]' OR EXISTS (SELECT FROM jsonb_array_elements(graphs) g
 WHERE g->>0 = graph AND (revision = '' OR g->>1 IN ('', revision))) $$)",
    R"(CREATE FUNCTION has_limit(tenant text, graph text, limit_keys jsonb) RETURNS bool LANGUAGE sql STABLE AS $$
SELECT EXISTS (SELECT FROM document d WHERE d.kind = 'queue_rule' AND d.tenant = ''
 AND d.id IN ('tenant/' || has_limit.tenant, 'tenant/', 'graph/' || has_limit.graph, 'graph/'))
 OR EXISTS (SELECT FROM jsonb_object_keys(limit_keys) k JOIN document d ON d.kind = 'queue_rule' AND d.tenant = ''
 AND d.id = 'key/' || k) $$)",
    // Between half of the span and all of it, by the run's id: no two runs that were lost together come back together.
    R"(CREATE FUNCTION back_off(graph text, attempt int8, run uuid) RETURNS interval LANGUAGE sql STABLE AS $$
SELECT interval '1 millisecond' * s.span * (1 - (hashtextextended(CAST(run AS text), attempt) & 65535) / 131072.0)
FROM (SELECT coalesce(queue_rule('retry/' || graph), queue_rule('retry/')) AS rule) r,
 LATERAL (SELECT coalesce(LEAST((rule->>'first_ms')::float8 * 2 ^ LEAST(attempt - 1, 40),
  (rule->>'longest_ms')::float8), 0) AS span) s $$)",
    R"(CREATE FUNCTION retries_failures(graph text) RETURNS bool LANGUAGE sql STABLE AS $$
SELECT coalesce((coalesce(queue_rule('retry/' || graph), queue_rule('retry/'))->>'retries_failures')::bool, false) $$)",
    // As `store_detail::add_lost_attempt`: at most ten, and none that is too long to keep.
    R"(CREATE FUNCTION with_lost_attempt(lost bytea, cause bytea) RETURNS bytea LANGUAGE plpgsql STABLE AS $$
DECLARE count int := 0; place int := 1; length int; first int := 1;
BEGIN
IF octet_length(cause) > 16384 THEN
 cause := convert_to('a cause of ' || octet_length(cause) || ' bytes, too long to keep', 'UTF8');
END IF;
WHILE place + 11 <= octet_length(lost) LOOP
 length := 12 + (get_byte(lost, place + 7) << 24) + (get_byte(lost, place + 8) << 16)
  + (get_byte(lost, place + 9) << 8) + get_byte(lost, place + 10);
 IF count = 0 THEN first := 1 + length; END IF;
 count := count + 1;
 place := place + length;
END LOOP;
IF count >= 10 THEN lost := substr(lost, first); END IF;
RETURN lost || int8send((extract(epoch FROM now()) * 1000000)::int8) || int4send(octet_length(cause)) || cause;
END $$)",

    // How many more runs a bucket takes now. It is locked from here on; one that another claim has locked takes none,
    // unless it is the first: then no two claims can wait for each other.
    R"(CREATE FUNCTION open_bucket(bucket_name text, rule jsonb, is_first bool) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE b bucket%ROWTYPE; freed int8; room int8; even interval; base timestamptz;
BEGIN
IF is_first THEN SELECT * INTO b FROM bucket WHERE name = bucket_name FOR UPDATE;
ELSE SELECT * INTO b FROM bucket WHERE name = bucket_name FOR UPDATE SKIP LOCKED; END IF;
IF NOT FOUND THEN
 INSERT INTO bucket (name) VALUES (bucket_name) ON CONFLICT DO NOTHING RETURNING * INTO b;
 IF NOT FOUND THEN RETURN 0; END IF;
END IF;
DELETE FROM bucket_freed WHERE name = bucket_name;
GET DIAGNOSTICS freed = ROW_COUNT;
b.active := GREATEST(b.active - freed, 0);
room := GREATEST(coalesce((rule->>'active_max')::int8, 1000000000) - b.active, 0);
b.opens := NULL;
IF rule ? 'count' THEN
 even := interval '1 millisecond' * ((rule->>'per_ms')::float8 / (rule->>'count')::float8);
 base := GREATEST(b.next_even, now());
 IF b.next_even - even * ((rule->>'burst')::int8 - 1) > now() THEN
  b.opens := b.next_even - even * ((rule->>'burst')::int8 - 1);
  room := 0;
 ELSE
  room := LEAST(room, (rule->>'burst')::int8
   - ceil(extract(epoch FROM base - now()) / extract(epoch FROM even))::int8);
 END IF;
END IF;
UPDATE bucket SET active = b.active, opens = b.opens WHERE name = bucket_name
 AND (freed > 0 OR opens IS DISTINCT FROM b.opens);
RETURN GREATEST(room, 0);
END $$)",

    // Runs that a key held back, and it has room now, or its moment has come: they go back into the queue.
    R"(CREATE FUNCTION let_runs_go() RETURNS void LANGUAGE plpgsql AS $$
DECLARE b record; room int8; gone int8;
BEGIN
FOR b IN SELECT name FROM bucket WHERE opens <= now() ORDER BY opens LIMIT 64 FOR UPDATE SKIP LOCKED LOOP
 UPDATE bucket SET opens = NULL WHERE name = b.name;
END LOOP;
FOR b IN SELECT k.name, queue_rule('key/' || split_part(k.name, chr(31), 2)) AS rule FROM bucket k WHERE k.holds
  AND (k.opens IS NULL AND EXISTS (SELECT FROM bucket_freed f WHERE f.name = k.name)
   OR k.opens IS NULL AND k.next_even > '-infinity')
  LIMIT 64 FOR UPDATE OF k SKIP LOCKED LOOP
 room := CASE WHEN b.rule IS NULL THEN 1000 ELSE open_bucket(b.name, b.rule, false) END;
 CONTINUE WHEN room = 0;
 UPDATE run SET held_by = NULL WHERE id IN (SELECT id FROM run WHERE phase = 1 AND held_by = b.name
  ORDER BY place, no LIMIT LEAST(room, 1000) FOR UPDATE SKIP LOCKED);
 GET DIAGNOSTICS gone = ROW_COUNT;
 IF gone = 0 THEN UPDATE bucket SET holds = false WHERE name = b.name; END IF;
END LOOP;
END $$)",

    // What a run counts in, if all of it has room: `mine` lists pairs of a bucket and its rule. Else `scope` and
    // `full_bucket` say what holds it back. Rooms and rules are those that the claim has looked up so far. Without a
    // graph it is a question about the tenant alone.
    R"(CREATE FUNCTION enter_buckets(of_tenant text, of_graph text, keys jsonb, INOUT rooms jsonb, INOUT rules jsonb,
 OUT mine jsonb, OUT scope text, OUT full_bucket text) LANGUAGE plpgsql AS $$
DECLARE b record;
BEGIN
mine := '[]';
FOR b IN SELECT 'tenant' AS kind, 't/' || of_tenant AS name, 'tenant/' || of_tenant AS own, 'tenant/' AS every
 UNION ALL SELECT 'graph', 'g/' || of_graph, 'graph/' || of_graph, 'graph/' WHERE of_graph IS NOT NULL
 UNION ALL SELECT 'key', 'k/' || of_tenant || chr(31) || e.key || chr(31) || e.value, 'key/' || e.key, NULL
  FROM jsonb_each_text(keys) e
LOOP
 IF NOT rules ? b.own THEN
  rules := rules || jsonb_build_object(b.own, coalesce(queue_rule(b.own), queue_rule(b.every), 'null'::jsonb));
 END IF;
 CONTINUE WHEN rules->b.own = 'null'::jsonb;
 IF NOT rooms ? b.name THEN
  rooms := rooms || jsonb_build_object(b.name, open_bucket(b.name, rules->b.own, rooms = '{}'::jsonb));
 END IF;
 IF (rooms->>b.name)::int8 <= 0 THEN
  mine := '[]'; scope := b.kind; full_bucket := b.name;
  RETURN;
 END IF;
 mine := mine || jsonb_build_array(jsonb_build_array(b.name, b.own));
END LOOP;
IF of_graph IS NULL THEN RETURN; END IF;
FOR b IN SELECT value->>0 AS name FROM jsonb_array_elements(mine) LOOP
 rooms := rooms || jsonb_build_object(b.name, (rooms->>b.name)::int8 - 1);
END LOOP;
END $$)",

    // Claims runs for a worker, as `take_in_turn` of lib/store/record/queue_turn.hpp and `claim_runs` of the model do.
    // All tenants have their turn behind `last_tenant`, of whose turn `last_left` runs are left. `floor` is the place
    // before which nothing is ready; it keeps the look-up from entries of runs that were taken long ago, which stay as
    // long as anybody holds an old snapshot.
    R"(CREATE FUNCTION claim_in_turn(by_worker int8, count_max int8, last_tenant text, last_left int8, floor int8)
RETURNS TABLE (id uuid, tenant text, name text, epoch int8, head int8, attempt int4, graph text, input bytea,
 place int8, is_suspect bool, revision text, turn_tenant text, turn_left int8)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
 able jsonb; has_rules bool; rooms jsonb := '{}'; rules jsonb := '{}';
 ids uuid[] := '{}'; counts_in jsonb[] := '{}'; mine jsonb; bucket_name text; c record;
 at_tenant text := last_tenant; at_left int8 := last_left; next_tenant text; idle_since text;
 done_tenant text := last_tenant; done_left int8 := last_left; visits int := 0; in_ring bool := false;
 is_alone bool := false; has_parked bool;
 lane_graph text; lane_revision text; graphs text[]; revisions text[];
 wanted int8; got int; looked int; parked int; scope text;
BEGIN
SELECT w.graphs INTO able FROM worker w WHERE w.id = by_worker AND w.until > now() AND NOT w.is_given_up FOR KEY SHARE;
IF NOT FOUND OR count_max <= 0 THEN RETURN; END IF;
has_rules := EXISTS (SELECT FROM document d WHERE d.kind = 'queue_rule');
IF has_rules THEN PERFORM let_runs_go(); END IF;

-- A suspect comes first, out of turn; two at once would leave open which of them ends processes.
FOR c IN SELECT r.id, r.tenant, r.graph, r.limit_keys FROM run r JOIN thread t ON t.no = r.thread
 WHERE r.phase = 1 AND r.suspected_at IS NOT NULL AND r.suspected_at = t.head AND t.active = r.id AND t.holder IS NULL
 AND is_able(able, r.graph, r.revision)
 AND NOT EXISTS (SELECT FROM run h JOIN thread ht ON ht.no = h.thread WHERE h.phase = 2 AND h.suspected_at IS NOT NULL
  AND h.suspected_at = ht.head AND (h.worker = by_worker OR h.attempt > 2 OR r.attempt > 1))
 ORDER BY r.attempt, r.no LIMIT 1 FOR UPDATE OF t SKIP LOCKED
LOOP
 mine := '[]'; scope := NULL;
 IF has_rules THEN
  SELECT e.mine, e.rooms, e.rules, e.scope INTO mine, rooms, rules, scope
   FROM enter_buckets(c.tenant, c.graph, c.limit_keys, rooms, rules) e;
 END IF;
 IF scope IS NULL THEN ids := ids || c.id; counts_in := counts_in || mine; END IF;
END LOOP;

LOOP
 EXIT WHEN cardinality(ids) >= count_max;
 IF at_left <= 0 THEN
  next_tenant := NULL;
  SELECT r.tenant INTO next_tenant FROM run r WHERE r.phase = 1 AND r.held_by IS NULL AND r.tenant > at_tenant
   AND r.place >= floor ORDER BY r.tenant LIMIT 1;
  IF next_tenant IS NULL THEN
   SELECT r.tenant INTO next_tenant FROM run r WHERE r.phase = 1 AND r.held_by IS NULL AND r.place >= floor
    ORDER BY r.tenant LIMIT 1;
  END IF;
  EXIT WHEN next_tenant IS NULL OR next_tenant = idle_since OR visits >= 2000;
  visits := visits + 1;
  -- Alone in the ring, a tenant needs no turns.
  is_alone := in_ring AND next_tenant = at_tenant;
  at_left := CASE WHEN is_alone THEN count_max
   WHEN has_rules THEN coalesce((coalesce(queue_rule('weight/' || next_tenant), queue_rule('weight/'))
    ->>'weight')::int8, 1)
   ELSE 1 END;
  at_tenant := next_tenant;
  in_ring := true;
 END IF;

 -- Its graphs and revisions that the worker can run: each is one step in the index.
 graphs := '{}'; revisions := '{}'; lane_graph := NULL;
 LOOP
  IF lane_graph IS NULL THEN
   SELECT r.graph, r.revision INTO lane_graph, lane_revision FROM run r
    WHERE r.phase = 1 AND r.held_by IS NULL AND r.tenant = at_tenant
    ORDER BY r.graph COLLATE "C", r.revision LIMIT 1;
  ELSE
   SELECT r.graph, r.revision INTO lane_graph, lane_revision FROM run r
    WHERE r.phase = 1 AND r.held_by IS NULL AND r.tenant = at_tenant
    AND (r.graph COLLATE "C", r.revision) > (lane_graph COLLATE "C", lane_revision)
    ORDER BY r.graph COLLATE "C", r.revision LIMIT 1;
  END IF;
  EXIT WHEN NOT FOUND;
  IF is_able(able, lane_graph, lane_revision) THEN
   graphs := graphs || lane_graph; revisions := revisions || lane_revision;
  END IF;
 END LOOP;

 got := 0; looked := 0; scope := NULL; has_parked := false;
 IF has_rules THEN
  SELECT e.rooms, e.rules, e.scope INTO rooms, rules, scope FROM enter_buckets(at_tenant, NULL, '{}', rooms, rules) e;
 END IF;
 LOOP
  wanted := LEAST(at_left - got, count_max - cardinality(ids));
  EXIT WHEN wanted <= 0 OR cardinality(graphs) = 0 OR looked > 1000 OR scope = 'tenant';
  parked := 0; scope := NULL;
  FOR c IN SELECT x.id, x.graph, x.limit_keys FROM unnest(graphs, revisions) AS k (g, v) CROSS JOIN LATERAL
   (SELECT r.id, r.graph, r.limit_keys, r.place, r.no FROM run r JOIN thread t ON t.no = r.thread
    WHERE r.phase = 1 AND r.held_by IS NULL AND r.tenant = at_tenant AND r.graph COLLATE "C" = k.g
    AND r.revision = k.v AND r.place >= floor AND t.active = r.id AND t.holder IS NULL
    AND r.suspected_at IS DISTINCT FROM t.head AND r.id <> ALL (ids)
    ORDER BY r.place, r.no LIMIT wanted FOR UPDATE OF t SKIP LOCKED) x
   ORDER BY x.place, x.no LIMIT wanted
  LOOP
   looked := looked + 1;
   mine := '[]';
   IF has_rules THEN
    SELECT e.mine, e.rooms, e.rules, e.scope, e.full_bucket INTO mine, rooms, rules, scope, bucket_name
     FROM enter_buckets(at_tenant, c.graph, c.limit_keys, rooms, rules) e;
    IF scope = 'key' THEN
     UPDATE run SET held_by = bucket_name WHERE run.id = c.id;
     UPDATE bucket SET holds = true WHERE bucket.name = bucket_name AND NOT holds;
     parked := parked + 1; has_parked := true;
     CONTINUE;
    END IF;
    EXIT WHEN scope IS NOT NULL;
   END IF;
   ids := ids || c.id; counts_in := counts_in || mine; got := got + 1;
  END LOOP;
  IF scope = 'graph' THEN
   -- What is behind this graph's runs may go on.
   SELECT coalesce(array_agg(k.g), '{}'), coalesce(array_agg(k.v), '{}') INTO graphs, revisions
    FROM unnest(graphs, revisions) AS k (g, v) WHERE k.g <> c.graph;
   CONTINUE;
  END IF;
  EXIT WHEN scope = 'tenant' OR parked = 0;
 END LOOP;

 IF got > 0 THEN
  at_left := CASE WHEN is_alone THEN 0 ELSE at_left - got END;
  done_tenant := at_tenant; done_left := at_left; idle_since := NULL;
  -- Nothing more of this tenant: the next one, without another look.
  IF wanted > 0 THEN at_left := 0; END IF;
 ELSE
  -- Only a tenant that still stands in the ring is met again.
  IF in_ring AND idle_since IS NULL AND NOT has_parked THEN idle_since := at_tenant; END IF;
  at_left := 0;
 END IF;
END LOOP;

IF has_rules THEN
 UPDATE bucket b SET active = b.active + u.count,
  next_even = CASE WHEN u.even IS NULL THEN b.next_even ELSE GREATEST(b.next_even, now()) + u.even * u.count END
 FROM (SELECT x.name, count(*) AS count, (SELECT interval '1 millisecond' *
    ((rules->x.rule->>'per_ms')::float8 / (rules->x.rule->>'count')::float8)) AS even
   FROM (SELECT value->>0 AS name, value->>1 AS rule FROM unnest(counts_in) m, jsonb_array_elements(m)) x
   GROUP BY x.name, x.rule) u
 WHERE b.name = u.name;
END IF;

RETURN QUERY WITH u AS (UPDATE run SET phase = 2, changed = now(), worker = by_worker, epoch = x.e,
  attempt = run.attempt + 1, held_by = NULL,
  buckets = CASE WHEN x.m <> '[]' THEN (SELECT jsonb_agg(value->0) FROM jsonb_array_elements(x.m)) END,
  bucket_epoch = CASE WHEN x.m <> '[]' THEN x.e END
  FROM (SELECT y.i, y.m, nextval('epoch_no') AS e FROM unnest(ids, counts_in) AS y (i, m)) x
  WHERE run.id = x.i AND run.phase + 0 = 1
  RETURNING run.id, run.thread, run.epoch, run.attempt, run.graph, run.input, run.place, run.no, run.suspected_at,
   run.revision),
 t AS (UPDATE thread SET epoch = u.epoch, holder = u.id, changed = now() FROM u WHERE thread.no = u.thread
  RETURNING thread.no, thread.tenant, thread.name, thread.head)
 SELECT u.id, t.tenant, t.name, u.epoch, t.head, u.attempt, u.graph, u.input, u.place,
  u.suspected_at IS NOT DISTINCT FROM t.head, u.revision, done_tenant, done_left
 FROM u JOIN t ON t.no = u.thread ORDER BY u.place, u.no;
END $$)",
};

}  // namespace

std::span<const char* const> queue_schema() noexcept { return statements; }

}  // namespace weft::postgres_detail
