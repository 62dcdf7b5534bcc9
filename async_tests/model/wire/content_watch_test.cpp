#include <boost/test/unit_test.hpp>

#include "model/wire/content_watch.hpp"

#include <chrono>

BOOST_AUTO_TEST_SUITE(content_watch_test)

using namespace std::chrono_literals;
using weft::errc;
using weft::model_detail::content_watch;
using weft::model_detail::content_waits;

namespace {

constexpr content_waits waits{.first_max = 60s, .gap_max = 30s};

}  // namespace

BOOST_AUTO_TEST_CASE(P45_pings_and_reports_do_not_lengthen_the_wait_for_the_first_token)
{
    const weft::time_point begin;
    weft::no_sink target;
    content_watch watch{target, waits, begin};
    BOOST_TEST((watch.left(begin) == 60s));
    watch.fed(begin + 20s);  // a ping
    watch.on_started("id", "m");
    watch.on_usage({});
    watch.fed(begin + 40s);
    BOOST_TEST((watch.left(begin + 45s) == 15s));
    BOOST_TEST((watch.left(begin + 61s) == 0s));
    BOOST_TEST((watch.expired().code() == errc::first_byte_timeout));
    BOOST_TEST(watch.expired().detail().find("60000 ms, which first_token_max allows") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(P45_every_piece_of_an_answer_starts_the_gap_anew)
{
    const weft::time_point begin;
    weft::no_sink target;
    content_watch watch{target, waits, begin};
    weft::time_point now = begin + 50s;
    const auto check_piece = [&](auto tell) {
        tell();
        watch.fed(now);
        BOOST_TEST((watch.left(now + 29s) == 1s));
        watch.fed(now + 29s);  // a ping
        BOOST_TEST((watch.left(now + 30s) == 0s));
        now += 29s;
    };
    check_piece([&] { watch.on_reasoning("hm"); });
    check_piece([&] { watch.on_text("a"); });
    check_piece([&] { watch.on_refusal("no"); });
    check_piece([&] { watch.on_tool_call(0, "c", "f"); });
    check_piece([&] { watch.on_tool_arguments(0, "{"); });
    BOOST_TEST((watch.expired().code() == errc::gap_timeout));
    watch.resume(now + 100s);  // the caller had no room meanwhile
    BOOST_TEST((watch.left(now + 110s) == 20s));
}

BOOST_AUTO_TEST_SUITE_END()
