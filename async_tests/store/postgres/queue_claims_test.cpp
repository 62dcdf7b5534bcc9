#ifdef WEFT_HAS_POSTGRES

#include "store/postgres/sql/queue_schema.hpp"
#include "store/postgres/sql/sql_statements.hpp"
#include "store/postgres_fixture.hpp"
#include "store/raw_session.hpp"

#include <boost/test/data/test_case.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/** Claims that ask all limits at once take what claims of the version before take, which ask run by run: both are made
 *  in seeded worlds of tenants, graphs, keys, abilities, limits, rates and weights, and one of them is undone. So does
 *  the statement that stores send, which takes the runs of a plain queue by itself. */
namespace queue_claims_test {

namespace ut = boost::unit_test;

using namespace weft_tests;

constexpr const char* world[] = {
    // In a narrow world there is one of each.
    R"(CREATE FUNCTION pick(of text[]) RETURNS text LANGUAGE sql VOLATILE AS $$
SELECT of[1 + floor(random() * LEAST(cardinality(of), current_setting('world.width')::int))::int] $$)",

    // What a claim gives, counts and holds back; nothing of it stays.
    R"(CREATE FUNCTION taken_by(claims text, worker int8, count int8, tenant text, tenant_left int8) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE taken text; counts text; held text;
BEGIN
 EXECUTE format('SELECT coalesce(string_agg(format(''%%s %%s %%s'', id, turn_tenant, turn_left), '', ''), ''none'')'
  ' FROM %I($1, $2, $3, $4, -9223372036854775808)', claims) INTO taken USING worker, count, tenant, tenant_left;
 SELECT string_agg(format('%s %s %s', b.name, b.active - f.freed, b.next_even), ', ' ORDER BY b.name) INTO counts
  FROM bucket b, LATERAL (SELECT count(*) AS freed FROM bucket_freed f WHERE f.name = b.name) f
  WHERE b.active > f.freed OR b.next_even > '-infinity';
 SELECT string_agg(r.id || ' ' || r.held_by, ', ' ORDER BY r.id) INTO held FROM run r WHERE r.held_by IS NOT NULL;
 RAISE EXCEPTION SQLSTATE 'WEFT1';
EXCEPTION WHEN SQLSTATE 'WEFT1' THEN RETURN format('took %s; counts %s; holds %s', taken, counts, held);
END $$)",

    R"(CREATE FUNCTION add_rules() RETURNS void LANGUAGE sql AS $$
INSERT INTO document (kind, tenant, id, body) SELECT 'queue_rule', '', id, body::jsonb FROM (VALUES
 ('tenant/', '{"active_max": 2}'), ('tenant/a', '{"active_max": 1}'), ('graph/p', '{"active_max": 3}'),
 ('tenant/b', '{"active_max": 3, "count": 5, "per_ms": 1000, "burst": 2}'), ('key/org', '{"active_max": 2}'),
 ('graph/', '{"count": 10, "per_ms": 100, "burst": 4}'), ('key/user', '{"active_max": 1}'),
 ('weight/b', '{"weight": 3}'), ('weight/', '{"weight": 2}')) AS v (id, body)
 WHERE random() < current_setting('world.rules')::float8 $$)",

    R"(CREATE FUNCTION add_run() RETURNS void LANGUAGE plpgsql AS $$
DECLARE chance float8 := random(); new_thread int8; new_id uuid := gen_random_uuid(); whose text := pick('{a,b,c,d}');
BEGIN
 INSERT INTO thread (tenant, name, active) VALUES (whose, new_id, new_id) RETURNING no INTO new_thread;
 INSERT INTO run (id, thread, tenant, phase, attempts_max, graph, revision, input, limit_keys, place, suspected_at)
  VALUES (new_id, new_thread, whose, 1, 5, pick('{p,q}'), pick('{"",1,2}'), '',
   CASE WHEN chance < 0.3 THEN jsonb_build_object('user', pick('{ann,bob}'))
    WHEN chance < 0.4 THEN jsonb_build_object('org', pick('{x,y}'), 'user', 'ann') ELSE '{}' END,
   (random() * 1000)::int8, CASE WHEN random() < 0.05 THEN 0 END);
END $$)",

    // Some runs end, and time passes for rates.
    R"(CREATE FUNCTION pass() RETURNS void LANGUAGE sql AS $$
WITH gone AS (UPDATE thread SET holder = NULL, active = NULL WHERE holder IS NOT NULL AND random() < 0.4 RETURNING no)
UPDATE run SET phase = 4 FROM gone WHERE run.thread = gone.no AND run.phase = 2;
UPDATE bucket SET next_even = next_even - interval '150 milliseconds', opens = opens - interval '150 milliseconds' $$)",

    // Empty, or the first difference.
    R"(CREATE FUNCTION difference(seed float8, steps int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE workers int8[]; asking int8; how_many int8; one text; other text; sent text; c record;
 whose text := ''; remaining int8 := 0;
BEGIN
 PERFORM setseed(seed);
 PERFORM add_rules();
 WITH w AS (INSERT INTO worker (name, until, graphs) SELECT 'w', now() + interval '1 day', g::jsonb
  FROM unnest(ARRAY['[]', '[["p", ""]]', '[["p", "1"], ["q", ""]]']) g RETURNING id)
 SELECT array_agg(id) INTO workers FROM w;
 FOR step IN 1..steps LOOP
  PERFORM add_run() FROM generate_series(1, (random() * 6)::int);
  asking := workers[1 + floor(random() * 3)::int]; how_many := 1 + floor(random() * 8);
  one := taken_by('claim_run_by_run', asking, how_many, whose, remaining);
  other := taken_by('claim_in_turn', asking, how_many, whose, remaining);
  sent := taken_by('claim_as_sent', asking, how_many, whose, remaining);
  IF one <> other OR one <> sent THEN
   RETURN format('step %s: before: %s now: %s as sent: %s', step, one, other, sent);
  END IF;
  FOR c IN SELECT * FROM claim_in_turn(asking, how_many, whose, remaining, -9223372036854775808) LOOP
   whose := c.turn_tenant; remaining := c.turn_left;
  END LOOP;
  PERFORM pass();
 END LOOP;
 RETURN '';
END $$)",
};

/** The claim of the version before, under a name of its own. */
std::string claim_of_before()
{
    for (const std::string_view each : weft::postgres_detail::queue_schema()) {
        const std::size_t at = each.find("FUNCTION claim_in_turn");
        if (at != each.npos) return std::string{each}.replace(at, 22, "FUNCTION claim_run_by_run");
    }
    return {};
}

/** The statement that stores send, as a function. */
std::string claim_as_sent()
{
    return "CREATE FUNCTION claim_as_sent(int8, int8, text, int8, int8) RETURNS TABLE (id uuid, tenant text, name text,"
           " epoch int8, head int8, attempt int4, graph text, input bytea, place int8, is_suspect bool, revision text,"
           " turn_tenant text, turn_left int8, c_id uuid, c_seq int8, c_parent int8, c_run uuid, c_epoch int8,"
           " c_kind int2, c_step int8, c_node text, c_graph text, c_graph_hash text, c_label text, c_at int8,"
           " c_bytes int8, c_copy_of uuid, c_body bytea, c_links bytea) LANGUAGE sql AS $$ " +
           std::string{weft::postgres_detail::sql::claim.text} + " $$";
}

/** A worker claims a run with one checkpoint, which was given back. */
weft::task<weft::thread_key> claim_with(weft::postgres_store& store, weft::worker_id worker, weft::run_id id,
                                        std::string body)
{
    weft::new_run run{weft::thread_key{id.text()}, id};
    run.started_by(worker);
    const weft::run_admission admission = co_await store.enqueue(std::move(run));
    weft::write_fence fence = admission.claim.value().fence;
    weft::checkpoint_draft draft;
    draft.id = weft::checkpoint_id{id.value()};
    draft.body = std::move(body);
    const weft::commit_result written = co_await store.commit(fence, std::move(draft));
    BOOST_TEST(written.head == 1);
    const weft::write_state back = co_await store.yield(fence);
    BOOST_TEST((back == weft::write_state::ok));
    const std::vector<weft::run_claim> claims = co_await store.claim(worker, 10);
    BOOST_TEST(!claims.empty());
    co_return fence.thread;
}

weft::task<void> enter_for(weft::postgres_store& store, std::string tenant, weft::run_id id)
{
    weft::new_run run{weft::thread_key{id.text(), std::move(tenant)}, id};
    static_cast<void>(co_await store.enqueue(std::move(run)));
}

BOOST_AUTO_TEST_SUITE(queue_claims_test, *ut::precondition(has_postgres))

BOOST_DATA_TEST_CASE(limits_asked_all_at_once_take_what_limits_asked_one_by_one_take, ut::data::xrange(1, 9), seed)
{
    fresh_names fresh;
    const postgres_server& server = shared_postgres_server();
    const std::string schema = fresh.schema();
    weft::run_blocking(weft::postgres_store::prepare(options_on(server, schema)));
    const std::string here = "SET search_path = " + schema + "; ";
    server.query(here + claim_of_before());
    server.query(here + claim_as_sent());
    for (const char* each : world) server.query(here + each);
    // The last worlds have no rules, and so often a plain queue.
    const bool has_rules = seed < 7;
    const std::string width = "SET world.width = " + std::to_string(seed % 3 == 0 || !has_rules ? 1 : 9) +
                              "; SET world.rules = " + (has_rules ? "0.4; " : "0; ");
    BOOST_TEST(server.query(here + width + "SELECT difference(" + std::to_string(seed) + " / 10.0, 30)") == "");
}

// The tenant is alone, its second run does not fit, and of the turn that an earlier claim began two runs are left. That
// turn goes on with the third run; the fourth one begins a turn of three, of which two are left.
BOOST_AUTO_TEST_CASE(a_turn_that_an_earlier_claim_began_is_no_round_of_a_tenant_alone)
{
    fresh_names fresh;
    const postgres_server& server = shared_postgres_server();
    const std::string schema = fresh.schema();
    weft::run_blocking(weft::postgres_store::prepare(options_on(server, schema)));
    raw_session claims{server.connection()};
    claims.query("SET search_path = " + schema + "; SET world.width = 1");
    claims.query(claim_of_before());
    claims.query(claim_as_sent());
    for (const char* each : world) claims.query(each);
    claims.query("INSERT INTO document (kind, tenant, id, body) VALUES"
                 " ('queue_rule', '', 'weight/', '{\"weight\": 3}'),"
                 " ('queue_rule', '', 'graph/p', '{\"active_max\": 1}')");
    const std::string worker = claims.query(
        "INSERT INTO worker (name, until, graphs) VALUES ('w', now() + interval '1 day', '[]') RETURNING id");
    claims.query("WITH t AS (INSERT INTO thread (tenant, name, active) SELECT 'a', i, gen_random_uuid()"
                 " FROM generate_series(1, 4) i RETURNING no, CAST(name AS int) AS i, active)"
                 " INSERT INTO run (id, thread, tenant, phase, attempts_max, graph, input, place)"
                 " SELECT active, no, 'a', 1, 5, CASE WHEN i < 3 THEN 'p' ELSE 'q' END, '', i FROM t");
    const auto take = [&](const std::string& how) {
        return claims.query("SELECT taken_by('" + how + "', " + worker + ", 4, 'a', 2)");
    };
    const std::string before = take("claim_run_by_run");
    BOOST_TEST(before.find(" a 2; counts g/p 1 ") != before.npos, before);
    BOOST_TEST(take("claim_in_turn") == before);
    BOOST_TEST(take("claim_as_sent") == before);
}

// From a plain queue and from one with two tenants. It is given once, and not after a change by hand.
BOOST_AUTO_TEST_CASE(a_checkpoint_that_is_not_large_comes_with_the_claim)
{
    fresh_names fresh;
    const postgres_server& server = shared_postgres_server();
    const std::string schema = fresh.schema();
    const auto store = open_store(options_on(server, schema));
    const weft::worker_id worker = weft::run_blocking(store->enter("test", std::chrono::hours{1}));
    const auto claim = [&](std::string body) {
        return weft::run_blocking(claim_with(*store, worker, fresh.run(), std::move(body)));
    };
    const auto load = [&](const weft::thread_key& thread) {
        return weft::run_blocking(store->load(thread, 1)).value().body;
    };
    const auto change = [&] { server.query("UPDATE " + schema + ".checkpoint SET body = 'changed'"); };
    for (const bool is_plain : {true, false}) {
        if (!is_plain) weft::run_blocking(enter_for(*store, "other", fresh.run()));
        const weft::thread_key thread = claim("small");
        change();
        BOOST_TEST(load(thread) == "small");
        BOOST_TEST(load(thread) == "changed");
    }
    const weft::thread_key large = claim(std::string(70'000, 'x'));
    change();
    BOOST_TEST(load(large) == "changed");
    const weft::thread_key labelled = claim("small");
    BOOST_TEST(weft::run_blocking(store->label(labelled, 1, "by hand")));
    change();
    BOOST_TEST(load(labelled) == "changed");
}

// A transaction without an id has nothing to flush to disk.
BOOST_AUTO_TEST_CASE(a_look_that_finds_nothing_writes_nothing_and_a_plain_queue_needs_no_function)
{
    fresh_names fresh;
    const postgres_server& server = shared_postgres_server();
    const std::string schema = fresh.schema();
    weft::run_blocking(weft::postgres_store::prepare(options_on(server, schema)));
    raw_session looks{server.connection()};
    looks.query("SET search_path = " + schema + "; SET world.width = 9; SET track_functions = 'pl'");
    for (const char* each : world) looks.query(each);
    looks.query(claim_as_sent());
    const std::string worker = looks.query(
        "INSERT INTO worker (name, until, graphs) VALUES ('w', now() + interval '1 day', '[]') RETURNING id");
    const auto look = [&] {
        looks.query("BEGIN");
        looks.query("SELECT * FROM claim_as_sent(" + worker + ", 8, '', 0, -9223372036854775808)");
        const std::string ids = looks.query("SELECT count(pg_current_xact_id_if_assigned())");
        const std::string calls =
            looks.query("SELECT coalesce(pg_stat_get_xact_function_calls('claim_in_turn'::regproc), 0)");
        looks.query("COMMIT");
        return ids + " ids, " + calls + " calls";
    };
    BOOST_TEST(look() == "0 ids, 0 calls");
    looks.query("SELECT setseed(0.3), add_run()");
    BOOST_TEST(look() == "1 ids, 0 calls");
    BOOST_TEST(looks.query("SELECT count(*) FROM run WHERE phase = 2") == "1");
    BOOST_TEST(look() == "0 ids, 0 calls");
    looks.query("SELECT add_run() FROM generate_series(1, 4)");
    BOOST_TEST(look() == "1 ids, 1 calls");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace queue_claims_test

#endif
