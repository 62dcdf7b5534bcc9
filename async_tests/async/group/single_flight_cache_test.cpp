#include <boost/test/unit_test.hpp>

#include <weft/async/group/single_flight_cache_operations.hpp>
#include <weft/base/error.hpp>

BOOST_AUTO_TEST_SUITE(single_flight_cache_test)

namespace {

using cache = weft::single_flight_cache<int>;
using state = cache::lookup::state;

const weft::time_point start{std::chrono::hours{1}};

cache::lookup look(const cache& in, cache::cached_value kept = cache::cached_value::taken, weft::time_point now = start)
{
    return in.look_up("key", weft::make_counted<weft::remote_signal>(), now, kept);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_value_that_is_passed_over_is_replaced)
{
    const cache values;
    look(values).succeed(std::make_shared<const int>(1), {});
    auto again = look(values, cache::cached_value::passed_over);
    BOOST_REQUIRE((again.now_is() == state::leads));
    auto beside = look(values, cache::cached_value::passed_over);
    BOOST_TEST((beside.now_is() == state::waits));
    again.succeed(std::make_shared<const int>(2), {});
    beside.look(start);
    BOOST_REQUIRE((beside.now_is() == state::found));
    BOOST_TEST(beside.was_shared());
    BOOST_TEST(*beside.value() == 2);
    auto later = look(values);
    BOOST_TEST(!later.was_shared());
    BOOST_TEST(*later.value() == 2);
}

BOOST_AUTO_TEST_CASE(what_is_shared_need_not_be_kept)
{
    const cache values;
    auto first = look(values);
    auto second = look(values);
    first.succeed(std::make_shared<const int>(1));
    second.look(start);
    BOOST_REQUIRE((second.now_is() == state::found));
    BOOST_TEST((look(values).now_is() == state::leads));
}

BOOST_AUTO_TEST_CASE(a_leader_that_leaves_gives_the_lead_to_one_who_waits)
{
    const cache values;
    auto first = look(values);
    auto second = look(values);
    first.leave();
    second.look(start);
    BOOST_TEST((second.now_is() == state::leads));
}

BOOST_AUTO_TEST_CASE(each_value_has_an_end_of_its_own)
{
    const cache values;
    look(values).succeed(std::make_shared<const int>(1), {10, start + std::chrono::seconds{5}});
    BOOST_TEST(values.counts().bytes == 10u);
    const auto taken = cache::cached_value::taken;
    BOOST_TEST((look(values, taken, start + std::chrono::seconds{4}).now_is() == state::found));
    BOOST_TEST((look(values, taken, start + std::chrono::seconds{5}).now_is() == state::leads));
    BOOST_TEST(values.counts().bytes == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
