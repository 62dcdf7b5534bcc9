#include <boost/test/unit_test.hpp>

#include "agent/core/dry_run_model.hpp"
#include "agent/guards.hpp"

#include <utility>

BOOST_AUTO_TEST_SUITE(dry_run_model_test)

namespace {

using weft::agent_detail::dry_run_model;
using weft::agent_detail::scripted_line;

/** What a model says to an empty request, and what its sink hears. */
std::pair<weft::chat_reply, std::string> ask(weft::message said)
{
    dry_run_model model{[&said](const weft::chat_request&) { return said; }};
    weft_tests::noting_sink sink;
    weft::testing::simulation sim{1};
    weft::chat_reply reply = sim.run(model.reply(weft::chat_request{}, sink));
    return {std::move(reply), sink.heard};
}

}  // namespace

BOOST_AUTO_TEST_CASE(it_says_what_the_function_makes_of_the_request)
{
    const auto [reply, heard] = ask(weft::message::assistant("Rain."));
    BOOST_TEST(reply.message.text() == "Rain.");
    BOOST_TEST((reply.stop == weft::stop_reason::stop));
    BOOST_TEST((reply.usage == weft::usage{}));
    BOOST_TEST(heard == "'Rain.'");
}

BOOST_AUTO_TEST_CASE(a_message_with_calls_stops_for_them)
{
    weft::message said = weft::message::assistant("");
    said.tool_calls.push_back({"c-1", "look", "{}"});
    const auto [reply, heard] = ask(std::move(said));
    BOOST_TEST((reply.stop == weft::stop_reason::tool_calls));
    BOOST_TEST(heard == "");
}

BOOST_AUTO_TEST_CASE(behind_its_end_a_script_says_its_last_line_again)
{
    const std::vector<std::string> script{"a", "b"};
    BOOST_TEST(scripted_line(script, 0) == "a");
    BOOST_TEST(scripted_line(script, 1) == "b");
    BOOST_TEST(scripted_line(script, 7) == "b");
}

BOOST_AUTO_TEST_SUITE_END()
