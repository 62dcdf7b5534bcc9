#include <boost/test/unit_test.hpp>

#include "agent/conversation/phase_summary.hpp"
#include "agent/talks.hpp"

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(phase_summary_test)

namespace {

weft::phase_summary move_to(std::string from, std::string to)
{
    weft::phase_summary move;
    move.from = std::move(from);
    move.to = std::move(to);
    return move;
}

std::size_t markers_in(const weft::conversation& talk)
{
    std::size_t count = 0;
    for (const weft::conversation_entry& entry : talk) count += entry.label == "transition" ? 1 : 0;
    return count;
}

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_40_the_marker_says_what_is_done_and_what_is_the_only_task_now)
{
    weft::phase_summary move = move_to("research", "writing");
    move.from_description = "find facts";
    move.to_description = "write the report";
    move.outputs = {{"facts", std::string(400, 'f')}};
    move.files = {"b.csv", "a.csv"};
    move.tools = {"save", "read"};
    BOOST_TEST(weft::to_text(move) ==
               "--- PHASE TRANSITION: research → writing ---\n\nDone: research — find facts\nIts outputs:\n- facts: " +
                   std::string(300, 'f') +
                   "…\nData files: a.csv, b.csv\nTools now: read, save\n\nNow: writing — write the report\n"
                   "This is the only task now; what came before is its background.\n"
                   "Before you begin: what of the work so far matters for it, and what is still open?\n\n"
                   "--- END TRANSITION ---");
}

BOOST_AUTO_TEST_CASE(HIV_40_there_is_one_marker_for_each_move)
{
    talk_maker made{"u a", by("a", "", "research")};
    BOOST_TEST(!weft::enter_phase(made.talk, move_to("", "research"), by("a")));
    const auto change = weft::enter_phase(made.talk, move_to("research", "writing"), by("b"));
    BOOST_REQUIRE(change.has_value());
    BOOST_TEST(made.talk[2].is_pinned);
    BOOST_TEST((made.talk[2].message.role == weft::role::user));
    BOOST_TEST(made.talk[2].from.phase == "writing");
    // Again, as after a crash between the marker and what follows it.
    const weft::conversation resumed = weft::from_json<weft::conversation>(weft::to_json(made.talk));
    weft::conversation again = resumed;
    BOOST_TEST(!weft::enter_phase(again, move_to("research", "writing"), by("b")));
    made.talk.add(weft::message::assistant("draft"), by("b", "", "writing"));
    BOOST_TEST(!weft::enter_phase(made.talk, move_to("writing", "writing"), by("b")));
    BOOST_TEST(weft::enter_phase(made.talk, move_to("writing", "research"), by("a")).has_value());
    BOOST_TEST(markers_in(made.talk) == 2u);
}

BOOST_AUTO_TEST_CASE(HIV_40_before_the_first_part_and_in_isolation_there_is_none)
{
    weft::conversation talk;
    BOOST_TEST(!weft::enter_phase(talk, move_to("", "research"), by("a")));
    BOOST_TEST(talk.empty());
    talk_maker made{"u a", by("a", "", "research")};
    BOOST_TEST(!weft::enter_phase(made.talk, move_to("research", "writing"), by("b", "b")));  // its lane is new
    BOOST_TEST(markers_in(made.talk) == 0u);
}

BOOST_AUTO_TEST_CASE(HIV_39_the_marker_survives_a_summary)
{
    talk_maker made{"u a", by("a", "", "research")};
    (void)weft::enter_phase(made.talk, move_to("research", "writing"), by("b"));
    made.add("a a u");
    BOOST_TEST(shown(made.talk, 0) == "2 5");
}

BOOST_AUTO_TEST_SUITE_END()
