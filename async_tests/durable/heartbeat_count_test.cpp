#include "durable/durable_world.hpp"

#include <weft/async/scope.hpp>
#include <weft/store/role/forwarding_store.hpp>
#include <weft/testing/async_test_case.hpp>

#include <string>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(heartbeat_count_test)

namespace {

/** A memory store that counts signs of life. */
class counting_signs final : public weft::forwarding_store {
public:
    using forwarding_store::forwarding_store;

    weft::task<weft::heartbeat_report> heartbeat(weft::worker_id worker, std::chrono::milliseconds lifetime) override
    {
        ++signs;
        return inner().heartbeat(worker, lifetime);
    }

    int signs = 0;
};

weft::task<void> take_runs(weft::durable_engine& engine) { co_await engine.work(); }

}  // namespace

// The lease is the process's, not a run's: the store hears of it in one statement, which brings the signals of all runs
// back.
WEFT_ASYNC_TEST_CASE(one_sign_of_life_is_given_for_all_runs_and_graphs_of_a_process)
{
    constexpr int graphs = 4;
    constexpr int runs = 200;
    auto begun = std::make_shared<begun_nodes>();
    auto all = std::make_shared<weft::durable_graphs>();
    for (int i = 0; i < graphs; ++i) {
        weft::graph_builder builder{"g" + std::to_string(i)};
        builder.state(value, other, total, words).node("a", counts(begun, 600s));
        all->add(builder.edge(weft::start, "a").build());
    }
    weft::memory_store memory{test_key()};
    counting_signs store{memory};
    weft::durable_options options;
    options.runs_max = runs;
    options.names_graphs = true;
    weft::durable_engine engine{store, all, options};
    co_await engine.open();
    weft::serial_loop& loop = co_await weft::this_task::loop();
    weft::id_source ids{loop.clock(), loop.random()};
    for (int i = 0; i < runs; ++i) {
        weft::new_run run{weft::thread_key{"t" + std::to_string(i)}, ids.next<weft::run_id>()};
        run.graph_named("g" + std::to_string(i % graphs));
        static_cast<void>(co_await store.enqueue(std::move(run)));
    }
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(take_runs(engine));
    co_await weft::sleep_for(options.heartbeat_every * 3);
    BOOST_TEST(engine.runs() == std::size_t{runs});
    const int before = store.signs;
    co_await weft::sleep_for(options.heartbeat_every * 10);
    BOOST_TEST(store.signs - before >= 9);
    BOOST_TEST(store.signs - before <= 11);
    co_await engine.close();
    co_await children.join();
}

BOOST_AUTO_TEST_SUITE_END()
