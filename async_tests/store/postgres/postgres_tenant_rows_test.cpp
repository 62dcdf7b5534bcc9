#ifdef WEFT_HAS_POSTGRES

#include "store/postgres/wire/tenant_rows.hpp"
#include "store/raw_session.hpp"
#include "store/store_for_tenants.hpp"
#include "store/sync_counter.hpp"
#include "store/tenant_roles.hpp"

#include <weft/async/join.hpp>
#include <weft/store/postgres/postgres_migration.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace postgres_tenant_rows_test {

namespace ut = boost::unit_test;

using namespace weft_tests;

/** What a tenant has in all tables: a thread with a checkpoint, an effect, a question and an event of a run, an item
 *  with a vector and a document. */
weft::task<void> fill(weft::postgres_store& store, std::string tenant, weft::run_id id, weft::checkpoint_id point)
{
    const weft::worker_id worker = co_await store.enter("w", std::chrono::hours{1});
    weft::new_run run{weft::thread_key{"t", tenant}, id};
    run.started_by(worker);
    const weft::run_admission admission = co_await store.enqueue(std::move(run));
    const weft::write_fence fence = admission.claim.value().fence;
    std::vector<weft::event_draft> drafts(1, weft::event_draft{"output", tenant});
    const weft::event_log_limits limits;
    (void)co_await store.service().run_events().append(fence, std::move(drafts), limits);
    weft::effect_record effect;
    effect.address = "n/1";
    (void)co_await store.record(fence, std::move(effect));
    weft::question_record question;
    question.address = "n/2";
    question.question = "{}";
    (void)co_await store.ask(fence, std::move(question));
    weft::checkpoint_draft draft;
    draft.id = point;
    draft.blobs.push_back({weft::hash_of(tenant, store.key()), tenant, {}});
    draft.links.push_back(draft.blobs[0].hash);
    (void)co_await store.commit(fence, std::move(draft));
    weft::item_vector vector;
    vector.model = "m";
    vector.components = {1.0F, 2.0F};
    boost::json::value value{tenant};
    weft::item_key key{{"s"}, "i"};
    co_await store.vectors()->put_with_vector(tenant, std::move(key), std::move(value), std::move(vector),
                                              std::nullopt);
    std::vector<weft::document_change> changes(1);
    changes[0].key = {"note", tenant, "d"};
    changes[0].body = "{}";
    (void)co_await store.service().documents().write(std::move(changes));
}

/** Each with what an update sets to the other tenant, so that the row leaves its own. */
struct guarded_rows {
    const char* table;
    const char* gift;
};
constexpr std::array<guarded_rows, 11> tables_of_tenants{{
    {"thread", "tenant = 'other'"},
    {"run", "tenant = 'other'"},
    {"item", "tenant = 'other'"},
    {"item_vector", "tenant = 'other'"},
    {"document", "tenant = 'other'"},
    {"checkpoint", "thread = $thread"},
    {"blob", "thread = $thread"},
    {"effect", "thread = $thread"},
    {"question", "thread = $thread"},
    {"event_log", "run = '$run'"},
    {"run_event", "run = '$run'"},
}};

/** What no tenant's request reads by itself, and why. */
constexpr std::array<std::array<const char*, 2>, 6> tables_of_all{{
    {"schema_version", "what the tables are; no rights"},
    {"migration", "of a migration that is under way; no rights"},
    {"store", "the key of content hashes; no rights"},
    {"worker", "processes; whether one lives"},
    {"bucket", "what counts in limits of the queue; no rights, claims only"},
    {"bucket_freed", "what left them; no rights, a trigger of their owner"},
}};

struct two_tenants {
    explicit two_tenants(const weft::postgres_options& options) : store{open_store(options)}, schema{options.schema}
    {
        weft::run_blocking(fill(*store, "acme", acme, names.checkpoint()));
        weft::run_blocking(fill(*store, "other", other, names.checkpoint()));
    }
    two_tenants() : two_tenants{guarded_options(fresh_names{}.schema())} {}

    /** A session in the schema, as the role for tenants. */
    raw_session session(const std::string& tenant) const
    {
        raw_session opened{shared_postgres_server().connection()};
        opened.query("SET search_path = " + schema);
        opened.query("SET ROLE tenant_rows");
        if (!tenant.empty()) opened.query("SET weft.tenant = '=" + tenant + "'");
        return opened;
    }
    std::string count(const std::string& what) const
    {
        return shared_postgres_server().query("SELECT count(*) FROM " + schema + '.' + what);
    }

    std::unique_ptr<weft::postgres_store> store;
    std::string schema;
    fresh_names names;
    weft::run_id acme = names.run();
    weft::run_id other = names.run();
};

void grant_all(const std::string& schema, const std::string& to)
{
    for (const char* const what : {"USAGE ON", "ALL ON ALL TABLES IN", "ALL ON ALL SEQUENCES IN"})
        shared_postgres_server().query("GRANT " + std::string{what} + " SCHEMA " + schema + " TO " + to);
}

std::string filled_in(std::string text, const std::string& word, const std::string& with)
{
    const std::size_t at = text.find(word);
    return at == text.npos ? text : text.replace(at, word.size(), with);
}

BOOST_AUTO_TEST_SUITE(postgres_tenant_rows_test, *ut::precondition(has_postgres))

// A table that comes with a later version, and is forgotten here, fails this.
BOOST_AUTO_TEST_CASE(each_table_has_a_policy_or_a_reason_to_have_none)
{
    const two_tenants w;
    const postgres_server& server = shared_postgres_server();
    const std::string of_schema = " FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = '" + w.schema +
                                  "'::regnamespace";
    for (const guarded_rows& each : tables_of_tenants) {
        const std::string has = server.query("SELECT c.relrowsecurity AND (SELECT count(*) FROM pg_policy p WHERE"
                                             " p.polrelid = c.oid AND NOT p.polpermissive AND p.polcmd = '*') = 1" +
                                             of_schema + " AND c.relname = '" + each.table + "'");
        BOOST_TEST(has == "t", each.table);
    }
    std::string known = "''";
    for (const guarded_rows& each : tables_of_tenants) known.append(",'").append(each.table).append("'");
    for (const auto& each : tables_of_all) known.append(",'").append(each[0]).append("'");
    const std::string unknown =
        server.query("SELECT string_agg(c.relname, ', ')" + of_schema + " AND c.relname NOT IN (" + known + ")");
    BOOST_TEST(unknown == "", "without a policy, and not in the list of those that need none: " << unknown);
    const std::string open =
        server.query("SELECT string_agg(c.relname, ', ')" + of_schema +
                     " AND NOT c.relrowsecurity AND has_table_privilege('tenant_rows', c.oid, 'SELECT')");
    BOOST_TEST(open == "worker");
}

BOOST_AUTO_TEST_CASE(a_statement_without_a_condition_sees_and_changes_one_tenants_rows)
{
    const two_tenants w;
    const std::string other_thread =
        shared_postgres_server().query("SELECT no FROM " + w.schema + ".thread WHERE tenant = 'other'");
    for (const guarded_rows& each : tables_of_tenants) {
        const std::string table = each.table;
        BOOST_TEST_CONTEXT(table)
        {
            BOOST_TEST(w.count(table) == "2");
            BOOST_TEST(w.session("").query("SELECT count(*) FROM " + table) == "0", "without a tenant");
            raw_session session = w.session("acme");
            BOOST_TEST(session.query("SELECT count(*) FROM " + table) == "1");
            // The other tenant's rows can neither be changed nor made.
            const std::string gift =
                filled_in(filled_in(each.gift, "$thread", other_thread), "$run", w.other.text());
            BOOST_CHECK_EXCEPTION(session.query("UPDATE " + table + " SET " + gift), std::runtime_error,
                                  [](const std::runtime_error& e) {
                                      return std::string{e.what()}.find("row-level security") != std::string::npos;
                                  });
            session.query("BEGIN");
            session.query("DELETE FROM " + table);
            session.query("RESET ROLE");
            BOOST_TEST(session.query("SELECT count(*) FROM " + table) == "1", "what a DELETE of all rows leaves");
            session.query("ROLLBACK");
        }
    }
    for (const auto& each : tables_of_all)
        if (std::string{each[0]} != "worker")
            BOOST_CHECK_THROW(w.session("acme").query("SELECT count(*) FROM " + std::string{each[0]}),
                              std::runtime_error);
    BOOST_CHECK_THROW(w.session("acme").query("DELETE FROM worker"), std::runtime_error);
}

weft::task<void> look_as(weft::postgres_store& store, std::string mine, weft::run_id own, weft::run_id foreign)
{
    const std::optional<weft::run_record> seen = co_await store.find_run(own);
    const std::optional<weft::run_record> unseen = co_await store.find_run(foreign);
    BOOST_TEST((seen && !unseen));
    weft::run_query all_runs;
    const weft::run_page runs = co_await store.service().runs().search(std::move(all_runs));
    BOOST_TEST_REQUIRE(runs.runs.size() == 1u);
    BOOST_TEST(runs.runs[0].thread.tenant == mine);
    weft::document_query notes;
    notes.kind = "note";
    const weft::document_page documents = co_await store.service().documents().search(std::move(notes));
    BOOST_TEST_REQUIRE(documents.documents.size() == 1u);
    BOOST_TEST(documents.documents[0].key.tenant == mine);
    const weft::event_page events = co_await store.service().run_events().read(foreign, 0, 10);
    BOOST_TEST((events.state == weft::event_log_state::unknown));
    const std::string others = mine == "acme" ? "other" : "acme";
    weft::item_key key{{"s"}, "i"};
    const auto item = co_await store.get(others, std::move(key));
    BOOST_TEST(!item);
    weft::thread_key thread{"t", others};
    const bool is_removed = co_await store.drop(std::move(thread));
    BOOST_TEST(!is_removed);
}

/** On one connection, in one batch as far as they come together. */
weft::task<void> look_as_both(const two_tenants& w)
{
    std::vector<weft::task<void>> looks;
    for (int i = 0; i < 20; ++i) {
        looks.push_back(for_tenant(look_as(*w.store, "acme", w.acme, w.other), std::string{"acme"}));
        looks.push_back(for_tenant(look_as(*w.store, "other", w.other, w.acme), std::string{"other"}));
    }
    co_await weft::join(std::move(looks));
    weft::run_query all;
    const weft::run_page runs = co_await w.store->service().runs().search(std::move(all));
    BOOST_TEST(runs.runs.size() == 2u, "what the engine sees");
    weft::run_query of_unnamed;
    std::string unnamed;
    const weft::run_page none =
        co_await for_tenant(w.store->service().runs().search(std::move(of_unnamed)), std::move(unnamed));
    BOOST_TEST(none.runs.empty(), "the empty name is a tenant too");
}

BOOST_AUTO_TEST_CASE(a_call_without_a_condition_finds_what_its_tenant_has_and_no_tenant_leaks_into_the_next_call)
{
    const two_tenants w;
    weft::run_blocking(look_as_both(w));
    // A transaction's tenant is gone with it, and is not the empty one.
    raw_session session = w.session("");
    session.query("BEGIN");
    session.query("SELECT set_config('weft.tenant', '=acme', true)");
    BOOST_TEST(session.query("SELECT count(*) FROM thread") == "1");
    session.query("COMMIT");
    BOOST_TEST(session.query("SELECT current_setting('weft.tenant', true)") == "");
    BOOST_TEST(session.query("SELECT count(*) FROM thread") == "0");
}

BOOST_AUTO_TEST_CASE(what_a_deletion_entails_is_done)
{
    const two_tenants w;
    const bool is_gone =
        weft::run_blocking(for_tenant(w.store->drop(weft::thread_key{"t", "acme"}), std::string{"acme"}));
    BOOST_TEST(is_gone);
    BOOST_TEST(w.count("run_event") == "1");
    BOOST_TEST(w.count("event_log") == "1");
    (void)weft::run_blocking(for_tenant(w.store->erase("acme", weft::item_key{{"s"}, "i"}), std::string{"acme"}));
    BOOST_TEST(w.count("item_vector") == "1");
}

BOOST_AUTO_TEST_CASE(an_owner_makes_the_policies_and_a_program_that_may_not_uses_them)
{
    const std::string schema = fresh_names{}.schema();
    weft::run_blocking(weft::postgres_store::prepare(guarded_options(schema, "owner_of_all")));
    grant_all(schema, "program, limited");
    weft::postgres_options options = guarded_options(schema, "program");
    options.may_migrate = false;
    const two_tenants w{options};
    weft::run_blocking(look_as_both(w));
    // A login that is a member by inheritance has the policies of the role itself, and would work on nothing.
    options = guarded_options(schema, "limited");
    BOOST_CHECK_EXCEPTION(open_store(options).reset(), weft::error, [](const weft::error& e) {
        return e.detail().find("WITH INHERIT FALSE") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(programs_without_the_role_go_on_beside)
{
    const two_tenants w;
    weft::postgres_options options = guarded_options(w.schema, "program");
    options.tenant_role.clear();
    options.may_migrate = false;
    grant_all(w.schema, "program");
    const std::unique_ptr<weft::postgres_store> beside = open_store(options);
    weft::run_query all;
    const weft::run_page runs =
        weft::run_blocking(for_tenant(beside->service().runs().search(std::move(all)), std::string{"acme"}));
    BOOST_TEST(runs.runs.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_role_that_would_not_be_restricted_is_refused)
{
    const std::string schema = fresh_names{}.schema();
    const auto why = [&](const std::string& role, const std::string& login = {}) {
        weft::postgres_options options = guarded_options(schema, login);
        options.tenant_role = role;
        try {
            open_store(options).reset();
        } catch (const weft::error& e) {
            return std::string{e.what()};
        }
        return std::string{};
    };
    BOOST_TEST(why("tenant_rows", "owner_of_all") == "");
    BOOST_TEST(why("not_there").find("is not there: CREATE ROLE not_there NOLOGIN") != std::string::npos);
    BOOST_TEST(why("all_rows").find("BYPASSRLS") != std::string::npos);
    BOOST_TEST(why("in_owner").find("rights of the owner") != std::string::npos);
    BOOST_TEST(why("not_ours", "owner_of_all").find("GRANT not_ours TO the login") != std::string::npos);
    BOOST_TEST(why("Quoted").find("lower-case letter") != std::string::npos);
    const postgres_server& server = shared_postgres_server();
    server.query("CREATE DATABASE without_temporary OWNER owner_of_all");
    server.query("REVOKE TEMPORARY ON DATABASE without_temporary FROM PUBLIC, owner_of_all");
    const std::string poor = why("tenant_rows", "owner_of_all dbname=without_temporary");
    BOOST_TEST(poor.find("GRANT TEMPORARY") != std::string::npos, poor);
    weft::postgres_options options = guarded_options(schema);
    options.may_migrate = false;
    options.tenant_role = "not_ours";
    BOOST_CHECK_EXCEPTION(open_store(options).reset(), weft::error, [](const weft::error& e) {
        return e.detail().find("weft store migrate --tenant-role not_ours") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(a_plan_lists_the_policies_that_are_missing)
{
    weft::postgres_options options = guarded_options(fresh_names{}.schema());
    options.tenant_role.clear();
    open_store(options).reset();
    BOOST_TEST(weft::run_blocking(weft::plan_migration(options)).statements.empty());
    options.tenant_role = "tenant_rows";
    const weft::migration_plan plan = weft::run_blocking(weft::plan_migration(options));
    const auto locks = std::count_if(plan.statements.begin(), plan.statements.end(), [](const auto& each) {
        return each.lock == weft::migration_lock::everything && each.text.find("ENABLE ROW") != std::string::npos;
    });
    BOOST_TEST(locks == std::ssize(tables_of_tenants));
    weft::run_blocking(weft::postgres_store::prepare(options));
    BOOST_TEST(weft::run_blocking(weft::plan_migration(options)).statements.empty());
    // Policies of another form are made anew.
    shared_postgres_server().query("COMMENT ON POLICY weft_tenant_tenant_rows ON " + options.schema +
                                   ".run IS 'weft 0'");
    BOOST_TEST(!weft::run_blocking(weft::plan_migration(options)).statements.empty());
    open_store(options).reset();
    BOOST_TEST(weft::run_blocking(weft::plan_migration(options)).statements.empty());
}

weft::task<void> read_often(weft::postgres_store& store, weft::run_id run, int times)
{
    for (int i = 0; i < times; ++i) (void)co_await store.find_run(run);
}

BOOST_AUTO_TEST_CASE(a_tenants_call_waits_for_the_server_no_more_often_than_one_of_the_engine)
{
    const sync_counter relay{shared_postgres_server().port()};
    weft::postgres_options options = guarded_options(fresh_names{}.schema());
    options.connection += " sslmode=disable gssencmode=disable port=" + std::to_string(relay.port());
    const two_tenants w{options};
    weft::run_blocking(for_tenant(read_often(*w.store, w.acme, 1), std::string{"acme"}));  // connects
    const std::size_t before = relay.syncs();
    weft::run_blocking(read_often(*w.store, w.acme, 20));
    const std::size_t between = relay.syncs();
    weft::run_blocking(for_tenant(read_often(*w.store, w.acme, 20), std::string{"acme"}));
    BOOST_TEST(between - before == 20u);
    BOOST_TEST(relay.syncs() - between == 20u);
}

BOOST_AUTO_TEST_CASE(look_ups_still_use_their_indexes)
{
    const two_tenants w;
    raw_session session{shared_postgres_server().connection()};
    session.query("SET search_path = " + w.schema);
    session.query("INSERT INTO thread (tenant, name, metadata) SELECT 'acme', 'x' || n, jsonb_build_object('a', n)"
                  " FROM generate_series(1, 3000) n; ANALYZE thread");
    for (const char* const off : {"enable_seqscan", "enable_sort"}) session.query("SET " + std::string{off} + " = off");
    const auto uses = [&](const std::string& statement, const std::string& what) {
        const std::string plan = session.query("EXPLAIN (FORMAT JSON) SELECT * FROM " + statement);
        BOOST_TEST(plan.find(what) != std::string::npos, plan);
    };
    weft::postgres_detail::pg_settings settings{
        weft::postgres_detail::connection_string{shared_postgres_server().connection()}};
    settings.schema = w.schema;
    settings.session_role = "tenant_rows";
    session.query(weft::postgres_detail::tenant_views_text(settings));
    session.query("SET ROLE tenant_rows");
    session.query("SET weft.tenant = '=acme'");
    BOOST_TEST(session.query("SELECT current_schema()") == w.schema);
    uses("thread", "(tenant = substr(");
    uses("thread WHERE tenant = 'acme' AND name = 't'", "(name = 't'::text)");
    uses("item WHERE tenant = 'acme' AND space = '{s}' AND name = 'i'", "AND (space = '{s}'::text[]) AND (name = 'i'");
    uses("run WHERE id = '" + w.acme.text() + "'", "run_pkey");
    uses("run_event WHERE run = '" + w.acme.text() + "' AND id > 0", "run_event_pkey");
    uses("document d WHERE d.kind = 'note' AND d.tenant = 'acme' AND d.id = 'd'", "(id = 'd'::text)");
    session.query("SET enable_indexscan = off");
    uses("thread WHERE metadata @> '{\"a\": 1}' AND metadata <> '{}'", "thread_metadata");
    uses("run WHERE metadata @> '{\"a\": 1}' AND metadata <> '{}'", "run_metadata");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace postgres_tenant_rows_test

#endif
