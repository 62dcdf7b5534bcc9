#include <boost/test/unit_test.hpp>

#include "agent/talks.hpp"
#include "engine/checkpoint/checkpoints.hpp"

#include <weft/async/sleep.hpp>
#include <weft/engine/engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/testing/simulation.hpp>

#include <chrono>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(conversation_test)

namespace {

using weft::entry_kind;

constexpr weft::state_key<weft::conversation, weft::converse> talk_key{"talk"};

/** The positions in force of a lane, newest first. */
std::string in_force(const weft::conversation& talk, std::string_view lane = {})
{
    std::string text;
    for (weft::lane_cursor at{talk, lane}; !at.is_done(); at.next())
        text.append(text.empty() ? "" : " ").append(std::to_string(at.position()));
    return text;
}

/** What a lane counts, compared with what going through it counts. */
void check_counts(const weft::conversation& talk)
{
    for (const weft::conversation::lane& lane : talk.lanes()) {
        std::size_t messages = 0;
        weft::tokens estimate;
        for (weft::lane_cursor at{talk, lane.name}; !at.is_done(); at.next()) {
            estimate += at.estimate();
            const bool is_said = at.entry().kind == entry_kind::said;
            if (is_said || (at.entry().kind == entry_kind::summary && !at.entry().message.content.empty())) ++messages;
        }
        BOOST_TEST(lane.messages == messages);
        BOOST_TEST((lane.estimate == estimate));
    }
}

weft::conversation stored_and_read(const weft::conversation& talk)
{
    return weft::from_json<weft::conversation>(weft::to_json(talk));
}

/** A graph whose node forks into branches that add to the conversation and meet again. */
class forked_talk {
public:
    /** @param delays   Of the branches, in milliseconds. */
    explicit forked_talk(std::vector<int> delays, weft::conversation before) : before_{std::move(before)}
    {
        weft::graph_builder builder{"forked"};
        builder.state(talk_key);
        builder.node("fork", [before = before_](weft::node_context& node) { node.overwrite(talk_key, before); });
        builder.node("join", [this](weft::node_context& node) { joined = node.get(talk_key); });
        builder.edge(weft::start, "fork").edge("join", weft::end);
        for (std::size_t i = 0; i < delays.size(); ++i) {
            const std::string name = "branch" + std::to_string(i);
            builder.node(name, branch{this, delays[i], i});
            builder.edge("fork", name).edge(name, "join");
        }
        builder.fan_out("fork", {.conflict = weft::conflict_strategy::branch_order});
        weft::testing::simulation sim{1};
        const weft::engine engine{builder.build()};
        const weft::run_result result = sim.run(engine.run(weft::run_request{}));
        BOOST_TEST(result.message() == "finished");
    }

    weft::conversation joined;
    std::vector<weft::conversation> seen{8};  ///< By the branches, at their ends.

private:
    struct branch {
        forked_talk* whole;
        int delay;
        std::size_t number;

        weft::task<void> operator()(weft::node_context& node) const { return work(*whole, delay, number, node); }

        static weft::task<void> work(forked_talk& whole, int delay, std::size_t number, weft::node_context& node)
        {
            co_await weft::sleep_for(std::chrono::milliseconds{delay});
            weft::conversation talk = node.get(talk_key);
            const weft::provenance from = by("branch" + std::to_string(number));
            const auto write = [&](const weft::conversation_change& change) { node.set(talk_key, change); };
            write(talk.add(weft::message::user("question " + std::to_string(number)), from));
            write(talk.add(weft::message::assistant("answer " + std::to_string(number)), from));
            const auto last = static_cast<std::uint32_t>(talk.size() - 1);
            // Summarises some of what was there before, and its own question.
            write(talk.cover(entry_kind::summary, "summary " + std::to_string(number), {1, 2, last - 1}, from));
            whole.seen[number] = talk;
        }
    };

    weft::conversation before_;
};

std::string texts(const weft::conversation_view& view)
{
    std::string text;
    for (const weft::message& said : view.messages) text.append(text.empty() ? "" : " | ").append(said.text());
    return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(what_is_added_is_seen_by_no_copy_and_shares_the_rest)
{
    weft::conversation talk = talk_of("s u a");
    const weft::conversation copy = talk;
    talk.add(weft::message::user("more"), by("n"));
    BOOST_TEST(copy.size() == 3u);
    BOOST_TEST(talk.size() == 4u);
    BOOST_TEST(&talk[1] == &copy[1]);
    BOOST_TEST(talk.extends(copy));
    BOOST_TEST(!copy.extends(talk));
    BOOST_TEST((talk.find_lane("")->latest_user == 3u && copy.find_lane("")->latest_user == 1u));
}

BOOST_AUTO_TEST_CASE(an_entry_knows_where_it_comes_from)
{
    weft::conversation talk;
    weft::provenance from = by("ask", "", "research");
    from.author = weft::message_author::person;
    from.at.emplace(std::chrono::milliseconds{5});
    talk.add(weft::message::user("Why?"), from, {.is_pinned = true, .label = "question"});
    BOOST_TEST((talk[0].from == from));
    BOOST_TEST(talk[0].is_pinned);
    BOOST_TEST(talk[0].label == "question");
    BOOST_TEST(talk[0].id != 0);
    BOOST_TEST(talk.find_lane("")->phase == "research");
}

BOOST_AUTO_TEST_CASE(lanes_do_not_see_each_other)
{
    weft::conversation talk = talk_of("u a");
    talk.add(weft::message::user("x"), by("m", "m"));
    talk.add(weft::message::assistant("y"), by("m", "m"));
    talk.add(weft::message::user("z"), by("n"));
    BOOST_TEST(in_force(talk) == "4 1 0");
    BOOST_TEST(in_force(talk, "m") == "3 2");
    BOOST_TEST(in_force(talk, "nobody") == "");
    BOOST_TEST(talk.find_lane("m")->messages == 2u);
    check_counts(talk);
}

BOOST_AUTO_TEST_CASE(a_summary_stands_for_what_it_covers)
{
    weft::conversation talk = talk_of("s u a u a");
    talk.cover(entry_kind::summary, "short", {1, 2}, by("n"));
    BOOST_TEST(in_force(talk) == "5 4 3 0");
    BOOST_TEST(talk.find_lane("")->messages == 4u);
    talk.add(weft::message::user("on"), by("n"));
    talk.cover(entry_kind::summary, "shorter", {3, 5}, by("n"));  // the earlier summary with it
    BOOST_TEST(in_force(talk) == "7 6 4 0");
    BOOST_TEST((talk[7].covers == std::vector<weft::entry_range>{{1, 4}, {5, 6}}));
    check_counts(talk);
}

BOOST_AUTO_TEST_CASE(without_text_it_is_left_out)
{
    weft::conversation talk = talk_of("u a u");
    talk.cover(entry_kind::summary, "", {0, 1}, by("n"));
    BOOST_TEST(talk.find_lane("")->messages == 1u);
    BOOST_TEST(shown(talk) == "2");
    talk.cover(entry_kind::summary, "", {2}, by("n"));
    BOOST_TEST((talk.find_lane("")->latest_user == weft::no_entry));
    check_counts(talk);
}

BOOST_AUTO_TEST_CASE(ranges_of_one_lane_join_across_entries_of_others)
{
    weft::conversation talk;
    for (int i = 0; i < 3; ++i) {
        talk.add(weft::message::user("main"), by("n"));
        talk.add(weft::message::user("other"), by("m", "m"));
    }
    talk.cover(entry_kind::summary, "all", {0, 2, 4}, by("n"));
    BOOST_TEST((talk[6].covers == std::vector<weft::entry_range>{{0, 5}}));
    BOOST_TEST(in_force(talk) == "6");
    BOOST_TEST(in_force(talk, "m") == "5 3 1");
}

BOOST_AUTO_TEST_CASE(a_shortened_result_is_a_placeholder_and_keeps_its_reference)
{
    weft::conversation talk = talk_of("u c2 r400 r");
    talk.cover(entry_kind::shortened, "", {2}, by("n"));
    const weft::conversation_view view = weft::view_of(talk);
    BOOST_TEST(shown(view) == "0 1 2 3");
    BOOST_TEST(view.messages[2].text() == "[Old tool result, left out: 1600 bytes]");
    BOOST_TEST(view.messages[2].tool_call_id == "call-1");
    check_counts(talk);
    const weft::message spilled =
        weft::message::tool_result("c", "begin\n[truncated — 90000 chars total; the whole is kept as result-7]");
    BOOST_TEST(weft::placeholder_of(spilled).text().find("the whole is kept as result-7]") != std::string::npos);
    const weft::message failed = weft::message::tool_error("c", "no");
    BOOST_TEST(weft::placeholder_of(failed).is_error);
}

BOOST_AUTO_TEST_CASE(it_converts_to_json_and_back_with_all_that_is_known)
{
    talk_maker made{"s u20 c2 r r300 a u c1 r50! a"};
    made.talk.cover(entry_kind::shortened, "", {4}, by("n"));
    made.talk.cover(entry_kind::summary, "short", {1, 2, 3, 4}, by("n"));
    made.talk.add(weft::message::user("x"), by("m", "m"));
    const weft::conversation read = stored_and_read(made.talk);
    BOOST_TEST((read == made.talk));
    BOOST_TEST(in_force(read) == in_force(made.talk));
    BOOST_TEST(shown(read, 60) == shown(made.talk, 60));
    BOOST_TEST((read.find_lane("")->estimate == made.talk.find_lane("")->estimate));
    check_counts(read);
}

BOOST_AUTO_TEST_CASE(stored_marks_that_cannot_be_right_do_no_harm)
{
    weft::conversation_entry mark;
    mark.kind = entry_kind::summary;
    mark.message = weft::message::user("short");
    mark.covers = {{0, 9}, {5, 2}, {0, 1}, {40, 50}};
    weft::conversation talk = talk_of("u a");
    talk.push_back(mark);
    BOOST_TEST((talk[2].covers == std::vector<weft::entry_range>{{0, 1}}));
    BOOST_TEST(in_force(talk) == "2 1");
}

BOOST_AUTO_TEST_CASE(the_updates_of_one_copy_make_another_the_same)
{
    for (unsigned seed = 1; seed <= 50; ++seed) {
        std::mt19937 random{seed};
        talk_maker first;
        weft::conversation second;
        for (int step = 0; step < 12; ++step) {
            for (const weft::conversation_change& change : first.add(random_words(random, 4))) second.apply(change);
            std::vector<std::uint32_t> chosen;
            for (weft::lane_cursor at{first.talk, ""}; !at.is_done(); at.next())
                if (random() % 3 == 0) chosen.push_back(at.position());
            if (!chosen.empty()) second.apply(first.talk.cover(entry_kind::summary, "s", chosen, by("n")));
        }
        BOOST_TEST((second == first.talk));
        check_counts(second);
        BOOST_TEST((stored_and_read(second) == second));
    }
}

BOOST_AUTO_TEST_CASE(branches_meet_in_their_order_whatever_the_timing)
{
    const weft::conversation before = talk_of("s u a u a");
    const forked_talk quick_first{{1, 50, 9}, before};
    const forked_talk slow_first{{90, 5, 40}, before};
    BOOST_TEST((quick_first.joined == slow_first.joined));
    BOOST_TEST(quick_first.joined.extends(before));
    BOOST_TEST(slow_first.joined.extends(before));
    BOOST_TEST(quick_first.joined.size() == before.size() + 3 * 3);
}

BOOST_AUTO_TEST_CASE(what_branches_summarised_stays_summarised_where_they_meet)
{
    const forked_talk run{{1, 50, 9}, talk_of("s u a u a")};
    const weft::conversation_view view = weft::view_of(run.joined);
    // Before the fork 0 to 4; each branch a question, an answer, a summary of 1, 2 and its question.
    BOOST_TEST(shown(view) == "0 7 3 4 6 10 9 13 12");
    BOOST_TEST(texts(view) == texts(weft::view_of(stored_and_read(run.joined))));
    BOOST_TEST(shown(weft::view_of(run.seen[1])) == "0 7 3 4 6");
    check_counts(run.joined);
}

BOOST_AUTO_TEST_CASE(a_mark_about_nothing_that_is_in_force_is_not_added)
{
    weft::conversation talk = talk_of("u a u a");
    weft::conversation other = talk;
    const weft::conversation_change mine = talk.cover(entry_kind::summary, "mine", {0, 1}, by("n"));
    const weft::conversation_change same = other.cover(entry_kind::summary, "same", {0, 1}, by("m"));
    talk.apply(same);
    BOOST_TEST(talk.size() == 5u);
    other.apply(mine);
    BOOST_TEST(other.size() == 5u);
}

BOOST_AUTO_TEST_CASE(a_checkpoint_has_only_what_was_added)
{
    weft::graph_builder builder{"g"};
    const weft::graph graph =
        builder.state(talk_key).node("n", [](weft::node_context&) {}).edge(weft::start, "n").build();
    weft::frontier where{weft::state{graph.layout()}};
    weft::checkpoint_writer writer{graph, strict_thread::key};
    strict_thread thread;
    talk_maker made;
    const auto save = [&] {
        where.root->root().writable(graph.layout()->find("talk")) = weft::make_box<weft::conversation>(made.talk);
        const std::size_t before = thread.bytes();
        const weft::frontier read = through_a_checkpoint(where, graph, writer, thread);
        BOOST_TEST((read.root->root().get(talk_key) == made.talk));
        return thread.bytes() - before;
    };
    std::string words;
    for (int i = 0; i < 300; ++i) words += "u100 a100 ";
    made.add(words);
    thread.forget_nothing();
    const std::size_t whole = save();
    std::size_t steps = 0;
    std::size_t own = 0;
    for (int i = 0; i < 50; ++i) {
        made.add("u100");
        if (i == 25) {
            std::vector<std::uint32_t> old(500);
            for (std::size_t p = 0; p < old.size(); ++p) old[p] = static_cast<std::uint32_t>(p);
            made.talk.cover(entry_kind::summary, "short", old, by("n"));
        }
        own += boost::json::serialize(weft::to_json(made.talk[made.talk.size() - 1])).size();
        steps += save();
    }
    BOOST_TEST(whole > 200'000u);
    BOOST_TEST(steps < own * 2);
    check_counts(made.talk);
}

BOOST_AUTO_TEST_SUITE_END()
