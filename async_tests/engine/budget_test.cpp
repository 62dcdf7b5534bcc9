#include <boost/test/unit_test.hpp>

#include "nodes.hpp"

#include <weft/base/budget_ledger.hpp>
#include <weft/engine/scheduler/frontier.hpp>

#include <memory>

using namespace weft_tests;

namespace budget_cases {

weft::spending some_tokens(std::int64_t count)
{
    weft::spending result;
    result.tokens = weft::tokens{count};
    return result;
}

weft::run_options tokens_max(std::int64_t count)
{
    weft::budget limits;
    limits.tokens = weft::tokens{count};
    return weft::run_options{}.budget(limits);
}

/** A node that reserves `estimate` tokens, works for `span`, and has spent `real`. */
weft::task<void> spend_node(weft::node_context& context, std::chrono::nanoseconds span, std::int64_t estimate,
                            std::int64_t real)
{
    weft::budget_ledger::reservation held = context.budget()->reserve(some_tokens(estimate));
    co_await weft::sleep_for(span);
    held.settle(some_tokens(real));
    context.set(total, real);
}
auto spends(std::int64_t estimate, std::int64_t real, std::chrono::nanoseconds span = 1ms)
{
    return [=](weft::node_context& context) { return spend_node(context, span, estimate, real); };
}

weft::run_result run_of(const weft::graph& what, weft::run_options options)
{
    return simulate(what, weft::run_request{}.options(std::move(options)));
}

BOOST_AUTO_TEST_SUITE(budget_test)

BOOST_AUTO_TEST_CASE(without_a_budget_nobody_counts)
{
    bool counts = true;
    const auto look = [&](weft::node_context& context) { counts = context.budget() != nullptr; };
    const auto result = simulate(empty_graph().node("a", look).edge(weft::start, "a").build());
    BOOST_TEST(!counts);
    BOOST_TEST(!result.spent);
}

BOOST_AUTO_TEST_CASE(an_exhausted_budget_fails_the_node_at_once_and_without_retry)
{
    const auto graph = empty_graph()
                           .node("a", spends(60, 50))
                           .node("b", spends(60, 50), {.retry = {.attempts_max = 3}})
                           .edge(weft::start, "a").edge("a", "b")
                           .build();
    const auto result = run_of(graph, tokens_max(100));
    BOOST_TEST((result.status == weft::run_status::failed));
    BOOST_TEST((result.why->code == weft::errc::budget_exhausted));
    BOOST_TEST(result.why->message == "node 'b', visit 1, attempt 1: graph 'test': the budget has not enough left: the "
                                      "budget of tokens is 100: 50 spent, 60 more asked for");
    BOOST_TEST(result.retries == 0U);
    BOOST_TEST(result.state.get(total) == 50);
    BOOST_REQUIRE(result.spent);
    BOOST_TEST((*result.spent == some_tokens(50)));
}

BOOST_AUTO_TEST_CASE(the_edge_for_exhausted_budgets_comes_before_the_one_for_failures)
{
    const auto graph_of = [](auto work) {
        return empty_graph()
            .node("a", work).node("cheap", [] {}).node("sorry", [] {})
            .edge(weft::start, "a")
            .edge_on_failure("a", "sorry", {.priority = 5}).edge_on_budget("a", "cheap")
            .build();
    };
    const auto poor = run_of(graph_of(spends(101, 1)), tokens_max(100));
    BOOST_TEST(path_of(poor) == "a cheap");
    BOOST_TEST((poor.status == weft::run_status::finished));
    BOOST_TEST((poor.quality == weft::run_quality::degraded));
    BOOST_TEST(path_of(run_of(graph_of(fails(1ms)), tokens_max(100))) == "a sorry");
}

BOOST_AUTO_TEST_CASE(the_edge_for_exhausted_budgets_is_none_for_other_failures)
{
    const auto only = empty_graph()
                          .node("a", fails(1ms)).node("cheap", [] {}).node("b", [] {})
                          .edge(weft::start, "a").edge("a", "b").edge_on_budget("a", "cheap")
                          .build();
    BOOST_TEST((run_of(only, tokens_max(100)).why->code == weft::errc::model_rejected));
    const auto beside = empty_graph()
                            .node("a", fails(1ms)).node("cheap", [] {}).node("b", [] {})
                            .edge(weft::start, "a").edge_on_budget("a", "cheap")
                            .edge_when("a", "b", [](const weft::state_view&) { return true; },
                                       {.after = weft::edge_after::any})
                            .build();
    BOOST_TEST(path_of(run_of(beside, tokens_max(100))) == "a b");
}

BOOST_AUTO_TEST_CASE(branches_at_the_same_time_cannot_overspend)
{
    weft::graph_builder builder = empty_graph();
    builder.node("plan", [] {}).node("join", [] {}).edge(weft::start, "plan");
    for (int i = 0; i < 20; ++i) {
        const std::string name = "b" + std::to_string(i);
        builder.node(name, spends(10, 10)).edge("plan", name).edge(name, "join");
    }
    builder.fan_out("plan", {.on_failure = weft::branch_policy::continue_others});
    const auto result = run_of(builder.build(), tokens_max(75));
    BOOST_TEST((result.status == weft::run_status::finished));
    BOOST_TEST((*result.spent == some_tokens(70)));
    BOOST_TEST(result.state.get(total) == 70);
}

BOOST_AUTO_TEST_CASE(graphs_inside_and_tenants_are_drawn_on)
{
    const auto inner = empty_graph("inner").node("x", spends(30, 30)).edge(weft::start, "x").build();
    const auto outer = empty_graph("outer")
                           .node("a", spends(30, 30)).node("in", weft::subgraph{inner})
                           .edge(weft::start, "a").edge("a", "in")
                           .build();
    BOOST_TEST((*run_of(outer, tokens_max(60)).spent == some_tokens(60)));
    const auto poor = run_of(outer, tokens_max(59));
    BOOST_TEST((poor.why->code == weft::errc::budget_exhausted));
    BOOST_TEST((*poor.spent == some_tokens(30)));

    weft::budget limits;
    limits.tokens = weft::tokens{100};
    const auto tenant = std::make_shared<weft::budget_ledger>("tenant", limits);
    BOOST_TEST((run_of(outer, weft::run_options{}.draws_on(tenant)).status == weft::run_status::finished));
    BOOST_TEST((run_of(outer, weft::run_options{}.draws_on(tenant)).why->code == weft::errc::budget_exhausted));
    BOOST_TEST((tenant->spent() == some_tokens(90)));
}

BOOST_AUTO_TEST_CASE(a_resumed_run_goes_on_with_what_it_had_spent)
{
    const auto graph = empty_graph()
                           .node("a", spends(60, 60)).node("b", spends(60, 60))
                           .edge(weft::start, "a").edge("a", "b")
                           .build();
    std::shared_ptr<const weft::frontier> saved;
    const auto keep = [&](const weft::frontier& where) {
        if (!saved) saved = std::make_shared<const weft::frontier>(where);
    };
    BOOST_TEST((*run_of(graph, tokens_max(1000).on_save(keep)).spent == some_tokens(120)));
    BOOST_REQUIRE(saved);
    const auto resumed = [&](std::int64_t max) {
        return simulate(graph, weft::run_request{}.resume(saved).options(tokens_max(max)));
    };
    BOOST_TEST((resumed(119).why->code == weft::errc::budget_exhausted));
    BOOST_TEST((*resumed(120).spent == some_tokens(120)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace budget_cases
