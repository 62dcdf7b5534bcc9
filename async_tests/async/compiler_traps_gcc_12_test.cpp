#include <boost/test/unit_test.hpp>

#include "compiler_traps.hpp"
#include "lifetimes.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/testing/async_test_case.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// The table of docs/COMPILERS.md of what g++ 12 compiles wrongly: it runs wherever the compiler gets it right. A test
// of what a wrong program does would prove nothing.
#if defined(__clang__) || __GNUC__ >= 13

// g++ 13 stops with an internal error at a vector with two awaited elements.
#if defined(__clang__) || __GNUC__ >= 14
#define WEFT_COMPILER_TAKES_AWAITED_LISTS
#endif

BOOST_AUTO_TEST_SUITE(compiler_traps_gcc_12_test)

namespace {

using namespace async_tests;

/** An aggregate: it has no declared constructor. */
struct options {
    std::string name;
    std::optional<resident> who{};
};

task<std::string> name_of_options(options how)
{
    co_await weft::yield_now();
    co_return how.name + (how.who ? how.who->name() : "");
}

task<std::string> name_of_default(options how = {.name = "default"})
{
    co_await weft::yield_now();
    co_return how.name;
}

task<int> sum_of(std::vector<int> list)
{
    co_await weft::yield_now();
    co_return static_cast<int>(list.size());
}

WEFT_ASYNC_TEST_CASE(a_temporary_of_an_aggregate_may_be_passed)
{
    lifetimes all;
    const std::string braced = co_await name_of_options(options{"a", resident{all, "b"}});
    BOOST_TEST(braced == "ab");
    const std::string designated = co_await name_of_options({.name = "c", .who = resident{all, "d"}});
    BOOST_TEST(designated == "cd");
    const std::string by_default = co_await name_of_default();
    BOOST_TEST(by_default == "default");
    const std::string member = co_await name_of(pair_of_residents{resident{all, "e"}, resident{all, "f"}}.right);
    BOOST_TEST(member == "f");
}

WEFT_ASYNC_TEST_CASE(a_lambda_with_captures_may_be_passed_and_called_in_place)
{
    lifetimes all;
    const resident who{all, "a"};
    const std::string passed = co_await call([who] { return who.name(); });
    BOOST_TEST(passed == "a");
    const std::string boxed = co_await call(std::function<std::string()>{[who] { return who.name(); }});
    BOOST_TEST(boxed == "a");
    // Only because the lambda lives as long as the full expression that awaits.
    const std::string in_place = co_await [who]() -> task<std::string> { co_return co_await name_of(who); }();
    BOOST_TEST(in_place == "a");
}

WEFT_ASYNC_TEST_CASE(a_choice_awaits_one_of_two)
{
    lifetimes all;
    for (const bool is_first : {true, false}) {
        const resident chosen = is_first ? co_await make(all, "a") : co_await make(all, "b");
        BOOST_TEST(chosen.name() == (is_first ? "a" : "b"));
        const resident who{all, "c"};
        const std::string name = co_await name_of(is_first ? who : resident{all, "d"});
        BOOST_TEST(name == (is_first ? "c" : "d"));
    }
}

task<int> steps_of_conditions(lifetimes& all)
{
    int steps = 0;
    do ++steps;
    while (co_await answer(resident{all, "a"}, steps < 2));
    for (; co_await answer(resident{all, "b"}, steps < 4);) ++steps;
    while (co_await answer(resident{all, "c"}, steps < 6)) ++steps;
    switch (co_await number(steps)) {
    case 6: break;
    default: co_return -1;
    }
    if (co_await answer(resident{all, "d"}, steps == 6)) co_return steps;
    co_return -2;
}

WEFT_ASYNC_TEST_CASE(a_condition_may_await)
{
    lifetimes all;
    const int steps = co_await steps_of_conditions(all);
    BOOST_TEST(steps == 6);
}

WEFT_ASYNC_TEST_CASE(braces_may_await)
{
    lifetimes all;
    const pair_of_residents both{co_await make(all, "a"), resident{all, "b"}};
    BOOST_TEST(both.left.name() + both.right.name() == "ab");
    const resident list[] = {co_await make(all, "c")};
    BOOST_TEST(list[0].name() == "c");
}

task<std::string> new_awaited(lifetimes& all)
{
    const std::unique_ptr<resident> owned{new resident(co_await make(all, "a"))};
    co_return owned->name();
}

task<void> throw_awaited(lifetimes& all) { throw co_await make(all, "b"); }

// Not torn down half-way: both take memory before they wait, which is leaked if the coroutine is destroyed then.
BOOST_AUTO_TEST_CASE(new_and_throw_may_await)
{
    lifetimes all;
    BOOST_TEST(weft::run_blocking(new_awaited(all)) == "a");
    BOOST_CHECK_EXCEPTION(weft::run_blocking(throw_awaited(all)), resident,
                          [](const resident& who) { return who.name() == "b"; });
}

WEFT_ASYNC_TEST_CASE(an_initialiser_list_may_be_passed)
{
    const int size = co_await sum_of({1, 2, 3});
    BOOST_TEST(size == 3);
    const int again = co_await sum_of(std::vector<int>{1, 2});
    BOOST_TEST(again == 2);
}

#ifdef WEFT_COMPILER_TAKES_AWAITED_LISTS

WEFT_ASYNC_TEST_CASE(an_initialiser_list_may_await)
{
    lifetimes all;
    const std::vector<resident> list{co_await make(all, "a"), co_await make(all, "b")};
    BOOST_TEST(list[0].name() + list[1].name() == "ab");
}

#endif

BOOST_AUTO_TEST_SUITE_END()

}  // namespace

#endif
