#include <boost/test/unit_test.hpp>

#include <weft/async/sleep.hpp>
#include <weft/base/random.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/store/service/event_sweeper.hpp>
#include <weft/testing/simulation.hpp>

#ifdef WEFT_HAS_POSTGRES
#include "store/postgres_fixture.hpp"
#include "store/raw_session.hpp"
#endif

#include <string>
#include <vector>

namespace event_sweeper_cases {

using namespace std::chrono_literals;

/** A run of a thread of its own that has said something, and is over unless it is to stay open. */
weft::task<void> tell_run(weft::checkpoint_store& store, weft::service_store& service, std::string thread,
                          weft::run_id id, std::size_t events, bool ends)
{
    const weft::worker_id worker = co_await store.enter("w", 24h * 365);
    weft::new_run run{weft::thread_key{std::move(thread)}, id};
    run.started_by(worker);
    const weft::run_admission admission = co_await store.enqueue(std::move(run));
    weft::write_fence fence = admission.claim.value().fence;
    std::vector<weft::event_draft> drafts(events, weft::event_draft{"output", "text"});
    const weft::event_log_limits limits;
    const weft::event_append told = co_await service.run_events().append(fence, std::move(drafts), limits);
    BOOST_TEST(told.last == events);
    if (!ends) co_return;
    weft::run_outcome outcome;
    static_cast<void>(co_await store.finish(std::move(fence), std::move(outcome)));
}

weft::task<void> pass_time(std::chrono::nanoseconds span) { co_await weft::sleep_for(span); }

weft::task<std::size_t> read_events(weft::service_store& service, weft::run_id run)
{
    const weft::event_page first = co_await service.run_events().read(run, 0, 1);
    if (first.first == 0) co_return 0;
    const weft::event_page page = co_await service.run_events().read(run, first.first - 1, 100'000);
    co_return page.events.size();
}

struct told_world {
    weft::run_id tell(std::string name, std::size_t events, bool ends = true)
    {
        const auto id = ids.next<weft::run_id>();
        sim.run(tell_run(store, store.service(), std::move(name), id, events, ends));
        return id;
    }
    std::size_t events_of(weft::run_id run) { return sim.run(read_events(store.service(), run)); }

    weft::memory_store store{weft::hash_key{}};
    weft::testing::simulation sim{1};
    weft::random_source random{7};
    weft::id_source ids{weft::real_clock(), random};
    weft::event_sweeper sweeper{store.service(), 2h};
};

BOOST_AUTO_TEST_SUITE(event_sweeper_test)

BOOST_AUTO_TEST_CASE(events_of_runs_that_were_over_for_long_go_and_those_of_open_ones_stay)
{
    told_world w;
    const weft::run_id open = w.tell("open", 20, false);
    const weft::run_id first = w.tell("first", 7'000);
    const weft::run_id second = w.tell("second", 4'000);
    BOOST_TEST(w.sim.run(w.sweeper.sweep()).events == 0u);
    w.sim.run(pass_time(75min));
    const weft::run_id young = w.tell("young", 30);
    w.sim.run(pass_time(50min));
    const weft::event_prune gone = w.sim.run(w.sweeper.sweep());
    BOOST_TEST((gone.runs == 2u && gone.events == 10'998u && !gone.has_more));
    BOOST_TEST((w.events_of(first) == 1u && w.events_of(second) == 1u));
    BOOST_TEST((w.events_of(open) == 20u && w.events_of(young) == 30u));
}

BOOST_AUTO_TEST_CASE(a_turn_of_events_comes_once_in_a_period_for_all_processes)
{
    told_world w;
    weft::event_sweeper other{w.store.service(), 2h};
    BOOST_TEST((w.sweeper.period() == 5min));
    w.tell("first", 3);
    w.sim.run(pass_time(123min));
    BOOST_TEST(w.sim.run(w.sweeper.sweep_in_turn()).runs == 1u);
    w.tell("second", 3);
    weft::event_sweeper at_once{w.store.service(), 0ms};
    w.sim.run(pass_time(4min));
    BOOST_TEST(w.sim.run(at_once.sweep_in_turn()).runs == 0u, "the five minutes are not over");
    w.sim.run(pass_time(2min));
    BOOST_TEST(w.sim.run(at_once.sweep_in_turn()).runs == 1u);
}

#ifdef WEFT_HAS_POSTGRES

BOOST_TEST_DECORATOR(*boost::unit_test::precondition(weft_tests::has_postgres))
BOOST_AUTO_TEST_CASE(in_postgres_pruning_waits_for_no_one_and_no_writer_waits_for_it)
{
    weft_tests::fresh_names fresh;
    const weft_tests::postgres_server& server = weft_tests::shared_postgres_server();
    const std::string schema = fresh.schema();
    const auto store = weft_tests::open_store(weft_tests::options_on(server, schema));
    weft::random_source random{9};
    weft::id_source ids{weft::real_clock(), random};
    const auto tell = [&](std::string thread, bool ends) {
        const auto id = ids.next<weft::run_id>();
        weft::run_blocking(tell_run(*store, store->service(), std::move(thread), id, 50, ends));
        return id;
    };
    const weft::run_id locked = tell("locked", true);
    const weft::run_id free = tell("free", true);
    weft::event_sweeper sweeper{store->service(), 0ms};
    {
        weft_tests::raw_session other{server.connection()};
        other.query("SET search_path = " + schema);
        other.query("BEGIN");
        other.query("SELECT 1 FROM run WHERE id = '" + locked.text() + "' FOR UPDATE");
        const weft::event_prune gone = weft::run_blocking(sweeper.sweep());
        BOOST_TEST((gone.runs == 1u && gone.events == 49u), "one that is locked is passed over");
        other.query("ROLLBACK");
        // A batch that does not come to its end.
        other.query("BEGIN");
        other.query("DELETE FROM run_event WHERE run = '" + locked.text() + "'");
        other.query("UPDATE run SET log_is_whole = false WHERE id = '" + locked.text() + "'");
        const weft::run_id next = tell("locked", true);
        BOOST_TEST(weft::run_blocking(read_events(store->service(), next)) == 50u);
        other.query("ROLLBACK");
    }
    BOOST_TEST(weft::run_blocking(sweeper.sweep()).runs == 2u);
    BOOST_TEST(weft::run_blocking(read_events(store->service(), free)) == 1u);
    const std::string sizes = server.query("SELECT string_agg(DISTINCT l.bytes || '=' || octet_length(e.kind) +"
                                           " length(e.data), ',') FROM " + schema + ".event_log l JOIN " + schema +
                                           ".run_event e ON e.run = l.run");
    BOOST_TEST(sizes == "10=10");
    // Runs that are done with are in no index that the next look reads.
    weft_tests::raw_session look{server.connection()};
    look.query("SET search_path = " + schema);
    look.query("SET enable_seqscan = off");
    const std::string plan = look.query("EXPLAIN (FORMAT JSON) SELECT id FROM run WHERE log_is_whole"
                                        " AND phase IN (4, 5, 6) AND ended <= now() ORDER BY ended LIMIT 500");
    BOOST_TEST(plan.find("run_log_whole") != std::string::npos, plan);
}

#endif

BOOST_AUTO_TEST_SUITE_END()

}  // namespace event_sweeper_cases
