// Acceptance cases of fan-outs: policies, conflicts, isolation, joins and branch timeouts.
#include <boost/test/unit_test.hpp>

#include "nodes.hpp"

#include <array>

using namespace weft_tests;
using weft::branch_policy;
using weft::branch_status;
using weft::node_context;
using weft::run_status;

BOOST_AUTO_TEST_SUITE(acceptance_parallel_test)

namespace {

/** a -> (b, c, d) -> j under a policy: b fails at once, c and d write after 10 ms and 20 ms. */
weft::graph one_of_three_fails(branch_policy policy, std::vector<weft::branch_result>& seen)
{
    const auto join = [&seen](node_context& context) {
        seen.assign(context.branches().begin(), context.branches().end());
    };
    return empty_graph()
        .node("a", [] {})
        .node("b", fails(5ms))
        .node("c", writes(10ms, 1))
        .node("d", writes(20ms, 2))
        .node("j", join)
        .edge(weft::start, "a")
        .edge("a", "b").edge("a", "c").edge("a", "d")
        .edge("b", "j").edge("c", "j").edge("d", "j")
        .fan_out("a", {.on_failure = policy})
        .build();
}

/** Three branches that write the same key, finishing in an order that the seed decides. */
weft::graph three_writers(weft::conflict_strategy strategy)
{
    return empty_graph()
        .node("a", [] {})
        .node("b", writes(10ms, 1))
        .node("c", writes(10ms, 2))
        .node("d", writes(10ms, 3))
        .node("j", [] {})
        .edge(weft::start, "a")
        .edge("a", "b").edge("a", "c").edge("a", "d")
        .edge("b", "j").edge("c", "j").edge("d", "j")
        .conflict(strategy)
        .build();
}

weft::task<void> cancelled_sibling(node_context& context, std::chrono::nanoseconds& heard_at, weft::errc& heard)
{
    const auto began = context.loop().now();
    try {
        co_await weft::sleep_for(10s);
    } catch (const weft::error& e) {
        heard = e.code();
        heard_at = context.loop().now() - began;
        throw;
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_19_branches_take_as_long_as_the_longest)
{
    weft::testing::simulation sim{1};
    const weft::graph graph = empty_graph()
                                  .node("a", [] {})
                                  .node("b", sleeps(30ms))
                                  .node("c", sleeps(50ms))
                                  .node("d", sleeps(40ms))
                                  .node("j", [] {})
                                  .edge(weft::start, "a")
                                  .edge("a", "b").edge("a", "c").edge("a", "d")
                                  .edge("b", "j").edge("c", "j").edge("d", "j")
                                  .build();
    const auto result = run_in(sim, graph);
    BOOST_TEST(path_of(result) == "a b c d j");
    BOOST_TEST(result.elapsed.count() == std::chrono::nanoseconds{50ms}.count());
}

BOOST_AUTO_TEST_CASE(HIV_20_fail_all_stops_siblings_at_once)
{
    std::chrono::nanoseconds heard_at{0};
    weft::errc heard{};
    const auto sibling = [&](node_context& context) { return cancelled_sibling(context, heard_at, heard); };
    const weft::graph graph = empty_graph()
                                  .node("a", [] {})
                                  .node("b", fails(10ms))
                                  .node("c", sibling)
                                  .node("j", [] {})
                                  .edge(weft::start, "a")
                                  .edge("a", "b").edge("a", "c")
                                  .edge("b", "j").edge("c", "j")
                                  .build();
    const auto result = simulate(graph);
    BOOST_TEST((heard == weft::errc::cancelled));
    BOOST_TEST(heard_at.count() == std::chrono::nanoseconds{10ms}.count());
    BOOST_TEST(result.elapsed.count() == std::chrono::nanoseconds{10ms}.count());
    BOOST_TEST((result.status == run_status::failed));
    BOOST_TEST(result.why->node == "b");
    BOOST_TEST((result.why->code == weft::errc::model_rejected));
    BOOST_TEST(path_of(result) == "a b c");
}

BOOST_AUTO_TEST_CASE(HIV_21_continue_others_keeps_partial_results_and_wait_all_every_result_and_error)
{
    for (const branch_policy policy : {branch_policy::continue_others, branch_policy::wait_all}) {
        std::vector<weft::branch_result> seen;
        const weft::graph graph = one_of_three_fails(policy, seen);
        const auto result = simulate(graph);
        BOOST_TEST((result.status == run_status::finished));
        BOOST_TEST((result.quality == weft::run_quality::degraded));
        BOOST_TEST(result.state.get(total) == 2);
        BOOST_TEST(result.state.get(value) == 2);
        BOOST_REQUIRE_EQUAL(seen.size(), 3u);
        BOOST_TEST((seen[0].status == branch_status::failed));
        BOOST_TEST(seen[0].error->message.find("node 'b', visit 1, attempt 1") == 0u);
        BOOST_TEST((seen[1].status == branch_status::succeeded && seen[2].status == branch_status::succeeded));
        BOOST_TEST((!seen[1].error && !seen[2].error));
        BOOST_TEST(seen[2].node == "d");
    }
}

BOOST_AUTO_TEST_CASE(HIV_21_only_wait_all_joins_when_nothing_succeeded)
{
    const auto graph = [](branch_policy policy, std::vector<weft::branch_result>& seen) {
        const auto join = [&seen](node_context& context) {
            seen.assign(context.branches().begin(), context.branches().end());
        };
        return empty_graph()
            .node("b", fails(5ms))
            .node("c", fails(6ms, weft::errc::gap_timeout))
            .node("j", join)
            .edge(weft::start, "b").edge(weft::start, "c")
            .edge("b", "j").edge("c", "j")
            .fan_out(weft::start, {.on_failure = policy})
            .build();
    };
    std::vector<weft::branch_result> seen;
    BOOST_TEST((simulate(graph(branch_policy::wait_all, seen)).status == run_status::finished));
    BOOST_REQUIRE_EQUAL(seen.size(), 2u);
    BOOST_TEST((seen[0].error->code == weft::errc::model_rejected));
    BOOST_TEST((seen[1].error->code == weft::errc::gap_timeout));
    seen.clear();
    const auto failed = simulate(graph(branch_policy::continue_others, seen));
    BOOST_TEST((failed.why->code == weft::errc::branches_failed));
    BOOST_TEST(seen.empty());
}

BOOST_AUTO_TEST_CASE(HIV_22_conflicts_follow_the_strategy_in_a_thousand_orders)
{
    const std::array strategies{weft::conflict_strategy::last_wins, weft::conflict_strategy::first_wins,
                                weft::conflict_strategy::branch_order, weft::conflict_strategy::error};
    std::array<bool, 4> has_won{};
    for (std::uint64_t seed = 1; seed <= 250; ++seed) {
        for (const auto strategy : strategies) {
            std::vector<std::string> finished;
            auto request = weft::run_request{}.on_event([&](const weft::run_event& event) {
                if (event.what == weft::run_event::kind::node_succeeded && event.node != "a" && event.node != "j")
                    finished.emplace_back(event.node);
            });
            const auto result = simulate(three_writers(strategy), std::move(request), seed);
            BOOST_REQUIRE_EQUAL(finished.size(), strategy == weft::conflict_strategy::error ? 2u : 3u);
            if (strategy == weft::conflict_strategy::error) {
                BOOST_REQUIRE((result.status == run_status::failed));
                BOOST_REQUIRE((result.why->code == weft::errc::write_conflict));
                continue;
            }
            const std::int64_t first = finished.front()[0] - 'a';
            const std::int64_t last = finished.back()[0] - 'a';
            has_won[static_cast<std::size_t>(last)] = true;
            const std::int64_t expected = strategy == weft::conflict_strategy::last_wins    ? last
                                          : strategy == weft::conflict_strategy::first_wins ? first
                                                                                            : 3;
            BOOST_REQUIRE_EQUAL(result.state.get(value), expected);
            BOOST_REQUIRE_EQUAL(result.state.get(total), 3);
            BOOST_REQUIRE_EQUAL(result.state.get(words).size(), 3u);
        }
    }
    BOOST_TEST((has_won[1] && has_won[2] && has_won[3]), "the seeds try every order");
}

BOOST_AUTO_TEST_CASE(HIV_23_a_branch_sees_the_state_before_and_its_own_writes_only)
{
    struct looker {
        static weft::task<void> look(node_context& context, std::int64_t own, bool& was_isolated)
        {
            context.set(value, own);
            context.set(total, own);
            co_await weft::sleep_for(10ms);
            was_isolated = context.get(value) == own && context.get(total) == 100 + own;
            co_await weft::sleep_for(10ms * own);
        }
        static weft::task<void> look_again(node_context& context, std::int64_t own, bool& was_isolated)
        {
            co_await weft::sleep_for(50ms);
            was_isolated = was_isolated && context.get(value) == own && context.get(total) == 100 + own;
        }
    };
    bool b = false;
    bool c = false;
    const weft::graph graph =
        empty_graph()
            .node("a", [](node_context& context) { context.set(value, 0); context.set(total, 100); })
            .node("b", [&b](node_context& context) { return looker::look(context, 1, b); })
            .node("b2", [&b](node_context& context) { return looker::look_again(context, 1, b); })
            .node("c", [&c](node_context& context) { return looker::look(context, 2, c); })
            .node("c2", [&c](node_context& context) { return looker::look_again(context, 2, c); })
            .node("j", [] {})
            .edge(weft::start, "a")
            .edge("a", "b").edge("a", "c").edge("b", "b2").edge("c", "c2")
            .edge("b2", "j").edge("c2", "j")
            .build();
    const auto result = simulate(graph);
    BOOST_TEST(b);
    BOOST_TEST(c);
    BOOST_TEST(result.state.get(value) == 2);
    BOOST_TEST(result.state.get(total) == 103);
}

BOOST_AUTO_TEST_CASE(HIV_24_branches_of_unequal_length_meet_once)
{
    // a -> (b -> c, d -> e -> f) -> j
    const weft::graph uneven = empty_graph()
                                   .node("a", [] {})
                                   .node("b", sleeps(1ms)).node("c", sleeps(1ms))
                                   .node("d", sleeps(1ms)).node("e", sleeps(1ms)).node("f", sleeps(1ms))
                                   .node("j", [](node_context& context) { context.set(total, 1); })
                                   .edge(weft::start, "a")
                                   .edge("a", "b").edge("b", "c").edge("c", "j")
                                   .edge("a", "d").edge("d", "e").edge("e", "f").edge("f", "j")
                                   .build();
    BOOST_TEST(uneven.join_of("a") == "j");
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto result = simulate(uneven, {}, seed);
        BOOST_TEST(result.visits_of("j") == 1u);
        BOOST_TEST(result.state.get(total) == 1);
        BOOST_TEST(result.steps == 7u);
        BOOST_TEST(result.elapsed.count() == std::chrono::nanoseconds{3ms}.count());
    }
}

BOOST_AUTO_TEST_CASE(HIV_24_nested_fan_outs_and_branches_with_conditional_exits_meet_once)
{
    // a -> (b, k) -> j; b -> (c, d) -> e; c leaves to the end when value is 1.
    const auto graph = [](std::int64_t number) {
        return empty_graph()
            .node("a", [number](node_context& context) { context.set(value, number); })
            .node("b", sleeps(1ms)).node("k", sleeps(1ms))
            .node("c", sleeps(1ms)).node("d", sleeps(2ms)).node("e", sleeps(1ms))
            .node("j", [] {})
            .edge(weft::start, "a")
            .edge("a", "b").edge("a", "k").edge("k", "j")
            .edge("b", "c").edge("b", "d").edge("d", "e").edge("e", "j")
            .edge_when("c", weft::end, [](const weft::state_view& s) { return s.get(value) == 1; })
            .edge("c", "e")
            .build();
    };
    const auto left = simulate(graph(1));
    const auto stayed = simulate(graph(2));
    for (const auto* result : {&left, &stayed}) {
        BOOST_TEST((result->status == run_status::finished));
        BOOST_TEST(result->visits_of("e") == 1u);
        BOOST_TEST(result->visits_of("j") == 1u);
        BOOST_TEST(result->steps == 7u);
    }
}

BOOST_AUTO_TEST_CASE(HIV_25_a_branch_that_takes_too_long_times_out_under_two_policies)
{
    const auto graph = [](branch_policy policy, std::vector<weft::branch_result>& seen) {
        const auto join = [&seen](node_context& context) {
            seen.assign(context.branches().begin(), context.branches().end());
        };
        return empty_graph()
            .node("a", [] {})
            .node("b", sleeps(20ms)).node("b2", sleeps(1h))
            .node("c", sleeps(10ms))
            .node("j", join)
            .edge(weft::start, "a")
            .edge("a", "b").edge("b", "b2").edge("a", "c").edge("b2", "j").edge("c", "j")
            .fan_out("a", {.on_failure = policy, .branch_timeout = 50ms})
            .build();
    };
    std::vector<weft::branch_result> seen;
    const auto tolerated = simulate(graph(branch_policy::wait_all, seen));
    BOOST_TEST((tolerated.status == run_status::finished));
    BOOST_TEST(tolerated.elapsed.count() == std::chrono::nanoseconds{50ms}.count());
    BOOST_REQUIRE_EQUAL(seen.size(), 2u);
    BOOST_TEST((seen[0].status == branch_status::timed_out));
    BOOST_TEST((seen[0].error->code == weft::errc::branch_timeout));
    BOOST_TEST((seen[1].status == branch_status::succeeded));

    const auto fatal = simulate(graph(branch_policy::fail_all, seen));
    BOOST_TEST((fatal.status == run_status::failed));
    BOOST_TEST((fatal.why->code == weft::errc::branch_timeout));
    BOOST_TEST(fatal.elapsed.count() == std::chrono::nanoseconds{50ms}.count());
}

BOOST_AUTO_TEST_CASE(IVY_21_parallel_branches_work_on_their_own_state_and_the_join_sees_all)
{
    std::size_t branches = 0;
    std::vector<std::string> seen;
    const weft::graph graph = empty_graph()
                                  .node("a", writes(50ms, 1)).node("b", writes(50ms, 2)).node("c", writes(50ms, 3))
                                  .node("j",
                                        [&](node_context& context) {
                                            branches = context.branches().size();
                                            seen = context.get(words);
                                        })
                                  .edge(weft::start, "a").edge(weft::start, "b").edge(weft::start, "c")
                                  .edge("a", "j").edge("b", "j").edge("c", "j")
                                  .conflict(weft::conflict_strategy::branch_order)
                                  .build();
    const auto result = simulate(graph);
    BOOST_TEST((result.elapsed < 100ms));
    BOOST_TEST(branches == 3u);
    BOOST_TEST(seen == (std::vector<std::string>{"a", "b", "c"}), boost::test_tools::per_element());
    BOOST_TEST(result.state.get(total) == 3);
}

BOOST_AUTO_TEST_SUITE_END()
