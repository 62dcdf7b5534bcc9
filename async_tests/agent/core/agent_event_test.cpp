#include <boost/test/unit_test.hpp>

#include <weft/agent/core/agent_event.hpp>

#include <string>
#include <string_view>
#include <type_traits>

BOOST_AUTO_TEST_SUITE(agent_event_test)

namespace {

namespace event = weft::agent_event;

// A name of an event reads as text, and text is no name of an event.
static_assert(std::is_convertible_v<weft::agent_event_name, std::string_view>);
static_assert(!std::is_convertible_v<const char*, weft::agent_event_name>);
static_assert(!std::is_convertible_v<std::string_view, weft::agent_event_name>);
static_assert(event::retract == "retract" && event::retract == event::retract && !(event::retract == event::usage));

}  // namespace

BOOST_AUTO_TEST_CASE(a_label_of_an_event_is_compared_with_its_name)
{
    const std::string label = "retract";
    BOOST_TEST((label == event::retract));
    BOOST_TEST((label != event::usage));
    BOOST_TEST(event::retract.text() == "retract");
}

BOOST_AUTO_TEST_CASE(names_that_run_logs_store_stay)
{
    // Logs that earlier versions wrote have these texts, which differ from the names of the constants.
    BOOST_TEST(event::input_blocked.text() == "node_input_blocked");
    BOOST_TEST(event::input_requested.text() == "client_input_requested");
    BOOST_TEST(event::input_received.text() == "client_input_received");
    BOOST_TEST(event::stalled.text() == "node_stalled");
    BOOST_TEST(event::doom_loop.text() == "tool_doom_loop");
}

BOOST_AUTO_TEST_SUITE_END()
