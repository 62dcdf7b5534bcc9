// Acceptance cases of the engine's rules for edges, visits, retries and quality; the ids are those of the behaviour
// reference that the project mirrors.
#include <boost/test/unit_test.hpp>

#include "nodes.hpp"

#include <weft/engine/scheduler/frontier.hpp>

#include <memory>

using namespace weft_tests;
using weft::node_context;
using weft::run_event;
using weft::run_quality;
using weft::run_status;

BOOST_AUTO_TEST_SUITE(acceptance_routing_test)

namespace {

bool holds(const weft::state_view& state) { return state.value_or(value, 0) > 0; }

auto sets(std::int64_t number)
{
    return [number](node_context& context) { context.set(value, number); };
}

void throws(node_context&) { throw std::runtime_error{"broken pipe"}; }

/** Counts calls from a node, which must not change itself. */
using counter = std::shared_ptr<int>;
counter make_counter() { return std::make_shared<int>(0); }

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_3_the_ten_steps_of_a_visit_come_in_order)
{
    std::vector<std::string> seen;
    const auto value_in = [](const auto& state) {
        return state.find(value) ? std::to_string(*state.find(value)) : std::string{"nothing"};
    };
    const auto asked = [&](const weft::state_view& state) {
        seen.push_back("edges are asked, value " + value_in(state));
        return false;
    };
    const auto works = [&](node_context& context) {
        seen.push_back("a runs, visit " + std::to_string(context.visit()) + ", value " + value_in(context));
        context.set(value, 6 + std::int64_t{context.visit()});
    };
    const auto valid = [&](const node_context& context) {
        seen.push_back("outputs are checked, value " + value_in(context));
        return std::string{};
    };
    weft::node_options options{.visits_max = 2, .clears = {"value"}};
    options.outputs.passes = valid;
    const weft::graph graph = empty_graph()
                                  .node("a", works, std::move(options))
                                  .node("b", [] {})
                                  .edge(weft::start, "a")
                                  .edge_when("a", "b", asked)
                                  .edge("a", "a")
                                  .build();
    weft::run_options limits;
    limits.steps_max(3).on_save([&seen](const weft::frontier& where) {
        seen.push_back("checkpoint, visits " + std::to_string(where.visits[1]));
    });
    const auto result = simulate(graph, weft::run_request{}.options(limits).on_event([&](const run_event& event) {
        seen.push_back(std::string{name_of(event.what)});
    }));
    const std::vector<std::string> expected{
        "run_started",
        // The node is looked up, its visit counted, its context built; it runs, and is checked.
        "node_started", "a runs, visit 1, value nothing", "outputs are checked, value 7", "node_succeeded",
        // Its writes come before its edges, and the checkpoint is the last.
        "state_written", "edges are asked, value 7", "edge_taken", "checkpoint, visits 1",
        // It repeats: what is stale is cleared before the context is built, and told with what follows.
        "node_started", "a runs, visit 2, value nothing", "outputs are checked, value 8", "node_succeeded",
        "state_written", "state_written", "edges are asked, value 8", "edge_taken", "checkpoint, visits 2",
        // A third visit is beyond its limit: it is passed over, and its edges are followed.
        "node_skipped", "edges are asked, value 8", "edge_taken", "checkpoint, visits 2", "run_finished"};
    BOOST_TEST(seen == expected, boost::test_tools::per_element());
    BOOST_TEST((result.why->code == weft::errc::steps_exceeded));
}

BOOST_AUTO_TEST_CASE(HIV_4_always_is_taken_last_and_after_failure_too)
{
    const auto graph = [](auto&& work) {
        return empty_graph()
            .node("a", work)
            .node("b", [] {})
            .node("c", [] {})
            .edge(weft::start, "a")
            .edge_always("a", "c")
            .edge_when("a", "b", holds)
            .build();
    };
    BOOST_TEST(path_of(simulate(graph(sets(1)))) == "a b");
    BOOST_TEST(path_of(simulate(graph(sets(0)))) == "a c");
    BOOST_TEST(path_of(simulate(graph(throws))) == "a c");
}

BOOST_AUTO_TEST_CASE(HIV_5_success_and_failure_edges_follow_the_result)
{
    const auto graph = [](auto&& work) {
        return empty_graph()
            .node("a", work)
            .node("good", [] {})
            .node("bad", [] {})
            .edge(weft::start, "a")
            .edge_on_success("a", "good")
            .edge_on_failure("a", "bad")
            .build();
    };
    const auto escalates = [](node_context&) { return weft::command::fail("the judge escalates"); };
    BOOST_TEST(path_of(simulate(graph([] {}))) == "a good");
    BOOST_TEST(path_of(simulate(graph(throws))) == "a bad");
    BOOST_TEST(path_of(simulate(graph(escalates))) == "a bad");
}

BOOST_AUTO_TEST_CASE(HIV_6_conditions_are_tried_in_order_and_the_first_wins)
{
    const auto graph = [](int priority_of_c) {
        return empty_graph()
            .node("a", sets(1))
            .node("b", [] {})
            .node("c", [] {})
            .edge(weft::start, "a")
            .edge_when("a", "b", holds)
            .edge_when("a", "c", holds, {.priority = priority_of_c})
            .build();
    };
    BOOST_TEST(path_of(simulate(graph(0))) == "a b");
    BOOST_TEST(path_of(simulate(graph(1))) == "a c");
    BOOST_TEST(path_of(simulate(graph(-1))) == "a b");
}

BOOST_AUTO_TEST_CASE(HIV_12_visits_beyond_the_limit_are_skipped_and_edges_are_followed)
{
    weft::node_options twice;
    twice.visits_max = 2;
    const weft::graph graph = empty_graph()
                                  .node("a", [](node_context& context) { context.set(total, 1); })
                                  .node("b", [] {}, twice)
                                  .node("done", [] {})
                                  .edge(weft::start, "a")
                                  .edge("a", "b")
                                  .edge_when("b", "done", [](const weft::state_view& s) { return s.get(total) == 4; })
                                  .edge("b", "a")
                                  .build();
    std::size_t skipped = 0;
    const auto result = simulate(graph, weft::run_request{}.on_event([&](const run_event& event) {
        if (event.what == run_event::kind::node_skipped) ++skipped;
    }));
    BOOST_TEST(path_of(result) == "a b a b a a done");
    BOOST_TEST(result.visits_of("a") == 4u);
    BOOST_TEST(result.visits_of("b") == 2u);
    BOOST_TEST(skipped == 2u);
    BOOST_TEST((result.status == run_status::finished));
}

BOOST_AUTO_TEST_CASE(HIV_14_exceptions_are_retried_with_growing_delays_and_a_fresh_context)
{
    std::vector<std::uint32_t> attempts;
    std::vector<std::chrono::nanoseconds> times;
    std::vector<bool> was_clean;
    weft::testing::simulation sim{1};
    const auto works = [&](node_context& context) {
        attempts.push_back(context.attempt());
        times.push_back(sim.elapsed());
        was_clean.push_back(!context.find(value) && context.find(words) == nullptr);
        context.set(value, 1);
        context.set(words, "left over");
        if (context.attempt() < 3) throw std::runtime_error{"not yet"};
    };
    const weft::graph graph = empty_graph().node("a", works, tries(3)).edge(weft::start, "a").build();
    const auto result = run_in(sim, graph);
    BOOST_TEST(attempts == (std::vector<std::uint32_t>{1, 2, 3}), boost::test_tools::per_element());
    BOOST_TEST((times == std::vector<std::chrono::nanoseconds>{0s, 1s, 3s}));
    BOOST_TEST((was_clean == std::vector<bool>{true, true, true}));
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST((result.quality == run_quality::clean));
    BOOST_TEST(result.retries == 2u);
    BOOST_TEST(result.steps == 1u);
    BOOST_TEST(result.state.get(words).size() == 1u);
}

BOOST_AUTO_TEST_CASE(HIV_15_every_visit_has_its_whole_retry_budget)
{
    // Each visit fails twice and succeeds at its third and last attempt.
    const auto works = [](node_context& context) {
        if (context.attempt() < 3) throw std::runtime_error{"not yet"};
        context.set(total, 1);
    };
    const weft::graph graph = empty_graph()
                                  .node("a", works, tries(3))
                                  .edge(weft::start, "a")
                                  .edge_when("a", "a", [](const weft::state_view& s) { return s.get(total) < 2; })
                                  .edge("a", weft::end)
                                  .build();
    const auto result = simulate(graph);
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(result.visits_of("a") == 2u);
    BOOST_TEST(result.retries == 4u);
}

BOOST_AUTO_TEST_CASE(HIV_17_a_failure_goes_to_its_handler_or_fails_the_run)
{
    std::string reason;
    const auto handler = [&reason](node_context& context) {
        if (context.previous_failure()) reason = context.previous_failure()->message;
    };
    const weft::graph handled = empty_graph()
                                    .node("a", throws, tries(2))
                                    .node("b", [] {})
                                    .node("handler", handler)
                                    .edge(weft::start, "a")
                                    .edge("a", "b")
                                    .edge_on_failure("a", "handler")
                                    .build();
    const auto result = simulate(handled);
    BOOST_TEST(path_of(result) == "a handler");
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST((result.quality == run_quality::degraded));
    BOOST_TEST(reason == "node 'a', visit 1, attempt 2: std::runtime_error: broken pipe");

    const auto failed = simulate(empty_graph().node("a", throws).edge(weft::start, "a").build());
    BOOST_TEST((failed.status == run_status::failed));
    BOOST_TEST((failed.quality == run_quality::failed));
    BOOST_TEST((failed.resume_from == std::vector<std::string_view>{"a"}));
    BOOST_TEST(failed.message() == "node 'a', visit 1, attempt 1: std::runtime_error: broken pipe");
}

BOOST_AUTO_TEST_CASE(HIV_18_quality_is_clean_degraded_or_failed)
{
    const auto chain = [](auto&& work, weft::node_options options = {}) {
        return empty_graph().node("a", work, std::move(options)).edge(weft::start, "a").build();
    };
    const counter calls = make_counter();
    const auto flaky = [calls](node_context&) {
        if (++*calls == 1) throw std::runtime_error{"once"};
    };
    const weft::graph endless = empty_graph().node("a", [] {}).edge(weft::start, "a").edge("a", "a").build();
    const auto clean = simulate(chain([] {}));
    const auto mended = simulate(chain(flaky, tries(2)));
    const auto degraded = simulate(empty_graph().node("a", throws).node("b", [] {}).edge(weft::start, "a")
                                       .edge_on_failure("a", "b").build());
    const auto failed = simulate(chain(throws));
    weft::run_options options;
    options.steps_max(10);
    const auto exhausted = simulate(endless, with(options));
    BOOST_TEST((clean.quality == run_quality::clean));
    BOOST_TEST((mended.quality == run_quality::clean));
    BOOST_TEST(mended.retries == 1u);
    BOOST_TEST((degraded.quality == run_quality::degraded));
    BOOST_TEST((failed.quality == run_quality::failed));
    BOOST_TEST((exhausted.quality == run_quality::failed));
    BOOST_TEST((exhausted.why->code == weft::errc::steps_exceeded));
    BOOST_TEST(exhausted.steps == 10u);
}

BOOST_AUTO_TEST_SUITE_END()
