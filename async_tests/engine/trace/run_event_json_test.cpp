#include <boost/test/unit_test.hpp>

#include "engine/run/run_logs.hpp"

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(run_event_json_test)

BOOST_AUTO_TEST_CASE(members_at_their_defaults_are_left_out)
{
    weft::run_event event;
    event.sequence = 7;
    event.what = weft::run_event::kind::run_started;
    BOOST_TEST(weft::to_json_text(to_json(event, event.at)) == R"({"sequence":7,"kind":"run_started","ms":0.0})");
}

BOOST_AUTO_TEST_CASE(all_members_are_there_with_microseconds)
{
    weft::run_event event;
    event.sequence = 12;
    event.what = weft::run_event::kind::edge_taken;
    event.at = weft::time_point{1'234'567'400ns};
    event.address = "a/b";
    event.address_visits = "1/2";
    event.source = "x";
    event.node = "y";
    event.branch = 3;
    event.visit = 4;
    event.attempt = 5;
    event.number = 6;
    event.edge = 0;
    event.label = "l";
    event.text = "say \"x\"\n";
    BOOST_TEST(weft::to_json_text(to_json(event, weft::time_point{1s})) ==
               R"({"sequence":12,"kind":"edge_taken","ms":234.567,"address":"a/b","address_visits":"1/2","source":"x",)"
               R"("node":"y","branch":3,"visit":4,"attempt":5,"number":6,"edge":0,"label":"l","text":"say \"x\"\n"})");
}

BOOST_AUTO_TEST_CASE(the_first_branch_is_said_where_branches_matter)
{
    weft::run_event event;
    event.what = weft::run_event::kind::node_started;
    BOOST_TEST(to_json(event, event.at).at("branch") == 0);
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_text_and_times_before_the_beginning_do_no_harm)
{
    weft::run_event event;
    event.text = "a\xff";
    const auto json = to_json(event, event.at + 1s);
    BOOST_TEST(json.at("text") == "a\xEF\xBF\xBD");
    BOOST_TEST(json.at("ms") == 0.0);
}

BOOST_AUTO_TEST_CASE(every_kind_has_a_name_that_leads_back)
{
    for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(weft::run_event::kind::gap); ++i) {
        const auto kind = static_cast<weft::run_event::kind>(i);
        BOOST_TEST((weft::event_kind_of(name_of(kind)) == kind), name_of(kind));
    }
    BOOST_TEST(!weft::event_kind_of("unknown"));
    BOOST_TEST(!weft::event_kind_of(""));
}

BOOST_AUTO_TEST_CASE(moments_are_written_in_utc)
{
    const weft::clock::system_time_point epoch;
    BOOST_TEST(weft::to_utc_text(epoch) == "1970-01-01T00:00:00Z");
    BOOST_TEST(weft::to_utc_text(epoch + std::chrono::seconds{951'827'696} + 999ms) == "2000-02-29T12:34:56Z");
}

BOOST_AUTO_TEST_SUITE_END()
