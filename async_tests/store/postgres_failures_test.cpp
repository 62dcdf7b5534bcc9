#ifdef WEFT_HAS_POSTGRES

#include "postgres_fixture.hpp"
#include "raw_session.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>

#include <atomic>
#include <thread>

namespace postgres_failures_test {

namespace ut = boost::unit_test;

using namespace std::chrono_literals;
using namespace weft_tests;

constexpr auto lifetime = 60s;

weft::checkpoint_draft draft_with(weft::checkpoint_id id)
{
    weft::checkpoint_draft draft;
    draft.id = id;
    draft.body = "body";
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

/** How a run gets on while its store's connections die: it never loses and never doubles a checkpoint. */
struct progress {
    int committed = 0;
    int unknown = 0;
    int unavailable = 0;
};

/** What the caller of a store has to do: after an unknown outcome the head tells. */
weft::task<void> commit_through_trouble(weft::postgres_store& store, weft::write_fence fence, int count,
                                        fresh_names& fresh, progress& so_far)
{
    while (so_far.committed < count) {
        weft::errc failed{};
        try {
            const weft::commit_result written = co_await store.commit(fence, draft_with(fresh.checkpoint()));
            if (written.state != weft::write_state::ok) throw std::runtime_error{"a commit was refused"};
            fence.head = written.head;
            ++so_far.committed;
        } catch (const weft::error& e) {
            failed = e.code();
        }
        if (failed == weft::errc{}) continue;
        if (failed == weft::errc::store_unavailable) ++so_far.unavailable;
        if (failed != weft::errc::store_outcome_unknown) continue;
        ++so_far.unknown;
        std::optional<weft::checkpoint> head;
        while (!head) {
            try {
                head = co_await store.load(fence.thread, std::nullopt);
                if (!head) break;
            } catch (const weft::error& e) {
                BOOST_TEST((e.code() == weft::errc::store_unavailable));
            }
        }
        const std::int64_t now = head ? head->sequence : 0;
        so_far.committed += static_cast<int>(now - fence.head);
        fence.head = now;
    }
}

weft::task<void> keep_committing(weft::postgres_store& store, int threads, int count, fresh_names& fresh,
                                 std::vector<progress>& all)
{
    all.assign(static_cast<std::size_t>(threads), progress{});
    std::vector<weft::write_fence> fences;
    for (int i = 0; i < threads; ++i) {
        const weft::run_claim claim = co_await begin(store, "thread " + std::to_string(i), fresh.run());
        fences.push_back(claim.fence);
    }
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope runs{context};
    for (int i = 0; i < threads; ++i)
        runs.spawn(commit_through_trouble(store, fences[static_cast<std::size_t>(i)], count, fresh,
                                          all[static_cast<std::size_t>(i)]));
    co_await runs.join();
}

/** Runs commits on another OS thread while `trouble` is made here. */
template <class Trouble>
void commit_while(postgres_server& server, Trouble trouble)
{
    constexpr int threads = 8;
    constexpr int count = 150;
    fresh_names fresh;
    const std::string schema = fresh.schema();
    weft::postgres_options options = options_on(server, schema);
    options.request_timeout = 10s;
    const auto store = open_store(options);
    std::vector<progress> all;
    std::thread runs{[&] { weft::run_blocking(keep_committing(*store, threads, count, fresh, all)); }};
    const auto total = [&] { return std::stoi(server.query("SELECT count(*) FROM " + schema + ".checkpoint")); };
    try {
        while (total() == 0) {  // entering a run is another test's matter
        }
        trouble(total);
    } catch (...) {
        runs.join();
        throw;
    }
    runs.join();
    BOOST_TEST(total() == threads * count);
    const std::string holes = "SELECT count(*) FROM " + schema + ".checkpoint WHERE parent <> seq - 1";
    BOOST_TEST(server.query(holes) == "0");
    int unknown = 0;
    for (const progress& each : all) unknown += each.unknown;
    BOOST_TEST_MESSAGE("unknown outcomes: " << unknown);
}

BOOST_AUTO_TEST_SUITE(postgres_failures_test, *ut::precondition(has_postgres))

BOOST_AUTO_TEST_CASE(ended_connections_lose_no_checkpoint)
{
    postgres_server& server = shared_postgres_server();
    commit_while(server, [&](const auto& total) {
        for (int i = 0; i < 4; ++i) {
            const int before = total();
            BOOST_TEST(server.end_connections() >= 0);
            for (int look = 0; look < 1'000 && total() < std::min(before + 20, 1'200); ++look) {
            }
        }
    });
}

BOOST_AUTO_TEST_CASE(a_server_that_crashes_and_comes_back_loses_no_checkpoint)
{
    postgres_server::options synced;
    synced.is_synced = true;
    postgres_server server{synced};
    commit_while(server, [&](const auto& total) {
        for (int i = 0; i < 2; ++i) {
            const int before = total();
            server.restart_immediately();
            for (int look = 0; look < 1'000 && total() < std::min(before + 20, 1'200); ++look) {
            }
        }
    });
}

weft::task<weft::run_admission> enter_run(weft::postgres_store& store, weft::run_id id, std::string thread,
                                          weft::worker_id starts_on)
{
    weft::new_run run{weft::thread_key{std::move(thread)}, id};
    run.started_by(starts_on);
    co_return co_await store.enqueue(std::move(run));
}

// Others see an entry before it is on disk: one that finds it there answers for it as well. A transaction that does not
// wait stays in the memory of this server until it crashes.
BOOST_AUTO_TEST_CASE(a_run_is_on_disk_when_its_entry_is_answered_also_by_one_who_finds_it_there)
{
    postgres_server server;
    fresh_names fresh;
    const std::string schema = fresh.schema();
    const auto store = open_store(options_on(server, schema));
    server.query("ALTER SYSTEM SET wal_writer_delay = '10s'");
    server.query("ALTER SYSTEM SET autovacuum = off");
    server.query("SELECT pg_reload_conf()");
    const weft::worker_id worker = weft::run_blocking(store->enter("test", lifetime));
    const auto is_there = [&](weft::run_id id) {
        return server.query("SELECT count(*) FROM " + schema + ".run WHERE id = '" + id.text() + "'") == "1";
    };
    const auto enter_elsewhere = [&](weft::run_id id) {
        raw_session other{server.connection()};
        other.query("SET search_path = " + schema + "; SET synchronous_commit = off");
        other.query("WITH t AS (INSERT INTO thread (tenant, name) VALUES ('', '" + id.text() + "') RETURNING no)"
                    " INSERT INTO run (id, thread, tenant, phase, attempts_max, graph, input)"
                    " SELECT '" + id.text() + "', no, '', 1, 3, '', '' FROM t");
    };
    const weft::run_id entered = fresh.run();
    BOOST_TEST((weft::run_blocking(enter_run(*store, entered, "t", 0)).what == weft::run_admission::kind::ready));
    server.restart_immediately();
    BOOST_TEST(is_there(entered));

    const weft::run_id found = fresh.run();
    enter_elsewhere(found);
    const auto look = [&] {
        // Of a thread that is not there, so that this call by itself writes nothing.
        const weft::run_admission admission = weft::run_blocking(enter_run(*store, found, "other", worker));
        BOOST_TEST((admission.what == weft::run_admission::kind::duplicate));
    };
    for (int i = 0; i < 100 && code_thrown_by(look) != weft::errc{}; ++i) {}  // the first one meets a lost connection
    const weft::run_id unanswered = fresh.run();
    enter_elsewhere(unanswered);
    server.restart_immediately();
    BOOST_TEST(is_there(found));
    BOOST_TEST(!is_there(unanswered));
}

BOOST_AUTO_TEST_CASE(a_server_that_stands_still_is_noticed_by_the_clock)
{
    postgres_server server;
    fresh_names fresh;
    weft::postgres_options options = options_on(server, fresh.schema());
    options.request_timeout = 1s;
    options.connect_timeout = 1s;
    const auto store = open_store(options);
    weft::run_claim claim = weft::run_blocking(begin(*store, "t", fresh.run()));
    server.freeze();
    const auto commit = [&] {
        static_cast<void>(weft::run_blocking(store->commit(claim.fence, draft_with(fresh.checkpoint()))));
    };
    // It was sent, so its outcome is unknown; the next ones cannot even be sent.
    BOOST_TEST((code_thrown_by(commit) == weft::errc::store_outcome_unknown));
    BOOST_TEST((code_thrown_by(commit) == weft::errc::store_unavailable));
    server.thaw();
    weft::errc code = weft::errc::store_unavailable;
    for (int i = 0; i < 50 && code == weft::errc::store_unavailable; ++i) {
        code = code_thrown_by([&] {
            const auto head = weft::run_blocking(store->load(claim.fence.thread, std::nullopt));
            claim.fence.head = head ? head->sequence : 0;
        });
    }
    BOOST_TEST((code == weft::errc{}));
    commit();
}

BOOST_AUTO_TEST_CASE(a_server_that_is_known_to_be_away_is_waited_for_as_briefly_as_is_wished)
{
    postgres_server server;
    fresh_names fresh;
    weft::postgres_options options = options_on(server, fresh.schema());
    options.request_timeout = 20s;
    options.away_timeout = 50ms;
    const auto store = open_store(options);
    const weft::run_claim claim = weft::run_blocking(begin(*store, "t", fresh.run()));
    server.stop_immediately();
    const auto load = [&] { static_cast<void>(weft::run_blocking(store->load(claim.fence.thread, std::nullopt))); };
    const auto begin_of_outage = std::chrono::steady_clock::now();
    const auto may_go_on = [&] { return std::chrono::steady_clock::now() < begin_of_outage + 15s; };
    while (may_go_on() && code_thrown_by(load) != weft::errc::store_unavailable) {}
    const auto begin_of_call = std::chrono::steady_clock::now();
    BOOST_TEST((code_thrown_by(load) == weft::errc::store_unavailable));
    BOOST_TEST((std::chrono::steady_clock::now() - begin_of_call < 5s));
    server.start();
    while (may_go_on() && code_thrown_by(load) != weft::errc{}) {}
    BOOST_TEST(may_go_on(), "it is back");
}

BOOST_AUTO_TEST_CASE(a_lock_that_somebody_holds_is_not_waited_for_for_ever)
{
    postgres_server& server = shared_postgres_server();
    fresh_names fresh;
    const std::string schema = fresh.schema();
    weft::postgres_options options = options_on(server, schema);
    options.request_timeout = 1s;
    const auto store = open_store(options);
    const weft::run_claim claim = weft::run_blocking(begin(*store, "t", fresh.run()));
    std::atomic<bool> is_over = false;
    std::thread holder{[&] {
        server.query("BEGIN; SELECT * FROM " + schema + ".thread FOR UPDATE; SELECT pg_sleep(4); COMMIT");
        is_over = true;
    }};
    // Once it sleeps it has the lock; its query can be seen before that.
    while (!is_over && server.query("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(4)%'"
                                    " AND wait_event = 'PgSleep'") == "0") {
    }
    const auto code = code_thrown_by([&] {
        static_cast<void>(weft::run_blocking(store->commit(claim.fence, draft_with(fresh.checkpoint()))));
    });
    BOOST_TEST((code == weft::errc::store_unavailable));
    holder.join();
    const auto written = weft::run_blocking(store->commit(claim.fence, draft_with(fresh.checkpoint())));
    BOOST_TEST((written.state == weft::write_state::ok), "nothing was done the first time");
}

BOOST_AUTO_TEST_CASE(of_two_stores_that_race_for_a_thread_one_wins)
{
    postgres_server& server = shared_postgres_server();
    fresh_names fresh;
    const weft::postgres_options options = options_on(server, fresh.schema());
    const auto first = open_store(options);
    const auto second = open_store(options);
    const auto first_worker = weft::run_blocking(first->enter("first", lifetime));
    const auto second_worker = weft::run_blocking(second->enter("second", lifetime));
    for (int round = 0; round < 20; ++round) {
        weft::new_run run{weft::thread_key{"t" + std::to_string(round)}, fresh.run()};
        static_cast<void>(weft::run_blocking(first->enqueue(run)));
        std::size_t taken[2] = {};
        std::thread rival{[&] { taken[1] = weft::run_blocking(second->claim(second_worker, 5)).size(); }};
        taken[0] = weft::run_blocking(first->claim(first_worker, 5)).size();
        rival.join();
        if (taken[0] + taken[1] == 0) taken[0] = weft::run_blocking(first->claim(first_worker, 5)).size();
        BOOST_TEST(taken[0] + taken[1] == 1u);
    }
}

BOOST_AUTO_TEST_CASE(a_zombie_writes_nothing)
{
    postgres_server& server = shared_postgres_server();
    fresh_names fresh;
    const weft::postgres_options options = options_on(server, fresh.schema());
    const auto zombie = open_store(options);
    const auto heir = open_store(options);
    weft::new_run run{weft::thread_key{"t"}, fresh.run()};
    const auto old_worker = weft::run_blocking(zombie->enter("zombie", 1ms));
    static_cast<void>(weft::run_blocking(zombie->enqueue(run)));
    static_cast<void>(weft::run_blocking(zombie->heartbeat(old_worker, lifetime)));
    const auto old_claim = weft::run_blocking(zombie->claim(old_worker, 1));
    BOOST_TEST_REQUIRE(old_claim.size() == 1u);
    static_cast<void>(weft::run_blocking(zombie->heartbeat(old_worker, 1ms)));
    while (weft::run_blocking(heir->reap(10)) == 0) {
    }
    const auto new_worker = weft::run_blocking(heir->enter("heir", lifetime));
    const auto new_claim = weft::run_blocking(heir->claim(new_worker, 1));
    BOOST_TEST_REQUIRE(new_claim.size() == 1u);
    const auto refused = weft::run_blocking(zombie->commit(old_claim[0].fence, draft_with(fresh.checkpoint())));
    BOOST_TEST((refused.state == weft::write_state::fenced));
    BOOST_TEST(!weft::run_blocking(zombie->heartbeat(old_worker, lifetime)).is_alive);
    const auto written = weft::run_blocking(heir->commit(new_claim[0].fence, draft_with(fresh.checkpoint())));
    BOOST_TEST((written.state == weft::write_state::ok));
}

weft::task<void> stop_after(weft::task<weft::commit_result> work, std::chrono::milliseconds span)
{
    const weft::task_context& context = co_await weft::this_task::context();
    const auto drop_result = [](weft::task<weft::commit_result> from) -> weft::task<void> {
        const weft::commit_result result = co_await std::move(from);
        static_cast<void>(result);
    };
    weft::scope children{context};
    children.spawn(drop_result(std::move(work)));
    co_await weft::sleep_for(span);
    children.request_stop();
    co_await children.join();
}

BOOST_AUTO_TEST_CASE(a_stopped_or_destroyed_call_takes_place_or_not_as_a_whole)
{
    postgres_server& server = shared_postgres_server();
    fresh_names fresh;
    const std::string schema = fresh.schema();
    const auto store = open_store(options_on(server, schema));
    weft::run_claim claim = weft::run_blocking(begin(*store, "t", fresh.run()));
    for (int i = 0; i < 20; ++i) {
        weft::run_blocking(stop_after(store->commit(claim.fence, draft_with(fresh.checkpoint())),
                                      std::chrono::milliseconds{i % 3}));
        const auto head = weft::run_blocking(store->load(claim.fence.thread, std::nullopt));
        if (head) claim.fence.head = head->sequence;
    }
    // What the last one did may come a moment later.
    const auto written = weft::run_blocking(store->commit(claim.fence, draft_with(fresh.checkpoint())));
    BOOST_TEST((written.state == weft::write_state::ok || written.state == weft::write_state::stale_head));
    BOOST_TEST(server.query("SELECT count(*) = max(seq) FROM " + schema + ".checkpoint") == "t");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace postgres_failures_test

#endif
