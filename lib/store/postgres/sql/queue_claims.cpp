#include "queue_schema.hpp"

namespace weft::postgres_detail {

namespace {

// One plan serves all parameters (`plan_cache_mode`): with a plan for each call a claim spent two thirds of its time in
// the planner.
constexpr const char* claim_statements[] = {
    // '0' is the character behind '/'.
    R"(CREATE FUNCTION has_queue_rule(kind text) RETURNS bool LANGUAGE sql STABLE AS $$
SELECT EXISTS (SELECT FROM document d WHERE d.kind = 'queue_rule' AND d.tenant = ''
 AND d.id >= has_queue_rule.kind || '/' AND d.id < has_queue_rule.kind || '0') $$)",

    // All buckets of several runs at once, each of which is given by its place in the arrays: `fitting` says how many
    // of them, from the first one, enter all of theirs, and `mine` lists those of each as `enter_buckets` does. Rooms
    // are those behind these runs; `freed` is what the buckets still have to settle. Buckets are made and locked in the
    // order of their names, so that no two claims wait for each other, unless `waits` is false.
    R"(CREATE FUNCTION enter_all_buckets(tenants text[], graphs text[], keys jsonb[], waits bool, OUT rooms jsonb,
 OUT rules jsonb, OUT freed jsonb, OUT mine jsonb[], OUT fitting int) LANGUAGE plpgsql AS $$
DECLARE names text[]; owns text[]; counts int8[]; locked text[]; actives int8[]; evens timestamptz[]; fits bool;
BEGIN
fitting := cardinality(tenants); rooms := '{}'; freed := '{}';
WITH c AS (SELECT * FROM unnest(tenants, graphs, keys) WITH ORDINALITY AS c (tenant, graph, by, no)),
 b AS (SELECT c.no, 't/' || c.tenant AS name, 'tenant/' || c.tenant AS own, 'tenant/' AS every FROM c
  UNION ALL SELECT c.no, 'g/' || c.graph, 'graph/' || c.graph, 'graph/' FROM c
  UNION ALL SELECT c.no, 'k/' || c.tenant || chr(31) || e.key || chr(31) || e.value, 'key/' || e.key, NULL
   FROM c, jsonb_each_text(c.by) e),
 r AS (SELECT o.own, coalesce(d.body, e.body) AS rule FROM (SELECT DISTINCT own, every FROM b) o
  LEFT JOIN document d ON d.kind = 'queue_rule' AND d.tenant = '' AND d.id = o.own
  LEFT JOIN document e ON e.kind = 'queue_rule' AND e.tenant = '' AND e.id = o.every),
 m AS (SELECT b.no, b.name, b.own FROM b JOIN r ON r.own = b.own AND r.rule IS NOT NULL),
 n AS (SELECT m.name, m.own, count(*) AS count FROM m GROUP BY m.name, m.own)
SELECT (SELECT array_agg(n.name ORDER BY n.name) FROM n), (SELECT array_agg(n.own ORDER BY n.name) FROM n),
 (SELECT array_agg(n.count ORDER BY n.name) FROM n), (SELECT jsonb_object_agg(r.own, r.rule) FROM r),
 (SELECT array_agg(coalesce(x.pairs, '[]') ORDER BY c.no) FROM c LEFT JOIN (SELECT m.no,
  jsonb_agg(jsonb_build_array(m.name, m.own)) AS pairs FROM m GROUP BY m.no) x ON x.no = c.no)
 INTO names, owns, counts, rules, mine;
IF names IS NULL THEN RETURN; END IF;

INSERT INTO bucket (name) SELECT unnest(names) ON CONFLICT DO NOTHING;
IF waits THEN
 SELECT array_agg(b.name), array_agg(b.active), array_agg(b.next_even) INTO locked, actives, evens FROM (SELECT name,
  active, next_even FROM bucket WHERE name = ANY (names) ORDER BY name FOR UPDATE) b;
ELSE
 SELECT array_agg(b.name), array_agg(b.active), array_agg(b.next_even) INTO locked, actives, evens FROM (SELECT name,
  active, next_even FROM bucket WHERE name = ANY (names) ORDER BY name FOR UPDATE SKIP LOCKED) b;
END IF;
-- A look after the lock: what left before is settled by this claim or by the one before it.
WITH gone AS (DELETE FROM bucket_freed WHERE name = ANY (locked) RETURNING name)
SELECT coalesce(jsonb_object_agg(g.name, g.count), '{}') INTO freed
 FROM (SELECT name, count(*) AS count FROM gone GROUP BY name) g;

WITH n AS (SELECT n.name, n.count, l.name IS NOT NULL AS is_locked, l.next_even, rules->n.own AS rule,
  GREATEST(l.active - coalesce((freed->>n.name)::int8, 0), 0) AS active
  FROM unnest(names, owns, counts) AS n (name, own, count)
  LEFT JOIN unnest(locked, actives, evens) AS l (name, active, next_even) ON l.name = n.name),
 e AS (SELECT n.*, (n.rule->>'burst')::int8 AS burst,
  interval '1 millisecond' * ((n.rule->>'per_ms')::float8 / (n.rule->>'count')::float8) AS even FROM n),
 o AS (SELECT e.*, CASE WHEN e.next_even - e.even * (e.burst - 1) > now() THEN e.next_even - e.even * (e.burst - 1) END
   AS opens FROM e),
 u AS (UPDATE bucket SET opens = o.opens FROM o WHERE bucket.name = o.name AND o.is_locked
  AND (o.burst IS NOT NULL OR bucket.opens IS NOT NULL) AND bucket.opens IS DISTINCT FROM o.opens),
 x AS (SELECT o.name, o.count, CASE WHEN NOT o.is_locked OR o.opens IS NOT NULL THEN 0 ELSE GREATEST(0, LEAST(
   coalesce((o.rule->>'active_max')::int8, 1000000000) - o.active, o.burst
    - ceil(extract(epoch FROM GREATEST(o.next_even, now()) - now()) / extract(epoch FROM o.even))::int8)) END AS room
  FROM o)
SELECT jsonb_object_agg(x.name, x.room), bool_and(x.room >= x.count) INTO rooms, fits FROM x;
IF fits THEN RETURN; END IF;

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
 able jsonb; has_rules bool; has_limits bool; has_weights bool; asks_each bool; fitting int;
 rooms jsonb := '{}'; rules jsonb := '{}'; freed jsonb := '{}';
 ids uuid[] := '{}'; counts_in jsonb[] := '{}'; mine jsonb; bucket_name text; c record;
 at_tenant text := last_tenant; at_left int8 := last_left; next_tenant text; idle_since text;
 done_tenant text := last_tenant; done_left int8 := last_left; visits int := 0; in_ring bool := false;
 is_alone bool := false; has_parked bool;
 lane_graph text; lane_revision text; graphs text[]; revisions text[];
 wanted int8; got int; looked int; parked int; scope text;
 tenants text[] := '{}'; lefts int8[] := '{}'; of_graphs text[] := '{}'; keys jsonb[] := '{}';
BEGIN
has_rules := EXISTS (SELECT FROM document d WHERE d.kind = 'queue_rule');
-- Most looks find nothing: with the worker's row locked each of them would be flushed to disk.
IF count_max <= 0 OR (NOT has_rules
 AND (SELECT r.tenant FROM run r WHERE r.phase = 1 AND r.held_by IS NULL AND r.place >= floor ORDER BY r.tenant LIMIT 1)
  IS NULL AND NOT EXISTS (SELECT FROM run r WHERE r.phase = 1 AND r.suspected_at IS NOT NULL)) THEN RETURN; END IF;
SELECT w.graphs INTO able FROM worker w WHERE w.id = by_worker AND w.until > now() AND NOT w.is_given_up FOR KEY SHARE;
IF NOT FOUND THEN RETURN; END IF;
has_limits := has_rules AND (has_queue_rule('tenant') OR has_queue_rule('graph') OR has_queue_rule('key'));
has_weights := has_rules AND has_queue_rule('weight');
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
 IF has_limits THEN
  SELECT e.mine, e.rooms, e.rules, e.scope INTO mine, rooms, rules, scope
   FROM enter_buckets(c.tenant, c.graph, c.limit_keys, rooms, rules) e;
 END IF;
 IF scope IS NULL THEN ids := ids || c.id; counts_in := counts_in || mine; END IF;
END LOOP;

-- A suspect that counts has opened its buckets out of the order of names.
asks_each := has_limits AND cardinality(ids) > 0;
LOOP
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
    WHEN has_weights THEN coalesce((coalesce(queue_rule('weight/' || next_tenant), queue_rule('weight/'))
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
  IF asks_each THEN
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
    lefts := lefts || CASE WHEN is_alone THEN 0 ELSE at_left - got END;
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

 EXIT WHEN asks_each OR NOT has_limits OR cardinality(ids) = 0;
 SELECT e.rooms, e.rules, e.freed, e.mine, e.fitting INTO rooms, rules, freed, counts_in, fitting
  FROM enter_all_buckets(tenants, of_graphs, keys, NOT has_queue_rule('key')) e;
 EXIT WHEN fitting = cardinality(ids);
 -- Back to the turn of the first one that does not fit.
 asks_each := true; in_ring := true; idle_since := NULL; visits := 0;
 done_tenant := CASE WHEN fitting = 0 THEN last_tenant ELSE tenants[fitting] END;
 done_left := CASE WHEN fitting = 0 THEN last_left ELSE lefts[fitting] END;
 at_tenant := tenants[fitting + 1]; at_left := lefts[fitting + 1] + 1; is_alone := false;
 ids := ids[:fitting];
END LOOP;

IF has_limits THEN
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
};

}  // namespace

std::span<const char* const> queue_claims() noexcept { return claim_statements; }

}  // namespace weft::postgres_detail
