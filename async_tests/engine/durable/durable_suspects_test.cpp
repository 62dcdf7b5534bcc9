#include <weft/testing/async_test_case.hpp>

#include "durable_workers.hpp"

#include <weft/async/scope.hpp>
#include <weft/testing/simulation.hpp>

#include <deque>

using namespace weft_tests;
using weft::thread_key;
using weft::testing::simulation;

BOOST_AUTO_TEST_SUITE(durable_suspects_test)

namespace {

/** What the process under test knows of itself. */
struct life {
    bool has_died = false;
};

weft::task<void> first_node(weft::node_context& context, std::shared_ptr<life> of)
{
    // Nothing that was made beside the poison is kept: its process ends before any other node does.
    of->has_died |= context.thread() == "poison";
    co_await weft::sleep_for(1s);
    context.set(words, std::string{context.node()});
}

/** Two nodes; the first one ends its process if its thread is `poison`. */
weft::graph deadly_graph(std::shared_ptr<life> of)
{
    const auto first = [of](weft::node_context& context) { return first_node(context, of); };
    weft::graph_builder builder{"deadly"};
    builder.state(words).node("first", first).node("second", [] {});
    return builder.edge(weft::start, "first").edge("first", "second").build();
}

std::string name_of_run(int number) { return number == 20 ? "poison" : "innocent " + std::to_string(number); }

weft::run_id id_of(int number)
{
    weft::unique_id id;
    id.bytes[0] = static_cast<std::uint8_t>(number + 1);
    return weft::run_id{id};
}

/** How a process comes to its runs. */
enum class way { takes_over, asks_again };

weft::task<void> ask(weft::durable_engine& with, std::string name)
{
    weft::durable_request request = in_thread(name);
    request.idempotent(name);
    static_cast<void>(co_await with.run(std::move(request)));
}

/** A service with so many engines, until it is killed. */
weft::task<void> serve(weft::checkpoint_store& store, std::shared_ptr<life> of, std::size_t cores, way how, int runs)
{
    const weft::task_context& context = co_await weft::this_task::context();
    std::deque<weft::durable_engine> engines;
    weft::scope children{context};
    for (std::size_t i = 0; i < cores; ++i) {
        weft::durable_engine& engine = engines.emplace_back(store, graphs_of(deadly_graph(of)));
        co_await engine.open();
        children.spawn(engine.work());
    }
    for (int i = 0; how == way::asks_again && i < runs; ++i)
        children.spawn(ask(engines[static_cast<std::size_t>(i) % cores], name_of_run(i)));
    co_await children.join();
}

struct last_state {
    int deaths = 0;
    int finished = 0;
    std::string dead;
};

/** Runs a poisonous run among innocent ones, in one process after another, until all of them are over. */
last_state outlive_poison(std::size_t cores, way how, int runs)
{
    simulation sim{cores};
    weft::memory_store store{test_key()};
    std::vector<weft::run_id> ids;
    for (int i = 0; how == way::takes_over && i < runs; ++i) {
        weft::new_run run{thread_key{name_of_run(i)}, id_of(i)};
        ids.push_back(run.id);
        static_cast<void>(sim.run(store.enqueue(run.graph_named("deadly").with_input("{}"))));
    }
    const auto is_over = [&] {
        int active = 0;
        for (int i = 0; i < runs; ++i)
            active += sim.run(store.active_run(thread_key{name_of_run(i)})).has_value() ? 1 : 0;
        return active == 0;
    };
    last_state last;
    for (bool is_done = false; !is_done;) {
        auto of = std::make_shared<life>();
        simulation::root<void> process{sim, serve(store, of, cores, how, runs)};
        const std::chrono::nanoseconds begun = sim.elapsed();
        while (!of->has_died && sim.elapsed() - begun < std::chrono::minutes{5}) sim.step();
        last.deaths += of->has_died ? 1 : 0;
        is_done = !of->has_died && is_over();
        BOOST_REQUIRE_MESSAGE(of->has_died || is_done, "runs are left over though no process dies any more");
        BOOST_REQUIRE_MESSAGE(last.deaths < 20, "the poison is never given up");
    }
    for (int i = 0; i < runs; ++i) {
        const auto head = sim.run(store.load(thread_key{name_of_run(i)}, std::nullopt));
        if (head && head->kind == weft::checkpoint_kind::finish) ++last.finished;
        else last.dead += name_of_run(i);
    }
    for (const weft::run_id& id : ids) {
        const auto record = sim.run(store.find_run(id));
        const bool is_poison = record->thread.thread == "poison";
        BOOST_TEST((record->phase == (is_poison ? weft::run_phase::dead : weft::run_phase::finished)),
                   record->thread.thread << " is " << name_of(record->phase));
    }
    return last;
}

/** Of `runs`, the poisonous one alone dies, and the others finish. */
void check_poison_dies_alone(way how, int runs)
{
    for (const std::size_t cores : {1u, 2u}) {
        BOOST_TEST_CONTEXT(cores << " cores") {
            const last_state last = outlive_poison(cores, how, runs);
            BOOST_TEST(last.deaths == 5);
            BOOST_TEST(last.finished == runs - 1);
            BOOST_TEST(last.dead == "poison");
        }
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(U2_a_poisonous_run_among_fifty_innocent_ones_is_the_only_one_that_dies)
{
    check_poison_dies_alone(way::takes_over, 51);
}

BOOST_AUTO_TEST_CASE(U2_requests_that_are_made_again_after_a_crash_wait_for_their_turn)
{
    check_poison_dies_alone(way::asks_again, 31);
}

WEFT_ASYNC_TEST_CASE(U2_a_resume_of_a_suspect_waits_until_its_worker_has_none)
{
    auto of = std::make_shared<life>();
    weft::memory_store store{test_key()};
    const weft::worker_id lost = co_await store.enter("lost", std::chrono::milliseconds{10});
    for (int i = 0; i < 2; ++i) {
        weft::new_run run{thread_key{name_of_run(i)}, id_of(i)};
        run.graph_named("deadly").with_input("{}").started_by(lost);
        static_cast<void>(co_await store.enqueue(run));
    }
    co_await weft::sleep_for(20ms);
    static_cast<void>(co_await store.reap(10));
    weft::durable_engine durable{store, graphs_of(deadly_graph(of))};
    co_await durable.open();
    const weft::task_context& context = co_await weft::this_task::context();
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const weft::time_point begun = loop.now();
    weft::scope children{context};
    const auto resume = [](weft::durable_engine& with, int number) -> weft::task<void> {
        const thread_key thread{name_of_run(number)};
        const weft::run_result result = co_await with.resume(thread);
        BOOST_TEST((result.status == weft::run_status::finished));
    };
    for (int i = 0; i < 2; ++i) children.spawn(resume(durable, i));
    co_await children.join();
    BOOST_TEST((loop.now() - begun >= 2s));  // one after the other
    BOOST_TEST((loop.now() - begun < 2s + 100ms));  // at once when the first one has made its checkpoint
}

BOOST_AUTO_TEST_SUITE_END()
