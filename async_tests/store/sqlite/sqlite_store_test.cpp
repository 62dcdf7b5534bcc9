#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "store/sqlite_fixture.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/task/yield_now.hpp>
#include <weft/store/sqlite/sqlite_migration.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/testing/simulation/suspension_points.hpp>
#include <weft/testing/store_conformance.hpp>

#include <thread>
#include <vector>

namespace sqlite_store_cases {

using namespace sqlite_tests;
namespace testing = weft::testing;
namespace this_task = weft::this_task;
using weft::errc;

BOOST_AUTO_TEST_SUITE(sqlite_store_test)

class sqlite_trial final : public testing::store_under_test {
public:
    explicit sqlite_trial(weft::sqlite_store& store) : store_{store} {}
    weft::checkpoint_store& store() override { return store_; }

private:
    weft::sqlite_store& store_;
};

class sqlite_items_trial final : public testing::item_store_under_test {
public:
    explicit sqlite_items_trial(weft::sqlite_store& store) : store_{store} {}
    weft::item_store& store() override { return store_; }

private:
    weft::sqlite_store& store_;
};

task<void> check_fresh(testing::store_check check)
{
    const store_file file{"check"};
    const store_ptr store = co_await weft::sqlite_store::open(file.options());
    sqlite_trial trial{*store};
    co_await check.run(trial);
}

BOOST_DATA_TEST_CASE(it_keeps_every_promise_of_stores, boost::unit_test::data::make(testing::store_checks()), check)
{
    testing::simulation sim{1};
    sim.run(check_fresh(check));
}

task<void> check_items(testing::item_store_check check)
{
    const store_file file{"items"};
    const store_ptr store = co_await weft::sqlite_store::open(file.options());
    sqlite_items_trial trial{*store};
    co_await check.run(trial);
}

BOOST_DATA_TEST_CASE(it_keeps_every_promise_of_item_stores, boost::unit_test::data::make(testing::item_store_checks()),
                     check)
{
    testing::simulation sim{1};
    sim.run(check_items(check));
}

BOOST_DATA_TEST_CASE(it_keeps_every_promise_of_vectors, boost::unit_test::data::make(testing::item_vectors_checks()),
                     check)
{
    testing::simulation sim{1};
    sim.run(check_items(check));
}

class sqlite_service_trial final : public testing::service_store_under_test {
public:
    explicit sqlite_service_trial(weft::sqlite_store& store) : store_{store} {}
    weft::checkpoint_store& store() override { return store_; }
    weft::service_store& service() override { return store_.service(); }

private:
    weft::sqlite_store& store_;
};

task<void> check_service(testing::service_store_check check)
{
    const store_file file{"service"};
    const store_ptr store = co_await weft::sqlite_store::open(file.options());
    sqlite_service_trial trial{*store};
    co_await check.run(trial);
}

BOOST_DATA_TEST_CASE(it_keeps_every_promise_of_service_stores,
                     boost::unit_test::data::make(testing::service_store_checks()), check)
{
    testing::simulation sim{1};
    sim.run(check_service(check));
}

task<void> commit_often(weft::checkpoint_store& store, weft::write_fence fence, int count)
{
    for (int i = 0; i < count; ++i) fence.head = co_await commit(store, fence, "body " + std::to_string(i));
}

task<weft::sqlite_counts> commit_behind_a_lock(const store_file& file, int calls)
{
    const store_ptr store = co_await weft::sqlite_store::open(file.options());
    std::vector<weft::write_fence> fences;
    for (int i = 0; i < calls; ++i) fences.push_back(co_await hold(*store, std::to_string(i)));
    foreign_connection other{file.path()};
    other.run("BEGIN IMMEDIATE");
    const weft::sqlite_counts before = store->counts();
    const weft::task_context& context = co_await this_task::context();
    weft::scope children{context};
    for (const weft::write_fence& fence : fences) children.spawn(commit_often(*store, fence, 1));
    other.run("COMMIT");
    co_await children.join();
    weft::sqlite_counts counts = store->counts();
    counts.writes -= before.writes;
    counts.transactions -= before.transactions;
    co_return counts;
}

BOOST_AUTO_TEST_CASE(calls_that_come_together_share_transactions_of_64)
{
    const store_file file{"group"};
    const weft::sqlite_counts counts = weft::run_blocking(commit_behind_a_lock(file, 320));
    BOOST_TEST(counts.writes == 320U);
    // What the writer took before the others came may be a transaction of its own.
    BOOST_TEST(counts.transactions >= 5U);
    BOOST_TEST(counts.transactions <= 6U);
}

task<void> fork_a_broken_thread(weft::checkpoint_store& store, std::optional<weft::error>& how)
{
    const weft::thread_key broken{"broken"};
    const weft::thread_key copy{"copy"};
    how = co_await error_of(store.fork(broken, 1, copy, weft::checkpoint_id{next_id()}));
}

task<void> fail_among_others(const store_file& file)
{
    const store_ptr store = co_await weft::sqlite_store::open(file.options());
    const weft::write_fence broken = co_await hold(*store, "broken");
    weft::checkpoint_draft draft = draft_of("refers to a blob that never came");
    draft.links.emplace_back();
    static_cast<void>(co_await store->commit(broken, std::move(draft)));
    std::vector<weft::write_fence> fences;
    for (int i = 0; i < 20; ++i) fences.push_back(co_await hold(*store, std::to_string(i)));

    foreign_connection other{file.path()};
    other.run("BEGIN IMMEDIATE");
    std::optional<weft::error> how;
    const weft::task_context& context = co_await this_task::context();
    weft::scope children{context};
    for (std::size_t i = 0; i < fences.size(); ++i) {
        if (i == 10) children.spawn(fork_a_broken_thread(*store, how));
        children.spawn(commit_often(*store, fences[i], 1));
    }
    other.run("COMMIT");
    co_await children.join();
    BOOST_TEST((how && how->code() == errc::store_corrupt));
    for (const weft::write_fence& fence : fences) {
        const auto newest = co_await store->load(fence.thread, std::nullopt);
        BOOST_TEST((newest && newest->body == "body 0"));
    }
    const auto copy = co_await store->load(weft::thread_key{"copy"}, std::nullopt);
    BOOST_TEST(!copy.has_value());
    const auto listed = co_await store->threads("", "b", 10);
    BOOST_TEST(listed.size() == 1U);  // nothing is left of the fork, not even its thread
}

BOOST_AUTO_TEST_CASE(a_call_that_fails_takes_none_of_its_transaction_with_it)
{
    const store_file file{"neighbours"};
    weft::run_blocking(fail_among_others(file));
}

task<void> write_and_close(const store_file& file, weft::write_fence& fence, weft::hash_key& key)
{
    const store_ptr store = co_await weft::sqlite_store::open(file.options());
    fence = co_await hold(*store, "t");
    fence.head = co_await commit(*store, fence, "before");
    key = store->key();
}

task<void> reopen(const store_file& file, weft::write_fence fence, weft::hash_key key)
{
    const store_ptr store = co_await weft::sqlite_store::open(file.options());
    BOOST_TEST((store->key() == key));
    const auto newest = co_await store->load(fence.thread, std::nullopt);
    BOOST_TEST((newest && newest->body == "before" && newest->sequence == 1));
    const auto run = co_await store->find_run(fence.run);
    BOOST_TEST((run && run->phase == weft::run_phase::ready && run->worker == 0));
    const weft::commit_result late = co_await store->commit(fence, draft_of("late"));
    BOOST_TEST(late.state == weft::write_state::fenced);
    const weft::worker_id worker = co_await store->enter("new", std::chrono::hours{1});
    const auto claims = co_await store->claim(worker, 10);
    BOOST_TEST_REQUIRE(claims.size() == 1U);
    BOOST_TEST(claims[0].fence.epoch > fence.epoch);
    BOOST_TEST(claims[0].attempt == 2U);
    BOOST_TEST(claims[0].fence.head == 1);
}

BOOST_AUTO_TEST_CASE(what_was_written_is_there_when_it_is_opened_again_and_runs_that_were_cut_short_are_ready)
{
    const store_file file{"reopen"};
    weft::write_fence fence;
    weft::hash_key key;
    weft::run_blocking(write_and_close(file, fence, key));
    weft::run_blocking(reopen(file, fence, key));
}

task<void> read_while_written(weft::checkpoint_store& store, std::int64_t last)
{
    const weft::thread_key thread{"t"};
    std::int64_t seen = 0;
    while (seen < last) {
        const auto newest = co_await store.load(thread, std::nullopt);
        if (!newest) continue;
        if (newest->sequence < seen) throw std::runtime_error{"the history went back"};
        seen = newest->sequence;
        if (newest->body != "body " + std::to_string(seen - 1)) throw std::runtime_error{"body of another checkpoint"};
        const std::vector<weft::blob> blobs = co_await store.read_blobs(thread, newest->links);
        if (blobs.size() != 1 || blobs[0].bytes != newest->body) throw std::runtime_error{"blob of another checkpoint"};
    }
}

task<void> write_for_readers(weft::checkpoint_store& store, weft::write_fence fence, int count)
{
    for (int i = 0; i < count; ++i) {
        weft::checkpoint_draft draft = draft_of("body " + std::to_string(i));
        weft::blob piece{weft::hash_of(draft.body, std::vector<weft::content_hash>{}, store.key()), draft.body, {}};
        draft.links = {piece.hash};
        draft.blobs.push_back(std::move(piece));
        const weft::commit_result result = co_await store.commit(fence, std::move(draft));
        fence.head = result.head;
    }
}

BOOST_AUTO_TEST_CASE(readers_on_other_os_threads_see_whole_checkpoints_while_it_is_written)
{
    constexpr int count = 200;
    const store_file file{"readers"};
    const store_ptr store = weft::run_blocking(weft::sqlite_store::open(file.options()));
    const weft::write_fence fence = weft::run_blocking(hold(*store, "t"));
    std::vector<std::string> mistakes(2);
    std::vector<std::thread> readers;
    for (std::string& mistake : mistakes)
        readers.emplace_back([&store, &mistake] {
            try {
                weft::run_blocking(read_while_written(*store, count));
            } catch (const std::exception& e) {
                mistake = e.what();
            }
        });
    weft::run_blocking(write_for_readers(*store, fence, count));
    for (std::thread& reader : readers) reader.join();
    for (const std::string& mistake : mistakes) BOOST_TEST(mistake == "");
}

task<void> stop_behind_a_lock(const store_file& file)
{
    const store_ptr store = co_await weft::sqlite_store::open(file.options());
    const weft::write_fence fence = co_await hold(*store, "t");
    foreign_connection other{file.path()};
    other.run("BEGIN IMMEDIATE");
    const weft::task_context& context = co_await this_task::context();
    std::optional<weft::error> how;
    const auto note = [](weft::checkpoint_store& where, weft::write_fence by, std::optional<weft::error>& out)
        -> task<void> { out = co_await error_of(commit(where, std::move(by), "stopped")); };
    weft::scope children{context};
    children.spawn(note(*store, fence, how));
    co_await weft::yield_now();
    children.request_stop();
    co_await children.join();  // although the file is still locked
    BOOST_TEST((how && how->code() == errc::cancelled));
    other.run("COMMIT");
    static_cast<void>(co_await store->enter("behind it in the queue", std::chrono::hours{1}));
    const auto chain = co_await store->history(fence.thread, weft::history_page{});
    BOOST_TEST(chain.size() <= 1U);  // as a whole or not at all
    const auto newest = co_await store->load(fence.thread, std::nullopt);
    BOOST_TEST(newest.has_value() == !chain.empty());
}

BOOST_AUTO_TEST_CASE(who_is_stopped_while_he_waits_leaves_at_once)
{
    const store_file file{"stop"};
    weft::run_blocking(stop_behind_a_lock(file));
}

task<void> call_everything(weft::sqlite_store& store)
{
    weft::write_fence fence = co_await hold(store, "thread " + next_id().text());
    fence.head = co_await commit(store, fence, "body");
    const auto read = co_await store.load(fence.thread, std::nullopt);
    BOOST_TEST((read && read->body == "body"));
    static_cast<void>(co_await store.finish(fence, weft::run_outcome{}));
    const weft::item_key key{{"a"}, "b"};
    co_await store.put("tenant", key, 1, std::nullopt);
}

BOOST_AUTO_TEST_CASE(callers_may_be_torn_down_and_stopped_at_every_suspension_point)
{
    const store_file file{"teardown"};
    const store_ptr store = weft::run_blocking(weft::sqlite_store::open(file.options()));
    const auto make = [&store] { return call_everything(*store); };
    BOOST_TEST(testing::torn_down_at_every_suspension_point(make) > 0U);
    BOOST_TEST(testing::stopped_at_every_suspension_point(make) > 0U);
}

task<void> open_and_close(const store_file& file)
{
    const store_ptr store = co_await weft::sqlite_store::open(file.options());
    static_cast<void>(co_await store->usage(weft::thread_key{"t"}));
}

BOOST_AUTO_TEST_CASE(opening_may_be_torn_down_and_stopped_at_every_suspension_point)
{
    const store_file file{"opening"};
    const auto make = [&file] { return open_and_close(file); };
    BOOST_TEST(testing::torn_down_at_every_suspension_point(make) > 0U);
    BOOST_TEST(testing::stopped_at_every_suspension_point(make) > 0U);
}

task<void> keep_ended_runs(const store_file& file)
{
    const store_ptr store = co_await weft::sqlite_store::open(file.options());
    const weft::worker_id worker = co_await store->enter("test", std::chrono::hours{24});
    weft::run_id first;
    for (int i = 0; i < 1'002; ++i) {
        weft::new_run run{weft::thread_key{"t"}, weft::run_id{next_id()}};
        run.started_by(worker);
        if (i == 1) first = run.id;
        const weft::run_admission admission = co_await store->enqueue(std::move(run));
        static_cast<void>(co_await store->finish(admission.claim->fence, weft::run_outcome{}));
    }
    const auto forgotten = co_await store->find_run(first);
    BOOST_TEST(!forgotten.has_value());
}

BOOST_AUTO_TEST_CASE(of_each_thread_a_thousand_runs_that_are_over_are_remembered)
{
    const store_file file{"ended"};
    weft::run_blocking(keep_ended_runs(file));
}

weft::migration_plan plan_of(const store_file& file)
{
    return weft::run_blocking(weft::plan_migration(file.options()));
}

BOOST_AUTO_TEST_CASE(a_plan_lists_the_statements_that_an_older_file_lacks_and_changes_nothing)
{
    const store_file file{"plan"};
    weft::run_blocking(open_and_close(file));
    const weft::migration_plan newest = plan_of(file);
    BOOST_TEST((newest.is_usable() && newest.statements.empty() && newest.found == newest.known));
    {
        foreign_connection db{file.path()};
        db.run("DROP TRIGGER item_takes_its_vector; DROP TRIGGER value_takes_its_vector; DROP TABLE item_vector;"
               "DELETE FROM schema_version WHERE version > 6; PRAGMA user_version = 6;");
    }
    const weft::migration_plan older = plan_of(file);
    BOOST_TEST((!older.is_usable() && older.found == 6));
    BOOST_REQUIRE(older.statements.size() > 3U);
    BOOST_TEST(older.statements[0].text.starts_with("CREATE TABLE item_vector ("));
    BOOST_TEST(older.statements[1].text.starts_with("CREATE TRIGGER item_takes_its_vector"));
    BOOST_TEST(older.statements[1].text.ends_with("END"), "a trigger is one statement");
    BOOST_TEST(older.statements.back().version == newest.known);
    BOOST_TEST((plan_of(file).found == 6));
    {
        foreign_connection db{file.path()};
        db.run("INSERT INTO schema_version VALUES (99, 98, 0); PRAGMA user_version = 99;");
    }
    BOOST_TEST(plan_of(file).needs_newer_program());
}

BOOST_AUTO_TEST_CASE(a_plan_makes_no_file)
{
    const store_file file{"no-plan"};
    BOOST_CHECK_THROW(static_cast<void>(plan_of(file)), weft::error);
    BOOST_TEST(!std::filesystem::exists(file.path()));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sqlite_store_cases
