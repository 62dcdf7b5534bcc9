#include <weft/testing/async_test_case.hpp>

#include "durable_world.hpp"

#include <limits>

using namespace weft_tests;
using weft::run_status;

BOOST_AUTO_TEST_SUITE(unstorable_values_test)

namespace {

constexpr weft::state_key<boost::json::value> anything{"anything"};

/** a -> b -> c, of which b writes what JSON cannot say. */
std::shared_ptr<const weft::durable_graphs> graphs_with(double score)
{
    weft::graph_builder builder{"scores"};
    builder.state(total, anything).node("a", [](weft::node_context& at) { at.set(total, 1); });
    builder.node("b", [score](weft::node_context& at) {
        at.set(total, 1);
        at.set(anything, boost::json::value{{"scores", {1, score}}});
    });
    builder.node("c", [](weft::node_context& at) { at.set(total, 1); });
    return graphs_of(builder.edge(weft::start, "a").edge("a", "b").edge("b", "c").build());
}

}  // namespace

WEFT_ASYNC_TEST_CASE(P27_a_value_that_cannot_be_stored_fails_the_run_and_is_named_with_key_and_path)
{
    weft::memory_store store{test_key()};
    const auto broken = graphs_with(std::numeric_limits<double>::infinity());
    weft::task<weft::run_result> running = first_process(store, broken, weft::durable_options{});
    const weft::run_result result = co_await std::move(running);
    BOOST_TEST((result.status == run_status::failed));
    BOOST_TEST_REQUIRE(result.why);
    BOOST_TEST((result.why->code == weft::errc::state_conversion));
    for (const char* part : {"node 'b'", "key 'anything'", "$.scores[1]"})
        BOOST_TEST(result.why->message.find(part) != std::string::npos, result.why->message);
    // What was kept before stands, and a mended graph goes on from there.
    weft::durable_engine durable{store, graphs_with(2.5)};
    co_await durable.open();
    const weft::thread_key key{"t"};
    const weft::thread_snapshot kept = co_await durable.read(key);
    BOOST_TEST(kept.state().get(total) == 1);
    const weft::run_result rest = co_await durable.run(in_thread("t"));
    BOOST_TEST((rest.status == run_status::finished), rest.message());
    BOOST_TEST(rest.state.get(total) == 3);
}

BOOST_AUTO_TEST_SUITE_END()
