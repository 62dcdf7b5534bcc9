#include <boost/test/unit_test.hpp>

#include <weft/model/decorator/latency_window.hpp>

BOOST_AUTO_TEST_SUITE(latency_window_test)

using namespace std::chrono_literals;

BOOST_AUTO_TEST_CASE(quantiles_are_those_of_the_newest)
{
    weft::latency_window window{100};
    BOOST_TEST(!window.quantile(0.5).has_value());
    for (int i = 1; i <= 100; ++i) window.add(std::chrono::milliseconds{i});
    BOOST_TEST((window.quantile(0.95) == 95ms));
    BOOST_TEST((window.quantile(0.5) == 50ms));
    BOOST_TEST((window.quantile(0) == 1ms));
    BOOST_TEST((window.quantile(1) == 100ms));
    for (int i = 0; i < 100; ++i) window.add(7ms);
    BOOST_TEST(window.size() == 100U);
    BOOST_TEST((window.quantile(0.95) == 7ms));
}

BOOST_AUTO_TEST_CASE(one_latency_is_every_quantile)
{
    weft::latency_window window{3};
    window.add(5ms);
    for (const double p : {0.0, 0.5, 0.95, 1.0}) BOOST_TEST((window.quantile(p) == 5ms));
}

BOOST_AUTO_TEST_SUITE_END()
