#include <boost/test/unit_test.hpp>

#include <weft/base/random.hpp>

#include <boost/asio/io_context.hpp>

#include <algorithm>
#include <array>
#include <thread>
#include <vector>

namespace asio = boost::asio;

BOOST_AUTO_TEST_SUITE(random_test)

BOOST_AUTO_TEST_CASE(a_seed_gives_the_published_sequence)
{
    // The first values of SplitMix64 as its reference implementation gives them.
    weft::random_source zero{0};
    BOOST_TEST(zero.next() == 0xe220a8397b1dcdafu);
    BOOST_TEST(zero.next() == 0x6e789e6aa1b965f4u);
    BOOST_TEST(zero.next() == 0x06c45d188009454fu);
    weft::random_source other{1234567};
    BOOST_TEST(other.next() == 6457827717110365317u);
    BOOST_TEST(other.next() == 3203168211198807973u);
}

BOOST_AUTO_TEST_CASE(uniform_numbers_fill_the_interval_evenly)
{
    weft::random_source random{42};
    std::array<int, 10> tenths{};
    for (int i = 0; i < 100'000; ++i) {
        const double number = random.uniform();
        BOOST_REQUIRE(number >= 0.0);
        BOOST_REQUIRE(number < 1.0);
        ++tenths[static_cast<std::size_t>(number * 10)];
    }
    for (const int count : tenths) BOOST_TEST((count > 9'600 && count < 10'400));
}

BOOST_AUTO_TEST_CASE(numbers_below_a_bound_are_evenly_spread)
{
    weft::random_source random{42};
    std::array<int, 7> counts{};
    for (int i = 0; i < 70'000; ++i) {
        const std::uint64_t number = random.below(7);
        BOOST_REQUIRE(number < 7u);
        ++counts[number];
    }
    for (const int count : counts) BOOST_TEST((count > 9'600 && count < 10'400));
    BOOST_TEST(random.below(1) == 0u);
}

BOOST_AUTO_TEST_CASE(a_large_bound_has_no_bias)
{
    // Four of all values fall on three below this bound; without redrawing, one of the three would
    // come twice as often as the others.
    constexpr std::uint64_t bound = std::uint64_t{3} << 62;
    weft::random_source random{42};
    std::array<int, 3> remainders{};
    for (int i = 0; i < 30'000; ++i) ++remainders[random.below(bound) % 3];
    for (const int count : remainders) BOOST_TEST((count > 9'600 && count < 10'400));
}

BOOST_AUTO_TEST_CASE(an_installed_seed_decides_the_numbers_of_its_context)
{
    asio::io_context context;
    weft::install_random(context, 7);
    weft::random_source same{7};
    BOOST_TEST(weft::random_of(context).next() == same.next());
    BOOST_TEST(weft::random_of(context).next() == same.next());
    BOOST_TEST(&weft::random_of(context) == &weft::random_of(context));
}

BOOST_AUTO_TEST_CASE(contexts_without_a_seed_differ)
{
    asio::io_context a;
    asio::io_context b;
    BOOST_TEST(weft::random_of(a).next() != weft::random_of(b).next());
}

BOOST_AUTO_TEST_CASE(threads_that_share_a_source_never_draw_the_same_value)
{
    weft::random_source random{1};
    std::array<std::vector<std::uint64_t>, 4> drawn;
    std::vector<std::thread> threads;
    for (auto& mine : drawn) {
        threads.emplace_back([&] {
            for (int i = 0; i < 10'000; ++i) mine.push_back(random.next());
        });
    }
    for (std::thread& t : threads) t.join();
    std::vector<std::uint64_t> all;
    for (const auto& mine : drawn) all.insert(all.end(), mine.begin(), mine.end());
    std::sort(all.begin(), all.end());
    BOOST_TEST((std::adjacent_find(all.begin(), all.end()) == all.end()));
}

BOOST_AUTO_TEST_SUITE_END()
