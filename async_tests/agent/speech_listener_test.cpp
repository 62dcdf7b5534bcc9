#include <weft/agent/speech_listener.hpp>

#include <weft/async/sleep.hpp>
#include <weft/base/json.hpp>
#include <weft/testing/simulation.hpp>

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(speech_listener_test)

using namespace std::chrono_literals;
using weft::speech_reason;

namespace {

struct heard_record {
    weft::speech_record record;
    std::chrono::nanoseconds at;
};

/** What is said, and how long it is quiet behind it. */
struct spoken {
    std::string piece;
    std::chrono::milliseconds quiet;
};

weft::task<void> speak(weft::speech_listener& ear, std::vector<spoken> pieces)
{
    for (const spoken& one : pieces) {
        (void)ear.hear(one.piece);
        co_await weft::sleep_for(one.quiet);
    }
}

std::vector<heard_record> listen_to(std::vector<spoken> pieces)
{
    weft::testing::simulation sim{1};
    std::vector<heard_record> heard;
    weft::speech_listener ear{sim.loop(), "thread-1", [&](weft::speech_record record) {
                                  heard.push_back({std::move(record), sim.elapsed()});
                              }};
    sim.run(speak(ear, std::move(pieces)));
    return heard;
}

}  // namespace

BOOST_AUTO_TEST_CASE(SUL_14_a_pause_hands_a_long_text_over_and_silence_a_short_one)
{
    const std::vector<heard_record> heard =
        listen_to({{"the boat with the red sails", 5s}, {"oh", 5s}});
    BOOST_REQUIRE(heard.size() == 2u);
    BOOST_TEST((heard[0].record.reason == speech_reason::pause));
    BOOST_TEST((heard[0].at == 1500ms));
    BOOST_TEST(heard[0].record.content == "the boat with the red sails");
    BOOST_TEST(heard[0].record.thread == "thread-1");
    BOOST_TEST((heard[1].record.reason == speech_reason::silence));
    BOOST_TEST((heard[1].at == 8s));
}

BOOST_AUTO_TEST_CASE(SUL_14_who_never_stops_is_answered_after_fifteen_seconds)
{
    std::vector<spoken> pieces(40, spoken{"and then", 500ms});
    const std::vector<heard_record> heard = listen_to(std::move(pieces));
    BOOST_REQUIRE(!heard.empty());
    BOOST_TEST((heard[0].record.reason == speech_reason::too_old));
    BOOST_TEST((heard[0].at >= 14500ms && heard[0].at <= 15s));
}

BOOST_AUTO_TEST_CASE(SUL_14_a_complete_thought_is_handed_over_at_once_and_nothing_twice)
{
    const std::vector<heard_record> heard = listen_to({{"could you", 100ms}, {"tell me the time in Rome", 10s}});
    BOOST_REQUIRE(heard.size() == 1u);
    BOOST_TEST((heard[0].record.reason == speech_reason::complete_thought));
    BOOST_TEST((heard[0].at == 100ms));
    const boost::json::object record = weft::to_json(heard[0].record).as_object();
    BOOST_TEST(record.at("processed").as_bool() == false);
    BOOST_TEST(record.at("handoff_type").as_string() == "speech_buffer");
    BOOST_TEST(record.at("timestamp").as_int64() > 0);
}

BOOST_AUTO_TEST_CASE(SUL_14_what_is_left_can_be_flushed_or_dropped)
{
    weft::testing::simulation sim{1};
    std::vector<std::string> heard;
    {
        weft::speech_listener ear{sim.loop(), "t",
                                  [&](const weft::speech_record& record) { heard.push_back(record.content); }};
        BOOST_TEST(!ear.hear("one"));
        BOOST_TEST(ear.buffer().content == "one");
        BOOST_TEST(ear.flush());
        BOOST_TEST(!ear.flush());
        BOOST_TEST(!ear.hear("two"));
    }
    while (sim.try_step()) {}
    BOOST_TEST(heard == std::vector<std::string>{"one"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
