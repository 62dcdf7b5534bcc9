#include <weft/testing/async_test_case.hpp>

#include "engine/worker/change_signal.hpp"
#include "engine/worker/claim_table.hpp"
#include "engine/worker/worker_lease.hpp"

#include <weft/async/loop/serial_loop.hpp>
#include <weft/async/sleep.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/store/role/forwarding_store.hpp>
#include <weft/testing/faulty_store.hpp>

#include <optional>
#include <vector>

using namespace std::chrono_literals;
using weft::run_phase;

BOOST_AUTO_TEST_SUITE(claim_table_test)

namespace {

/** A worker of a store with one run in thread "t". */
struct one_worker {
    explicit one_worker(weft::checkpoint_store& store) : store{store} {}

    weft::task<void> enter()
    {
        weft::serial_loop& loop = co_await weft::this_task::loop();
        weft::id_source ids{loop.clock(), loop.random()};
        id = ids.next<weft::run_id>();
        lease.open(loop);
        co_await lease.enter();
        weft::new_run entry{weft::thread_key{"t"}, id};
        entry.graph_named("chain");
        static_cast<void>(co_await store.enqueue(std::move(entry)));
    }
    weft::task<run_phase> phase()
    {
        const std::optional<weft::run_record> record = co_await store.find_run(id);
        co_return record.value().phase;
    }

    weft::checkpoint_store& store;
    weft::durable_options options;
    weft::change_signal changes;
    weft::worker_lease lease{store, options, changes};
    weft::claim_table table{store, lease, options, changes};
    weft::run_id id;
};

}  // namespace

WEFT_ASYNC_TEST_CASE(a_guard_that_was_not_closed_gives_its_run_back_with_the_next_heartbeat)
{
    weft::memory_store store{weft::hash_key{}};
    one_worker worker{store};
    co_await worker.enter();
    {
        const std::vector<weft::run_claim> claims = co_await store.claim(worker.lease.worker(), 1);
        const weft::claim_guard guard{worker.table, claims.at(0).fence};
        BOOST_TEST(worker.table.count(worker.id) == 1u);
    }
    BOOST_TEST(worker.table.count(worker.id) == 0u);
    co_await worker.table.settle();
    const run_phase phase = co_await worker.phase();
    BOOST_TEST((phase == run_phase::ready));
}

WEFT_ASYNC_TEST_CASE(a_run_that_a_full_store_does_not_take_back_is_given_back_when_there_is_room)
{
    weft::memory_store real{weft::hash_key{}};
    weft::testing::faulty_store store{real, weft::testing::store_faults{}, 1};
    one_worker worker{store};
    co_await worker.enter();
    {
        const std::vector<weft::run_claim> claims = co_await store.claim(worker.lease.worker(), 1);
        const weft::claim_guard guard{worker.table, claims.at(0).fence};
    }
    store.set_faults(weft::testing::store_faults{}.be_full(1));
    co_await worker.table.settle();
    store.set_faults(weft::testing::store_faults{});
    const run_phase held = co_await worker.phase();
    BOOST_TEST((held == run_phase::running));
    co_await worker.table.settle();
    const run_phase phase = co_await worker.phase();
    BOOST_TEST((phase == run_phase::ready));
}

WEFT_ASYNC_TEST_CASE(a_run_whose_claim_was_answered_to_no_caller_is_looked_up_and_given_back)
{
    weft::memory_store store{weft::hash_key{}};
    one_worker worker{store};
    co_await worker.enter();
    {
        const weft::possible_claim claim{worker.table, worker.id};
        static_cast<void>(co_await store.claim(worker.lease.worker(), 1));
    }
    co_await worker.table.settle();
    const run_phase phase = co_await worker.phase();
    BOOST_TEST((phase == run_phase::ready));
}

WEFT_ASYNC_TEST_CASE(a_run_in_doubt_that_another_coroutine_has_is_let_alone)
{
    weft::memory_store store{weft::hash_key{}};
    one_worker worker{store};
    co_await worker.enter();
    const std::vector<weft::run_claim> claims = co_await store.claim(worker.lease.worker(), 1);
    weft::claim_guard guard{worker.table, claims.at(0).fence};
    { const weft::possible_claim claim{worker.table, worker.id}; }
    co_await worker.table.settle();
    const run_phase phase = co_await worker.phase();
    BOOST_TEST((phase == run_phase::running));
    guard.close();
}

WEFT_ASYNC_TEST_CASE(with_unknown_runs_the_worker_leaves_as_soon_as_it_has_no_claims)
{
    weft::memory_store store{weft::hash_key{}};
    one_worker worker{store};
    co_await worker.enter();
    static_cast<void>(co_await store.claim(worker.lease.worker(), 1));
    { const weft::possible_claim claim{worker.table, weft::run_id{}}; }
    BOOST_TEST(worker.table.has_unknown_runs());
    {
        weft::possible_claim other{worker.table, weft::run_id{}};
        co_await worker.table.leave_if_unsure();
        BOOST_TEST((worker.lease.worker() != 0));
        other.close();
    }
    co_await worker.table.leave_if_unsure();
    BOOST_TEST((worker.lease.worker() == 0));
    BOOST_TEST(!worker.table.has_unknown_runs());
    const run_phase phase = co_await worker.phase();
    BOOST_TEST((phase == run_phase::ready));
}

BOOST_AUTO_TEST_SUITE_END()
