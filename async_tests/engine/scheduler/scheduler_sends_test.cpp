#include <boost/test/unit_test.hpp>

#include "graph/graphs.hpp"
#include "scheduler_script.hpp"

#include <algorithm>

using namespace weft_tests;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(scheduler_sends_test)

namespace {

/** What the checkpoints of a run have stored. */
struct stored_bytes {
    std::size_t all = 0;
    std::size_t largest_body = 0;  // while the fan-out is open
};

/** Sends so many items to w, four at once, and keeps where the run stands after each node. */
stored_bytes keep_sends(std::size_t count)
{
    weft::graph_builder builder = graph_of("wj");
    builder.node("s", [] {}, {.goes_to = {"w"}}).fan_out("s", {.concurrency_max = 4});
    add_edges(builder, "^s wj");
    const weft::graph graph = builder.build();
    const std::uint32_t input = graph.layout()->find("value");
    const std::uint32_t output = graph.layout()->find("total");
    weft::scheduler run{graph, weft::frontier{weft::state{graph.layout()}}, {.steps_max = 0, .saves = true}};
    weft::checkpoint_writer writer{graph, strict_thread::key};
    strict_thread thread;
    thread.forget_nothing();
    stored_bytes stored;
    std::vector<weft::branch_index> running;
    for (;;) {
        while (const auto next = run.next()) {
            if (next->what == weft::action::kind::start_node) running.push_back(next->branch);
            if (next->what != weft::action::kind::save) continue;
            weft::checkpoint_draft draft = writer.write(weft::frontier{run.restart().to_save()});
            const auto& regions = run.where().regions;
            if (!regions.empty() && regions[0].is_open)
                stored.largest_body = std::max(stored.largest_body, draft.body.size());
            thread.commit(std::move(draft));
            writer.written();
        }
        if (run.course().is_reported()) break;
        const weft::branch_index branch = running.back();
        running.pop_back();
        if (graph.name_of(run.at(branch).node) == "s") {
            weft::sent_items items(count);
            for (std::size_t i = 0; i < count; ++i) {
                items[i].target = graph.find("w");
                items[i].input.push_back({input, true, false, weft::make_box<std::int64_t>(i)});
            }
            run.node_sent(branch, {}, std::move(items));
            continue;
        }
        run.node_succeeded(branch, {{output, false, false, weft::make_box<std::int64_t>(1)}}, weft::command::next());
    }
    BOOST_TEST(run.where().root->root().get(total) == static_cast<std::int64_t>(count) + 1);
    stored.all = thread.bytes();
    return stored;
}

/** s sends to w, what is sent meets at j. */
weft::graph_builder sending(weft::fan_out_options options = {})
{
    weft::graph_builder builder = graph_of("wxj");
    builder.node("s", [] {}, {.goes_to = {"w", "x"}}).fan_out("s", options);
    add_edges(builder, "^s wj xw");
    return builder;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_item_is_a_branch_and_all_meet_behind_their_targets)
{
    scheduler_script script{sending().build()};
    BOOST_TEST(script.begin() == "start s");
    BOOST_TEST(script.send("s", {"w", "w", "w"}) == "start w, start w, start w");
    BOOST_TEST(script.ok("w") == "");
    BOOST_TEST(script.ok("w") == "");
    BOOST_TEST(script.ok("w") == "start j");
    BOOST_TEST(script.branches("j").size() == 3u);
    BOOST_TEST(script.ok("j") == "finish finished clean");
}

BOOST_AUTO_TEST_CASE(where_they_meet_does_not_depend_on_how_many_there_are)
{
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
        scheduler_script script{sending().build()};
        script.begin();
        std::string started = script.send("s", std::vector<std::string>(count, "w"));
        for (std::size_t i = 0; i < count; ++i) started = script.ok("w");
        BOOST_TEST(started == "start j");
    }
}

BOOST_AUTO_TEST_CASE(items_go_to_different_nodes_and_their_ways_may_be_longer)
{
    scheduler_script script{sending().build()};
    script.begin();
    BOOST_TEST(script.send("s", {"x", "w"}) == "start x, start w");
    BOOST_TEST(script.ok("w") == "");
    BOOST_TEST(script.ok("x") == "start w");
    BOOST_TEST(script.ok("w") == "start j");
}

BOOST_AUTO_TEST_CASE(no_more_run_at_once_than_the_fan_out_allows)
{
    weft::schedule_limits limits;
    limits.steps_max = 0;
    scheduler_script script{sending({.concurrency_max = 2}).build(), limits};
    script.begin();
    BOOST_TEST(script.send("s", std::vector<std::string>(100'000, "w")) == "start w, start w");
    for (int i = 0; i < 1'000; ++i) BOOST_REQUIRE(script.ok("w") == "start w");
    BOOST_TEST(script.where().branches.size() == 3u);
}

BOOST_AUTO_TEST_CASE(an_item_has_a_time_of_its_own)
{
    scheduler_script script{sending({.on_failure = weft::branch_policy::wait_all, .branch_timeout = 9ms}).build()};
    script.begin();
    weft::sent_items items(2);
    for (weft::sent_item& item : items) item.target = 1;
    items[1].timeout = 5ms;
    BOOST_TEST(script.send_items("s", std::move(items)) == "arm w 9, start w, arm w 5, start w");
}

BOOST_AUTO_TEST_CASE(what_an_item_carries_is_seen_by_its_branch_alone)
{
    const weft::graph graph = sending().build();
    scheduler_script script{graph};
    script.begin();
    const std::uint32_t slot = graph.layout()->find("value");
    weft::sent_items items(2);
    for (std::size_t i = 0; i < 2; ++i) {
        items[i].target = graph.find("w");
        items[i].input.push_back({slot, true, false, weft::make_box<std::int64_t>(i + 1)});
    }
    script.send_items("s", std::move(items));
    const auto seen = [&](weft::branch_index t) {
        return *weft::state_view{script.scheduler().view_of(t)}.find(value);
    };
    BOOST_TEST(seen(1) == 1);
    BOOST_TEST(seen(2) == 2);
    script.ok("w", weft::state_update{}.set(total, 10));
    script.ok("w", weft::state_update{}.set(total, 20));
    BOOST_TEST(script.state().get(total) == 30);
    BOOST_TEST(script.state().find(value) == nullptr);
}

BOOST_AUTO_TEST_CASE(F6_checkpoints_of_a_fan_out_by_send_cost_by_its_number)
{
    const stored_bytes some = keep_sends(300);
    const stored_bytes twice = keep_sends(600);
    BOOST_TEST_MESSAGE("300 items: " << some.all << " B, 600: " << twice.all << " B, the largest body "
                                     << twice.largest_body << " B");
    BOOST_TEST(static_cast<double>(twice.all) < 2.2 * static_cast<double>(some.all));
    BOOST_TEST(twice.largest_body < some.largest_body + 100);
}

BOOST_AUTO_TEST_CASE(F6_failed_items_that_no_resume_runs_again_are_not_kept)
{
    weft::schedule_limits limits;
    limits.steps_max = 0;
    scheduler_script script{
        sending({.on_failure = weft::branch_policy::continue_others, .concurrency_max = 2}).build(), limits};
    script.begin();
    script.send("s", std::vector<std::string>(50, "w"));
    for (int i = 0; i < 5; ++i) script.fail("w");
    BOOST_TEST(script.where().regions[0].broken_off.size() == 5u);  // if all fail, a resume runs all again
    script.ok("w");
    BOOST_TEST(script.where().regions[0].broken_off.empty());
    for (int i = 0; i < 44; ++i) script.fail("w");
    BOOST_TEST(script.where().branches.size() < 10u);
    const weft::branch_results results = script.branches("j");
    BOOST_TEST_REQUIRE(results.size() == 50u);
    BOOST_TEST((results[4].status == weft::branch_status::failed));
    BOOST_TEST((results[5].status == weft::branch_status::succeeded));
    BOOST_TEST(script.ok("j") == "finish finished degraded");
}

BOOST_AUTO_TEST_CASE(a_kept_frontier_goes_on_with_the_items_that_had_not_begun)
{
    const weft::graph graph = sending({.concurrency_max = 1}).build();
    scheduler_script first{graph};
    first.begin();
    first.send("s", {"w", "w", "w"});
    first.ok("w");
    scheduler_script second{graph, weft::frontier{first.where()}};
    BOOST_TEST(second.begin() == "start w");
    BOOST_TEST(second.ok("w") == "start w");
    BOOST_TEST(second.ok("w") == "start j");
}

BOOST_AUTO_TEST_CASE(a_failing_item_follows_the_policy)
{
    scheduler_script all{sending().build()};
    all.begin();
    all.send("s", {"w", "w"});
    BOOST_TEST(all.fail("w") == "stop w");
    BOOST_TEST(all.stopped("w") == "finish failed failed");
    scheduler_script others{sending({.on_failure = weft::branch_policy::continue_others}).build()};
    others.begin();
    others.send("s", {"w", "w"});
    BOOST_TEST(others.fail("w") == "");
    BOOST_TEST(others.ok("w") == "start j");
}

BOOST_AUTO_TEST_CASE(without_a_place_to_meet_the_run_ends_after_the_items)
{
    weft::graph_builder builder = graph_of("w");
    builder.node("s", [] {}, {.goes_to = {"w"}});
    add_edges(builder, "^s");
    scheduler_script script{builder.build()};
    script.begin();
    script.send("s", {"w", "w"});
    script.ok("w");
    BOOST_TEST(script.ok("w") == "finish finished clean");
}

BOOST_AUTO_TEST_CASE(items_within_a_branch_meet_before_the_branch_does)
{
    weft::graph_builder builder = graph_of("abwjk");
    builder.node("s", [] {}, {.goes_to = {"w"}});
    add_edges(builder, "^a as ab wj jk bk");
    scheduler_script script{builder.build()};
    script.begin();
    BOOST_TEST(script.ok("a") == "start s, start b");
    BOOST_TEST(script.ok("b") == "");
    BOOST_TEST(script.send("s", {"w", "w"}) == "start w, start w");
    BOOST_TEST(script.ok("w") == "");
    BOOST_TEST(script.ok("w") == "start j");
    BOOST_TEST(script.ok("j") == "start k");
}

BOOST_AUTO_TEST_SUITE_END()
