#include <boost/test/unit_test.hpp>

#include "agent/talks.hpp"

#include <weft/agent/conversation/handoff_summary.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(handoff_summary_test)

namespace {

weft::conversation replies(std::initializer_list<std::string> texts, const std::string& lane = {})
{
    weft::conversation talk;
    talk.add(weft::message::user("do it"), by("n", lane));
    for (const std::string& text : texts) talk.add(weft::message::assistant(text), by("n", lane));
    return talk;
}

}  // namespace

BOOST_AUTO_TEST_CASE(it_has_the_first_and_the_last_reply_cut_and_the_outputs)
{
    const std::string longest(900, 'x');
    const weft::conversation talk = replies({"first", "second", longest});
    const weft::handoff_summary made =
        weft::make_handoff_summary(talk, "", "research", {{"facts", std::string(400, 'f')}});
    BOOST_TEST(made.turns == 3u);
    BOOST_TEST((made.tokens == talk.find_lane("")->estimate));
    BOOST_TEST(made.summary == "first\n…\n" + std::string(500, 'x') + "…");
    BOOST_TEST(made.outputs.front().text == std::string(300, 'f') + "…");
    BOOST_TEST(weft::make_handoff_summary(replies({"only"}), "", "n", {}).summary == "only");
    BOOST_TEST(weft::make_handoff_summary({}, "", "n", {}).summary == "");
}

BOOST_AUTO_TEST_CASE(a_node_reads_it_as_text)
{
    weft::handoff_summary made;
    made.node = "research";
    made.turns = 3;
    made.tokens = weft::tokens{120};
    made.outputs = {{"facts", "It rains."}};
    made.summary = "All found.";
    BOOST_TEST(weft::to_text(made) == "--- CONTEXT FROM: research (3 turns, ~120 tokens) ---\n"
                                      "KEY OUTPUTS:\n- facts: It rains.\nSUMMARY:\nAll found.\n--- END CONTEXT ---");
    BOOST_TEST(weft::to_text(weft::handoff_summary{.node = "n"}) == "--- CONTEXT FROM: n (0 turns, ~0 tokens) ---\n"
                                                             "--- END CONTEXT ---");
    BOOST_TEST((weft::from_json<weft::handoff_summary>(weft::to_json(made)) == made));
}

BOOST_AUTO_TEST_CASE(a_model_can_be_asked_for_its_summary)
{
    const weft::chat_request request = weft::handoff_summary_request(replies({"first", "last"}), "", {{"facts", ""}});
    BOOST_TEST((request.output_max == weft::tokens{500}));
    BOOST_TEST(request.messages.front().text().find("Say most about: facts.") != std::string::npos);
    BOOST_TEST(request.messages.back().text() ==
               "Transcript:\n\nuser: do it\nassistant: first\nassistant: last\n");
}

BOOST_AUTO_TEST_CASE(HIV_40_an_isolated_node_talks_in_a_lane_of_its_own_afresh_on_each_visit)
{
    using enum weft::conversation_mode;
    BOOST_TEST(weft::lane_of(continuous, "write") == "");
    BOOST_TEST(weft::lane_of(isolated, "write") == "write");

    weft::conversation talk = replies({"found it"});
    weft::conversation replayed = talk;
    const auto visit = [&] {
        const weft::handoff_summary left = weft::make_handoff_summary(talk, "", "research", {});
        for (const auto& change : weft::begin_lane(talk, {left}, by("write", "write"))) replayed.apply(change);
        replayed.apply(talk.add(weft::message::assistant("written"), by("write", "write")));
    };
    visit();
    weft::view_options own;
    own.lane = "write";
    BOOST_TEST(weft::view_of(talk, own).messages.size() == 2u);
    BOOST_TEST(weft::view_of(talk, own).messages[0].text().find("found it") != std::string::npos);
    visit();
    const weft::conversation_view second = weft::view_of(talk, own);
    BOOST_TEST(shown(second) == "5 6");
    BOOST_TEST(shown(talk) == "0 1");  // the main lane has seen nothing of it
    BOOST_TEST((replayed == talk));
    BOOST_TEST(weft::begin_lane(talk, {}, by("new", "new")).empty());
}

BOOST_AUTO_TEST_SUITE_END()
