#include "queue_schema.hpp"

namespace weft::postgres_detail {

namespace {

// One plan serves all parameters (`plan_cache_mode`): with a plan for each call a claim spent two thirds of its time in
// the planner.
constexpr const char* claim_statements[] = {
    // A function in SQL that looks into a table is planned anew by each statement that calls it.
    R"(CREATE OR REPLACE FUNCTION is_able(graphs jsonb, graph text, revision text) RETURNS bool
LANGUAGE plpgsql STABLE AS $$ BEGIN
RETURN graphs = '[]' OR EXISTS (SELECT FROM jsonb_array_elements(graphs) g
 WHERE g->>0 = is_able.graph AND (is_able.revision = '' OR g->>1 IN ('', is_able.revision)));
END $$)",

    // '0' is the character behind '/'.
    R"(CREATE OR REPLACE FUNCTION has_queue_rule(kind text) RETURNS bool LANGUAGE plpgsql STABLE AS $$ BEGIN
RETURN EXISTS (SELECT FROM document d WHERE d.kind = 'queue_rule' AND d.tenant = ''
 AND d.id >= has_queue_rule.kind || '/' AND d.id < has_queue_rule.kind || '0');
END $$)",

    // All buckets of several runs at once, each of which is given by its place in the arrays: `fitting` says how many
    // of them, from the first one, enter all of theirs, and `mine` lists those of each as `enter_buckets` does. If all
    // fit, they are counted. Else rooms are those behind the runs that fit, and `freed` is what the buckets still have
    // to settle. Buckets are made and locked in the order of their names, so that no two claims wait for each other,
    // unless `waits` is false. A bucket that counts some runs too many and has room all the same need not know what
    // left it: that is settled for many runs at once.
    R"(CREATE OR REPLACE FUNCTION enter_buckets_at_once(tenants text[], graphs text[], keys jsonb[], waits bool,
 OUT rooms jsonb, OUT rules jsonb, OUT freed jsonb, OUT mine jsonb[], OUT fitting int) LANGUAGE plpgsql AS $$
DECLARE
 names text[]; counts int8[]; ruled jsonb[]; locked text[]; actives int8[]; evens timestamptz[]; fits bool;
 settles bool; settled_every CONSTANT int := 32;
BEGIN
fitting := cardinality(tenants); rooms := '{}'; freed := '{}';
WITH c AS (SELECT * FROM unnest(tenants, graphs, keys) WITH ORDINALITY AS c (tenant, graph, by, no)),
 b AS (SELECT c.no, 't/' || c.tenant AS name, 'tenant/' || c.tenant AS own, 'tenant/' AS every FROM c
  UNION ALL SELECT c.no, 'g/' || c.graph, 'graph/' || c.graph, 'graph/' FROM c
  UNION ALL SELECT c.no, 'k/' || c.tenant || chr(31) || e.key || chr(31) || e.value, 'key/' || e.key, NULL
   FROM c, jsonb_each_text(c.by) e),
 r AS (SELECT o.name, o.own, o.count, coalesce(
   (SELECT d.body FROM document d WHERE d.kind = 'queue_rule' AND d.tenant = '' AND d.id = o.own),
   (SELECT d.body FROM document d WHERE d.kind = 'queue_rule' AND d.tenant = '' AND d.id = o.every)) AS rule
  FROM (SELECT b.name, b.own, b.every, count(*) AS count FROM b GROUP BY b.name, b.own, b.every) o)
SELECT array_agg(n.name), array_agg(n.count), array_agg(n.rule), jsonb_object_agg(n.own, n.rule),
 (SELECT array_agg(p.pairs ORDER BY p.no) FROM (SELECT b.no, coalesce(jsonb_agg(jsonb_build_array(r.name, r.own))
   FILTER (WHERE r.rule IS NOT NULL), '[]') AS pairs FROM b JOIN r ON r.name = b.name GROUP BY b.no) p)
 INTO names, counts, ruled, rules, mine FROM (SELECT * FROM r WHERE r.rule IS NOT NULL ORDER BY r.name) n;
IF names IS NULL THEN RETURN; END IF;

INSERT INTO bucket (name) SELECT unnest(names) ON CONFLICT DO NOTHING;
IF waits THEN
 SELECT array_agg(b.name), array_agg(b.active), array_agg(b.next_even),
  bool_or(b.active % settled_every + fitting >= settled_every) INTO locked, actives, evens, settles
  FROM (SELECT name, active, next_even FROM bucket WHERE name = ANY (names) ORDER BY name FOR UPDATE) b;
ELSE
 SELECT array_agg(b.name), array_agg(b.active), array_agg(b.next_even),
  bool_or(b.active % settled_every + fitting >= settled_every) INTO locked, actives, evens, settles
  FROM (SELECT name, active, next_even FROM bucket WHERE name = ANY (names) ORDER BY name FOR UPDATE SKIP LOCKED) b;
END IF;
LOOP
 IF settles THEN
  -- A look after the lock: what left before is settled by this claim or by one before it.
  WITH gone AS (DELETE FROM bucket_freed WHERE name = ANY (locked) RETURNING name)
  SELECT coalesce(jsonb_object_agg(g.name, g.count), '{}') INTO freed
   FROM (SELECT name, count(*) AS count FROM gone GROUP BY name) g;
 END IF;
 WITH n AS (SELECT n.name, n.count, n.rule, (n.rule->>'burst')::int8 AS burst, l.name IS NOT NULL AS is_locked,
   interval '1 millisecond' * ((n.rule->>'per_ms')::float8 / (n.rule->>'count')::float8) AS even, l.next_even,
   GREATEST(l.active - coalesce((freed->>n.name)::int8, 0), 0) AS active
  FROM unnest(names, counts, ruled) AS n (name, count, rule)
  LEFT JOIN unnest(locked, actives, evens) AS l (name, active, next_even) ON l.name = n.name),
  o AS (SELECT n.*, CASE WHEN n.next_even - n.even * (n.burst - 1) > now()
   THEN n.next_even - n.even * (n.burst - 1) END AS opens FROM n),
  x AS (SELECT o.name, o.count, CASE WHEN NOT o.is_locked OR o.opens IS NOT NULL THEN 0 ELSE GREATEST(0, LEAST(
    coalesce((o.rule->>'active_max')::int8, 1000000000) - o.active, o.burst
     - ceil(extract(epoch FROM GREATEST(o.next_even, now()) - now()) / extract(epoch FROM o.even))::int8)) END AS room
   FROM o),
  f AS MATERIALIZED (SELECT jsonb_object_agg(x.name, x.room) AS rooms, bool_and(x.room >= x.count) AS fits FROM x),
  u AS (UPDATE bucket SET opens = o.opens, active = CASE WHEN f.fits THEN o.active + o.count ELSE bucket.active END,
    next_even = CASE WHEN f.fits AND o.even IS NOT NULL THEN GREATEST(bucket.next_even, now()) + o.even * o.count
     ELSE bucket.next_even END
   FROM o, f WHERE bucket.name = o.name AND o.is_locked
   AND (f.fits OR (o.burst IS NOT NULL OR bucket.opens IS NOT NULL) AND bucket.opens IS DISTINCT FROM o.opens))
 SELECT f.rooms, f.fits INTO rooms, fits FROM f;
 IF fits THEN RETURN; END IF;
 EXIT WHEN settles;
 settles := true;
END LOOP;

SELECT min(x.no) - 1 INTO fitting FROM (SELECT m.no, p.value->>0 AS name,
  row_number() OVER (PARTITION BY p.value->>0 ORDER BY m.no) AS count
  FROM unnest(mine) WITH ORDINALITY AS m (pairs, no), jsonb_array_elements(m.pairs) p) x
 WHERE x.count > (rooms->>x.name)::int8;
mine := mine[:fitting];
SELECT jsonb_object_agg(e.key, CAST(e.value AS int8) - (SELECT count(*) FROM unnest(mine) AS m (pairs),
  jsonb_array_elements(m.pairs) p WHERE p.value->>0 = e.key)) INTO rooms FROM jsonb_each_text(rooms) e;
END $$)",

    // Claims runs for a worker, as `take_in_turn` of lib/store/record/queue_turn.hpp and `claim_runs` of the model do.
    // With limits it takes runs as if there were none, and asks all of their buckets at once. From the first run that
    // does not fit it goes on run by run.
    // All tenants have their turn behind `last_tenant`, of whose turn `last_left` runs are left. `floor` is the place
    // before which nothing is ready; it keeps the look-up from entries of runs that were taken long ago, which stay as
    // long as anybody holds an old snapshot.
    R"(CREATE OR REPLACE FUNCTION claim_in_turn(by_worker int8, count_max int8, last_tenant text, last_left int8,
 floor int8)
RETURNS TABLE (id uuid, tenant text, name text, epoch int8, head int8, attempt int4, graph text, input bytea,
 place int8, is_suspect bool, revision text, turn_tenant text, turn_left int8)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
 able jsonb; has_rules bool; has_suspects bool; has_due bool; asks_each bool; fitting int;
 first_tenant text; has_one_tenant bool; has_one_lane bool; lane_graph text; lane_revision text;
 has_limits bool := false; has_keys bool := false; has_weights bool := false; has_held bool := false;
 rooms jsonb := '{}'; rules jsonb := '{}'; freed jsonb := '{}';
 ids uuid[] := '{}'; counts_in jsonb[] := '{}'; mine jsonb; bucket_name text; c record;
 at_tenant text := last_tenant; at_left int8 := last_left; next_tenant text; idle_since text;
 done_tenant text := last_tenant; done_left int8 := last_left; visits int := 0; in_ring bool := false;
 is_alone bool := false; has_parked bool;
 asked text; graphs text[]; revisions text[];
 wanted int8; got int; looked int; parked int; scope text;
 tenants text[] := '{}'; lefts int8[] := '{}'; rings bool[] := '{}'; of_graphs text[] := '{}'; keys jsonb[] := '{}';
BEGIN
FOR round IN 1..2 LOOP
 SELECT EXISTS (SELECT FROM run r WHERE r.later <= now() AND r.phase + 0 IN (0, 3)),
  EXISTS (SELECT FROM document d WHERE d.kind = 'queue_rule'),
  EXISTS (SELECT FROM run r WHERE r.phase = 1 AND r.suspected_at IS NOT NULL),
  f.tenant, f.tenant = l.tenant, (f.tenant, f.graph, f.revision) = (l.tenant, l.graph, l.revision)
  INTO has_due, has_rules, has_suspects, first_tenant, has_one_tenant, has_one_lane
  FROM (VALUES (1)) v LEFT JOIN LATERAL (SELECT r.tenant, r.graph COLLATE "C" AS graph, r.revision FROM run r
    WHERE r.phase = 1 AND r.held_by IS NULL AND r.place >= floor
    ORDER BY r.tenant, r.graph COLLATE "C", r.revision LIMIT 1) f ON true
  LEFT JOIN LATERAL (SELECT r.tenant, r.graph COLLATE "C" AS graph, r.revision FROM run r
    WHERE r.phase = 1 AND r.held_by IS NULL AND r.place >= floor
    ORDER BY r.tenant DESC, r.graph COLLATE "C" DESC, r.revision DESC LIMIT 1) l ON true;
 EXIT WHEN NOT has_due OR round = 2;
 -- Runs that waited for their moment, before they began or at rest, and it has come. Runs are locked here and not their
 -- threads, against the order of locks: so nothing here waits for a lock, and a claim waits for none of them either.
 UPDATE run SET phase = 1, later = NULL, changed = now() WHERE run.id IN (SELECT r.id FROM run r WHERE r.later <= now()
  AND r.phase + 0 IN (0, 3) ORDER BY r.later LIMIT 1000 FOR UPDATE SKIP LOCKED);
END LOOP;
-- Most looks find nothing: with the worker's row locked each of them would be flushed to disk.
IF count_max <= 0 OR (NOT has_rules AND first_tenant IS NULL AND NOT has_suspects) THEN RETURN; END IF;
SELECT w.graphs INTO able FROM worker w WHERE w.id = by_worker AND w.until > now() AND NOT w.is_given_up FOR KEY SHARE;
IF NOT FOUND THEN RETURN; END IF;
IF has_rules THEN
 SELECT has_queue_rule('key'), has_queue_rule('tenant') OR has_queue_rule('graph'), has_queue_rule('weight'),
  EXISTS (SELECT FROM bucket b WHERE b.holds) OR EXISTS (SELECT FROM bucket b WHERE b.opens <= now())
  INTO has_keys, has_limits, has_weights, has_held;
 has_limits := has_limits OR has_keys;
 IF has_held THEN PERFORM let_runs_go(); END IF;
END IF;
-- A tenant that is alone in the queue needs no turns, unless a weight or what was held is about to change that.
has_one_tenant := coalesce(has_one_tenant AND NOT has_weights AND NOT has_held, false);
has_one_lane := has_one_tenant AND has_one_lane;

-- A suspect comes first, out of turn; two at once would leave open which of them ends processes.
IF has_suspects THEN FOR c IN SELECT r.id, r.tenant, r.graph, r.limit_keys FROM run r JOIN thread t ON t.no = r.thread
 WHERE r.phase = 1 AND r.suspected_at IS NOT NULL AND r.suspected_at = t.head AND t.active = r.id AND t.holder IS NULL
 AND is_able(able, r.graph, r.revision)
 AND NOT EXISTS (SELECT FROM run h JOIN thread ht ON ht.no = h.thread WHERE h.phase = 2 AND h.suspected_at IS NOT NULL
  AND h.suspected_at = ht.head AND (h.worker = by_worker OR h.attempt > 2 OR r.attempt > 1))
 ORDER BY r.attempt, r.no LIMIT 1 FOR UPDATE OF t SKIP LOCKED
LOOP
 mine := '[]'; scope := NULL;
 IF has_limits THEN
  SELECT e.mine, e.rooms, e.rules, e.scope INTO mine, rooms, rules, scope
   FROM enter_buckets(c.tenant, c.graph, c.limit_keys, rooms, rules) e;
 END IF;
 IF scope IS NULL THEN ids := ids || c.id; counts_in := counts_in || mine; END IF;
END LOOP; END IF;

-- A suspect that counts has opened its buckets out of the order of names.
asks_each := has_limits AND cardinality(ids) > 0;
LOOP
 LOOP
  EXIT WHEN cardinality(ids) >= count_max;
  -- The tenant of the turn, the next one behind it, or the first one. No name is between that of a tenant and the same
  -- with chr(1).
  asked := CASE WHEN at_left > 0 THEN at_tenant WHEN has_one_tenant THEN first_tenant ELSE at_tenant || chr(1) END;
  LOOP
   SELECT r.tenant, r.graph, r.revision INTO next_tenant, lane_graph, lane_revision FROM run r
    WHERE r.phase = 1 AND r.held_by IS NULL AND r.tenant >= asked AND r.place >= floor
    ORDER BY r.tenant, r.graph COLLATE "C", r.revision LIMIT 1;
   EXIT WHEN next_tenant IS NOT NULL OR asked = '';
   asked := '';
  END LOOP;
  IF at_left <= 0 OR next_tenant IS DISTINCT FROM at_tenant THEN
   EXIT WHEN next_tenant IS NULL OR next_tenant = idle_since OR visits >= 2000;
   visits := visits + 1;
   is_alone := has_one_tenant OR in_ring AND next_tenant = at_tenant;
   at_left := CASE WHEN is_alone THEN count_max
    WHEN has_weights THEN coalesce((coalesce(queue_rule('weight/' || next_tenant), queue_rule('weight/'))
     ->>'weight')::int8, 1)
    ELSE 1 END;
   at_tenant := next_tenant;
   in_ring := true;
  END IF;

  -- Its graphs and revisions that the worker can run: each is one step in the index.
  graphs := '{}'; revisions := '{}';
  WHILE lane_graph IS NOT NULL LOOP
   IF is_able(able, lane_graph, lane_revision) THEN
    graphs := graphs || lane_graph; revisions := revisions || lane_revision;
   END IF;
   EXIT WHEN has_one_lane;
   SELECT r.graph, r.revision INTO lane_graph, lane_revision FROM run r
    WHERE r.phase = 1 AND r.held_by IS NULL AND r.tenant = at_tenant
    AND (r.graph COLLATE "C", r.revision) > (lane_graph COLLATE "C", lane_revision)
    ORDER BY r.graph COLLATE "C", r.revision LIMIT 1;
  END LOOP;

  got := 0; looked := 0; scope := NULL; has_parked := false;
  IF asks_each THEN
   SELECT e.rooms, e.rules, e.scope INTO rooms, rules, scope FROM enter_buckets(at_tenant, NULL, '{}', rooms, rules) e;
  END IF;
  LOOP
   wanted := LEAST(at_left - got, count_max - cardinality(ids));
   EXIT WHEN wanted <= 0 OR cardinality(graphs) = 0 OR looked > 1000 OR scope = 'tenant';
   parked := 0; scope := NULL;
   -- The planner takes a limit that it does not know for a tenth of the rows, and would sort all that are ready; the
   -- CASE hides from it how few it thinks would come. No more rows are locked than the inner LIMIT wanted takes.
   FOR c IN SELECT x.id, x.graph, x.limit_keys FROM unnest(graphs, revisions) AS k (g, v) CROSS JOIN LATERAL
    (SELECT o.* FROM (SELECT r.id, r.graph, r.limit_keys, r.place, r.no FROM run r JOIN thread t ON t.no = r.thread
     WHERE r.phase = 1 AND r.held_by IS NULL AND r.tenant = at_tenant AND r.graph COLLATE "C" = k.g
     AND r.revision = k.v AND r.place >= floor AND CASE WHEN t.active = r.id THEN t.holder IS NULL END
     AND r.suspected_at IS DISTINCT FROM t.head AND r.id <> ALL (ids)
     ORDER BY r.place, r.no LIMIT 1000 FOR UPDATE OF t SKIP LOCKED) o LIMIT wanted) x
    ORDER BY x.place, x.no LIMIT wanted
   LOOP
    looked := looked + 1;
    mine := '[]';
    IF asks_each THEN
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
    tenants := tenants || at_tenant; of_graphs := of_graphs || c.graph; keys := keys || c.limit_keys;
    lefts := lefts || CASE WHEN is_alone THEN 0 ELSE at_left - got END; rings := rings || in_ring;
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
  EXIT WHEN is_alone AND NOT has_parked;
 END LOOP;

 EXIT WHEN asks_each OR NOT has_limits OR cardinality(ids) = 0;
 SELECT e.rooms, e.rules, e.freed, e.mine, e.fitting INTO rooms, rules, freed, counts_in, fitting
  FROM enter_buckets_at_once(tenants, of_graphs, keys, NOT has_keys) e;
 EXIT WHEN fitting = cardinality(ids);
 -- Back to the turn of the first one that does not fit. One that an earlier claim began does not stand in the ring, so
 -- that its tenant is not taken for alone before the ring was gone round.
 asks_each := true; in_ring := rings[fitting + 1]; idle_since := NULL; visits := 0;
 done_tenant := CASE WHEN fitting = 0 THEN last_tenant ELSE tenants[fitting] END;
 done_left := CASE WHEN fitting = 0 THEN last_left ELSE lefts[fitting] END;
 at_tenant := tenants[fitting + 1]; at_left := lefts[fitting + 1] + 1; is_alone := false;
 ids := ids[:fitting];
END LOOP;

-- Runs whose buckets were entered at once are counted.
IF asks_each THEN
 UPDATE bucket b SET active = GREATEST(b.active - u.freed, 0) + u.count,
  next_even = CASE WHEN u.even IS NULL THEN b.next_even ELSE GREATEST(b.next_even, now()) + u.even * u.count END
 FROM (SELECT y.name, sum(y.count)::int8 AS count, sum(y.freed)::int8 AS freed, max(y.even) AS even
   FROM (SELECT x.name, 1 AS count, 0 AS freed, interval '1 millisecond' *
     ((rules->x.rule->>'per_ms')::float8 / (rules->x.rule->>'count')::float8) AS even
    FROM (SELECT value->>0 AS name, value->>1 AS rule FROM unnest(counts_in) m, jsonb_array_elements(m)) x
    UNION ALL SELECT e.key, 0, CAST(e.value AS int8), NULL FROM jsonb_each_text(freed) e) y
   GROUP BY y.name) u
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

    // That of an earlier version, which asked all buckets at once and did not count.
    "DROP FUNCTION IF EXISTS enter_all_buckets",
};

}  // namespace

std::span<const char* const> queue_claims() noexcept { return claim_statements; }

}  // namespace weft::postgres_detail
