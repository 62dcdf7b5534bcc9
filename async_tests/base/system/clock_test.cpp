#include <boost/test/unit_test.hpp>

#include <weft/base/clock.hpp>

#include <boost/asio/io_context.hpp>

namespace asio = boost::asio;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(clock_test)

namespace {

class stopped_clock final : public weft::clock {
public:
    time_point now() const noexcept override { return time_point{5s}; }
    system_time_point system_now() const noexcept override { return system_time_point{7s}; }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_context_has_the_clock_of_the_machine)
{
    asio::io_context context;
    weft::clock& clock = weft::clock_of(context);
    BOOST_TEST(&clock == &weft::real_clock());
    BOOST_TEST(&clock == &weft::clock_of(context));

    const auto before = std::chrono::steady_clock::now();
    const auto now = clock.now();
    BOOST_TEST((before <= now && now <= std::chrono::steady_clock::now()));
    const auto system_before = std::chrono::system_clock::now();
    BOOST_TEST((clock.system_now() - system_before < 1h));
    BOOST_TEST((system_before - clock.system_now() < 1h));
}

BOOST_AUTO_TEST_CASE(an_installed_clock_is_found_in_its_context_only)
{
    stopped_clock clock;
    asio::io_context context;
    asio::io_context other;
    weft::install_clock(context, clock);
    BOOST_TEST(&weft::clock_of(context) == &clock);
    BOOST_TEST((weft::clock_of(context).now() == weft::clock::time_point{5s}));
    BOOST_TEST((weft::clock_of(context).system_now() == weft::clock::system_time_point{7s}));
    BOOST_TEST(&weft::clock_of(other) == &weft::real_clock());
}

BOOST_AUTO_TEST_SUITE_END()
