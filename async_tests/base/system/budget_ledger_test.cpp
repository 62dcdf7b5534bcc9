#include <boost/test/unit_test.hpp>

#include <weft/base/budget_ledger.hpp>
#include <weft/base/error.hpp>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace budget_ledger_cases {

using weft::budget;
using weft::budget_ledger;
using weft::spending;

spending some_tokens(std::int64_t count)
{
    spending result;
    result.tokens = weft::tokens{count};
    return result;
}

budget token_limit(std::int64_t count)
{
    budget result;
    result.tokens = weft::tokens{count};
    return result;
}

std::shared_ptr<budget_ledger> ledger_of(std::string name, budget limits,
                                         std::shared_ptr<budget_ledger> parent = nullptr)
{
    return std::make_shared<budget_ledger>(std::move(name), limits, std::move(parent));
}

/** What the refusal says; empty if the amount is granted. */
std::string refusal(budget_ledger& ledger, const spending& asked)
{
    try {
        ledger.reserve(asked).release();
    } catch (const weft::error& e) {
        BOOST_TEST((e.code() == weft::errc::budget_exhausted));
        return e.where() + ": " + e.detail();
    }
    return {};
}

BOOST_AUTO_TEST_SUITE(budget_ledger_test)

BOOST_AUTO_TEST_CASE(an_estimate_is_put_aside_and_what_was_real_is_spent)
{
    const auto ledger = ledger_of("run r-1", token_limit(100));
    auto held = ledger->reserve(some_tokens(60));
    BOOST_TEST((ledger->reserved() == some_tokens(60)));
    BOOST_TEST((ledger->tokens_left() == weft::tokens{40}));
    held.settle(some_tokens(25));
    held.settle(some_tokens(1));
    BOOST_TEST((ledger->spent() == some_tokens(25)));
    BOOST_TEST((ledger->reserved() == spending{}));
    BOOST_TEST(!held);
}

BOOST_AUTO_TEST_CASE(what_is_not_there_is_refused_with_all_figures)
{
    budget limits = token_limit(100);
    limits.cost = weft::usd_micros{2'000'000};
    limits.model_calls = 1;
    const auto ledger = ledger_of("run r-1", limits);
    ledger->spend(some_tokens(30));
    const auto held = ledger->reserve(some_tokens(50));
    ledger->reserve(some_tokens(20)).release();
    BOOST_TEST(refusal(*ledger, some_tokens(21)) ==
               "run r-1: the budget of tokens is 100: 30 spent, 50 reserved, 21 more asked for");
    spending dear;
    dear.cost = weft::usd_micros{2'500'000};
    BOOST_TEST(refusal(*ledger, dear) == "run r-1: the budget of cost is $2.00: $0.00 spent, $2.50 more asked for");
    spending calls;
    calls.model_calls = 2;
    BOOST_TEST(refusal(*ledger, calls) == "run r-1: the budget of model calls is 1: 0 spent, 2 more asked for");
    BOOST_TEST((ledger->reserved() == some_tokens(50)));
}

BOOST_AUTO_TEST_CASE(a_reservation_is_released_or_else_spent)
{
    const auto ledger = ledger_of("run", token_limit(10));
    auto first = ledger->reserve(some_tokens(10));
    auto second = std::move(first);
    BOOST_TEST(!first);
    BOOST_TEST((second.estimate() == some_tokens(10)));
    BOOST_TEST(refusal(*ledger, some_tokens(1)) != "");
    second.release();
    BOOST_TEST((ledger->tokens_left() == weft::tokens{10}));
    auto held = ledger->reserve(some_tokens(4));
    held = ledger->reserve(some_tokens(5));
    BOOST_TEST((ledger->reserved() == some_tokens(5)));
    BOOST_TEST((ledger->spent() == some_tokens(4)));
}

BOOST_AUTO_TEST_CASE(a_reservation_grows_or_stays_as_it_is)
{
    const auto ledger = ledger_of("run", token_limit(10));
    auto held = ledger->reserve(some_tokens(4));
    held.grow(some_tokens(3));
    BOOST_CHECK_THROW(held.grow(some_tokens(4)), weft::error);
    BOOST_TEST((held.estimate() == some_tokens(7)));
    held.settle(some_tokens(6));
    BOOST_TEST((ledger->spent() == some_tokens(6)));
    BOOST_TEST((ledger->reserved() == spending{}));
}

BOOST_AUTO_TEST_CASE(more_than_estimated_counts_and_then_nothing_is_left)
{
    const auto ledger = ledger_of("run", token_limit(10));
    ledger->reserve(some_tokens(5)).settle(some_tokens(25));
    BOOST_TEST((ledger->spent() == some_tokens(25)));
    BOOST_TEST((ledger->tokens_left() == weft::tokens{0}));
    BOOST_TEST(refusal(*ledger, some_tokens(1)) != "");
    ledger->reserve(spending{}).release();
    spending call;
    call.model_calls = 1;
    BOOST_TEST(refusal(*ledger, call) == "");
}

BOOST_AUTO_TEST_CASE(a_child_draws_on_its_parent)
{
    const auto tenant = ledger_of("tenant t", token_limit(100));
    const auto first = ledger_of("run a", token_limit(80), tenant);
    const auto second = ledger_of("run b", budget{}, tenant);
    auto held = first->reserve(some_tokens(70));
    BOOST_TEST(refusal(*second, some_tokens(40)) ==
               "tenant t: the budget of tokens is 100: 0 spent, 70 reserved, 40 more asked for");
    BOOST_TEST((second->reserved() == spending{}));
    BOOST_TEST((second->tokens_left() == weft::tokens{30}));
    BOOST_TEST((first->tokens_left() == weft::tokens{10}));
    held.settle(some_tokens(50));
    second->spend(some_tokens(5));
    BOOST_TEST((tenant->spent() == some_tokens(55)));
    BOOST_TEST((tenant->reserved() == spending{}));
    BOOST_TEST((second->spent() == some_tokens(5)));
    BOOST_TEST(!second->cost_left());
    BOOST_TEST(!second->limits_cost());
    budget dear;
    dear.cost = weft::usd_micros{1};
    BOOST_TEST(ledger_of("inner", budget{}, ledger_of("outer", dear))->limits_cost());
}

BOOST_AUTO_TEST_CASE(pressure_names_what_is_closest_to_its_end)
{
    BOOST_TEST(ledger_of("free", budget{})->pressure().of.empty());
    budget limits = token_limit(100);
    limits.turns = 4;
    const auto ledger = ledger_of("run", limits);
    ledger->spend(some_tokens(50));
    BOOST_TEST(ledger->pressure().used == 0.5);
    spending turn;
    turn.turns = 3;
    const auto held = ledger->reserve(turn);
    BOOST_TEST(ledger->pressure().used == 0.75);
    BOOST_TEST(ledger->pressure().of == "turns");
    budget nothing;
    nothing.tool_calls = 0;
    BOOST_TEST(ledger_of("none", nothing)->pressure().used == 1.0);
}

BOOST_AUTO_TEST_CASE(a_budget_as_text)
{
    BOOST_TEST(to_string(budget{}) == "unlimited");
    budget limits = token_limit(20'000);
    limits.cost = weft::usd_micros{500'000};
    limits.tool_calls = 3;
    BOOST_TEST(to_string(limits) == "20000 tokens, $0.50, 3 tool calls");
}

BOOST_AUTO_TEST_CASE(what_was_spent_before_counts_here_and_not_in_the_parent)
{
    const auto tenant = ledger_of("tenant", token_limit(100));
    const auto resumed = std::make_shared<budget_ledger>("run", token_limit(10), tenant, some_tokens(8));
    BOOST_TEST((resumed->tokens_left() == weft::tokens{2}));
    BOOST_TEST((tenant->tokens_left() == weft::tokens{100}));
}

BOOST_AUTO_TEST_CASE(counts_stop_at_the_ends_of_64_bits)
{
    const auto ledger = ledger_of("run", token_limit(INT64_MAX));
    ledger->spend(some_tokens(INT64_MAX));
    ledger->spend(some_tokens(INT64_MAX));
    BOOST_TEST((ledger->tokens_left() == weft::tokens{0}));
    BOOST_TEST(refusal(*ledger, some_tokens(1)) != "");
}

BOOST_AUTO_TEST_CASE(branches_at_the_same_time_never_spend_more_than_there_is)
{
    const auto tenant = ledger_of("tenant", token_limit(10'000));
    std::vector<std::shared_ptr<budget_ledger>> runs;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
        runs.push_back(ledger_of("run", token_limit(4'000), tenant));
        threads.emplace_back([run = runs.back()] {
            for (int k = 0; k < 2'000; ++k) {
                try {
                    auto held = run->reserve(some_tokens(7));
                    if (k % 3 == 0) held.settle(some_tokens(5));
                    if (k % 3 == 1) held.release();
                } catch (const weft::error&) {
                }
            }
        });
    }
    threads.clear();
    for (const auto& run : runs) {
        BOOST_TEST((run->spent().tokens <= weft::tokens{4'000}));
        BOOST_TEST((run->reserved() == spending{}));
    }
    BOOST_TEST((tenant->spent().tokens <= weft::tokens{10'000}));
    BOOST_TEST((tenant->spent().tokens > weft::tokens{9'980}));
    BOOST_TEST((tenant->reserved() == spending{}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace budget_ledger_cases
