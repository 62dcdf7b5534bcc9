#include <boost/test/unit_test.hpp>

#include "engine/scheduler/scheduler_script.hpp"
#include "nodes.hpp"

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(fan_out_until_test)

namespace {

/** s fans out to a, b and c, which meet at j. */
weft::graph_builder three(weft::fan_out_options options)
{
    weft::graph_builder builder = plain_graph("sabcj", "^s sa sb sc aj bj cj");
    builder.fan_out("s", std::move(options));
    return builder;
}

auto total_of(std::int64_t enough)
{
    return [enough](const weft::state_view& state) { return state.value_or(total, 0) >= enough; };
}

weft::state_update add(std::int64_t number) { return weft::state_update{}.set(total, number); }

}  // namespace

BOOST_AUTO_TEST_CASE(P13_the_fan_out_ends_when_what_is_joined_so_far_is_enough)
{
    scheduler_script run{three({.until = total_of(5)}).build()};
    run.begin();
    run.ok("s");
    BOOST_TEST(run.ok("b", add(3)) == "");
    BOOST_TEST(run.ok("a", add(2)) == "stop c");
    BOOST_TEST(run.stopped("c", add(100)) == "start j");
    BOOST_TEST((run.branches("j")[2].status == weft::branch_status::stopped));
    BOOST_TEST(run.ok("j") == "finish finished clean");
    BOOST_TEST(run.state().get(total) == 5);
}

BOOST_AUTO_TEST_CASE(P13_it_sees_the_state_before_the_fan_out_as_well)
{
    scheduler_script run{three({.until = total_of(5)}).build()};
    run.begin();
    run.ok("s", add(4));
    BOOST_TEST(run.ok("b", add(1)) == "stop a, stop c");
}

BOOST_AUTO_TEST_CASE(P13_branches_that_have_not_begun_do_not_begin)
{
    scheduler_script run{three({.concurrency_max = 1, .until = total_of(1)}).build()};
    run.begin();
    BOOST_TEST(run.ok("s") == "start a");
    BOOST_TEST(run.ok("a", add(1)) == "start j");
    BOOST_TEST((run.branches("j")[1].status == weft::branch_status::not_started));
}

BOOST_AUTO_TEST_CASE(P13_if_it_is_never_enough_all_branches_are_joined)
{
    scheduler_script run{three({.until = total_of(50)}).build()};
    run.begin();
    run.ok("s");
    run.ok("a", add(1));
    run.ok("b", add(1));
    BOOST_TEST(run.ok("c", add(1)) == "start j");
    BOOST_TEST(run.state().get(total) == 3);
}

BOOST_AUTO_TEST_CASE(P13_a_failed_branch_counts_for_nothing_and_a_later_success_may_be_enough)
{
    scheduler_script run{
        three({.on_failure = weft::branch_policy::continue_others, .until = total_of(2)}).build()};
    run.begin();
    run.ok("s");
    BOOST_TEST(run.fail("a") == "");
    BOOST_TEST(run.ok("b", add(2)) == "stop c");
    BOOST_TEST(run.stopped("c") == "start j");
    BOOST_TEST(run.ok("j") == "finish finished degraded");
}

BOOST_AUTO_TEST_CASE(P13_a_predicate_that_throws_fails_the_branch)
{
    const auto wrong = [](const weft::state_view&) -> bool { throw std::runtime_error{"no idea"}; };
    scheduler_script run{three({.until = wrong}).build()};
    run.begin();
    run.ok("s");
    BOOST_TEST(run.ok("a", add(1)) == "stop b, stop c");
    run.stopped("b");
    BOOST_TEST(run.stopped("c") == "finish failed failed");
    BOOST_TEST((run.scheduler().course().why()->code == weft::errc::condition_failed));
    BOOST_TEST(run.scheduler().course().why()->message.find("no idea") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(P13_a_run_that_is_resumed_counts_what_was_joined_before)
{
    weft::schedule_limits limits;
    limits.saves = true;
    const auto graph = three({.until = total_of(5)}).build();
    scheduler_script run{graph, limits};
    run.begin();
    run.ok("s");
    run.ok("b", add(3));
    scheduler_script again{graph, run.kept().back(), limits};
    again.begin();
    BOOST_TEST(again.ok("a", add(2)) == "stop c");
}

BOOST_AUTO_TEST_CASE(P13_it_does_not_go_with_policies_that_count_successes)
{
    const auto mistakes = std::get<1>(
        three({.on_failure = weft::branch_policy::quorum(2), .until = total_of(1)}).try_build());
    BOOST_REQUIRE_EQUAL(mistakes.size(), 1u);
    BOOST_TEST(mistakes[0].find("fan_out of 's' has until") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(P13_a_node_cancels_a_sibling_by_the_name_of_its_first_node)
{
    std::size_t count = 0;
    const auto judge = [&count](weft::node_context& context) {
        count += context.cancel_branches("b") + context.cancel_branches("a") + context.cancel_branches("nobody");
    };
    std::vector<weft::branch_status> seen;
    const auto look = [&seen](weft::node_context& context) {
        for (const weft::branch_result& branch : context.branches()) seen.push_back(branch.status);
    };
    const auto graph = empty_graph()
                           .node("s", [] {})
                           .node("a", judge)
                           .node("b", writes(1h, 1))
                           .node("c", writes(1s, 2))
                           .node("j", look)
                           .edge(weft::start, "s")
                           .edge("s", "c").edge("s", "b").edge("s", "a")
                           .edge("a", "j").edge("b", "j").edge("c", "j")
                           .build();
    const auto result = simulate(graph);
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST((result.quality == weft::run_quality::clean));
    BOOST_TEST(count == 1u);
    using enum weft::branch_status;
    const std::vector expected{succeeded, stopped, succeeded};
    BOOST_TEST((seen == expected));
    BOOST_TEST((result.elapsed == 1s));
    BOOST_TEST(result.state.get(words).size() == 1u);
}

BOOST_AUTO_TEST_CASE(P13_a_coroutine_cancels_a_sibling_that_was_sent_and_one_that_has_not_begun)
{
    struct sends {
        static weft::task<void> work(weft::node_context& context, std::vector<bool>& told)
        {
            const std::int64_t mine = context.get(value);
            co_await weft::sleep_for(std::chrono::seconds{1});
            if (mine != 0) co_await weft::sleep_for(std::chrono::hours{1});
            for (const std::uint32_t branch : {1u, 3u, 1u, 0u, 9u}) told.push_back(context.cancel_branch(branch));
        }
    };
    std::vector<bool> told;
    const auto split = [](weft::node_context&) {
        std::vector<weft::send> items;
        for (int i = 0; i < 4; ++i) items.push_back(weft::send{"w"}.input(value, i));
        return weft::command::fan_out(std::move(items));
    };
    const auto graph = empty_graph()
                           .node("s", split, {.goes_to = {"w"}})
                           .node("w", [&told](weft::node_context& context) { return sends::work(context, told); })
                           .node("j", [] {})
                           .edge(weft::start, "s")
                           .edge("w", "j")
                           .fan_out("s", {.concurrency_max = 2})
                           .build();
    weft::run_options options;
    options.elapsed_max(30min).node_timeout(2h);
    const auto result = simulate(graph, with(options));
    // 0 and 1 run; 0 ends 1, and 3 before it begins; 2 takes an hour.
    const std::vector<bool> expected{true, true, false, false, false};
    BOOST_TEST((told == expected));
    BOOST_TEST((result.why->code == weft::errc::run_timeout));
    BOOST_TEST(path_of(result) == "s w w w");
}

BOOST_AUTO_TEST_CASE(P14_reducers_join_in_the_order_of_the_branches_whatever_the_timing)
{
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        const auto graph = empty_graph()
                               .node("s", [] {})
                               .node("a", writes(20ms, 1)).node("b", writes(10ms, 2)).node("c", writes(10ms, 3))
                               .edge(weft::start, "s")
                               .edge("s", "a").edge("s", "b").edge("s", "c")
                               .build();
        const auto result = simulate(graph, {}, seed);
        const std::vector<std::string> expected{"a", "b", "c"};
        BOOST_REQUIRE(result.state.get(words) == expected);
        BOOST_REQUIRE_EQUAL(result.state.get(value), 1);  // a plain key: the branch that finished last
    }
}

BOOST_AUTO_TEST_SUITE_END()
