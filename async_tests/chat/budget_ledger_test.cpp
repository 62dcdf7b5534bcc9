#include <boost/test/unit_test.hpp>

#include <weft/base/error.hpp>
#include <weft/chat/budget_ledger.hpp>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

BOOST_AUTO_TEST_SUITE(budget_ledger_test)

namespace {

using namespace std::chrono_literals;
using weft::budget_amounts;
using weft::budget_ledger;
using weft::errc;
using weft::tokens;
using weft::usd_micros;

const weft::time_point start{1h};

budget_amounts amounts(std::int64_t token_count, std::int64_t micros = 0, std::int64_t calls = 0)
{
    budget_amounts result;
    result.tokens = tokens{token_count};
    result.cost = usd_micros{micros};
    result.calls = calls;
    return result;
}

/** The text of the refusal; empty if there is none. */
std::string refusal(const budget_ledger& ledger, const budget_amounts& wanted, weft::time_point now = start)
{
    try {
        ledger.reserve(wanted, now).release();
        return {};
    } catch (const weft::error& e) {
        BOOST_TEST((e.code() == errc::budget_exhausted));
        return e.what();
    }
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_reserved_cannot_be_reserved_again)
{
    const budget_ledger ledger{"run", {.tokens = tokens{100}}};
    auto first = ledger.reserve(amounts(60), start);
    BOOST_TEST(refusal(ledger, amounts(41)) ==
               "run: the budget has too little left: 41 tokens wanted, 40 tokens of 100 tokens left");
    BOOST_TEST(refusal(ledger, amounts(40)).empty());
    first.settle(amounts(10));
    BOOST_TEST(refusal(ledger, amounts(90)).empty());
    BOOST_TEST(!refusal(ledger, amounts(91)).empty());
    BOOST_TEST((ledger.spent() == amounts(10)));
    BOOST_TEST((ledger.reserved() == amounts(0)));
}

BOOST_AUTO_TEST_CASE(every_kind_is_limited_and_named)
{
    budget_amounts tools;
    tools.tool_calls = 1;
    const budget_ledger ledger{"b", {.tokens = tokens{1}, .cost = usd_micros{1'500'000}, .calls = 1, .tool_calls = 0,
                                     .elapsed = 10s}, start};
    BOOST_TEST(refusal(ledger, amounts(2)).find("2 tokens wanted, 1 token of 1 token left") != std::string::npos);
    BOOST_TEST(refusal(ledger, amounts(0, 2'000'000)).find("$2.00 wanted, $1.50 of $1.50 left") != std::string::npos);
    BOOST_TEST(refusal(ledger, amounts(0, 0, 2)).find("2 model calls wanted, 1 model calls") != std::string::npos);
    BOOST_TEST(refusal(ledger, tools).find("1 tool calls wanted, 0 tool calls") != std::string::npos);
    BOOST_TEST(refusal(ledger, {}, start + 10s).empty());
    BOOST_TEST(refusal(ledger, {}, start + 10'001ms).find("10001 ms of 10000 ms") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(children_draw_on_their_parents)
{
    const budget_ledger tenant{"tenant", {.tokens = tokens{100}}};
    const budget_ledger run = tenant.child("run", {.tokens = tokens{80}, .calls = 2});
    const budget_ledger branch = run.child("branch");
    auto first = branch.reserve(amounts(70), start);
    BOOST_TEST(refusal(branch, amounts(20)).find("run: ") == 0U);
    BOOST_TEST(refusal(tenant, amounts(30)).empty());
    first.settle(amounts(75, 0, 1));
    BOOST_TEST((tenant.spent() == amounts(75, 0, 1)));
    const auto left = branch.left(start);
    BOOST_TEST(left.tokens->count() == 5);
    BOOST_TEST(*left.calls == 1);
    BOOST_TEST(!left.cost.has_value());

    const budget_ledger sibling = tenant.child("sibling", {.tokens = tokens{80}});
    BOOST_TEST(refusal(sibling, amounts(30)).find("tenant: ") == 0U);
    BOOST_TEST((sibling.reserved() == amounts(0)));  // nowhere if not everywhere
    BOOST_TEST((tenant.reserved() == amounts(0)));
}

BOOST_AUTO_TEST_CASE(a_reservation_grows_or_stays_as_it_was)
{
    const budget_ledger ledger{"run", {.tokens = tokens{100}}};
    auto reserved = ledger.reserve(amounts(50), start);
    reserved.grow(amounts(50), start);
    BOOST_CHECK_THROW(reserved.grow(amounts(1), start), weft::error);
    BOOST_TEST((reserved.amounts() == amounts(100)));
    BOOST_TEST((ledger.reserved() == amounts(100)));
}

BOOST_AUTO_TEST_CASE(a_reservation_that_is_dropped_counts_as_spent)
{
    const budget_ledger ledger{"run"};
    static_cast<void>(ledger.reserve(amounts(50), start));
    BOOST_TEST((ledger.spent() == amounts(50)));
    auto a = ledger.reserve(amounts(1), start);
    auto b = std::move(a);
    a = ledger.reserve(amounts(2), start);
    b = std::move(a);
    BOOST_TEST((ledger.spent() == amounts(51)));
    b.release();
    BOOST_TEST((ledger.spent() == amounts(51)));
    BOOST_TEST((ledger.reserved() == amounts(0)));
}

BOOST_AUTO_TEST_CASE(more_used_than_reserved_leaves_nothing_and_not_less)
{
    const budget_ledger ledger{"run", {.tokens = tokens{100}}};
    ledger.reserve(amounts(100), start).settle(amounts(130));
    BOOST_TEST(ledger.left(start).tokens->count() == 0);
    BOOST_TEST(!refusal(ledger, amounts(1)).empty());
}

BOOST_AUTO_TEST_CASE(whether_costs_are_limited_is_asked_of_the_parents_too)
{
    const budget_ledger tenant{"tenant", {.cost = usd_micros{1}}};
    BOOST_TEST(tenant.child("run").limits_cost());
    BOOST_TEST(!budget_ledger{"free"}.limits_cost());
}

BOOST_AUTO_TEST_CASE(branches_on_several_os_threads_cannot_overspend)
{
    const budget_ledger tenant{"tenant", {.tokens = tokens{10'000}}};
    std::atomic<std::int64_t> spent{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            const budget_ledger run = tenant.child("run");
            for (int i = 0; i < 2'000; ++i) {
                try {
                    auto reserved = run.reserve(amounts(7), start);
                    reserved.settle(amounts(3));
                    spent += 3;
                } catch (const weft::error&) {
                    return;
                }
            }
        });
    for (auto& thread : threads) thread.join();
    BOOST_TEST(spent <= 10'000);
    BOOST_TEST(spent >= 9'990);
    BOOST_TEST((tenant.spent() == amounts(spent)));
    BOOST_TEST((tenant.reserved() == amounts(0)));
}

BOOST_AUTO_TEST_SUITE_END()
