#include <boost/test/unit_test.hpp>

#include "graph/graphs.hpp"
#include "scheduler_script.hpp"
#include "seed_count.hpp"

#include <weft/base/random.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(scheduler_saves_test)

namespace {

constexpr weft::schedule_limits held{.saves = true, .saves_end = true, .holds_for_save = true};

weft::failure_ptr some_failure()
{
    weft::failure failure;
    failure.code = weft::errc::run_timeout;
    return std::make_shared<const weft::failure>(std::move(failure));
}

}  // namespace

BOOST_AUTO_TEST_CASE(nothing_starts_before_a_step_is_kept_and_the_end_waits_for_its_own_save)
{
    scheduler_script run{plain_graph("ab", "^a ab").build(), held};
    BOOST_TEST(run.begin() == "start a");
    BOOST_TEST(run.ok("a") == "save node_complete a");
    BOOST_TEST(run.saved() == "start b");
    BOOST_TEST(run.ok("b") == "save finish");
    BOOST_TEST(!run.scheduler().course().is_reported());
    BOOST_TEST(run.saved() == "finish finished clean");
}

BOOST_AUTO_TEST_CASE(what_completes_during_a_save_is_covered_by_the_next_one)
{
    scheduler_script run{plain_graph("sabcj", "^s sa sb sc aj bj cj").build(), held};
    run.begin();
    BOOST_TEST(run.ok("s") == "save node_complete s");
    BOOST_TEST(run.saved() == "start a, start b, start c");
    BOOST_TEST(run.ok("a") == "save node_complete a");
    BOOST_TEST(run.ok("b") == "");
    BOOST_TEST(run.ok("c") == "");
    BOOST_TEST(run.saved() == "save node_complete c");
    BOOST_TEST(run.saved() == "start j");
    BOOST_TEST(run.ok("j") == "save finish");
    // Between the two saves three branches have ended.
    BOOST_TEST(run.kept()[1].regions[0].succeeded == 1u);
    BOOST_TEST(!run.kept()[2].regions[0].is_open);
}

BOOST_AUTO_TEST_CASE(a_save_that_fails_stops_everything_and_nothing_is_saved_any_more)
{
    scheduler_script run{plain_graph("sabj", "^s sa sb aj bj").build(), held};
    run.begin();
    run.ok("s");
    run.saved();
    BOOST_TEST(run.ok("a") == "save node_complete a");
    BOOST_TEST(run.save_failed() == "stop b");
    BOOST_TEST(run.stopped("b") == "finish failed failed");
    BOOST_TEST((run.scheduler().course().why()->code == weft::errc::store_unavailable));
}

BOOST_AUTO_TEST_CASE(an_end_that_cannot_be_saved_is_a_failure)
{
    scheduler_script run{plain_graph("a", "^a").build(), held};
    run.begin();
    BOOST_TEST(run.ok("a") == "save finish");
    BOOST_TEST(run.save_failed() == "finish failed failed");
    BOOST_TEST((run.scheduler().course().why()->code == weft::errc::store_unavailable));
    BOOST_TEST(run.save_failed() == "");
    BOOST_TEST(run.saved() == "");
}

BOOST_AUTO_TEST_CASE(a_failed_run_saves_its_end_with_the_node_and_keeps_its_own_failure)
{
    scheduler_script run{plain_graph("ab", "^a ab").build(), held};
    run.begin();
    BOOST_TEST(run.fail("a") == "save finish a");
    BOOST_TEST(run.save_failed() == "finish failed failed");
    BOOST_TEST((run.scheduler().course().why()->code == weft::errc::node_failed));
}

BOOST_AUTO_TEST_CASE(a_loss_between_saves_stops_the_run_at_once)
{
    scheduler_script run{plain_graph("ab", "^a ab").build(), held};
    run.begin();
    BOOST_TEST(run.save_failed(weft::errc::thread_lost) == "stop a");
    BOOST_TEST(run.stopped("a") == "finish failed failed");
}

BOOST_AUTO_TEST_CASE(only_the_end_is_saved_if_only_that_is_wanted)
{
    scheduler_script run{plain_graph("ab", "^a ab").build(), {.saves_end = true, .holds_for_save = true}};
    run.begin();
    BOOST_TEST(run.ok("a") == "start b");
    BOOST_TEST(run.ok("b") == "save finish");
    BOOST_TEST(run.saved() == "finish finished clean");
}

BOOST_AUTO_TEST_CASE(without_an_end_of_its_own_a_run_ends_while_a_step_is_being_saved)
{
    scheduler_script run{plain_graph("sab", "^s sa sb").build(), {.saves = true, .holds_for_save = true}};
    run.begin();
    run.ok("s");
    run.saved();
    BOOST_TEST(run.ok("a") == "save node_complete a");
    BOOST_TEST(run.ok("b") == "finish finished clean");
    BOOST_TEST(run.saved() == "");
}

BOOST_AUTO_TEST_CASE(HIV_27_starts_are_saved_too_if_that_is_wanted)
{
    weft::schedule_limits limits = held;
    limits.saves_starts = true;
    scheduler_script run{plain_graph("ab", "^a ab").build(), limits};
    BOOST_TEST(run.begin() == "save node_start a");
    BOOST_TEST(run.saved() == "start a");
    BOOST_TEST(run.ok("a") == "save node_complete a");
    BOOST_TEST(run.saved() == "save node_start b");
    BOOST_TEST(run.saved() == "start b");
    scheduler_script again{plain_graph("ab", "^a ab").build(), run.kept()[2]};
    BOOST_TEST(again.begin() == "start b");
    BOOST_TEST(again.where().steps == 2u);
}

BOOST_AUTO_TEST_CASE(a_retry_is_kept_so_that_a_crash_does_not_give_more_attempts)
{
    weft::graph_builder builder = graph_of("");
    builder.node("a", [] {}, tries(3));
    const weft::graph graph = add_edges(builder, "^a").build();
    scheduler_script run{graph, held};
    run.begin();
    BOOST_TEST(run.fail("a") == "wait a 1000, save node_start a");
    BOOST_TEST(run.due("a") == "");
    BOOST_TEST(run.saved() == "start a");
    scheduler_script again{graph, run.kept().front(), held};
    BOOST_TEST(again.begin() == "start a");
    BOOST_TEST(again.attempt_of("a") == 2u);
}

BOOST_AUTO_TEST_CASE(a_limit_that_is_reached_between_saves_ends_the_run)
{
    weft::schedule_limits limits = held;
    limits.steps_max = 1;
    scheduler_script run{plain_graph("ab", "^a ab").build(), limits};
    run.begin();
    BOOST_TEST(run.ok("a") == "save node_complete a");
    BOOST_TEST(run.saved() == "save finish b");
    BOOST_TEST(run.saved() == "finish failed failed");
}

BOOST_AUTO_TEST_CASE(a_pause_saves_once_where_the_run_stands)
{
    scheduler_script run{plain_graph("abc", "^a ab bc").build(), held};
    run.begin();
    BOOST_TEST(run.pause() == "");
    BOOST_TEST(run.ok("a") == "save pause");
    BOOST_TEST(run.saved() == "finish paused clean");
    scheduler_script again{plain_graph("abc", "^a ab bc").build(), run.kept().back(), held};
    BOOST_TEST(again.begin() == "start b");
}

BOOST_AUTO_TEST_CASE(a_pause_during_a_save_waits_for_it)
{
    scheduler_script run{plain_graph("ab", "^a ab").build(), held};
    run.begin();
    BOOST_TEST(run.ok("a") == "save node_complete a");
    BOOST_TEST(run.pause() == "");
    BOOST_TEST(run.saved() == "save pause");
    BOOST_TEST(run.saved() == "finish paused clean");
}

BOOST_AUTO_TEST_CASE(HIV_30_a_cancel_saves_where_the_run_stood_with_what_was_published)
{
    const weft::graph graph = plain_graph("sabj", "^s sa sb aj bj").build();
    scheduler_script run{graph, held};
    run.begin();
    run.ok("s", weft::state_update{}.set(other, 1));
    run.saved();
    run.ok("a", weft::state_update{}.set(total, 10));
    run.saved();
    BOOST_TEST(run.stop() == "stop b");
    BOOST_TEST(run.stopped("b", weft::state_update{}.set(words, "half"), true) == "save cancel");
    BOOST_TEST(run.saved() == "finish cancelled failed");
    scheduler_script again{graph, run.kept().back(), held};
    BOOST_TEST(again.begin() == "start b");  // neither s nor a again
    again.ok("b", weft::state_update{}.set(total, 1));
    BOOST_TEST(again.saved() == "start j");
    again.ok("j");
    BOOST_TEST(again.state().get(total) == 11);
    BOOST_TEST(again.state().get(words).front() == "half");
}

BOOST_AUTO_TEST_CASE(a_cancel_during_the_last_save_comes_too_late)
{
    scheduler_script run{plain_graph("a", "^a").build(), held};
    run.begin();
    run.ok("a");
    BOOST_TEST(run.stop() == "");
    BOOST_TEST(run.saved() == "finish finished clean");
}

BOOST_AUTO_TEST_CASE(a_run_that_is_stopped_for_a_reason_saves_no_steps_and_then_its_end)
{
    scheduler_script run{plain_graph("sabj", "^s sa sb aj bj").build(), held};
    run.begin();
    run.ok("s");
    run.saved();
    BOOST_TEST(run.stop(some_failure()) == "stop a, stop b");
    BOOST_TEST(run.stopped("a") == "");
    BOOST_TEST(run.stopped("b") == "save finish a");
    BOOST_TEST(run.saved() == "finish failed failed");
}

BOOST_AUTO_TEST_CASE(timers_that_fire_while_the_end_is_saved_change_nothing)
{
    weft::graph_builder builder = graph_of("sb");
    builder.node("a", [] {}, tries(2));
    add_edges(builder, "^s sa sb").fan_out("s", {.branch_timeout = std::chrono::seconds{1}});
    scheduler_script run{builder.build(), held};
    run.begin();
    run.ok("s");
    run.saved();
    run.fail("a");
    run.saved();
    run.pause();
    BOOST_TEST(run.ok("b") == "disarm b, save pause");
    BOOST_TEST(run.late("a") == "");
    BOOST_TEST(run.due("a") == "");
    BOOST_TEST(run.saved() == "finish paused clean");
}

BOOST_AUTO_TEST_CASE(who_goes_on_with_a_run_that_is_over_is_at_its_end_at_once)
{
    const weft::graph graph = plain_graph("a", "^a").build();
    scheduler_script run{graph, held};
    run.begin();
    run.ok("a", weft::state_update{}.set(total, 3));
    scheduler_script again{graph, run.kept().back()};
    BOOST_TEST(again.begin() == "finish finished clean");
    BOOST_TEST(again.state().get(total) == 3);
}

BOOST_AUTO_TEST_CASE(after_a_save_branches_start_in_an_order_that_a_resume_repeats)
{
    // x is visited by both branches; b comes first, and both are ready when the save begins.
    const weft::graph graph = plain_graph("sabxj", "^s sa sb ax bx xj").fan_in("s", "j").build();
    weft::schedule_limits limits = held;
    limits.in_flight_max = 2;
    scheduler_script run{graph, limits};
    run.begin();
    run.ok("s");
    run.saved();
    run.ok("b");
    run.ok("a");
    run.saved();
    run.saved();
    scheduler_script again{graph, run.kept().back(), limits};
    again.begin();
    BOOST_REQUIRE_EQUAL(run.where().branches.size(), again.where().branches.size());
    for (std::size_t t = 0; t < run.where().branches.size(); ++t)
        BOOST_TEST(run.where().branches[t].visit == again.where().branches[t].visit);
}

BOOST_AUTO_TEST_CASE(in_any_order_of_events_nothing_starts_while_a_save_is_awaited_and_every_run_ends)
{
    for (std::uint64_t seed = 1; seed <= seed_count(2000); ++seed) {
        weft::random_source random{seed};
        weft::graph_builder builder = graph_of("sajtuvk");
        builder.node("b", [] {}, tries(2));
        add_edges(builder, "^s sa sb st aj bj tu tv uk vk kj");
        weft::schedule_limits limits = held;
        limits.in_flight_max = static_cast<std::uint32_t>(random.below(4));
        limits.saves_starts = random.below(2) == 0;
        limits.saves = random.below(4) != 0;
        scheduler_script run{builder.build(), limits};
        bool is_saving = false;
        const auto look = [&](const std::string& line) {
            for (std::size_t at = 0; at < line.size(); at = line.find(", ", at) == std::string::npos
                                                                ? line.size()
                                                                : line.find(", ", at) + 2) {
                const std::string_view word = std::string_view{line}.substr(at);
                BOOST_REQUIRE_MESSAGE(!is_saving || !word.starts_with("start"), "seed " << seed << ": " << line);
                BOOST_REQUIRE_MESSAGE(!is_saving || !word.starts_with("save"), "seed " << seed << ": " << line);
                is_saving |= word.starts_with("save");
            }
        };
        look(run.begin());
        for (int i = 0; i < 200 && !run.scheduler().course().is_reported(); ++i) {
            const auto running = run.running();
            const std::uint64_t choice = random.below(24);
            if (is_saving && (choice < 8 || running.empty())) {
                is_saving = false;
                look(choice == 0 ? run.save_failed() : run.saved());
            } else if (choice == 8) {
                look(run.pause());
            } else if (choice == 9) {
                look(run.stop());
            } else if (!running.empty()) {
                const std::string node{running[random.below(running.size())]};
                if (run.is_stopping(node)) look(run.stopped(node));
                else if (choice == 10) look(run.fail(node));
                else look(run.ok(node));
            } else {
                look(run.due("b"));
            }
        }
        BOOST_REQUIRE_MESSAGE(run.scheduler().course().is_reported(), "seed " << seed);
    }
}

BOOST_AUTO_TEST_SUITE_END()
