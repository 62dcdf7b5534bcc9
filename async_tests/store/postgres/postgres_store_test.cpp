#ifdef WEFT_HAS_POSTGRES

#include "store/postgres_fixture.hpp"

#include <weft/async/scope.hpp>

#include <thread>

namespace postgres_store_test {

namespace ut = boost::unit_test;

using namespace std::chrono_literals;
using namespace weft_tests;

constexpr auto lifetime = 60s;

weft::checkpoint_draft draft_with(weft::checkpoint_id id, std::string body = "body")
{
    weft::checkpoint_draft draft;
    draft.id = id;
    draft.body = std::move(body);
    return draft;
}

weft::task<weft::run_claim> begin(weft::postgres_store& store, std::string thread, weft::run_id id)
{
    const weft::worker_id worker = co_await store.enter("test", lifetime);
    weft::new_run run{weft::thread_key{std::move(thread)}, id};
    run.started_by(worker);
    weft::run_admission admission = co_await store.enqueue(std::move(run));
    co_return admission.claim.value();
}

weft::task<weft::commit_result> begin_and_commit(weft::postgres_store& store, std::string thread, weft::run_id id,
                                                 weft::checkpoint_draft draft)
{
    weft::run_claim claim = co_await begin(store, std::move(thread), id);
    co_return co_await store.commit(std::move(claim.fence), std::move(draft));
}

/** Counts what a store gives ahead. */
class ahead_count final : public weft::blob_receiver {
public:
    void take(weft::blob_pack pack) override
    {
        ++packs;
        for (std::size_t i = 0; i < pack.size(); ++i)
            if (pack[i].bytes.starts_with("t ")) ++given;
    }
    int packs = 0;
    std::size_t given = 0;
};

weft::task<void> write_and_look_ahead(weft::postgres_store& store, weft::run_id first, weft::run_id second)
{
    for (const std::string name : {"t", "u"}) {
        weft::run_claim claim = co_await begin(store, name, name == "t" ? first : second);
        weft::checkpoint_draft draft = draft_with(weft::checkpoint_id{(name == "t" ? first : second).value()});
        for (int i = 0; i < 700; ++i) {
            std::string text = name + " " + std::to_string(i) + std::string(i == 0 ? 10'000 : 100, '.');
            const weft::content_hash hash = weft::hash_of(text, std::vector<weft::content_hash>{}, store.key());
            draft.blobs.push_back({hash, std::move(text), {}});
        }
        const weft::commit_result done = co_await store.commit(std::move(claim.fence), std::move(draft));
        BOOST_TEST((done.state == weft::write_state::ok));
    }
    ahead_count came;
    std::vector<weft::content_hash> none;
    co_await store.read_ahead(weft::thread_key{"t"}, none, 700, came);
    BOOST_TEST(came.packs == 10);
    BOOST_TEST(came.given == 699u);  // one is large, and may not be wanted
    ahead_count few;
    co_await store.read_ahead(weft::thread_key{"t"}, none, 100, few);
    BOOST_TEST(few.given <= 400u);
}

BOOST_AUTO_TEST_SUITE(postgres_store_test, *ut::precondition(has_postgres))

BOOST_AUTO_TEST_CASE(what_a_reader_needs_comes_ahead_in_parts)
{
    fresh_names fresh;
    const auto store = open_store(options_on(shared_postgres_server(), fresh.schema()));
    const weft::run_id first = fresh.run();
    weft::run_blocking(write_and_look_ahead(*store, first, fresh.run()));
}

BOOST_AUTO_TEST_CASE(a_run_in_a_phase_that_there_is_not_is_told_with_its_place)
{
    fresh_names fresh;
    const std::string schema = fresh.schema();
    const auto store = open_store(options_on(shared_postgres_server(), schema));
    const weft::run_id run = fresh.run();
    static_cast<void>(weft::run_blocking(begin(*store, "t", run)));
    for (const char* phase : {"99", "-1"}) {
        static_cast<void>(shared_postgres_server().query("UPDATE " + schema + ".run SET phase = " + phase));
        const auto says_where = [&](const weft::error& e) {
            const std::string text = e.what();
            return e.code() == weft::errc::store_corrupt && text.find("run " + run.text()) != std::string::npos &&
                   text.find(std::string{"'phase' is "} + phase) != std::string::npos;
        };
        BOOST_CHECK_EXCEPTION(static_cast<void>(weft::run_blocking(store->find_run(run))), weft::error, says_where);
        BOOST_CHECK_EXCEPTION(static_cast<void>(weft::run_blocking(store->active_run(weft::thread_key{"t"}))),
                              weft::error, says_where);
    }
}

BOOST_AUTO_TEST_CASE(what_one_store_wrote_another_one_reads)
{
    fresh_names fresh;
    const weft::postgres_options options = options_on(shared_postgres_server(), fresh.schema());
    const weft::run_id run = fresh.run();
    weft::hash_key key;
    {
        const auto store = open_store(options);
        key = store->key();
        const auto written =
            weft::run_blocking(begin_and_commit(*store, "t", run, draft_with(fresh.checkpoint(), "state")));
        BOOST_TEST((written.state == weft::write_state::ok));
        BOOST_TEST(written.head == 1);
    }
    const auto store = open_store(options);
    BOOST_TEST((store->key().bytes == key.bytes), "the key of the hashes is the same for ever");
    const auto found = weft::run_blocking(store->load(weft::thread_key{"t"}, std::nullopt));
    BOOST_TEST_REQUIRE(found.has_value());
    BOOST_TEST(found->body == "state");
    BOOST_TEST((found->run == run));
}

BOOST_AUTO_TEST_CASE(schemas_are_strangers_to_each_other)
{
    fresh_names fresh;
    const auto first = open_store(options_on(shared_postgres_server(), fresh.schema()));
    const auto second = open_store(options_on(shared_postgres_server(), fresh.schema()));
    BOOST_TEST((first->key().bytes != second->key().bytes));
    static_cast<void>(
        weft::run_blocking(begin_and_commit(*first, "t", fresh.run(), draft_with(fresh.checkpoint()))));
    BOOST_TEST(!weft::run_blocking(second->load(weft::thread_key{"t"}, std::nullopt)).has_value());
}

BOOST_AUTO_TEST_CASE(stores_that_set_up_one_schema_at_once_wait_for_each_other)
{
    fresh_names fresh;
    const weft::postgres_options options = options_on(shared_postgres_server(), fresh.schema());
    std::vector<std::thread> threads;
    std::vector<weft::errc> codes(4);
    for (weft::errc& code : codes)
        threads.emplace_back([&] { code = code_thrown_by([&] { static_cast<void>(open_store(options)); }); });
    for (std::thread& each : threads) each.join();
    for (const weft::errc code : codes) BOOST_TEST((code == weft::errc{}));
}

BOOST_AUTO_TEST_CASE(a_role_that_may_not_create_needs_prepared_tables)
{
    fresh_names fresh;
    const postgres_server& server = shared_postgres_server();
    const std::string schema = fresh.schema();
    server.query("DROP ROLE IF EXISTS reader");
    server.query("CREATE ROLE reader LOGIN");
    weft::postgres_options options{server.connection() + " user=reader"};
    options.schema = schema;
    options.may_migrate = false;
    BOOST_TEST((code_thrown_by([&] { static_cast<void>(open_store(options)); }) == weft::errc::store_refused));
    weft::run_blocking(weft::postgres_store::prepare(options_on(server, schema)));
    server.query("GRANT USAGE ON SCHEMA " + schema + " TO reader");
    server.query("GRANT ALL ON ALL TABLES IN SCHEMA " + schema + " TO reader");
    server.query("GRANT ALL ON ALL SEQUENCES IN SCHEMA " + schema + " TO reader");
    const auto store = open_store(options);
    static_cast<void>(
        weft::run_blocking(begin_and_commit(*store, "t", fresh.run(), draft_with(fresh.checkpoint()))));
}

/** @return  The worker that has the first one; the second one is queued behind it. */
weft::task<weft::worker_id> enter_three_runs(weft::postgres_store& store, std::vector<weft::run_id> ids)
{
    const weft::worker_id worker = co_await store.enter("before", lifetime);
    weft::new_run held{weft::thread_key{"held"}, ids[0]};
    held.started_by(worker);
    static_cast<void>(co_await store.enqueue(std::move(held)));
    weft::new_run queued{weft::thread_key{"held"}, ids[1]};
    queued.on_busy(weft::busy_policy::queue);
    static_cast<void>(co_await store.enqueue(std::move(queued)));
    weft::new_run ready{weft::thread_key{"other"}, ids[2]};
    ready.with_input("what it is about");
    static_cast<void>(co_await store.enqueue(std::move(ready)));
    co_return worker;
}

weft::task<void> take_three_runs(weft::postgres_store& store, std::vector<weft::run_id> ids, weft::worker_id before)
{
    co_await store.leave(before);
    const weft::worker_id worker = co_await store.enter("now", lifetime);
    std::vector<weft::run_claim> claims = co_await store.claim(worker, 10);
    BOOST_REQUIRE(claims.size() == 2u);
    BOOST_TEST((claims[0].fence.run == ids[0]));
    BOOST_TEST((claims[1].fence.run == ids[2]));
    BOOST_TEST(claims[1].input == "what it is about");
    const auto record = co_await store.find_run(ids[2]);
    BOOST_TEST((record && record->priority == 0 && !record->not_before && record->changed >= record->created));
    static_cast<void>(co_await store.finish(claims[0].fence, weft::run_outcome{}));
    claims = co_await store.claim(worker, 10);
    BOOST_REQUIRE(claims.size() == 1u);
    BOOST_TEST((claims[0].fence.run == ids[1]));
}

/** Takes away what the newest versions added for the rules of the queue. */
void undo_queue_schema(const postgres_server& server, const std::string& schema)
{
    for (const char* name : {"free_buckets", "let_held_runs_go", "queue_rule", "is_able", "has_limit", "back_off",
                             "retries_failures", "with_lost_attempt", "open_bucket", "let_runs_go", "enter_buckets",
                             "claim_in_turn", "has_queue_rule", "enter_buckets_at_once"})
        server.query("DROP FUNCTION " + schema + "." + name + " CASCADE");  // and its triggers
    server.query("DROP TABLE " + schema + ".bucket, " + schema + ".bucket_freed");
    for (const char* column :
         {"revision", "limit_keys", "lost_attempts", "place", "held_by", "buckets", "bucket_epoch"})
        server.query("ALTER TABLE " + schema + ".run DROP COLUMN " + column);  // and its indexes
    for (const char* column : {"graphs", "since", "seen"})
        server.query("ALTER TABLE " + schema + ".worker DROP COLUMN " + column);
    server.query("CREATE INDEX run_ready ON " + schema + ".run (no) WHERE phase = 1");
}

BOOST_AUTO_TEST_CASE(runs_of_a_database_of_the_version_before_are_kept_and_taken_in_their_order)
{
    fresh_names fresh;
    const postgres_server& server = shared_postgres_server();
    const std::string schema = fresh.schema();
    const weft::postgres_options options = options_on(server, schema);
    const std::vector<weft::run_id> ids{fresh.run(), fresh.run(), fresh.run()};
    const weft::worker_id before = weft::run_blocking(enter_three_runs(*open_store(options), ids));
    undo_queue_schema(server, schema);
    for (const char* column : {"priority", "not_before", "later", "changed", "log_is_whole"})
        server.query("ALTER TABLE " + schema + ".run DROP COLUMN " + column);  // and its index
    server.query("ALTER TABLE " + schema + ".checkpoint DROP COLUMN copy_of");
    server.query("DROP TABLE " + schema + ".item_vector");
    server.query("DROP FUNCTION " + schema + ".remove_vector() CASCADE");  // and its trigger
    for (const char* index : {"thread_metadata", "thread_values", "run_metadata", "run_dead"})
        server.query("DROP INDEX " + schema + "." + index);
    server.query("DELETE FROM " + schema + ".schema_version WHERE version > 4");
    const auto store = open_store(options);
    weft::run_blocking(take_three_runs(*store, ids, before));
}

BOOST_AUTO_TEST_CASE(a_newer_schema_is_refused_unless_it_allows_older_readers)
{
    fresh_names fresh;
    const postgres_server& server = shared_postgres_server();
    const std::string schema = fresh.schema();
    const weft::postgres_options options = options_on(server, schema);
    open_store(options).reset();
    server.query("INSERT INTO " + schema + ".schema_version (version, min_reader) VALUES (1000, 1)");
    open_store(options).reset();
    server.query("UPDATE " + schema + ".schema_version SET min_reader = 999 WHERE version = 1000");
    BOOST_CHECK_EXCEPTION(open_store(options).reset(), weft::error, [](const weft::error& e) {
        return e.code() == weft::errc::store_refused && e.detail().find("version 1000") != std::string::npos &&
               e.detail().find("use a newer weft") != std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(a_server_that_is_not_there_is_unavailable)
{
    weft::postgres_options options{"host=127.0.0.1 port=1 user=weft password=hunter2 dbname=postgres"};
    options.connect_timeout = 2s;
    BOOST_CHECK_EXCEPTION(open_store(options).reset(), weft::error, [](const weft::error& e) {
        return e.code() == weft::errc::store_unavailable &&
               std::string{e.what()}.find("hunter2") == std::string::npos;
    });
}

BOOST_AUTO_TEST_CASE(a_database_or_role_that_is_not_there_is_refused)
{
    const postgres_server& server = shared_postgres_server();
    const auto opening = [&](const std::string& with) {
        return code_thrown_by([&] { open_store(weft::postgres_options{server.connection() + with}).reset(); });
    };
    BOOST_TEST((opening(" dbname=nowhere") == weft::errc::store_refused));
    BOOST_TEST((opening(" user=nobody_at_all") == weft::errc::store_refused));
}

BOOST_AUTO_TEST_CASE(settings_that_cannot_be_right_are_refused)
{
    const std::string connection = shared_postgres_server().connection();
    const auto opening = [](const weft::postgres_options& options) {
        return code_thrown_by([&] { open_store(options).reset(); });
    };
    weft::postgres_options quoted{connection};
    quoted.schema = "no\"quotes";
    BOOST_TEST((opening(quoted) == weft::errc::invalid_configuration));
    weft::postgres_options unconnected{connection};
    unconnected.connections = 0;
    BOOST_TEST((opening(unconnected) == weft::errc::invalid_configuration));
    weft::postgres_options timeless{connection};
    timeless.request_timeout = 0ms;
    BOOST_TEST((opening(timeless) == weft::errc::invalid_configuration));
    BOOST_TEST((opening(weft::postgres_options{"no=connection"}) == weft::errc::invalid_configuration));
}

weft::task<void> commit_many(weft::postgres_store& store, std::string thread, int count, fresh_names& fresh)
{
    weft::run_claim claim = co_await begin(store, thread, fresh.run());
    for (int i = 0; i < count; ++i) {
        weft::commit_result written =
            co_await store.commit(claim.fence, draft_with(fresh.checkpoint(), std::to_string(i)));
        if (written.state != weft::write_state::ok) throw std::runtime_error{"a commit was refused"};
        claim.fence.head = written.head;
    }
}

weft::task<void> commit_in_parallel(weft::postgres_store& store, std::string name, int threads, fresh_names& fresh)
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope runs{context};
    for (int i = 0; i < threads; ++i) runs.spawn(commit_many(store, name + std::to_string(i), 10, fresh));
    co_await runs.join();
}

BOOST_AUTO_TEST_CASE(many_runs_share_transactions_from_several_loops)
{
    fresh_names fresh;
    const postgres_server& server = shared_postgres_server();
    const std::string schema = fresh.schema();
    weft::postgres_options options = options_on(server, schema);
    options.connections = 2;
    const auto store = open_store(options);
    std::vector<std::thread> loops;
    std::vector<fresh_names> names(2);
    for (int i = 0; i < 2; ++i)
        loops.emplace_back([&, i] {
            // The ids of the second loop must differ.
            for (int skip = 0; skip < i * 10'000; ++skip) static_cast<void>(names[static_cast<std::size_t>(i)].run());
            fresh_names& mine = names[static_cast<std::size_t>(i)];
            weft::run_blocking(commit_in_parallel(*store, i == 0 ? "many " : "one ", i == 0 ? 32 : 1, mine));
        });
    for (std::thread& loop : loops) loop.join();
    BOOST_TEST(server.query("SELECT count(*) FROM " + schema + ".checkpoint") == "330");
    const std::string shared = server.query("SELECT count(DISTINCT xmin::text) < 330 FROM " + schema + ".checkpoint");
    BOOST_TEST(shared == "t", "several checkpoints came with one transaction");
}

weft::task<void> commit_one_that_is_refused(weft::postgres_store& store, fresh_names& fresh, std::vector<int>& states)
{
    const weft::checkpoint_id used = fresh.checkpoint();
    weft::run_claim first = co_await begin(store, "a", fresh.run());
    weft::commit_result written = co_await store.commit(first.fence, draft_with(used));
    first.fence.head = written.head;
    weft::run_claim second = co_await begin(store, "b", fresh.run());
    weft::run_claim third = co_await begin(store, "c", fresh.run());

    const auto commit = [](weft::postgres_store& to, weft::write_fence fence, weft::checkpoint_draft draft,
                           int& state) -> weft::task<void> {
        const weft::commit_result result = co_await to.commit(std::move(fence), std::move(draft));
        state = static_cast<int>(result.state);
    };
    states.assign(3, -1);
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope together{context};
    together.spawn(commit(store, first.fence, draft_with(fresh.checkpoint()), states[0]));
    together.spawn(commit(store, second.fence, draft_with(used), states[1]));
    together.spawn(commit(store, third.fence, draft_with(fresh.checkpoint()), states[2]));
    co_await together.join();
}

BOOST_AUTO_TEST_CASE(a_call_that_fails_spoils_nothing_for_its_batch)
{
    fresh_names fresh;
    const auto store = open_store(options_on(shared_postgres_server(), fresh.schema()));
    std::vector<int> states;
    weft::run_blocking(commit_one_that_is_refused(*store, fresh, states));
    const std::vector<int> wanted = {static_cast<int>(weft::write_state::ok),
                                     static_cast<int>(weft::write_state::duplicate),
                                     static_cast<int>(weft::write_state::ok)};
    BOOST_TEST(states == wanted, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(names_that_are_no_utf_8_are_refused)
{
    fresh_names fresh;
    const auto store = open_store(options_on(shared_postgres_server(), fresh.schema()));
    for (const std::string& name : {std::string{"\xff"}, std::string{"a\0b", 3}}) {
        const auto code = code_thrown_by([&] {
            static_cast<void>(weft::run_blocking(store->enqueue(weft::new_run{weft::thread_key{name}, fresh.run()})));
        });
        BOOST_TEST((code == weft::errc::store_refused));
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace postgres_store_test

#endif
