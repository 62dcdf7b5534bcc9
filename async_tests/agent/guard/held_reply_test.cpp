#include <boost/test/unit_test.hpp>

#include "agent/guard/held_reply.hpp"
#include "agent/guards.hpp"

using namespace weft_tests;
using weft::agent_detail::holding_sink;
using weft::agent_detail::piece_cutter;

BOOST_AUTO_TEST_SUITE(held_reply_test)

namespace {

/** Everything that can be cut now: `before>text`, with bars between. */
std::string cut(piece_cutter& cutter)
{
    std::string text;
    while (const auto piece = cutter.next())
        text.append(text.empty() ? "" : "|").append(piece->before).append(">").append(piece->text);
    return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(pieces_are_cut_behind_blanks_and_at_the_end)
{
    piece_cutter cutter{8, 4};
    cutter.add("One");
    BOOST_TEST(cut(cutter) == "");
    cutter.add(" two three");
    BOOST_TEST(cut(cutter) == ">One two ");
    BOOST_TEST(!cutter.is_done());
    cutter.end();
    BOOST_TEST(cut(cutter) == "two >three");
    BOOST_TEST(cutter.is_done());
}

BOOST_AUTO_TEST_CASE(a_long_word_is_torn_but_no_character)
{
    piece_cutter cutter{4, 100};
    cutter.add("ééééé");
    BOOST_TEST(cut(cutter) == ">éé|éé>éé");
    cutter.end();
    BOOST_TEST(cut(cutter) == "éééé>é");
    piece_cutter stray{1, 0};
    stray.add("\xE2\x82");
    stray.end();
    while (stray.next()) {
    }
    BOOST_TEST(stray.is_done());
}

BOOST_AUTO_TEST_CASE(a_model_that_begins_anew_begins_a_round)
{
    piece_cutter cutter{4, 100};
    cutter.add("One two");
    const auto first = cutter.next();
    BOOST_REQUIRE(first);
    cutter.begin_anew();
    BOOST_TEST(cutter.round() != first->round);
    BOOST_TEST(cutter.waiting() == 0u);
    cutter.add("Two one");
    BOOST_TEST(cut(cutter) == ">Two ");
}

BOOST_AUTO_TEST_CASE(held_deltas_are_told_in_their_order)
{
    noting_sink heard;
    holding_sink held{heard, 20};
    held.on_started("id", "m");
    held.on_text("wrong");
    held.on_retracted();
    held.on_started("id", "m");
    held.on_text("a");
    held.on_text("b");
    held.on_tool_call(0, "1", "find");
    held.on_text("c");
    BOOST_TEST(heard.heard == "");
    BOOST_TEST(!held.is_full());
    held.on_text("0123456789");
    BOOST_TEST(held.is_full());
    held.open();
    BOOST_TEST(!held.is_full());
    held.on_text("d");
    held.on_retracted();
    BOOST_TEST(heard.heard == "start 'ab' call find 'c0123456789' 'd' retract");
}

namespace {

weft::task<void> fill_and_wait(std::string& log)
{
    noting_sink heard;
    holding_sink held{heard, 3};
    held.on_text("full");
    const weft::task_context& context = co_await weft::this_task::context();
    weft::task<> waiting = held.wait_for_room();
    static_cast<void>(waiting.start(context, [](void*) {}, nullptr));
    co_await weft::sleep_for(std::chrono::seconds{1});
    log += held.is_full() ? "full " : "open ";
    held.open();
    co_await weft::sleep_for(std::chrono::seconds{1});
    log += heard.heard;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_full_one_makes_the_model_wait_until_it_is_opened)
{
    weft::testing::simulation sim{1};
    std::string log;
    sim.run(fill_and_wait(log));
    BOOST_TEST(log == "full 'full'");
}

BOOST_AUTO_TEST_SUITE_END()
