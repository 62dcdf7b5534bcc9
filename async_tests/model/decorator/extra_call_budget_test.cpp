#include <boost/test/unit_test.hpp>

#include <weft/model/decorator/extra_call_budget.hpp>

#include <atomic>
#include <thread>
#include <vector>

BOOST_AUTO_TEST_SUITE(extra_call_budget_test)

BOOST_AUTO_TEST_CASE(extra_calls_are_a_share_of_all_calls)
{
    weft::extra_call_budget budget{{.share = 0.1, .reserve = 3}};
    for (int i = 0; i < 3; ++i) BOOST_TEST(budget.try_take());
    BOOST_TEST(!budget.try_take());
    for (int i = 0; i < 9; ++i) budget.on_call();
    BOOST_TEST(!budget.try_take());
    budget.on_call();
    BOOST_TEST(budget.try_take());
    BOOST_TEST(budget.left() == 0.0);
}

BOOST_AUTO_TEST_CASE(no_more_is_saved_up_than_the_reserve)
{
    weft::extra_call_budget budget{{.share = 1, .reserve = 2}};
    for (int i = 0; i < 100; ++i) budget.on_call();
    BOOST_TEST(budget.left() == 2.0);
}

BOOST_AUTO_TEST_CASE(several_os_threads_share_one_budget)
{
    weft::extra_call_budget budget{{.share = 0.5, .reserve = 1'000'000}};
    while (budget.try_take()) {
    }
    std::atomic<int> taken{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 10'000; ++i) {
                budget.on_call();
                taken += budget.try_take() ? 1 : 0;
            }
        });
    for (auto& thread : threads) thread.join();
    while (budget.try_take()) ++taken;
    BOOST_TEST(taken == 20'000);
}

BOOST_AUTO_TEST_SUITE_END()
