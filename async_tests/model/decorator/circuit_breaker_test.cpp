#include <boost/test/unit_test.hpp>

#include <weft/model/decorator/circuit_breaker.hpp>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

BOOST_AUTO_TEST_SUITE(circuit_breaker_test)

namespace {

using namespace std::chrono_literals;
using weft::circuit_breaker;
using state = circuit_breaker::state;

const weft::time_point start{1h};

void fail(circuit_breaker& breaker, weft::time_point now)
{
    const auto ticket = breaker.try_enter(now);
    BOOST_REQUIRE(ticket.has_value());
    breaker.on_failure(*ticket, now);
}

}  // namespace

BOOST_AUTO_TEST_CASE(failures_in_a_row_open_it)
{
    circuit_breaker breaker{{.failures_max = 3}};
    fail(breaker, start);
    fail(breaker, start + 1s);
    BOOST_TEST((breaker.state_at(start + 1s) == state::closed));
    fail(breaker, start + 2s);
    BOOST_TEST((breaker.state_at(start + 2s) == state::open));
    BOOST_TEST(!breaker.try_enter(start + 31s).has_value());
    BOOST_TEST((breaker.probes_at() == start + 32s));
}

BOOST_AUTO_TEST_CASE(a_success_and_the_window_forget_failures)
{
    circuit_breaker breaker{{.failures_max = 2, .window = 10s}};
    fail(breaker, start);
    breaker.on_success(*breaker.try_enter(start));
    fail(breaker, start + 1s);
    fail(breaker, start + 12s);
    BOOST_TEST((breaker.state_at(start + 12s) == state::closed));
    fail(breaker, start + 13s);
    BOOST_TEST((breaker.state_at(start + 13s) == state::open));
}

BOOST_AUTO_TEST_CASE(one_call_probes_and_closes_it)
{
    circuit_breaker breaker{{.failures_max = 1, .open_for = 5s}};
    fail(breaker, start);
    BOOST_TEST((breaker.state_at(start + 5s) == state::half_open));
    const auto probe = breaker.try_enter(start + 5s);
    BOOST_REQUIRE(probe.has_value());
    BOOST_TEST(probe->is_probe());
    BOOST_TEST(!breaker.try_enter(start + 5s).has_value());
    breaker.on_success(*probe);
    BOOST_TEST((breaker.state_at(start + 5s) == state::closed));
    BOOST_TEST(breaker.try_enter(start + 5s).has_value());
}

BOOST_AUTO_TEST_CASE(a_probe_that_fails_opens_it_again)
{
    circuit_breaker breaker{{.failures_max = 1, .open_for = 5s}};
    fail(breaker, start);
    fail(breaker, start + 5s);
    BOOST_TEST(!breaker.try_enter(start + 9s).has_value());
    BOOST_TEST(breaker.try_enter(start + 10s).has_value());
}

BOOST_AUTO_TEST_CASE(an_abandoned_probe_lets_another_call_probe)
{
    circuit_breaker breaker{{.failures_max = 1, .open_for = 5s}};
    fail(breaker, start);
    const auto probe = breaker.try_enter(start + 5s);
    breaker.abandon(*probe);
    BOOST_TEST(breaker.try_enter(start + 5s).has_value());
}

BOOST_AUTO_TEST_CASE(late_results_do_not_count)
{
    circuit_breaker breaker{{.failures_max = 1, .open_for = 5s}};
    const auto slow = breaker.try_enter(start);
    const auto slower = breaker.try_enter(start);
    fail(breaker, start);
    breaker.on_success(*slow);
    BOOST_TEST((breaker.state_at(start) == state::open));
    const auto probe = breaker.try_enter(start + 5s);
    breaker.on_success(*probe);
    breaker.on_failure(*slower, start + 6s);
    BOOST_TEST((breaker.state_at(start + 6s) == state::closed));
}

BOOST_AUTO_TEST_CASE(of_several_os_threads_one_probes)
{
    circuit_breaker breaker{{.failures_max = 1, .open_for = 5s}};
    fail(breaker, start);
    std::atomic<int> probes{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 1'000; ++i)
                if (breaker.try_enter(start + 6s)) ++probes;
        });
    for (auto& thread : threads) thread.join();
    BOOST_TEST(probes == 1);
}

BOOST_AUTO_TEST_SUITE_END()
