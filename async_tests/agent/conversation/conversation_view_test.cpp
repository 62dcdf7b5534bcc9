#include <boost/test/unit_test.hpp>

#include "agent/talks.hpp"

#include <algorithm>
#include <set>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(conversation_view_test)

namespace {

using weft::entry_kind;

weft::view_options budget_of(std::int64_t tokens)
{
    weft::view_options options;
    options.budget = weft::tokens{tokens};
    return options;
}

/** What the messages of a view are estimated at, message by message. */
std::int64_t weight_of(const weft::conversation_view& view)
{
    std::int64_t sum = 0;
    for (const weft::message& said : view.messages) sum += weft::estimate_message(said).count();
    return sum;
}

/** What is always in a view, by looking at every entry. */
std::int64_t weight_of_protected(const weft::conversation& talk)
{
    weft::view_options none = budget_of(0);
    return weight_of(weft::view_of(talk, none));
}

void check_same(const weft::conversation_view& a, const weft::conversation_view& b)
{
    BOOST_REQUIRE(a.messages == b.messages);
    BOOST_REQUIRE(a.positions == b.positions);
    BOOST_REQUIRE(a.shapes == b.shapes);
    BOOST_REQUIRE_EQUAL(a.estimated.count(), b.estimated.count());
    BOOST_REQUIRE_EQUAL(a.is_over_budget, b.is_over_budget);
    BOOST_REQUIRE_EQUAL(a.left_out, b.left_out);
    BOOST_REQUIRE_EQUAL(notes_of(a), notes_of(b));
    BOOST_REQUIRE_EQUAL(a.basis.has_value(), b.basis.has_value());
    if (!a.basis) return;
    BOOST_REQUIRE_EQUAL(a.basis->weight, b.basis->weight);
    BOOST_REQUIRE_EQUAL(a.basis->system_weight, b.basis->system_weight);
    BOOST_REQUIRE(a.basis->of == b.basis->of);
}

void check_rules(const weft::conversation& talk, const weft::view_options& options)
{
    const weft::conversation_view view = weft::view_of(talk, options);
    BOOST_REQUIRE_EQUAL(fault_of_pairs(view.messages), "");
    BOOST_REQUIRE_EQUAL(view.messages.size(), view.positions.size());
    BOOST_REQUIRE_EQUAL(view.estimated.count(), options.estimator.corrected(weft::tokens{weight_of(view)}).count());
    if (view.is_over_budget) {
        const weft::tokens kept = options.estimator.corrected(weft::tokens{weight_of_protected(talk)});
        BOOST_REQUIRE(kept > options.budget);
        BOOST_REQUIRE(view.estimated == kept);
        BOOST_REQUIRE(notes_of(view).find("over_budget") != std::string::npos);
    } else {
        BOOST_REQUIRE(view.estimated <= options.budget);
    }
    const std::set<std::uint32_t> in(view.positions.begin(), view.positions.end());
    BOOST_REQUIRE_EQUAL(in.size(), view.positions.size());
    for (weft::lane_cursor at{talk, options.lane}; !at.is_done(); at.next()) {
        const bool is_kept = at.entry().message.role == weft::role::system && !at.entry().is_mark();
        const bool is_latest = at.position() == talk.find_lane(options.lane)->latest_user;
        if (is_kept || is_latest) BOOST_REQUIRE(in.contains(at.position()));
    }
    const weft::conversation_view again = weft::view_of(talk, options);
    BOOST_REQUIRE(again.messages == view.messages);
}

}  // namespace

BOOST_AUTO_TEST_CASE(with_room_for_all_it_is_the_conversation)
{
    const weft::conversation talk = talk_of("s u c2 r r a u");
    const weft::conversation_view view = weft::view_of(talk);
    BOOST_TEST(shown(view) == "0 1 2 3 4 5 6");
    for (std::size_t i = 0; i < talk.size(); ++i) BOOST_TEST((view.messages[i] == talk[i].message));
    BOOST_TEST(view.left_out == 0u);
    BOOST_TEST(notes_of(view) == "");
    BOOST_TEST(shown(weft::view_of({})) == "");
}

BOOST_AUTO_TEST_CASE(SUL_7_the_newest_come_in_first_and_system_and_latest_user_always)
{
    // Messages of 10 tokens each, four of them for the frame.
    const weft::conversation talk = talk_of("s6 u6 a6 u6 a6 u6 a6 a6");
    BOOST_TEST(shown(talk, 80) == "0 1 2 3 4 5 6 7");
    BOOST_TEST(shown(talk, 79) == "0 2 3 4 5 6 7");
    BOOST_TEST(shown(talk, 45) == "0 5 6 7");
    BOOST_TEST(shown(talk, 20) == "0 5");
    const weft::conversation_view short_of = weft::view_of(talk, budget_of(19));
    BOOST_TEST(shown(short_of) == "0 5");
    BOOST_TEST(short_of.is_over_budget);
    BOOST_TEST(notes_of(short_of) == "over_budget");
    BOOST_TEST(short_of.left_out == 6u);
}

BOOST_AUTO_TEST_CASE(SUL_7_what_does_not_fit_is_skipped_and_older_ones_may_still_fit)
{
    const weft::conversation talk = talk_of("a6 a6 a100 a6 u6");
    BOOST_TEST(shown(talk, 45) == "0 1 3 4");
    weft::view_options options = budget_of(45);
    options.full = weft::when_full::stop;
    BOOST_TEST(shown(weft::view_of(talk, options)) == "3 4");
}

BOOST_AUTO_TEST_CASE(SUL_7_the_budget_is_96_000_by_default_and_counted_as_the_provider_does)
{
    BOOST_TEST((weft::view_options{}.budget == weft::tokens{96'000}));
    weft::view_options options = budget_of(80);
    options.estimator.factor = 2 * weft::token_estimator::unit;
    BOOST_TEST(shown(weft::view_of(talk_of("s6 u6 a6 u6 a6 u6 a6 a6"), options)) == "0 5 6 7");
}

BOOST_AUTO_TEST_CASE(SUL_7_calls_and_results_are_kept_or_left_out_together)
{
    const weft::conversation talk = talk_of("s6 c2 r20 r20 u6 c1 r6 a6");
    for (std::int64_t budget = 0; budget < 200; ++budget) {
        const weft::conversation_view view = weft::view_of(talk, budget_of(budget));
        BOOST_TEST(fault_of_pairs(view.messages) == "");
        BOOST_TEST((view.is_over_budget || view.estimated.count() <= budget));
        BOOST_TEST(notes_of(view) == (view.is_over_budget ? "over_budget" : ""));
    }
    BOOST_TEST(shown(talk, 60) == "0 4 5 6 7");
}

BOOST_AUTO_TEST_CASE(a_call_without_result_and_a_result_without_call_are_left_out_with_a_note)
{
    const weft::conversation_view view = weft::view_of(talk_of("u R c2 r a c1 u"));
    BOOST_TEST(shown(view) == "0 2 3 4 6");
    BOOST_TEST(view.messages[1].tool_calls.size() == 1u);
    BOOST_TEST(notes_of(view) == "orphan_call@5 orphan_call@2 orphan_result@1");
    BOOST_TEST(view.notes[2].text.find("'nobody'") != std::string::npos);
    BOOST_TEST(fault_of_pairs(view.messages) == "");
}

BOOST_AUTO_TEST_CASE(the_words_beside_a_call_without_result_stay_without_the_providers_form)
{
    weft::conversation talk;
    weft::message calling = weft::message::assistant("I look it up.");
    calling.tool_calls.push_back({.id = "c", .name = "find", .arguments = "{}"});
    calling.provider = weft::provider_data{"x", "y", {{"z", 1}}};
    talk.add(calling, by("n"));
    const weft::conversation_view view = weft::view_of(talk);
    BOOST_TEST(shown(view) == "0");
    BOOST_TEST(view.messages[0].tool_calls.empty());
    BOOST_TEST(!view.messages[0].provider);
    BOOST_TEST(view.messages[0].text() == "I look it up.");
}

BOOST_AUTO_TEST_CASE(results_stand_behind_their_calls_whatever_was_said_between)
{
    weft::conversation talk = talk_of("u c2");
    talk.add(weft::message::user("hurry"), by("n"));
    talk.add(weft::message::tool_result("call-2", "two"), by("n"));
    talk.add(weft::message::tool_result("call-1", "one"), by("n"));
    talk.add(weft::message::tool_result("call-1", "one again"), by("n"));
    const weft::conversation_view view = weft::view_of(talk);
    BOOST_TEST(shown(view) == "0 1 4 3 2");
    BOOST_TEST(notes_of(view) == "second_result@5");
}

BOOST_AUTO_TEST_CASE(pinned_messages_are_always_in_with_all_that_belongs_to_them)
{
    const weft::conversation talk = talk_of("u6! a6 c2 r6! r6 a6 u6 a6");
    BOOST_TEST(shown(talk, 0) == "0 2 3 4 6");
    BOOST_TEST(fault_of_pairs(weft::view_of(talk, budget_of(0)).messages) == "");
    BOOST_TEST(shown(talk, 1'000) == "0 1 2 3 4 5 6 7");
    BOOST_TEST(shown(talk_of("c1 R! r! u"), 0) == "0 2 3");
    BOOST_TEST(shown(talk_of("c1 r R! u"), 0) == "3");
}

BOOST_AUTO_TEST_CASE(a_summary_stands_where_the_first_of_what_it_covers_stood)
{
    weft::conversation talk = talk_of("s u a u! a u a");
    talk.cover(entry_kind::summary, "short", {1, 2, 4}, by("n"));
    BOOST_TEST(shown(talk) == "0 7 3 5 6");
    BOOST_TEST(shown(talk, 0) == "0 7 3 5");
}

BOOST_AUTO_TEST_CASE(PYA_15_only_the_newest_turns_of_the_user)
{
    const weft::conversation talk = talk_of("s u a u c1 r a u a");
    weft::view_options options;
    options.user_turns_max = 2;
    BOOST_TEST(shown(weft::view_of(talk, options)) == "0 3 4 5 6 7 8");
    options.user_turns_max = 1;
    BOOST_TEST(shown(weft::view_of(talk, options)) == "0 7 8");
    options.user_turns_max = 10;
    BOOST_TEST(weft::view_of(talk, options).messages.size() == talk.size());
}

BOOST_AUTO_TEST_CASE(PYA_15_without_tools_whole_sequences_are_left_out)
{
    weft::view_options options;
    options.has_tools = false;
    const weft::conversation_view view = weft::view_of(talk_of("s u c2 r r a u c1 r! a"), options);
    BOOST_TEST(shown(view) == "0 1 5 6 9");
    BOOST_TEST(notes_of(view) == "");
}

BOOST_AUTO_TEST_CASE(an_assistant_at_the_end_is_asked_to_go_on_within_the_budget)
{
    weft::view_options options = budget_of(40);
    options.continue_with = "Go on.";
    const weft::conversation_view view = weft::view_of(talk_of("a6 u6 a6 a6"), options);
    BOOST_TEST(shown(view) == "1 2 3 -");
    BOOST_TEST(view.messages.back().text() == "Go on.");
    BOOST_TEST((view.estimated <= options.budget));
    BOOST_TEST(shown(weft::view_of(talk_of("a6 u6"), options)) == "0 1");
}

BOOST_AUTO_TEST_CASE(the_prompt_stands_before_everything_and_counts)
{
    weft::view_options options = budget_of(34);
    options.system = text_of_tokens(10);
    const weft::conversation_view view = weft::view_of(talk_of("s6 a6 u6"), options);
    BOOST_TEST(shown(view) == "- 0 2");
    BOOST_TEST((view.messages.front().role == weft::role::system));
    BOOST_TEST(view.estimated.count() == 34);
    BOOST_TEST(view.left_out == 1u);
    BOOST_TEST(shown(weft::view_of({}, options)) == "-");
}

BOOST_AUTO_TEST_CASE(messages_of_the_view_before_are_shared)
{
    talk_maker made{"s u c2 r r a u"};
    weft::view_options options;
    options.system = "Be brief.";
    const weft::conversation_view before = weft::view_of(made.talk, options);
    made.add("c1 r a u");
    const weft::conversation_view view = weft::view_of(made.talk, options, &before);
    BOOST_TEST(view.messages.extends(before.messages));
    BOOST_TEST((view.messages == weft::view_of(made.talk, options).messages));
    options.system = "Be long.";
    const weft::conversation_view other = weft::view_of(made.talk, options, &view);
    BOOST_TEST(!other.messages.extends(view.messages));
    BOOST_TEST(other.messages.front().text() == "Be long.");
}

BOOST_AUTO_TEST_CASE(what_is_shared_is_what_would_have_been_copied)
{
    std::size_t shared = 0;
    std::size_t grown = 0;
    for (unsigned seed = 1; seed <= 200; ++seed) {
        std::mt19937 random{seed};
        talk_maker made;
        weft::conversation_view before;
        weft::view_options options = budget_of(static_cast<std::int64_t>(300 + random() % 4'000));
        options.system = "Be brief.";
        if (random() % 3 == 0) options.continue_with = "Go on.";
        for (int turn = 0; turn < 12; ++turn) {
            made.add(random_words(random, 1 + random() % 4));
            if (random() % 5 == 0) {
                std::vector<std::uint32_t> chosen;
                const bool shortens = random() % 2 == 0;
                for (weft::lane_cursor at{made.talk, ""}; !at.is_done(); at.next())
                    if (random() % 6 == 0 && (!shortens || at.entry().message.role == weft::role::tool))
                        chosen.push_back(at.position());
                const auto kind = shortens ? entry_kind::shortened : entry_kind::summary;
                if (!chosen.empty()) made.talk.cover(kind, shortens ? "" : "in short", chosen, by("n"));
            }
            weft::conversation_view view = weft::view_of(made.talk, options, &before);
            BOOST_TEST_CONTEXT("seed " << seed << ", turn " << turn) {
                check_same(view, weft::view_of(made.talk, options));
                BOOST_REQUIRE(view.shapes.size() == view.messages.size());
            }
            if (view.basis && before.basis) ++grown;
            if (!before.messages.empty() && view.messages.extends(before.messages)) ++shared;
            before = std::move(view);
        }
    }
    BOOST_TEST(shared > 200u);
    BOOST_TEST(grown > 50u);
}

BOOST_AUTO_TEST_CASE(a_view_of_everything_grows_by_what_was_said_since)
{
    const std::string turns[] = {"u", "a", "c1 r", "c2 r r", "c3 r r r a", "s", "u!", "c1! r", "c2 r", "r", "c1 u r"};
    std::size_t grown = 0;
    for (unsigned seed = 1; seed <= 200; ++seed) {
        std::mt19937 random{seed};
        talk_maker made{"u"};
        weft::view_options options = budget_of(seed % 2 == 0 ? 100'000 : 600);
        if (seed % 3 != 0) options.system = "Be brief.";
        if (seed % 5 == 0) options.continue_with = "Go on.";
        weft::conversation_view before = weft::view_of(made.talk, options);
        for (int turn = 0; turn < 20; ++turn) {
            // The last three are not in good order.
            made.add(turns[random() % (seed % 7 == 0 ? std::size(turns) : std::size(turns) - 3)]);
            if (random() % 4 == 0) static_cast<void>(made.talk.add(weft::message::user("elsewhere"), by("n", "other")));
            if (random() % 16 == 0 && !options.system.empty()) options.system = "Be very brief.";
            if (random() % 16 == 0) options.has_tools = !options.has_tools;
            weft::conversation_view view = weft::view_of(made.talk, options, &before);
            BOOST_TEST_CONTEXT("seed " << seed << ", turn " << turn)
            check_same(view, weft::view_of(made.talk, options));
            if (before.basis && view.basis) ++grown;
            before = std::move(view);
        }
    }
    BOOST_TEST(grown > 1'000u);
}

BOOST_AUTO_TEST_CASE(what_has_no_room_is_not_looked_at_for_ever)
{
    std::string words;
    for (int i = 0; i < 2'000; ++i) words += "a50 ";
    weft::conversation talk = talk_of("a1 " + words + "u6");
    weft::view_options options = budget_of(50);
    BOOST_TEST(shown(weft::view_of(talk, options)) == "2001");  // the small one is too far back
    BOOST_TEST(weft::view_of(talk, options).left_out == 2'001u);
}

BOOST_AUTO_TEST_CASE(SUL_7_no_view_splits_a_pair_or_takes_more_than_its_budget)
{
    for (unsigned seed = 1; seed <= 400; ++seed) {
        std::mt19937 random{seed};
        talk_maker made{random_words(random, 1 + random() % 60)};
        for (int mark = static_cast<int>(random() % 3); mark > 0; --mark) {
            std::vector<std::uint32_t> chosen;
            const bool shortens = random() % 2 == 0;
            for (weft::lane_cursor at{made.talk, ""}; !at.is_done(); at.next())
                if (random() % 4 == 0 && (!shortens || at.entry().message.role == weft::role::tool))
                    chosen.push_back(at.position());
            const auto kind = shortens ? entry_kind::shortened : entry_kind::summary;
            if (!chosen.empty()) made.talk.cover(kind, shortens ? "" : "in short", chosen, by("n"));
            made.add(random_words(random, random() % 10));
        }
        for (int i = 0; i < 12; ++i) {
            weft::view_options options = budget_of(static_cast<std::int64_t>(random() % 2'000));
            options.full = random() % 2 == 0 ? weft::when_full::skip : weft::when_full::stop;
            options.estimator.factor = 512 + static_cast<std::int64_t>(random() % 2'048);
            BOOST_TEST_CONTEXT("seed " << seed << ", budget " << options.budget.count())
            check_rules(made.talk, options);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
