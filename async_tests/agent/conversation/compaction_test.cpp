#include <boost/test/unit_test.hpp>

#include "agent/conversation/phase_summary.hpp"
#include "agent/talks.hpp"

#include <weft/agent/conversation/compaction.hpp>

#include <algorithm>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(compaction_test)

namespace {

using weft::entry_kind;

weft::compaction_rules rules_of(std::int64_t context)
{
    weft::compaction_rules rules;
    rules.context_max = weft::tokens{context};
    rules.results_kept = weft::tokens{context / 12};
    return rules;
}

weft::compaction compacted(weft::conversation& talk, const weft::compaction_rules& rules)
{
    return weft::compact(talk, by("n"), rules, {});
}

bool needs(const weft::conversation& talk, const weft::compaction_rules& rules)
{
    return weft::needs_compaction(talk, "", rules, {});
}

/** So many calls, each with a result of so many tokens and a word of the model about it. */
std::string rounds(int count, int tokens)
{
    std::string words;
    for (int i = 0; i < count; ++i) words += "c1 r" + std::to_string(tokens) + " a2 ";
    return words;
}

bool is_shortened(const weft::conversation& talk, std::uint32_t position)
{
    const weft::conversation_view view = weft::view_of(talk);
    const auto found = std::find(view.positions.begin(), view.positions.end(), position);
    if (found == view.positions.end()) return false;
    const auto place = static_cast<std::size_t>(found - view.positions.begin());
    return view.messages[place].text().starts_with("[Old tool result");
}

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_39_it_begins_at_four_fifths_of_the_context)
{
    weft::conversation talk = talk_of("u796");
    BOOST_TEST(needs(talk, rules_of(1'000)));
    BOOST_TEST(!needs(talk, rules_of(1'002)));
    weft::token_estimator twice;
    twice.factor *= 2;
    BOOST_TEST(weft::needs_compaction(talk, "", rules_of(2'000), twice));
    BOOST_TEST(!weft::needs_compaction(talk, "other", rules_of(1'000), {}));
    weft::conversation quiet = talk_of(rounds(4, 100));
    const weft::conversation before = quiet;
    const weft::compaction nothing = compacted(quiet, rules_of(100'000));
    BOOST_TEST(nothing.changes.empty());
    BOOST_TEST((nothing.before == nothing.after && quiet == before));
}

BOOST_AUTO_TEST_CASE(HIV_39_first_old_results_are_shortened)
{
    weft::conversation talk = talk_of("s u5 " + rounds(12, 500));
    const weft::compaction done = compacted(talk, rules_of(7'000));
    BOOST_TEST(done.results_shortened == 10u);  // of twelve; the newest four replies are two rounds
    BOOST_TEST(done.pairs_left_out == 0u);
    BOOST_TEST(!done.wants_summary);
    BOOST_TEST(done.changes.size() == 1u);
    BOOST_TEST((done.after < done.before));
    BOOST_TEST((done.after == talk.find_lane("")->estimate));
    BOOST_TEST(weft::view_of(talk).messages.size() == talk.size() - 1);
    BOOST_TEST(is_shortened(talk, 3));
    BOOST_TEST(!is_shortened(talk, static_cast<std::uint32_t>(talk.size() - 3)));
    BOOST_TEST(compacted(talk, rules_of(7'000)).changes.empty());
}

BOOST_AUTO_TEST_CASE(HIV_39_errors_short_results_and_the_newest_are_not_shortened)
{
    weft::conversation talk = talk_of("u c1 E900! c1 E900 c1 r10 c1 r900 " + rounds(6, 900));
    const weft::compaction_rules rules = rules_of(8'000);
    const weft::compaction done = compacted(talk, rules);
    BOOST_TEST(done.results_shortened > 0u);
    BOOST_TEST(!is_shortened(talk, 2));
    BOOST_TEST(!is_shortened(talk, 4));
    BOOST_TEST(!is_shortened(talk, 6));
    BOOST_TEST(is_shortened(talk, 8));
}

BOOST_AUTO_TEST_CASE(HIV_39_pictures_count_and_are_left_out_with_their_results)
{
    weft::conversation talk = talk_of("u c1");
    weft::message shot = weft::message::tool_result("call-1", "See:");
    shot.content.emplace_back(weft::image_part{.url = "https://x/y.png"});
    shot.content.emplace_back(weft::image_part{.url = "https://x/z.png"});
    talk.add(shot, by("n"));
    for (const weft::conversation_entry& entry : talk_of("a5 " + rounds(3, 700))) talk.add(entry.message, by("n"));
    const weft::compaction done = compacted(talk, rules_of(5'000));
    BOOST_TEST(done.results_shortened >= 1u);
    const weft::message shown = weft::view_of(talk).messages[2];
    BOOST_TEST(shown.text() == "[Old tool result, left out: 4 bytes and 2 pictures]");
    BOOST_TEST(shown.content.size() == 1u);
}

BOOST_AUTO_TEST_CASE(HIV_39_a_little_is_not_worth_a_lost_cache)
{
    // One old result of 900 tokens, where a thousand must come back; the rest is words of the model.
    weft::conversation talk = talk_of("u c1 r900 a9000 a1 a1 a1 a1 a1");
    const weft::compaction done = compacted(talk, rules_of(12'000));
    BOOST_TEST(done.results_shortened == 0u);
    BOOST_TEST(done.pairs_left_out == 1u);  // it is too long all the same
    BOOST_TEST(!done.wants_summary);
}

BOOST_AUTO_TEST_CASE(HIV_39_then_old_pairs_are_left_out_and_counted)
{
    weft::conversation talk = talk_of("s u5 " + rounds(60, 20));
    const weft::compaction_rules rules = rules_of(2'000);
    const weft::compaction done = compacted(talk, rules);
    BOOST_TEST(done.results_shortened == 0u);  // they are short
    BOOST_TEST(done.pairs_left_out > 0u);
    BOOST_TEST(!done.wants_summary);
    BOOST_TEST((done.after <= weft::tokens{1'000} + weft::tokens{60}));  // half, and the line about them
    const weft::conversation_view view = weft::view_of(talk);
    BOOST_TEST(fault_of_pairs(view.messages) == "");
    BOOST_TEST(notes_of(view) == "");
    const std::string line = "[Left out: earlier tool calls and their results: find ×" +
                             std::to_string(done.pairs_left_out) + "]";
    BOOST_TEST(view.messages[2].text() == line);
    BOOST_TEST(view.messages[3].text() == text_of_tokens(2));  // what the model said stays
}

BOOST_AUTO_TEST_CASE(HIV_39_then_only_a_summary_helps)
{
    weft::conversation talk = talk_of("s u5 a500 a500 a500 a500 a500 a500");
    const weft::compaction done = compacted(talk, rules_of(3'000));
    BOOST_TEST(done.wants_summary);
    BOOST_TEST(done.changes.empty());
    BOOST_TEST((done.after == done.before));
}

BOOST_AUTO_TEST_CASE(HIV_39_transition_markers_and_pinned_values_survive)
{
    talk_maker made{"s u5 c1 r300! " + rounds(4, 300), by("a", "", "research")};
    weft::phase_summary move;
    move.from = "research";
    move.to = "writing";
    BOOST_TEST(weft::enter_phase(made.talk, move, by("b")).has_value());
    const auto marker = static_cast<std::uint32_t>(made.talk.size() - 1);
    made.add(rounds(12, 300));
    const weft::compaction done = compacted(made.talk, rules_of(4'000));
    BOOST_TEST(done.results_shortened > 0u);
    const weft::conversation_view view = weft::view_of(made.talk);
    BOOST_TEST(std::count(view.positions.begin(), view.positions.end(), marker) == 1);
    BOOST_TEST(!is_shortened(made.talk, 3));
    BOOST_TEST(fault_of_pairs(view.messages) == "");
}

BOOST_AUTO_TEST_CASE(HIV_39_of_three_phases_the_newest_two_keep_their_results)
{
    talk_maker first{rounds(4, 500), by("a", "", "one")};
    weft::conversation talk = first.talk;
    const auto add_phase = [&](const std::string& phase) {
        for (const weft::conversation_entry& entry : talk_of(rounds(4, 500)))
            talk.add(entry.message, by("n", "", phase));
    };
    add_phase("two");
    add_phase("three");
    weft::compaction_rules rules = rules_of(7'000);
    rules.replies_kept = 0;
    rules.results_kept = weft::tokens{1};
    weft::conversation three = talk;
    BOOST_TEST(compacted(three, rules).results_shortened == 4u);
    BOOST_TEST(is_shortened(three, 1));
    BOOST_TEST(!is_shortened(three, 13));
    rules.phases_kept = 3;  // with no more phases than these, phases protect nothing
    BOOST_TEST(compacted(talk, rules).results_shortened == 12u);
}

BOOST_AUTO_TEST_CASE(HIV_39_no_view_of_a_compacted_talk_has_half_a_pair)
{
    for (unsigned seed = 1; seed <= 150; ++seed) {
        std::mt19937 random{seed};
        talk_maker made;
        for (int step = 0; step < 10; ++step) {
            made.add(random_words(random, 12));
            weft::compaction_rules rules = rules_of(static_cast<std::int64_t>(400 + random() % 2'000));
            rules.replies_kept = random() % 5;
            const weft::tokens before = made.talk.find_lane("")->estimate;
            weft::conversation replayed = made.talk;
            const weft::compaction done = compacted(made.talk, rules);
            for (const weft::conversation_change& change : done.changes) replayed.apply(change);
            BOOST_TEST_CONTEXT("seed " << seed << ", step " << step) {
                BOOST_REQUIRE(replayed == made.talk);
                BOOST_REQUIRE((done.after <= before + weft::tokens{20}));
                const weft::conversation_view view = weft::view_of(made.talk);
                BOOST_REQUIRE_EQUAL(fault_of_pairs(view.messages), "");
                BOOST_REQUIRE(weft::view_of(replayed).messages == view.messages);
            }
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
