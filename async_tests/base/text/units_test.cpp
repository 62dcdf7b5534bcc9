#include <boost/test/unit_test.hpp>

#include <weft/base/units.hpp>

#include <concepts>

using weft::tokens;
using weft::usd_micros;

BOOST_AUTO_TEST_SUITE(units_test)

namespace {

template <class A, class B>
concept can_add = requires(A a, B b) { a + b; };

static_assert(can_add<tokens, tokens>);
static_assert(!can_add<tokens, usd_micros>);
static_assert(!can_add<tokens, int>);
static_assert(!std::convertible_to<int, tokens>);
static_assert(tokens{2} + tokens{3} == tokens{5});

}  // namespace

BOOST_AUTO_TEST_CASE(quantities_are_added_scaled_and_compared)
{
    tokens sum{10};
    sum += tokens{5};
    sum -= tokens{1};
    sum *= 3;
    BOOST_TEST(sum.count() == 42);
    BOOST_TEST((tokens{7} - tokens{9}).count() == -2);
    BOOST_TEST((2 * tokens{7} == tokens{7} * 2));
    BOOST_TEST((tokens{1} < tokens{2}));
    BOOST_TEST((tokens{2} >= tokens{2}));
    BOOST_TEST(tokens{}.count() == 0);
}

BOOST_AUTO_TEST_CASE(results_out_of_range_stop_at_the_limit)
{
    constexpr tokens max = tokens::max();
    constexpr tokens min = tokens::min();
    BOOST_TEST((max + tokens{1} == max));
    BOOST_TEST((min + tokens{-1} == min));
    BOOST_TEST((min - tokens{1} == min));
    BOOST_TEST((max - tokens{-1} == max));
    BOOST_TEST((max * 2 == max));
    BOOST_TEST((max * -2 == min));
    BOOST_TEST((min * 2 == min));
    BOOST_TEST((min * -1 == max));
}

BOOST_AUTO_TEST_CASE(texts_name_the_unit)
{
    BOOST_TEST(to_string(tokens{0}) == "0 tokens");
    BOOST_TEST(to_string(tokens{1}) == "1 token");
    BOOST_TEST(to_string(tokens{60'000}) == "60000 tokens");
    BOOST_TEST(to_string(tokens{-3}) == "-3 tokens");
    BOOST_TEST(to_string(usd_micros{5'000'000}) == "$5.00");
    BOOST_TEST(to_string(usd_micros{1'250'000}) == "$1.25");
    BOOST_TEST(to_string(usd_micros{150}) == "$0.00015");
    BOOST_TEST(to_string(usd_micros{100'000}) == "$0.10");
    BOOST_TEST(to_string(usd_micros{1}) == "$0.000001");
    BOOST_TEST(to_string(usd_micros{-2'500'000}) == "-$2.50");
    BOOST_TEST(to_string(usd_micros::min()) == "-$9223372036854.775808");
}

BOOST_AUTO_TEST_SUITE_END()
