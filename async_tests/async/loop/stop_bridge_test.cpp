#include <boost/test/unit_test.hpp>

#include "async/outcome.hpp"

#include <weft/async/loop/stop_bridge.hpp>
#include <weft/async/run_blocking.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/random.hpp>

#include <boost/asio/io_context.hpp>

#include <atomic>
#include <optional>
#include <stop_token>
#include <thread>

BOOST_AUTO_TEST_SUITE(stop_bridge_test)

namespace {

using weft::stop_bridge;

void count(void* number) { ++*static_cast<int*>(number); }

BOOST_AUTO_TEST_CASE(a_stop_arrives_on_the_loop_and_not_where_it_is_asked_for)
{
    boost::asio::io_context io{1};
    auto& loop = weft::serial_loop::of(io);
    std::stop_source source;
    int stops = 0;
    const stop_bridge bridge{source.get_token(), loop, &count, &stops};
    source.request_stop();
    source.request_stop();
    BOOST_TEST(stops == 0);
    io.run();
    BOOST_TEST(stops == 1);
}

BOOST_AUTO_TEST_CASE(a_token_that_is_stopped_already_stops_soon)
{
    boost::asio::io_context io{1};
    std::stop_source source;
    source.request_stop();
    int stops = 0;
    const stop_bridge bridge{source.get_token(), weft::serial_loop::of(io), &count, &stops};
    BOOST_TEST(stops == 0);
    io.run();
    BOOST_TEST(stops == 1);
}

BOOST_AUTO_TEST_CASE(a_stop_that_arrives_after_the_end_finds_nothing_to_do)
{
    boost::asio::io_context io{1};
    std::stop_source source;
    int stops = 0;
    {
        const stop_bridge bridge{source.get_token(), weft::serial_loop::of(io), &count, &stops};
        source.request_stop();
    }
    io.run();
    BOOST_TEST(stops == 0);
}

BOOST_AUTO_TEST_CASE(a_stop_on_its_way_when_the_loop_dies_does_no_harm)
{
    std::stop_source source;
    int stops = 0;
    {
        boost::asio::io_context io{1};
        const stop_bridge bridge{source.get_token(), weft::serial_loop::of(io), &count, &stops};
        source.request_stop();
    }
    BOOST_TEST(stops == 0);
}

BOOST_AUTO_TEST_CASE(a_token_that_can_never_stop_costs_nothing)
{
    boost::asio::io_context io{1};
    int stops = 0;
    const stop_bridge bridge{std::stop_token{}, weft::serial_loop::of(io), &count, &stops};
    io.run();
    BOOST_TEST(stops == 0);
}

weft::task<void> sleep_a_bit()
{
    co_await weft::sleep_for(std::chrono::milliseconds{1});
    co_await weft::sleep_for(std::chrono::hours{1});
}

/** An OS thread that stops one source after another, each after a random number of turns. */
class stopper {
public:
    explicit stopper(int rounds) : rounds_{rounds}, thread_{[this] { work(); }} {}
    ~stopper() { thread_.join(); }

    /** The token for the next round; the stop may come at once. */
    std::stop_token next()
    {
        std::stop_source& source = sources_[round_ % 2];
        source = std::stop_source{};
        const std::stop_token token = source.get_token();
        offered_.store(++round_, std::memory_order_release);
        offered_.notify_one();
        return token;
    }
    void wait_until_stopped()
    {
        for (int done = done_.load(); done < round_; done = done_.load()) done_.wait(done);
    }

private:
    void work()
    {
        weft::random_source random{7};
        for (int round = 1; round <= rounds_; ++round) {
            offered_.wait(round - 1, std::memory_order_acquire);
            const auto turns = random.below(3'000);
            for (std::uint64_t turn = 0; turn < turns; ++turn) spin_.fetch_add(1, std::memory_order_relaxed);
            sources_[(round - 1) % 2].request_stop();
            done_.store(round);
            done_.notify_one();
        }
    }

    int rounds_;
    int round_ = 0;
    std::stop_source sources_[2];
    std::atomic<int> offered_{0};
    std::atomic<int> done_{0};
    std::atomic<int> spin_{0};
    std::thread thread_;
};

BOOST_AUTO_TEST_CASE(ten_thousand_stops_at_random_moments_end_ten_thousand_sleeps)
{
    constexpr int rounds = 10'000;
    stopper other{rounds};
    int cancelled = 0;
    for (int round = 0; round < rounds; ++round) {
        try {
            weft::run_blocking(sleep_a_bit(), other.next());
        } catch (const weft::error& e) {
            if (e.code() == weft::errc::cancelled) ++cancelled;
        }
        other.wait_until_stopped();
    }
    BOOST_TEST(cancelled == rounds);
}

BOOST_AUTO_TEST_CASE(bridges_may_die_while_another_os_thread_asks_for_the_stop)
{
    constexpr int rounds = 2'000;
    stopper other{rounds};
    boost::asio::io_context io{1};
    auto& loop = weft::serial_loop::of(io);
    weft::random_source random{11};
    int stops = 0;
    for (int round = 0; round < rounds; ++round) {
        std::optional<stop_bridge> bridge;
        bridge.emplace(other.next(), loop, &count, &stops);
        const auto turns = random.below(20);
        for (std::uint64_t turn = 0; turn < turns; ++turn) io.poll();
        bridge.reset();
        other.wait_until_stopped();
        io.restart();
    }
    BOOST_TEST(stops <= rounds);
    io.poll();
    BOOST_TEST(loop.is_idle());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
