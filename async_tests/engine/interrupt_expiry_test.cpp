#include <boost/test/unit_test.hpp>

#include "interrupts.hpp"

#include <weft/async/wait/deadline.hpp>
#include <weft/testing/simulation/suspension_points.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(interrupt_expiry_test)

namespace {

/** A node whose question expires. */
task<void> ask_until(node_context& context, bool has_other, bool keeps_awake = false)
{
    question asked{"What?"};
    asked.keeps_run_awake = keeps_awake;
    asked.expires_in = 10min;
    if (has_other) asked.otherwise = "nothing";
    const std::string said = co_await context.ask<std::string>(std::move(asked));
    context.set(words, said);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_question_that_nobody_answers_in_time_fails_or_has_its_other_answer)
{
    for (const bool has_other : {false, true}) {
        const auto work = [&, has_other](node_context& context) { return ask_until(context, has_other); };
        const weft::graph graph = empty_graph().node("a", work, tries(1)).edge(weft::start, "a").build();
        weft::testing::simulation sim{1};
        const run_result parked = run_in(sim, graph, run_request{}.on_questions(weft::interrupts::park));
        BOOST_TEST((sim.elapsed() == 10min));
        BOOST_TEST((parked.status == (has_other ? run_status::finished : run_status::failed)));
        if (has_other)
            BOOST_TEST(words_of(parked) == "nothing");
        else
            BOOST_TEST((parked.why->code == weft::errc::timeout));
        // Of a paused run the time goes on while no process has it.
        const run_result paused = run_in(sim, graph);
        sim.clock().advance(11min);
        const run_result late = resume_in(sim, graph, paused);
        BOOST_TEST((late.status == (has_other ? run_status::finished : run_status::failed)), late.message());
    }
}

BOOST_AUTO_TEST_CASE(a_run_does_not_pause_for_questions_that_keep_it_awake)
{
    const auto patient = [](node_context& context) { return ask_until(context, true, true); };
    const weft::graph alone = empty_graph().node("a", patient).edge(weft::start, "a").build();
    const weft::graph inside = around(empty_graph("inner").node("a", patient).edge(weft::start, "a").build());
    for (const weft::graph& graph : {alone, inside}) {
        weft::testing::simulation sim{1};
        const run_result result = run_in(sim, graph);
        BOOST_TEST((result.status == run_status::finished), result.message());
        BOOST_TEST((sim.elapsed() == 10min));
    }
    // It rests as soon as only other questions are open.
    const weft::graph both =
        empty_graph().node("a", patient).node("b", asks()).edge(weft::start, "a").edge(weft::start, "b").build();
    weft::testing::simulation sim{1};
    const run_result result = run_in(sim, both);
    BOOST_TEST((result.status == run_status::paused));
    BOOST_TEST(questions_of(result) == "start#0.1/b#1/ask#0");
    BOOST_TEST((sim.elapsed() == 10min));
}

BOOST_AUTO_TEST_CASE(a_question_that_is_given_up_is_open_no_more)
{
    const auto work = [](node_context& context) -> task<void> {
        question asked{"What?"};
        bool is_late = false;
        try {
            task<std::string> asking = context.ask<std::string>(std::move(asked));
            (void)co_await weft::with_deadline(std::move(asking), 5ms);
        } catch (const weft::error& late) {
            is_late = late.code() == weft::errc::timeout;
        }
        BOOST_TEST(is_late);
        co_await weft::sleep_for(1ms);
    };
    const weft::graph graph = empty_graph().node("a", work).edge(weft::start, "a").build();
    weft::testing::simulation sim{1};
    const run_result result = run_in(sim, graph, run_request{}.on_questions(weft::interrupts::park));
    BOOST_TEST((result.status == run_status::finished), result.message());
}

BOOST_AUTO_TEST_CASE(torn_down_anywhere_nothing_is_left)
{
    const auto whole = [] {
        const auto patient = [](node_context& context) { return ask_until(context, true); };
        const weft::engine engine{around(empty_graph("inner").node("a", patient).node("b", asks()).node("c", patient)
                                             .edge(weft::start, "a").edge(weft::start, "c").edge("a", "b").build())};
        return engine.run(run_request{}.on_questions(weft::interrupts::park).options(
            weft::run_options{}.elapsed_max(1h)));
    };
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(whole) > 3u);
    const auto until_pause = [] {
        const weft::engine engine{
            empty_graph().node("a", asks()).node("b", sleeps(1ms)).node("c", weft::subgraph{one_asker()})
                .edge(weft::start, "a").edge(weft::start, "b").edge(weft::start, "c").build()};
        return engine.run(run_request{});
    };
    BOOST_TEST(weft::testing::torn_down_at_every_suspension_point(until_pause) > 1u);
    BOOST_TEST(weft::testing::stopped_at_every_suspension_point(until_pause) > 0u);
}

BOOST_AUTO_TEST_SUITE_END()
