#include <boost/test/unit_test.hpp>

#include "durable/fork_tests.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/base/error.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/store/sqlite_store.hpp>
#include <weft/testing/crash_kit.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

using weft::testing::crash_report;
using weft::testing::crash_round;

BOOST_AUTO_TEST_SUITE(sqlite_inner_restart_test)

#if WEFT_TESTS_FORK

namespace {

constexpr weft::state_key<std::vector<std::string>, weft::append> done{"done"};

/** Pays. `b` then fails, once in a round; each node says whether that was before it. */
weft::task<void> paying_node(weft::node_context& context, const crash_round& round)
{
    const auto paying = [&round](const weft::effect_context& effect) -> std::int64_t {
        round.effect(effect);
        return 1;
    };
    const bool has_failed = std::filesystem::exists(round.folder() / "failed");
    static_cast<void>(co_await context.once("pay", paying));
    if (!has_failed && context.node() == "b") {
        std::ofstream{round.folder() / "failed"} << "x";
        throw weft::error{weft::errc::model_rejected, "test", "fails on purpose"};
    }
    context.set(done, std::string{context.node()} + (has_failed ? ", then" : ""));
}

/** x, a graph with a graph with a and b in it, z. */
std::shared_ptr<const weft::durable_graphs> make_graphs(const crash_round& round)
{
    const auto pays = [&round](weft::node_context& context) { return paying_node(context, round); };
    weft::graph_builder inner{"inner"};
    inner.state(done).node("a", pays).node("b", pays).edge(weft::start, "a").edge("a", "b");
    weft::graph_builder middle{"middle"};
    middle.state(done).node("m", pays).node("in", weft::subgraph{inner.build()});
    middle.edge(weft::start, "m").edge("m", "in");
    weft::graph_builder outer{"outer"};
    outer.state(done).node("x", pays).node("in", weft::subgraph{middle.build()}).node("z", pays);
    outer.edge(weft::start, "x").edge("x", "in").edge("in", "z");
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(outer.build());
    return graphs;
}

/** One process: it asks for the run, and goes on with what failed. */
weft::task<void> serve(const crash_round& round)
{
    weft::sqlite_options file{(round.folder() / "runs.db").string()};
    file.sync = weft::sqlite_sync::normal;
    const auto real = co_await weft::sqlite_store::open(std::move(file));
    weft::testing::crash_store store{*real, round};
    weft::durable_engine durable{store, make_graphs(round)};
    co_await durable.open();
    co_await durable.recover();
    weft::durable_request once{"t"};
    once.idempotent("t");
    static_cast<void>(co_await durable.run(std::move(once)));
    const weft::thread_key key{"t"};
    const weft::thread_snapshot first = co_await durable.read(key);
    if (first.is_unfinished()) static_cast<void>(co_await durable.resume(key));
    const weft::thread_snapshot last = co_await durable.read(key);
    round.end_with(last.state().to_json());
}

void serve_one(const crash_round& round) { weft::run_blocking(serve(round)); }

/** What the run comes to that has failed once and nothing has killed: read by a process that comes later. */
weft::task<std::string> end_in(std::filesystem::path folder, const crash_round& round)
{
    weft::sqlite_options file{(folder / "runs.db").string()};
    const auto store = co_await weft::sqlite_store::open(std::move(file));
    weft::durable_engine durable{*store, make_graphs(round)};
    co_await durable.open();
    const weft::thread_key key{"t"};
    const weft::thread_snapshot last = co_await durable.read(key);
    std::string all;
    for (const std::string& each : last.state().get(done)) all += each + "; ";
    co_return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(P2_in_a_file_a_resume_goes_on_within_the_graphs_of_nodes)
{
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("weft_inner_restart_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const crash_round round{folder, 0, false};
    serve_one(round);
    const std::string end = weft::run_blocking(end_in(folder, round));
    BOOST_TEST(end == "x; m; a; b, then; z, then; ");
    std::filesystem::remove_all(folder);
}

BOOST_AUTO_TEST_CASE(P2_a_kill_at_every_write_loses_nothing_within_the_graphs_of_nodes)
{
    const crash_report report = weft::testing::kill_at_every_write(serve_one);
    BOOST_TEST(report.is_clean(), report.text());
    BOOST_TEST(report.writes >= 16u);
}

#endif

BOOST_AUTO_TEST_SUITE_END()
