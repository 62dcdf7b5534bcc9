#include <boost/test/unit_test.hpp>

#include <weft/async/wait/remote_signal.hpp>
#include <weft/base/error.hpp>
#include <weft/model/decorator/reply_cache.hpp>

#include <optional>

BOOST_AUTO_TEST_SUITE(reply_cache_test)

namespace {

using namespace std::chrono_literals;
using weft::reply_cache;
using state = reply_cache::lookup::state;

const weft::time_point start{1h};

weft::chat_reply answer(std::string text, weft::stop_reason stop = weft::stop_reason::stop)
{
    weft::chat_reply reply;
    reply.message = weft::message::assistant(std::move(text));
    reply.stop = stop;
    return reply;
}

reply_cache::lookup look(const reply_cache& cache, std::string key, weft::time_point now = start)
{
    return cache.look_up(std::move(key), weft::make_counted<weft::remote_signal>(), now);
}

void put(const reply_cache& cache, std::string key, std::string text)
{
    auto place = look(cache, std::move(key));
    BOOST_REQUIRE((place.now_is() == state::leads));
    place.succeed(answer(std::move(text)), start);
}

bool has(const reply_cache& cache, std::string key, weft::time_point now = start)
{
    return look(cache, std::move(key), now).now_is() == state::found;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_reply_is_found_until_its_time_is_over)
{
    reply_cache cache{{.keep_for = 10s}};
    put(cache, "a", "yes");
    BOOST_TEST(look(cache, "a").reply()->message.text() == "yes");
    BOOST_TEST(has(cache, "a", start + 9s));
    BOOST_TEST(!has(cache, "a", start + 10s));
    BOOST_TEST(cache.counts().entries == 0U);
    BOOST_TEST(cache.counts().bytes == 0U);
}

BOOST_AUTO_TEST_CASE(the_least_recently_used_go_first)
{
    reply_cache cache{{.entries_max = 2}};
    put(cache, "a", "1");
    put(cache, "b", "2");
    BOOST_TEST(has(cache, "a"));
    put(cache, "c", "3");
    BOOST_TEST(has(cache, "a"));
    BOOST_TEST(!has(cache, "b"));
    BOOST_TEST(cache.counts().dropped == 1);
}

BOOST_AUTO_TEST_CASE(bytes_are_bounded)
{
    reply_cache cache{{.bytes_max = 10'000}};
    for (int i = 0; i < 50; ++i) put(cache, "key" + std::to_string(i), std::string(1'000, 'x'));
    BOOST_TEST(cache.counts().bytes <= 10'000U);
    BOOST_TEST(cache.counts().entries >= 5U);
    put(cache, "large", std::string(20'000, 'x'));
    BOOST_TEST(!has(cache, "large"));
    BOOST_TEST(cache.counts().entries >= 5U);
}

BOOST_AUTO_TEST_CASE(replies_that_are_not_whole_are_not_kept)
{
    using weft::stop_reason;
    for (const stop_reason stop : {stop_reason::length, stop_reason::unfinished, stop_reason::content_filter,
                                   stop_reason::paused, stop_reason::unknown})
        BOOST_TEST(!reply_cache::is_kept(answer("x", stop)));
    BOOST_TEST(reply_cache::is_kept(answer("x", stop_reason::tool_calls)));
    reply_cache cache;
    look(cache, "a").succeed(answer("x", stop_reason::length), start);
    BOOST_TEST(!has(cache, "a"));
}

BOOST_AUTO_TEST_CASE(who_waits_gets_what_the_leader_got)
{
    reply_cache cache;
    auto leader = look(cache, "a");
    auto follower = look(cache, "a");
    auto other = look(cache, "b");
    BOOST_TEST((follower.now_is() == state::waits));
    BOOST_TEST((other.now_is() == state::leads));
    follower.look(start);
    BOOST_TEST((follower.now_is() == state::waits));
    leader.succeed(answer("cut", weft::stop_reason::length), start);
    follower.look(start);
    BOOST_TEST((follower.now_is() == state::found));
    BOOST_TEST(follower.reply()->message.text() == "cut");
    BOOST_TEST(cache.counts().shared == 1);

    auto failing = look(cache, "a");
    auto waiting = look(cache, "a");
    failing.fail(std::make_exception_ptr(weft::error{weft::errc::connection_lost}));
    waiting.look(start);
    BOOST_TEST((waiting.now_is() == state::failed));
    BOOST_TEST((weft::code_of(waiting.error()) == weft::errc::connection_lost));
}

BOOST_AUTO_TEST_CASE(the_lead_goes_to_one_who_waits_if_the_leader_goes)
{
    reply_cache cache;
    std::optional<reply_cache::lookup> leader{look(cache, "a")};
    auto first = look(cache, "a");
    auto second = look(cache, "a");
    leader.reset();
    first.look(start);
    second.look(start);
    BOOST_TEST((first.now_is() == state::leads));
    BOOST_TEST((second.now_is() == state::waits));
    first.succeed(answer("x"), start);
    second.look(start);
    BOOST_TEST((second.now_is() == state::found));
}

BOOST_AUTO_TEST_SUITE_END()
