#include <boost/test/unit_test.hpp>

#include "agent/talks.hpp"

#include <weft/agent/conversation/compaction.hpp>
#include <weft/agent/conversation/summary_plan.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(summary_plan_test)

namespace {

using outcome = weft::applied_summary::outcome;

std::string messages(int count)
{
    std::string words;
    for (int i = 0; i < count; ++i) words += i % 2 == 0 ? "u " : "a ";
    return words;
}

weft::written_summary saying(std::string text)
{
    weft::written_summary written;
    written.text = std::move(text);
    return written;
}

weft::written_summary failing()
{
    weft::written_summary written;
    written.failure = "the model is gone";
    return written;
}

std::string covered_by(const std::optional<weft::summary_job>& job)
{
    std::string text;
    if (!job) return "nothing";
    for (const weft::entry_place& place : job->covers)
        text.append(text.empty() ? "" : " ").append(std::to_string(place.position));
    return text;
}

/** Rules under which small talks are summarised. */
weft::summary_rules small_rules()
{
    weft::summary_rules rules;
    rules.messages_max = 6;
    rules.messages_kept = 2;
    return rules;
}

}  // namespace

BOOST_AUTO_TEST_CASE(SUL_6_eighty_messages_do_not_trigger_it_and_eighty_one_do)
{
    weft::summary_plan plan;
    BOOST_TEST(!plan.start(talk_of(messages(80))));
    BOOST_TEST(!plan.is_under_way());
    const auto job = plan.start(talk_of(messages(81)));
    BOOST_REQUIRE(job.has_value());
    BOOST_TEST(job->messages == 73u);  // all but the newest eight
    BOOST_TEST(plan.is_under_way());
}

BOOST_AUTO_TEST_CASE(SUL_6_there_is_one_at_a_time)
{
    const weft::conversation before = talk_of(messages(90));
    weft::conversation talk = before;
    weft::summary_plan plan;
    BOOST_TEST(plan.start(talk).has_value());
    BOOST_TEST(!plan.start(talk));
    BOOST_TEST(!plan.start(talk, true));
    BOOST_TEST((plan.finish(talk, saying("short"), by("n")).what == outcome::applied));
    BOOST_TEST(!plan.is_under_way());
    BOOST_TEST(!plan.start(talk));  // it is short now
    weft::summary_plan another;
    BOOST_TEST(another.start(before).has_value());
    another.abandon();
    BOOST_TEST(another.start(before).has_value());
}

BOOST_AUTO_TEST_CASE(SUL_6_what_is_said_meanwhile_does_not_matter)
{
    talk_maker made{"s " + messages(8)};
    weft::summary_plan plan{"", small_rules()};
    BOOST_TEST(covered_by(plan.start(made.talk)) == "1 2 3 4 5 6");
    made.add("u c1 r a");
    weft::conversation replayed = made.talk;
    const weft::applied_summary done = plan.finish(made.talk, saying("short"), by("n"));
    BOOST_TEST((done.what == outcome::applied));
    BOOST_REQUIRE(done.change.has_value());
    BOOST_TEST(shown(made.talk) == "0 13 7 8 9 10 11 12");
    replayed.apply(*done.change);
    BOOST_TEST((replayed == made.talk));
    BOOST_TEST((made.talk[13].from.author == weft::message_author::model));
}

BOOST_AUTO_TEST_CASE(a_summary_of_what_has_changed_meanwhile_is_not_applied)
{
    weft::conversation talk = talk_of("s " + messages(8));
    weft::summary_plan plan{"", small_rules()};
    BOOST_TEST(plan.start(talk).has_value());
    talk.cover(weft::entry_kind::summary, "by somebody else", {2, 3}, by("m"));
    const weft::conversation before = talk;
    const weft::applied_summary done = plan.finish(talk, saying("short"), by("n"));
    BOOST_TEST((done.what == outcome::range_changed));
    BOOST_TEST(done.why == "2 of 6 entries were summarised or left out meanwhile");
    BOOST_TEST((talk == before && !done.change));
    BOOST_TEST((plan.finish(talk, saying("again"), by("n")).what == outcome::stray));
}

BOOST_AUTO_TEST_CASE(it_still_fits_where_entries_of_other_branches_came_first)
{
    const weft::conversation before = talk_of("u a u a");
    talk_maker branch;
    branch.talk = before;
    std::vector<weft::conversation_change> changes = branch.add("u5 a5 u5 a5 u5 a5");
    weft::summary_plan plan{"", small_rules()};
    BOOST_TEST(covered_by(plan.start(branch.talk)) == "0 1 2 3 4 5 6 7");
    talk_maker sibling{"", by("sibling")};
    sibling.talk = before;
    sibling.add("u a");
    weft::conversation joined = sibling.talk;
    for (const weft::conversation_change& change : changes) joined.apply(change);
    const weft::applied_summary done = plan.finish(joined, saying("short"), by("n"));
    BOOST_TEST((done.what == outcome::applied));
    BOOST_TEST(shown(joined) == "12 4 5 10 11");
}

BOOST_AUTO_TEST_CASE(system_pinned_and_the_latest_of_the_user_stay)
{
    weft::conversation talk = talk_of("s a! u a a a a a a a");
    weft::summary_plan plan{"", small_rules()};
    BOOST_TEST(covered_by(plan.start(talk)) == "3 4 5 6 7");
}

BOOST_AUTO_TEST_CASE(no_call_is_parted_from_its_results)
{
    // The newest two messages are results of a call before them.
    BOOST_TEST(covered_by(weft::summary_plan{"", small_rules()}.start(talk_of("u a u a u c3 r r r"))) == "0 1 2 3");
    weft::summary_rules rules = small_rules();
    rules.transcript_bytes_max = 130;
    rules.batch_min = 1;
    BOOST_TEST(covered_by(weft::summary_plan{"", rules}.start(talk_of("a c3 r r r a a a u"))) == "0");
    BOOST_TEST(covered_by(weft::summary_plan{"", small_rules()}.start(talk_of("a a a c2 r! r a a u"))) == "0 1 2 6");
}

BOOST_AUTO_TEST_CASE(one_call_gets_a_bounded_transcript_and_the_rest_is_for_the_next)
{
    weft::summary_rules rules = small_rules();
    rules.transcript_bytes_max = 2'000;
    rules.message_bytes_max = 500;
    weft::conversation talk = talk_of("a300 a300 a300 a300 a300 a300 a300 a300 u");
    weft::summary_plan plan{"", rules};
    const auto job = plan.start(talk);
    BOOST_TEST(covered_by(job) == "0 1 2");
    BOOST_TEST(job->request.messages.back().text().size() < 2'100u);
    (void)plan.finish(talk, saying("one"), by("n"));
    const auto next = plan.start(talk);
    BOOST_TEST(covered_by(next) == "9 3 4 5");  // the earlier summary with it
    BOOST_TEST(next->request.messages.back().text().find("earlier summary: one") != std::string::npos);
    (void)plan.finish(talk, saying("two"), by("n"));
    BOOST_TEST(shown(talk) == "10 6 7 8");
}

BOOST_AUTO_TEST_CASE(few_messages_are_summarised_only_if_it_is_urgent)
{
    weft::summary_rules rules = small_rules();
    rules.messages_max = 80;
    weft::summary_plan plan{"", rules};
    const weft::conversation talk = talk_of("a500 a500 a500 a500 u a");
    BOOST_TEST(!plan.start(talk));
    BOOST_TEST(covered_by(plan.start(talk, true)) == "0 1 2 3");
    BOOST_TEST(!weft::summary_plan("", rules).start(talk_of("a500 a500 u a"), true));  // too few to be worth it
    BOOST_TEST(!weft::summary_plan("elsewhere", rules).start(talk, true));
}

BOOST_AUTO_TEST_CASE(SUL_6_if_the_model_fails_the_beginnings_of_the_messages_stand_for_them)
{
    weft::conversation talk = talk_of("s " + messages(8));
    weft::summary_plan plan{"", small_rules()};
    BOOST_TEST(plan.start(talk).has_value());
    const weft::applied_summary done = plan.finish(talk, failing(), by("n"));
    BOOST_TEST((done.what == outcome::fallen_back));
    BOOST_TEST(done.why == "the model is gone");
    BOOST_TEST(talk.find_lane("")->messages == 4u);
    BOOST_TEST(talk[9].message.text().find("- user: wor\n") != std::string::npos);
    BOOST_TEST((talk[9].from.author == weft::message_author::program));
}

BOOST_AUTO_TEST_CASE(PYA_15_a_failure_leaves_the_conversation_and_rests_for_a_while)
{
    weft::summary_rules rules = small_rules();
    rules.falls_back = false;
    talk_maker made{messages(12)};
    const weft::conversation before = made.talk;
    weft::summary_plan plan{"", rules};
    BOOST_TEST(plan.start(made.talk).has_value());
    const weft::applied_summary done = plan.finish(made.talk, failing(), by("n"));
    BOOST_TEST((done.what == outcome::failed));
    BOOST_TEST((made.talk == before));
    BOOST_TEST(!plan.start(made.talk));
    made.add("u a");
    BOOST_TEST(!plan.start(made.talk, true));
    made.add("u");
    BOOST_TEST(plan.start(made.talk).has_value());  // a quarter of twelve more
}

BOOST_AUTO_TEST_CASE(PYA_15_more_than_thirty_are_summarised_down_to_the_newest_eight)
{
    weft::summary_rules rules;
    rules.messages_max = 30;
    rules.messages_kept = 8;
    weft::summary_plan plan{"", rules};
    BOOST_TEST(!plan.start(talk_of(messages(30))));
    weft::conversation talk = talk_of(messages(31));
    BOOST_TEST(plan.start(talk)->messages == 23u);
    (void)plan.finish(talk, saying("short"), by("n"));
    BOOST_TEST(talk.find_lane("")->messages == 9u);
}

BOOST_AUTO_TEST_CASE(the_request_says_what_it_wants_and_has_limits)
{
    weft::summary_rules rules = small_rules();
    rules.model = "small";
    const auto job = weft::summary_plan{"", rules}.start(talk_of(messages(8)));
    BOOST_REQUIRE(job.has_value());
    BOOST_TEST(job->request.model == "small");
    BOOST_TEST((job->request.output_max == weft::tokens{1'000}));
    BOOST_TEST(job->request.temperature.value_or(1) == 0.1);
    BOOST_TEST((job->request.messages.front().role == weft::role::system));
    BOOST_TEST(job->request.messages.size() == 2u);
}

BOOST_AUTO_TEST_CASE(SUL_6_random_talks_stay_whole_and_become_short)
{
    for (unsigned seed = 1; seed <= 150; ++seed) {
        std::mt19937 random{seed};
        talk_maker made;
        weft::summary_plan plan{"", small_rules()};
        for (int step = 0; step < 12; ++step) {
            made.add(random_words(random, 6));
            if (random() % 4 == 0) (void)weft::compact(made.talk, by("n"), {.context_max = weft::tokens{500}}, {});
            (void)plan.start(made.talk, random() % 3 == 0);
            made.add(random_words(random, random() % 4));
            const std::size_t before = made.talk.find_lane("")->messages;
            const weft::applied_summary done = plan.finish(made.talk, saying("short"), by("n"));
            BOOST_TEST_CONTEXT("seed " << seed << ", step " << step) {
                if (done.change) BOOST_REQUIRE(made.talk.find_lane("")->messages < before);
                BOOST_REQUIRE_EQUAL(fault_of_pairs(weft::view_of(made.talk).messages), "");
            }
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
