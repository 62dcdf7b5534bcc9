#include <boost/test/unit_test.hpp>

#include "engine/durable/durable_cases.hpp"

#include <weft/engine/checkpoint/checkpoint_outline.hpp>
#include <weft/engine/scheduler/frontier.hpp>
#include <weft/testing/simulation.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(checkpoint_outline_test)

namespace {

/** Runs the maze and compares, of each of its checkpoints, what is read with the graph and without. */
weft::task<std::size_t> compare_all(weft::memory_store* store)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::durable_options options;
    options.keep_last = 0;
    options.is_before_nodes = true;
    weft::durable_engine durable{*store, graphs_of(counted_maze(begun)), options};
    co_await durable.open();
    const weft::run_result result = co_await durable.run(in_thread("t"));
    BOOST_TEST((result.status == weft::run_status::finished));
    const weft::thread_key thread{"t"};
    weft::task<std::vector<weft::checkpoint_info>> listing =
        durable.history(thread, weft::history_page{.count_max = 1000});
    const std::vector<weft::checkpoint_info> infos = co_await std::move(listing);
    for (const weft::checkpoint_info& info : infos) {
        const weft::thread_snapshot with_graph = co_await durable.read(thread, info.sequence);
        const std::optional<weft::checkpoint> whole = co_await store->load(thread, info.sequence);
        const weft::checkpoint_outline place = co_await weft::read_outline(*store, thread, *whole);
        BOOST_TEST(place.next_nodes == with_graph.next_nodes(), boost::test_tools::per_element());
        BOOST_TEST(place.is_unfinished == with_graph.is_unfinished());
        BOOST_TEST(place.steps == with_graph.where().steps);
        BOOST_TEST(place.state.empty());
        for (const auto& [node, count] : place.visits)
            BOOST_TEST(count == with_graph.where().visits[with_graph.graph().find(node)]);
        const weft::checkpoint_outline all =
            co_await weft::read_outline(*store, thread, *whole, weft::outline_depth::place_and_state);
        BOOST_TEST(all.next_nodes == place.next_nodes, boost::test_tools::per_element());
        BOOST_TEST(all.state == with_graph.state().to_json());
        BOOST_TEST(weft::fingerprint_of_shape(all.shape) == info.graph_hash);
    }
    co_await durable.close();
    co_return infos.size();
}

/** A wide fan-out of which few branches run at once: where it stands is in a blob of its own. */
weft::graph wide_graph(std::shared_ptr<begun_nodes> begun)
{
    weft::graph_builder builder{"wide"};
    builder.state(value, other, total, words).node("s", counts(begun, 1ms)).node("j", counts(begun, 1ms));
    builder.edge(weft::start, "s").fan_out("s", {.concurrency_max = 2});
    for (int i = 0; i < 80; ++i) {
        const std::string name = "branch_" + std::to_string(i);
        builder.node(name, counts(begun, 5ms)).edge("s", name).edge(name, "j");
    }
    return builder.build();
}

weft::task<std::vector<std::string>> next_after_first(weft::memory_store* store)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::durable_options options;
    options.keep_last = 0;
    weft::durable_engine durable{*store, graphs_of(wide_graph(begun)), options};
    co_await durable.open();
    static_cast<void>(co_await durable.run(in_thread("t")));
    const weft::thread_key thread{"t"};
    const std::optional<weft::checkpoint> first = co_await store->load(thread, 1);
    weft::checkpoint_outline place = co_await weft::read_outline(*store, thread, *first);
    co_return place.next_nodes;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_checkpoint_says_the_same_without_its_graph)
{
    weft::testing::simulation sim{1};
    weft::memory_store store{test_key()};
    BOOST_TEST(sim.run(compare_all(&store)) > 20u);
}

BOOST_AUTO_TEST_CASE(branches_that_have_not_begun_are_among_what_comes_next)
{
    weft::testing::simulation sim{1};
    weft::memory_store store{test_key()};
    BOOST_TEST(sim.run(next_after_first(&store)).size() == 80u);
}

BOOST_AUTO_TEST_CASE(two_outlines_differ_in_values_visits_and_place)
{
    weft::checkpoint_outline before;
    weft::checkpoint_outline after;
    BOOST_TEST(compare(before, after).is_empty());
    after.state.emplace("text", "b");
    after.visits.emplace("a", 2);
    after.next_nodes = {"b"};
    const weft::snapshot_difference difference = compare(before, after);
    BOOST_REQUIRE(difference.keys.size() == 1u && difference.visits.size() == 1u);
    BOOST_TEST(!difference.keys[0].before);
    BOOST_TEST(*difference.keys[0].after == "b");
    BOOST_TEST(difference.visits[0].after == 2u);
    BOOST_TEST(difference.next_nodes.second.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
