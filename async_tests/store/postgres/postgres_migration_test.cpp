#ifdef WEFT_HAS_POSTGRES

#include "store/postgres/wire/migration_steps.hpp"
#include "store/postgres_fixture.hpp"
#include "store/raw_session.hpp"

#include <weft/store/postgres/postgres_migration.hpp>

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>
#include <vector>

namespace postgres_migration_test {

namespace data = boost::unit_test::data;
namespace ut = boost::unit_test;
namespace pg = weft::postgres_detail;

using namespace weft_tests;

const int newest = pg::schema_versions().back().number;

/** Tables as an earlier version made them. */
void make_tables_of(const std::string& schema, int version)
{
    raw_session session{shared_postgres_server().connection()};
    session.query("CREATE SCHEMA " + schema);
    session.query("SET search_path = " + schema);
    for (const pg::schema_version& each : pg::schema_versions()) {
        if (each.number > version) break;
        for (const char* text : each.statements) session.query(text);
        session.query("INSERT INTO schema_version (version, min_reader) VALUES (" + std::to_string(each.number) +
                      ", 1)");
    }
}

/** Everything that a schema has, without its name: columns, indexes and their state, triggers, functions. */
std::string shape_of(const std::string& schema)
{
    const std::string found = shared_postgres_server().query(
        "SELECT string_agg(line, E'\\n' ORDER BY line) FROM ("
        "SELECT c.relname || '.' || a.attname || ' ' || a.attnum || ' ' || format_type(a.atttypid, a.atttypmod) || ' '"
        " || a.attnotnull || ' ' || coalesce(pg_get_expr(d.adbin, d.adrelid), '') || coalesce(c.reloptions::text, '')"
        " AS line FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
        " LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum WHERE c.relkind = 'r'"
        " AND c.relnamespace = '" + schema + "'::regnamespace"
        " UNION ALL SELECT pg_get_indexdef(i.indexrelid) || i.indisvalid FROM pg_index i JOIN pg_class c"
        " ON c.oid = i.indrelid WHERE c.relnamespace = '" + schema + "'::regnamespace"
        " UNION ALL SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
        " WHERE c.relnamespace = '" + schema + "'::regnamespace"
        " UNION ALL SELECT p.proname || md5(p.prosrc) FROM pg_proc p WHERE p.pronamespace = '" + schema +
        "'::regnamespace) s");
    std::string shape;
    const std::string prefix = schema + ".";
    for (std::size_t at = 0; at < found.size();) {
        if (found.compare(at, prefix.size(), prefix) == 0) at += prefix.size();
        else shape += found[at++];
    }
    return shape;
}

const std::string& new_shape()
{
    static const std::string shape = [] {
        const std::string schema = fresh_names{}.schema();
        weft::run_blocking(weft::postgres_store::prepare(options_on(shared_postgres_server(), schema)));
        return shape_of(schema);
    }();
    return shape;
}

weft::migration_plan plan_of(const std::string& schema)
{
    weft::postgres_options options = options_on(shared_postgres_server(), schema);
    return weft::run_blocking(weft::plan_migration(std::move(options)));
}

void migrate(const std::string& schema)
{
    weft::run_blocking(weft::postgres_store::prepare(options_on(shared_postgres_server(), schema)));
}

BOOST_AUTO_TEST_SUITE(postgres_migration_test, *ut::precondition(has_postgres))

BOOST_AUTO_TEST_CASE(statements_on_tables_in_use_are_told_from_those_on_new_ones)
{
    std::set<std::string> in_batches;
    for (int version = 1; version < newest; ++version)
        for (const pg::migration_step& step : pg::migration_steps(version, 0)) {
            const std::string_view text = step.text;
            const bool makes_index = text.find(" INDEX ") < 20 && text.starts_with("CREATE");
            // A table of later steps has no users.
            BOOST_TEST((step.table.empty() || step.way != weft::migration_way::at_once || !makes_index), text);
            if (step.way == weft::migration_way::in_batches) {
                in_batches.insert(step.table);
                BOOST_TEST(text.find("WHERE") == text.npos, text);
            }
        }
    BOOST_TEST((in_batches == std::set<std::string>{"run", "thread"}), "both have a column 'no'");
    const auto steps = pg::migration_steps(7, 0);
    BOOST_REQUIRE(steps.size() > 3);
    BOOST_TEST((steps[0].table == "run" && steps[0].lock == weft::migration_lock::everything));
    BOOST_TEST((steps[1].table == "run" && steps[1].lock == weft::migration_lock::everything), "DROP INDEX run_ready");
    BOOST_TEST((steps[2].index == "run_turn" && steps[2].way == weft::migration_way::concurrently));
    BOOST_TEST(pg::migration_steps(7, 3).size() == steps.size() - 3);
}

BOOST_DATA_TEST_CASE(tables_of_an_earlier_version_become_those_of_a_new_installation, data::xrange(1, newest),
                     version)
{
    const std::string schema = fresh_names{}.schema();
    make_tables_of(schema, version);
    const weft::migration_plan plan = plan_of(schema);
    BOOST_TEST((plan.found == version && plan.known == newest && !plan.is_usable() && !plan.is_under_way));
    BOOST_TEST(!plan.statements.empty());
    BOOST_TEST((plan_of(schema).found == version), "a plan changes nothing");
    migrate(schema);
    const weft::migration_plan after = plan_of(schema);
    BOOST_TEST((after.is_usable() && after.statements.empty() && !after.is_under_way));
    BOOST_TEST(shape_of(schema) == new_shape());
}

BOOST_AUTO_TEST_CASE(a_plan_without_tables_lists_all_statements)
{
    const weft::migration_plan plan = plan_of("nothing_here");
    BOOST_TEST((!plan.found && !plan.is_usable()));
    BOOST_REQUIRE(!plan.statements.empty());
    BOOST_TEST(plan.statements.front().version == 1);
    BOOST_TEST(std::all_of(plan.statements.begin(), plan.statements.end(),
                           [](const weft::planned_statement& each) { return each.table.empty(); }));
}

BOOST_AUTO_TEST_CASE(a_program_that_may_not_migrate_says_what_to_do)
{
    const std::string schema = fresh_names{}.schema();
    make_tables_of(schema, 5);
    weft::postgres_options options = options_on(shared_postgres_server(), schema);
    options.may_migrate = false;
    BOOST_CHECK_EXCEPTION(open_store(options).reset(), weft::error, [](const weft::error& e) {
        return e.code() == weft::errc::store_refused &&
               e.detail().find("has the old version 5: set it up with `weft store migrate`") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(a_migration_that_was_cut_short_goes_on_where_it_was)
{
    const std::string schema = fresh_names{}.schema();
    make_tables_of(schema, 7);
    raw_session session{shared_postgres_server().connection()};
    session.query("SET search_path = " + schema);
    session.query("CREATE TABLE migration (version int4 PRIMARY KEY, done int4 NOT NULL)");
    session.query("INSERT INTO migration VALUES (8, 2)");
    const auto steps = pg::migration_steps(7, 0);
    for (int i = 0; i < 3; ++i) session.query(steps[static_cast<std::size_t>(i)].text);
    // The third one is an index that its process did not come to the end of.
    session.query("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'run_turn'::regclass");
    const weft::migration_plan plan = plan_of(schema);
    BOOST_TEST((plan.is_under_way && plan.found == 7));
    BOOST_REQUIRE(!plan.statements.empty());
    BOOST_TEST(plan.statements.front().text == steps[2].text);
    migrate(schema);
    BOOST_TEST(shape_of(schema) == new_shape());
}

BOOST_AUTO_TEST_CASE(processes_that_migrate_at_once_wait_for_each_other)
{
    const std::string schema = fresh_names{}.schema();
    make_tables_of(schema, 4);
    std::vector<weft::errc> codes(3);
    std::vector<std::thread> threads;
    for (weft::errc& code : codes)
        threads.emplace_back([&] { code = code_thrown_by([&] { migrate(schema); }); });
    for (std::thread& each : threads) each.join();
    for (const weft::errc code : codes) BOOST_TEST((code == weft::errc{}));
    BOOST_TEST(shape_of(schema) == new_shape());
}

/** Another program, of version 4, that enters and ends runs until it is stopped. Its statements fail when they wait
 *  for a lock for two seconds. */
class old_program {
public:
    explicit old_program(const std::string& schema) : thread_{[this, schema] { work(schema); }} {}
    ~old_program()
    {
        stop();
    }
    void stop()
    {
        stops_ = true;
        if (thread_.joinable()) thread_.join();
    }
    [[nodiscard]] int runs() const { return runs_; }
    [[nodiscard]] const std::string& failure() const { return failure_; }
    void wait_for_more(int count) const
    {
        const int wanted = runs_ + count;
        while (runs_ < wanted && !has_ended_) std::this_thread::yield();
    }

private:
    void work(const std::string& schema)
    {
        try {
            raw_session session{shared_postgres_server().connection()};
            session.query("SET search_path = " + schema);
            session.query("SET lock_timeout = '2s'");
            while (!stops_) {
                const std::string name = "old" + std::to_string(runs_);
                const std::string no = session.query("INSERT INTO thread (tenant, name) VALUES ('', '" + name +
                                                     "') RETURNING no");
                const std::string id = session.query(
                    "INSERT INTO run (id, thread, tenant, phase, attempts_max, graph, input)"
                    " VALUES (gen_random_uuid(), " + no + ", '', 1, 3, 'g', '') RETURNING id");
                session.query("UPDATE run SET phase = 2, attempt = 1 WHERE id = '" + id + "'");
                session.query("UPDATE run SET phase = 4, ended = now() WHERE id = '" + id + "'");
                ++runs_;
            }
        } catch (const std::exception& e) {
            failure_ = e.what();
        }
        has_ended_ = true;
    }

    std::atomic<bool> stops_{false};
    std::atomic<bool> has_ended_{false};
    std::atomic<int> runs_{0};
    std::string failure_;
    std::thread thread_;
};

std::string files_of(const std::string& schema)
{
    return shared_postgres_server().query(
        "SELECT string_agg(relname || relfilenode, ' ' ORDER BY relname) FROM pg_class WHERE relkind = 'r' AND relname"
        " IN ('run', 'thread', 'checkpoint', 'item', 'worker') AND relnamespace = '" + schema + "'::regnamespace");
}

BOOST_AUTO_TEST_CASE(an_older_program_goes_on_while_tables_migrate_behind_a_long_transaction)
{
    const std::string schema = fresh_names{}.schema();
    make_tables_of(schema, 4);
    raw_session session{shared_postgres_server().connection()};
    session.query("SET search_path = " + schema);
    session.query("INSERT INTO thread (tenant, name) SELECT 'x', 't' || n FROM generate_series(1, 5000) n");
    session.query("INSERT INTO run (id, thread, tenant, phase, attempts_max, graph, input, ended)"
                  " SELECT gen_random_uuid(), no, tenant, 4, 3, 'g', '', '2020-01-01' FROM thread");
    const std::string files = files_of(schema);
    // It holds a lock that no statement that adds a column goes past.
    session.query("BEGIN");
    session.query("SELECT count(*) FROM run");
    old_program others{schema};
    others.wait_for_more(5);
    std::thread migration{[&] { migrate(schema); }};
    const auto tries = [&] {
        return shared_postgres_server().query("SELECT to_regclass('" + schema + ".migration') IS NOT NULL") == "t";
    };
    for (int i = 0; i < 2'000 && !tries(); ++i) others.wait_for_more(1);
    BOOST_TEST(tries(), "the migration has begun");
    // Each attempt gives up its place in the line after 250 ms, so that others go on.
    others.wait_for_more(30);
    BOOST_TEST((plan_of(schema).found == 4), "nothing goes past the lock");
    session.query("COMMIT");
    migration.join();
    others.wait_for_more(5);
    others.stop();
    BOOST_TEST(others.failure() == "");
    BOOST_TEST(shape_of(schema) == new_shape());
    BOOST_TEST(files_of(schema) == files, "no table was written anew");
    BOOST_TEST(session.query("SELECT count(*) FROM run WHERE phase = 4 AND tenant = ''") ==
               std::to_string(others.runs()));
    BOOST_TEST(session.query("SELECT count(*) FROM run WHERE tenant = 'x' AND changed = '2020-01-01'") == "5000",
               "older rows were changed in batches, all of them");
}

bool makes_index_concurrently(const std::string& schema)
{
    return shared_postgres_server().query("SELECT EXISTS (SELECT FROM pg_stat_activity WHERE state = 'active'"
                                          " AND query LIKE 'CREATE%INDEX CONCURRENTLY%')"
                                          " AND to_regclass('" + schema + ".migration') IS NOT NULL") == "t";
}

BOOST_AUTO_TEST_CASE(an_index_that_waits_for_an_old_snapshot_keeps_no_program_waiting)
{
    const std::string schema = fresh_names{}.schema();
    make_tables_of(schema, 7);
    old_program others{schema};
    others.wait_for_more(3);
    raw_session backup{shared_postgres_server().connection()};
    backup.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    backup.query("SELECT 1");
    std::thread migration{[&] { migrate(schema); }};
    for (int i = 0; i < 2'000 && !makes_index_concurrently(schema); ++i) others.wait_for_more(1);
    others.wait_for_more(20);
    BOOST_TEST(makes_index_concurrently(schema), "it still waits for the snapshot");
    backup.query("COMMIT");
    migration.join();
    others.stop();
    BOOST_TEST(others.failure() == "");
    BOOST_TEST(shape_of(schema) == new_shape());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace postgres_migration_test

#endif
