#include <weft/testing/async_test_case.hpp>

#include "inner_restarts.hpp"

#include <weft/async/scope.hpp>
#include <weft/base/random.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <optional>

using namespace weft_tests;
using weft::durability;
using weft::run_result;
using weft::run_status;
using weft::thread_key;

BOOST_AUTO_TEST_SUITE(durable_inner_restart_test)

namespace {

weft::task<std::int64_t> charge(std::shared_ptr<trouble> at, std::string key)
{
    ++at->begun["charge " + key];
    ++at->begun["charges"];
    co_return 1;
}

/** Pays, asks, and fails as long as it is among those that do. */
weft::task<void> paying_node(weft::node_context& context, std::shared_ptr<trouble> at)
{
    const std::string name{context.node()};
    ++at->begun[name];
    const auto effect = [at](const weft::effect_context& of) { return charge(at, of.key()); };
    static_cast<void>(co_await context.once("pay", effect));
    const std::string said = co_await context.ask<std::string>("Who?");
    if (at->failing.contains(name)) throw weft::error{weft::errc::model_rejected, "test", "fails on purpose"};
    context.set(words, name + ":" + said);
}

/** `n1` and `pay` in a row, two nodes deep. */
weft::graph paying_graph(std::shared_ptr<trouble> at)
{
    const auto pays = [at](weft::node_context& context) { return paying_node(context, at); };
    weft::graph_builder inner = empty_graph("inner");
    inner.node("n1", troubled(at)).node("pay", pays).edge(weft::start, "n1").edge("n1", "pay");
    return around(inner.build(), at, 2);
}

weft::durable_options kept(durability mode)
{
    weft::durable_options how;
    how.mode = mode;
    return how;
}

}  // namespace

WEFT_ASYNC_TEST_CASE(P2_effects_and_answers_within_a_graph_outlive_its_failure)
{
    for (const durability mode : {durability::every_step, durability::on_exit}) {
        auto at = std::make_shared<trouble>();
        weft::memory_store store{test_key()};
        const thread_key key{"t"};
        at->failing = {"pay"};
        {
            weft::durable_engine first{store, graphs_of(paying_graph(at)), kept(mode)};
            co_await first.open();
            const run_result asked = co_await first.run(in_thread("t"));
            BOOST_TEST((asked.status == run_status::paused));
            BOOST_TEST_REQUIRE(asked.questions.size() == 1u);
            weft::question_answers answers{{asked.questions.front().address, "Ida"}};
            const run_result failed = co_await first.resume(key, std::move(answers));
            BOOST_TEST((failed.status == run_status::failed));
            co_await first.close();
        }
        at->clear();
        weft::durable_engine second{store, graphs_of(paying_graph(at)), kept(mode)};
        co_await second.open();
        const run_result result = co_await second.resume(key);
        BOOST_TEST((result.status == run_status::finished));
        BOOST_TEST(result.state.get(words) == (std::vector<std::string>{"a1", "a2", "n1", "pay:Ida", "z2", "z1"}));
        BOOST_TEST(at->begun["charges"] == 1);
        BOOST_TEST(at->begun["n1"] == 1);
        const auto kinds = co_await kinds_of(second, "t");
        BOOST_TEST(std::count(kinds.begin(), kinds.end(), "finish in1") == 1);
        if (mode == durability::every_step)
            BOOST_TEST(std::count(kinds.begin(), kinds.end(), "node_complete in1/in2/n1") == 1);
        BOOST_TEST(kinds.back() == "finish");
        const auto effects = co_await store.effects(key);
        BOOST_TEST(effects.empty());
    }
}

WEFT_ASYNC_TEST_CASE(P2_a_fork_of_where_an_inner_graph_failed_goes_on_there)
{
    auto at = std::make_shared<trouble>();
    weft::memory_store store{test_key()};
    const weft::graph graph = around(troubled_chain({"n1", "n2", "n3"}, at), at);
    weft::durable_engine durable{store, graphs_of(graph), kept(durability::every_step)};
    co_await durable.open();
    at->failing = {"n2"};
    static_cast<void>(co_await durable.run(in_thread("t")));
    at->clear();
    const thread_key key{"t"};
    const thread_key other_key{"other"};
    const weft::thread_snapshot last = co_await durable.read(key);
    BOOST_TEST(last.next_nodes() == (std::vector<std::string>{"in"}));
    static_cast<void>(co_await durable.fork(key, last.info().sequence, other_key));
    for (const char* const thread : {"other", "t"}) {
        const run_result result = co_await durable.run(in_thread(thread));
        BOOST_TEST((result.status == run_status::finished));
        BOOST_TEST(result.state.get(total) == 5);
    }
    BOOST_TEST(at->begun["n1"] == 1);
    BOOST_TEST(at->begun["n2"] == 3);
}

WEFT_ASYNC_TEST_CASE(P2_a_run_begun_anew_begins_its_inner_graphs_anew)
{
    auto at = std::make_shared<trouble>();
    weft::memory_store store{test_key()};
    const weft::graph graph = around(troubled_chain({"n1", "n2", "n3"}, at), at);
    weft::durable_engine durable{store, graphs_of(graph), kept(durability::on_exit)};
    co_await durable.open();
    at->failing = {"n2"};
    static_cast<void>(co_await durable.run(in_thread("t")));
    at->clear();
    weft::durable_request request = in_thread("t");
    request.anew();
    const run_result result = co_await durable.run(std::move(request));
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(at->begun["n1"] == 2);
    BOOST_TEST(at->begun["a"] == 2);
}

WEFT_ASYNC_TEST_CASE(P2_branches_that_only_read_a_key_do_not_write_it_after_a_resume)
{
    // Both graphs share `value`, which two branches must not write; the store does not tell who wrote it.
    auto at = std::make_shared<trouble>();
    const auto fails = [at](weft::node_context& context) {
        if (at->failing.contains(std::string{context.node()})) throw std::runtime_error{"fails on purpose"};
    };
    const auto inner = [&fails](const std::string& name) {
        weft::graph_builder builder{"inner " + name};
        return weft::subgraph{builder.state(value).node(name, fails).edge(weft::start, name).build()};
    };
    weft::graph_builder builder = empty_graph("outer");
    builder.node("s", writes(1ms, 3)).node("x", inner("p")).node("y", inner("q")).node("j", [] {});
    builder.edge(weft::start, "s").edge("s", "x").edge("s", "y").edge("x", "j").edge("y", "j");
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(builder.build()), kept(durability::on_exit)};
    co_await durable.open();
    at->failing = {"p", "q"};
    static_cast<void>(co_await durable.run(in_thread("t")));
    at->clear();
    const thread_key key{"t"};
    const run_result result = co_await durable.resume(key);
    BOOST_TEST((result.status == run_status::finished), result.message());
    BOOST_TEST(result.state.get(value) == 3);
}

WEFT_ASYNC_TEST_CASE(P2_an_effect_of_a_failed_node_that_looks_for_an_edge_is_not_had_again)
{
    auto at = std::make_shared<trouble>();
    const auto pays = [at](weft::node_context& context) { return paying_node(context, at); };
    weft::graph_builder builder = empty_graph("asked");
    builder.node("pay", pays).node("never", [] {}).edge(weft::start, "pay");
    builder.edge_when("pay", "never", [](const weft::state_view&) { return false; },
                      {.after = weft::edge_after::any});
    builder.edge("pay", weft::end);
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(builder.build())};
    co_await durable.open();
    const thread_key key{"t"};
    at->failing = {"pay"};
    const run_result asked = co_await durable.run(in_thread("t"));
    BOOST_TEST_REQUIRE(asked.questions.size() == 1u);
    weft::question_answers answers{{asked.questions.front().address, "Ida"}};
    const run_result failed = co_await durable.resume(key, std::move(answers));
    BOOST_TEST((failed.status == run_status::failed));
    at->clear();
    const run_result result = co_await durable.resume(key);
    BOOST_TEST((result.status == run_status::finished), result.message());
    BOOST_TEST(at->begun["charges"] == 1);
    const auto effects = co_await store.effects(key);
    BOOST_TEST(effects.empty());
}

namespace {

/** Random graphs of chains, fan-outs and graphs in nodes, to a depth. */
class nested_maker {
public:
    nested_maker(weft::random_source& random, std::shared_ptr<trouble> at) : random_{random}, at_{std::move(at)} {}

    weft::graph make(int depth)
    {
        graph_part of{empty_graph("g" + std::to_string(graphs_++))};
        const span whole = row(of, depth, 2 + random_.below(2));
        return of.builder.edge(weft::start, whole.first).build();
    }
    [[nodiscard]] const std::vector<std::string>& leaves() const { return leaves_; }

private:
    struct graph_part {
        weft::graph_builder builder;
    };
    struct span {
        std::string first;
        std::string last;
    };

    std::string leaf(graph_part& of)
    {
        std::string name = "n" + std::to_string(leaves_.size());
        // No two moments are the same, so that no node ends with the stop that another one causes.
        of.builder.node(name, troubled(at_, std::chrono::nanoseconds{1 + random_.below(1'000'000'000)}));
        leaves_.push_back(name);
        return name;
    }
    span row(graph_part& of, int depth, std::uint64_t length)
    {
        span whole = block(of, depth);
        for (std::uint64_t i = 1; i < length; ++i) {
            const span next = block(of, depth);
            of.builder.edge(whole.last, next.first);
            whole.last = next.last;
        }
        return whole;
    }
    span block(graph_part& of, int depth)
    {
        const std::uint64_t what = random_.below(4);
        if (depth > 0 && what == 0) return fan_out(of, depth);
        const std::string name = depth > 0 && what < 3 ? "in" + std::to_string(graphs_) : leaf(of);
        if (depth > 0 && what < 3) of.builder.node(name, added(make(depth - 1)));
        return {name, name};
    }
    span fan_out(graph_part& of, int depth)
    {
        const std::string source = leaf(of);
        const std::string join = leaf(of);
        of.builder.fan_out(source, {.concurrency_max = static_cast<std::uint32_t>(random_.below(3))});
        for (std::uint64_t left = 2 + random_.below(2); left > 0; --left) {
            const span branch = row(of, depth - 1, 1 + random_.below(2));
            of.builder.edge(source, branch.first).edge(branch.last, join);
        }
        return {source, join};
    }

    weft::random_source& random_;
    std::shared_ptr<trouble> at_;
    std::vector<std::string> leaves_;
    std::size_t graphs_ = 0;
};

struct nested_case {
    weft::graph what;
    std::vector<std::string> leaves;
    std::shared_ptr<trouble> at;
};

/** The same graph for the same seed, with its own record of what its nodes do. */
nested_case make_nested(std::uint64_t seed)
{
    weft::random_source random{seed};
    auto at = std::make_shared<trouble>();
    nested_maker maker{random, at};
    weft::graph what = maker.make(3);
    return {std::move(what), maker.leaves(), at};
}

/** What the run comes to that is left alone. */
weft::task<std::string> undisturbed_end(std::uint64_t seed)
{
    const weft::engine engine{make_nested(seed).what};
    const run_result result = co_await engine.run(weft::run_request{});
    co_return boost::json::serialize(result.state.to_json());
}

weft::task<void> run_thread(weft::durable_engine& durable, run_result& into)
{
    into = co_await durable.run(in_thread("t"));
}

/** The first run fails at a node, or is stopped at some moment. */
weft::task<run_result> break_off(weft::durable_engine& durable, weft::random_source& random, bool is_stopped)
{
    const weft::task_context& context = co_await weft::this_task::context();
    const thread_key key{"t"};
    run_result result;
    weft::scope children{context};
    children.spawn(run_thread(durable, result));
    if (is_stopped) {
        co_await weft::sleep_for(std::chrono::nanoseconds{random.below(3'000'000'000)});
        static_cast<void>(co_await durable.stop(key));
    }
    co_await children.join();
    co_return result;
}

/** @return  Whether the first run was broken off. */
weft::task<bool> play(std::uint64_t seed)
{
    const std::string expected = co_await undisturbed_end(seed);
    weft::random_source random{seed + 1000};
    const nested_case with = make_nested(seed);
    constexpr durability modes[] = {durability::every_step, durability::async_steps, durability::on_exit};
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(with.what), kept(modes[random.below(3)])};
    co_await durable.open();
    const bool is_stopped = random.below(3) == 0;
    if (!is_stopped) with.at->failing = {with.leaves[random.below(with.leaves.size())]};
    run_result result = co_await break_off(durable, random, is_stopped);
    const bool is_broken_off = result.status != run_status::finished;
    with.at->clear();
    if (is_broken_off) result = co_await durable.run(in_thread("t"));
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(boost::json::serialize(result.state.to_json()) == expected);
    BOOST_TEST(with.at->not_once(with.leaves) == "");
    co_return is_broken_off;
}

}  // namespace

BOOST_AUTO_TEST_CASE(P2_a_nested_run_that_was_broken_off_once_ends_as_one_that_never_was)
{
    std::size_t broken_off = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        BOOST_TEST_CONTEXT("seed " << seed)
        {
            weft::testing::simulation sim{seed};
            broken_off += sim.run(play(seed)) ? 1 : 0;
        }
    }
    BOOST_TEST(broken_off > 120u);
}

BOOST_AUTO_TEST_SUITE_END()
