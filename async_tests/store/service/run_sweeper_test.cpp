#include <boost/test/unit_test.hpp>

#include <weft/async/sleep.hpp>
#include <weft/base/random.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/store/service/queue_rules.hpp>
#include <weft/store/service/run_sweeper.hpp>
#include <weft/testing/simulation.hpp>

#ifdef WEFT_HAS_POSTGRES
#include "store/postgres_fixture.hpp"
#include "store/raw_session.hpp"
#endif

#include <optional>
#include <string>
#include <vector>

namespace run_sweeper_cases {

using namespace std::chrono_literals;

/** Begins a run of a thread of its own, and ends it unless it is to stay open. */
weft::task<void> enter_run(weft::checkpoint_store& store, weft::worker_id worker, std::string thread, weft::run_id id,
                           bool ends)
{
    weft::new_run run{weft::thread_key{std::move(thread)}, id};
    run.started_by(worker);
    const weft::run_admission admission = co_await store.enqueue(std::move(run));
    weft::write_fence fence = admission.claim.value().fence;
    if (!ends) co_return;
    weft::run_outcome outcome;
    static_cast<void>(co_await store.finish(std::move(fence), std::move(outcome)));
}

weft::task<void> enter_runs(weft::checkpoint_store& store, std::string name, int count, weft::id_source& ids, bool ends)
{
    const weft::worker_id worker = co_await store.enter("w", 24h * 365);
    for (int i = 0; i < count; ++i)
        co_await enter_run(store, worker, name + std::to_string(i), ids.next<weft::run_id>(), ends);
}

weft::task<void> let_pass(std::chrono::nanoseconds span) { co_await weft::sleep_for(span); }

weft::task<std::size_t> count_runs(weft::service_store& service)
{
    weft::run_query all;
    co_return co_await service.runs().count(std::move(all));
}

class sweeper_world {
public:
    void enter(std::string name, int count, bool ends = true) { sim.run(enter_runs(store, name, count, ids, ends)); }
    std::size_t runs() { return sim.run(count_runs(store.service())); }

    weft::memory_store store{weft::hash_key{}};
    weft::testing::simulation sim{1};
    weft::random_source random{7};
    weft::id_source ids{weft::real_clock(), random};
    weft::run_sweeper sweeper{store.service(), 2h};
};

BOOST_AUTO_TEST_SUITE(run_sweeper_test)

BOOST_AUTO_TEST_CASE(runs_that_were_over_for_long_go_and_open_ones_stay)
{
    sweeper_world w;
    w.enter("open", 3, false);
    w.enter("old", 1'200);
    BOOST_TEST(w.sim.run(w.sweeper.sweep()) == 0u);
    w.sim.run(let_pass(75min));
    w.enter("young", 2);
    BOOST_TEST(w.sim.run(w.sweeper.sweep()) == 0u);
    w.sim.run(let_pass(50min));
    BOOST_TEST(w.sim.run(w.sweeper.sweep()) == 1'200u);
    BOOST_TEST(w.runs() == 5u);
}

BOOST_AUTO_TEST_CASE(a_turn_comes_once_in_a_period_for_all_processes)
{
    sweeper_world w;
    weft::run_sweeper other{w.store.service(), 2h};
    BOOST_TEST((w.sweeper.period() == 5min));
    BOOST_TEST((weft::run_sweeper{w.store.service(), 1s}.period() == 1s));
    w.enter("old", 2);
    w.sim.run(let_pass(123min));
    BOOST_TEST(w.sim.run(w.sweeper.sweep_in_turn()) == 2u);
    w.enter("later", 2);
    w.sim.run(let_pass(121min));
    BOOST_TEST(w.sim.run(other.sweep_in_turn()) == 2u);
    w.enter("last", 1);
    w.sim.run(let_pass(4min));
    weft::run_sweeper at_once{w.store.service(), 0ms};
    BOOST_TEST(w.sim.run(at_once.sweep_in_turn()) == 0u, "the five minutes are not over");
    w.sim.run(let_pass(2min));
    BOOST_TEST(w.sim.run(at_once.sweep_in_turn()) == 1u);
}

#ifdef WEFT_HAS_POSTGRES

weft::task<void> limit_each_tenant(weft::postgres_store& store, bool is_there)
{
    weft::queue_rules rules{store.service().documents()};
    std::optional<weft::queue_limit> limit;
    if (is_there) limit.emplace().active_max = 100;
    co_await rules.set_limit(weft::limit_scope::tenant, "", limit);
}

weft::task<std::size_t> claim_and_finish(weft::checkpoint_store& store, weft::run_id id)
{
    const weft::worker_id worker = co_await store.enter("claims", 60s);
    weft::new_run run{weft::thread_key{"old0"}, id};
    static_cast<void>(co_await store.enqueue(std::move(run)));
    const std::vector<weft::run_claim> claims = co_await store.claim(worker, 10);
    for (const weft::run_claim& each : claims) {
        weft::write_fence fence = each.fence;
        weft::run_outcome outcome;
        static_cast<void>(co_await store.finish(std::move(fence), std::move(outcome)));
    }
    co_return claims.size();
}

BOOST_TEST_DECORATOR(*boost::unit_test::precondition(weft_tests::has_postgres))
BOOST_AUTO_TEST_CASE(in_postgres_claims_do_not_wait_for_runs_that_go_and_one_process_has_the_turn)
{
    weft_tests::fresh_names fresh;
    const weft_tests::postgres_server& server = weft_tests::shared_postgres_server();
    const std::string schema = fresh.schema();
    const auto first = weft_tests::open_store(weft_tests::options_on(server, schema));
    const auto second = weft_tests::open_store(weft_tests::options_on(server, schema));
    weft::random_source random{9};
    weft::id_source ids{weft::real_clock(), random};
    weft::run_blocking(enter_runs(*first, "old", 20, ids, true));
    const auto left = [&] { return server.query("SELECT count(*) FROM " + schema + ".bucket_freed"); };
    weft::run_blocking(limit_each_tenant(*first, true));
    {
        // A batch of the sweep that does not come to its end.
        weft_tests::raw_session batch{server.connection()};
        batch.query("SET search_path = " + schema);
        batch.query("BEGIN");
        batch.query("DELETE FROM run WHERE phase > 3");
        BOOST_TEST(weft::run_blocking(claim_and_finish(*first, ids.next<weft::run_id>())) == 1u);
        batch.query("ROLLBACK");
    }
    weft::run_blocking(limit_each_tenant(*first, false));
    weft::run_sweeper mine{first->service(), 0ms};
    weft::run_sweeper theirs{second->service(), 0ms};
    BOOST_TEST(left() == "1", "what a run has left of the count of its tenant, until that is asked again");
    BOOST_TEST(weft::run_blocking(mine.sweep_in_turn()) == 21u);
    BOOST_TEST(left() == "0", "a tenant that does not return leaves nothing behind");
    weft::run_blocking(enter_runs(*first, "new", 1, ids, true));
    server.query("UPDATE " + schema + ".document SET due = now() + interval '1 hour' WHERE kind = 'run_sweep'");
    BOOST_TEST(weft::run_blocking(theirs.sweep_in_turn()) == 0u, "the turn is over for all");
    BOOST_TEST(weft::run_blocking(theirs.sweep()) == 1u);
    BOOST_TEST(weft::run_blocking(count_runs(first->service())) == 0u);
}

#endif

BOOST_AUTO_TEST_SUITE_END()

}  // namespace run_sweeper_cases
