#include <boost/test/unit_test.hpp>

#include "graph/graphs.hpp"
#include "scheduler_script.hpp"

#include <weft/base/random.hpp>

#include <boost/json/serialize.hpp>

using namespace weft_tests;
using weft::state_update;

BOOST_AUTO_TEST_SUITE(scheduler_resume_test)

namespace {

/** a -> (b -> d, c -> (e, f) -> g) -> j -> a, three times round; every node leaves its mark. */
weft::graph marked_graph()
{
    weft::graph_builder builder = graph_of("");
    for (const char node : std::string_view{"abcdefgj"}) builder.node(std::string(1, node), [] {}, tries(2));
    add_edges(builder, "^a ab ac bd dj ce cf eg fg gj");
    builder.edge_when("j", "a", [](const weft::state_view& s) { return s.value_or(total, 0) < 24; });
    builder.edge("j", weft::end).conflict(weft::conflict_strategy::branch_order);
    builder.fan_out("a", {.concurrency_max = 2, .branch_timeout = std::chrono::seconds{1}});
    return builder.build();
}

state_update marks(std::string_view node)
{
    return state_update{}.set(total, 1).set(words, std::string{node}).set(value, node[0]);
}

/** Plays to the end; `order` chooses who ends next, and whose first attempt fails. */
std::string play(scheduler_script& run, weft::random_source& order)
{
    run.begin();
    while (!run.scheduler().course().is_reported()) {
        const auto running = run.running();
        BOOST_REQUIRE(!running.empty());
        const std::string node{running[order.below(running.size())]};
        if (run.attempt_of(node) == 1 && order.below(4) == 0) {
            run.fail(node);
            run.due(node);
            continue;
        }
        run.ok(node, marks(node));
    }
    return std::string{name_of(run.scheduler().course().status())};
}

std::string state_text(const scheduler_script& run)
{
    return boost::json::serialize(run.state().to_json());
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_pause_lets_running_nodes_finish_and_starts_no_other)
{
    scheduler_script run{plain_graph("abcj", "^a ab ac bj cj").build()};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.pause() == "");
    BOOST_TEST(run.ok("b") == "");
    BOOST_TEST(run.ok("c") == "finish paused clean");
    BOOST_REQUIRE_EQUAL(run.scheduler().course().unfinished().size(), 1u);
}

BOOST_AUTO_TEST_CASE(a_paused_run_goes_on_at_the_next_node)
{
    const auto graph = plain_graph("abc", "^a ab bc").build();
    scheduler_script run{graph};
    run.begin();
    run.pause();
    BOOST_TEST(run.ok("a", state_update{}.set(value, 1)) == "finish paused clean");
    scheduler_script resumed{graph, std::move(run.scheduler().where())};
    BOOST_TEST(resumed.begin() == "start b");
    BOOST_TEST(resumed.state().get(value) == 1);
    resumed.ok("b");
    BOOST_TEST(resumed.ok("c") == "finish finished clean");
    BOOST_TEST(joined(resumed.path()) == "a b c");
    BOOST_TEST(resumed.where().steps == 3u);
}

BOOST_AUTO_TEST_CASE(a_pause_at_a_fan_out_names_the_branches_to_start)
{
    const auto graph = plain_graph("abcj", "^a ab ac bj cj").build();
    scheduler_script run{graph};
    run.begin();
    run.pause();
    BOOST_TEST(run.ok("a") == "finish paused clean");
    BOOST_REQUIRE_EQUAL(run.scheduler().course().unfinished().size(), 2u);
    BOOST_TEST(graph.name_of(run.scheduler().course().unfinished()[0]) == "b");
    scheduler_script resumed{graph, std::move(run.scheduler().where())};
    BOOST_TEST(resumed.begin() == "start b, start c");
}

BOOST_AUTO_TEST_CASE(a_pause_ends_the_wait_for_a_retry_and_keeps_the_count)
{
    weft::graph_builder builder{"retry"};
    builder.node("a", [] {}, tries(2)).edge(weft::start, "a");
    const auto graph = builder.build();
    scheduler_script run{graph};
    run.begin();
    run.fail("a");
    BOOST_TEST(run.pause() == "unwait a, finish paused clean");
    scheduler_script resumed{graph, std::move(run.scheduler().where())};
    BOOST_TEST(resumed.begin() == "start a");
    BOOST_TEST(resumed.where().branches[0].attempt == 2u);
    BOOST_TEST(resumed.fail("a") == "finish failed failed");
    BOOST_TEST(resumed.where().steps == 1u);
}

BOOST_AUTO_TEST_CASE(a_wait_that_a_pause_has_ended_is_not_ended_again)
{
    weft::graph_builder builder{"two"};
    builder.node("a", [] {}, tries(2)).node("b", [] {}).edge(weft::start, "a").edge(weft::start, "b");
    scheduler_script run{builder.build()};
    run.begin();
    BOOST_TEST(run.fail("a") == "wait a 1000");
    BOOST_TEST(run.pause() == "unwait a");
    BOOST_TEST(run.fail("b") == "finish failed failed");
}

BOOST_AUTO_TEST_CASE(a_failure_during_a_pause_waits_for_its_retry_until_the_resume)
{
    weft::graph_builder builder{"retry"};
    builder.node("a", [] {}, tries(2)).edge(weft::start, "a");
    const auto graph = builder.build();
    scheduler_script run{graph};
    run.begin();
    run.pause();
    BOOST_TEST(run.fail("a") == "finish paused clean");
    scheduler_script resumed{graph, std::move(run.scheduler().where())};
    BOOST_TEST(resumed.begin() == "start a");
    BOOST_TEST(resumed.where().branches[0].attempt == 2u);
}

BOOST_AUTO_TEST_CASE(pauses_do_not_extend_the_step_limit)
{
    const auto graph = plain_graph("a", "^a aa").build();
    std::optional<weft::frontier> where;
    std::uint32_t steps = 0;
    for (int round = 0; round < 10 && steps < 5; ++round) {
        scheduler_script run{graph, where ? std::move(*where) : weft::frontier{weft::state{graph.layout()}},
                             {.steps_max = 5}};
        run.begin();
        run.pause();
        if (!run.running().empty()) run.ok("a");
        steps = run.where().steps;
        where.emplace(std::move(run.scheduler().where()));
    }
    scheduler_script last{graph, std::move(*where), {.steps_max = 5}};
    BOOST_TEST(last.begin() == "finish failed failed");
    BOOST_TEST((last.scheduler().course().why()->code == weft::errc::steps_exceeded));
}

BOOST_AUTO_TEST_CASE(a_stop_stops_everything_and_ends_as_cancelled)
{
    scheduler_script run{plain_graph("abcj", "^a ab ac bj cj").build()};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.stop() == "stop b, stop c");
    BOOST_TEST(run.stop() == "");
    BOOST_TEST(run.stopped("b") == "");
    BOOST_TEST(run.stopped("c") == "finish cancelled failed");
    BOOST_TEST(run.scheduler().course().unfinished().size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_stop_with_a_cause_ends_as_failed)
{
    scheduler_script run{plain_graph("a", "^a").build()};
    run.begin();
    weft::failure cause;
    cause.code = weft::errc::run_timeout;
    BOOST_TEST(run.stop(std::make_shared<const weft::failure>(cause)) == "stop a");
    BOOST_TEST(run.stopped("a") == "finish failed failed");
    BOOST_TEST((run.scheduler().course().why()->code == weft::errc::run_timeout));
}

BOOST_AUTO_TEST_CASE(only_published_writes_survive_a_stop)
{
    const auto graph = plain_graph("a", "^a").build();
    for (const bool is_published : {false, true}) {
        scheduler_script run{graph};
        run.begin();
        run.stop();
        run.stopped("a", state_update{}.set(value, 1), is_published);
        BOOST_TEST((run.state().find(value) != nullptr) == is_published);
    }
}

BOOST_AUTO_TEST_CASE(a_stop_keeps_what_the_nodes_of_branches_have_completed)
{
    // a -> (b, k) -> j, and b -> (c -> e, d) -> j.
    scheduler_script run{plain_graph("abcdejk", "^a ab ak bc bd ce ej dj kj").build()};
    run.begin();
    run.ok("a");
    run.ok("b", state_update{}.set(total, 1));
    run.ok("c", state_update{}.set(total, 10));
    run.ok("k", state_update{}.set(total, 100));
    run.stop();
    run.stopped("e", state_update{}.set(total, 1000));
    BOOST_TEST(run.stopped("d") == "finish cancelled failed");
    BOOST_TEST(run.state().get(total) == 111);
}

BOOST_AUTO_TEST_CASE(what_a_branch_publishes_comes_after_what_it_wrote_before)
{
    scheduler_script run{plain_graph("abcdj", "^a ab ac bd dj cj").build()};
    run.begin();
    run.ok("a");
    run.ok("b", state_update{}.set(value, 1));
    run.stop();
    run.stopped("d", state_update{}.set(value, 2), true);
    run.stopped("c");
    BOOST_TEST(run.state().get(value) == 2);
}

BOOST_AUTO_TEST_CASE(what_a_late_branch_published_survives_a_stop)
{
    const auto graph = plain_graph("abcj", "^a ab ac bj cj")
                           .fan_out("a", {.branch_timeout = std::chrono::milliseconds{30}})
                           .build();
    scheduler_script run{graph};
    run.begin();
    run.ok("a");
    run.late("b");
    run.stop();
    run.stopped("b", state_update{}.set(value, 2), true);
    run.stopped("c");
    BOOST_TEST(run.state().get(value) == 2);
}

BOOST_AUTO_TEST_CASE(published_writes_of_a_branch_that_lost_a_race_do_not_survive)
{
    const auto graph = plain_graph("abcj", "^a ab ac bj cj")
                           .fan_out("a", {.on_failure = weft::branch_policy::first_success})
                           .build();
    scheduler_script run{graph};
    run.begin();
    run.ok("a");
    run.ok("b");
    run.stopped("c", state_update{}.set(value, 1), true);
    BOOST_TEST(!run.state().find(value));
}

BOOST_AUTO_TEST_CASE(a_stop_during_a_pause_ends_as_cancelled)
{
    scheduler_script run{plain_graph("ab", "^a ab").build()};
    run.begin();
    run.pause();
    BOOST_TEST(run.stop() == "stop a");
    BOOST_TEST(run.stopped("a") == "finish cancelled failed");
}

BOOST_AUTO_TEST_CASE(a_resumed_branch_has_its_time_limit_again)
{
    const auto graph = plain_graph("abcj", "^a ab ac bj cj")
                           .fan_out("a", {.branch_timeout = std::chrono::milliseconds{30}})
                           .build();
    scheduler_script run{graph, {.saves = true}};
    run.begin();
    run.ok("a");
    run.ok("b");
    scheduler_script resumed{graph, run.kept().back()};
    BOOST_TEST(resumed.begin() == "arm c 30, start c");
    BOOST_TEST(resumed.late("c") == "stop c");
    BOOST_TEST(resumed.stopped("c") == "disarm c, finish failed failed");
}

BOOST_AUTO_TEST_CASE(what_was_stopping_when_the_driver_died_has_stopped_after_the_resume)
{
    const auto graph = plain_graph("abcdej", "^a ab ac ad bj cj de ej")
                           .fan_out("a", {.branch_timeout = std::chrono::milliseconds{30}})
                           .build();
    scheduler_script run{graph, {.saves = true}};
    run.begin();
    run.ok("a");
    run.late("b");
    run.ok("d");
    // b's stop fails the fan-out and with it c and e, none of which runs any more.
    scheduler_script resumed{graph, run.kept().back()};
    const std::string line = resumed.begin();
    BOOST_TEST(line.find("stop ") == std::string::npos, line);
    BOOST_TEST(line.find("finish failed failed") != std::string::npos, line);
    BOOST_TEST((resumed.scheduler().course().why()->code == weft::errc::branch_timeout));
}

BOOST_AUTO_TEST_CASE(a_copy_of_the_frontier_is_independent)
{
    const auto graph = plain_graph("abcdj", "^a ab ac bd dj cj").build();
    scheduler_script run{graph, {.saves = true}};
    run.begin();
    run.ok("a");
    run.ok("b", state_update{}.set(total, 1));
    const weft::frontier copy{run.kept().back()};
    run.ok("d", state_update{}.set(total, 10));
    run.ok("c", state_update{}.set(total, 100));
    BOOST_TEST(run.state().get(total) == 111);
    scheduler_script other_run{graph, copy};
    other_run.begin();
    other_run.ok("d", state_update{}.set(total, 20));
    other_run.ok("c", state_update{}.set(total, 200));
    BOOST_TEST(other_run.state().get(total) == 221);
    BOOST_TEST(!copy.root->root().find(total));
}

BOOST_AUTO_TEST_CASE(a_crash_at_any_save_point_leads_to_the_same_final_state)
{
    const auto graph = marked_graph();
    weft::random_source order{11};
    scheduler_script whole{graph, {.saves = true}};
    BOOST_TEST(play(whole, order) == "finished");
    const std::string expected = state_text(whole);
    BOOST_TEST(whole.kept().size() > 20u);
    for (std::size_t point = 0; point < whole.kept().size(); ++point) {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            weft::random_source other_order{seed};
            scheduler_script resumed{graph, whole.kept()[point], {.saves = true}};
            BOOST_REQUIRE_EQUAL(play(resumed, other_order), "finished");
            BOOST_REQUIRE_EQUAL(state_text(resumed), expected);
            BOOST_REQUIRE_EQUAL(resumed.where().steps, whole.where().steps);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
