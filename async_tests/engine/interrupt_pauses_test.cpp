#include <boost/test/unit_test.hpp>

#include "interrupts.hpp"

using namespace weft_tests;
using weft::pause_point;

BOOST_AUTO_TEST_SUITE(interrupt_pauses_test)

namespace {

task<void> look(node_context& context)
{
    context.set(words, std::string{context.node()});
    co_return;
}

/** a -> b -> c -> end, with b back again while `value` is 0. */
weft::graph pausing_at_b(pause_point where)
{
    const auto again = [](const weft::state_view& state) { return state.value_or(value, 1) == 0; };
    return empty_graph()
        .node("a", look).node("b", look, {.pauses = where}).node("c", look)
        .edge(weft::start, "a").edge("a", "b").edge("b", "c").edge_when("c", "b", again).edge("c", weft::end)
        .build();
}

}  // namespace

BOOST_AUTO_TEST_CASE(PYA_5_interrupt_before_stops_once_per_visit_and_a_new_visit_stops_again)
{
    weft::testing::simulation sim{1};
    const weft::graph graph = pausing_at_b(pause_point::before);
    const run_result first = run_in(sim, graph, run_request{}.input(value, 0));
    BOOST_TEST((first.status == run_status::paused));
    BOOST_TEST(first.questions.empty());
    BOOST_TEST(path_of(first) == "a");
    const run_result second = resume_in(sim, graph, first);
    BOOST_TEST(path_of(second) == "a b c");
    // The input of a resume joins the state.
    const run_result done = run_in(sim, graph, run_request{}.resume(second.paused_at).input(value, 1));
    BOOST_TEST((done.status == run_status::finished));
    BOOST_TEST(path_of(done) == "a b c b c");
}

BOOST_AUTO_TEST_CASE(PYA_5_interrupt_after_stops_behind_the_node)
{
    weft::testing::simulation sim{1};
    const weft::graph graph = pausing_at_b(pause_point::after);
    const run_result first = run_in(sim, graph);
    BOOST_TEST(path_of(first) == "a b");
    BOOST_TEST(words_of(first) == "a b");
    const run_result done = resume_in(sim, graph, first);
    BOOST_TEST(path_of(done) == "a b c");
    BOOST_TEST((done.status == run_status::finished));
}

BOOST_AUTO_TEST_CASE(PYA_5_a_pause_and_a_question_in_one_run_are_one_story)
{
    // One branch stops before its node, another asks: one paused run has both.
    const weft::graph graph = empty_graph()
        .node("a", look, {.pauses = pause_point::before}).node("b", asks()).node("c", sleeps(1ms))
        .edge(weft::start, "a").edge(weft::start, "b").edge(weft::start, "c").build();
    weft::testing::simulation sim{1};
    const run_result paused = run_in(sim, graph);
    BOOST_TEST((paused.status == run_status::paused));
    run_result result = resume_in(sim, graph, paused);
    BOOST_TEST(questions_of(result) == "start#0.1/b#1/ask#0");
    result = resume_in(sim, graph, result, {{"start#0.1/b#1/ask#0", "yes"}});
    BOOST_TEST((result.status == run_status::finished), result.message());
    BOOST_TEST(words_of(result) == "a b:yes");
}

BOOST_AUTO_TEST_CASE(PYA_5_a_run_that_is_watched_pauses_as_one_that_is_not)
{
    weft::testing::simulation sim{1};
    const weft::graph graph = pausing_at_b(pause_point::before);
    std::vector<std::string_view> kinds;
    const auto hear = [&](const weft::run_event& event) { kinds.push_back(name_of(event.what)); };
    const run_result watched = run_in(sim, graph, run_request{}.on_event(hear));
    const run_result alone = run_in(sim, graph);
    BOOST_TEST(path_of(watched) == path_of(alone));
    BOOST_TEST(kinds.back() == "run_paused");
}

BOOST_AUTO_TEST_SUITE_END()
