#include <boost/test/unit_test.hpp>

#include "engine/nodes.hpp"

#include <weft/engine/scheduler/frontier.hpp>

#include <memory>

using namespace weft_tests;
using weft::node_context;
using weft::run_status;

BOOST_AUTO_TEST_SUITE(run_test)

namespace {

weft::graph one_node(auto&& work, weft::node_options options = {})
{
    return empty_graph().node("a", work, std::move(options)).edge(weft::start, "a").build();
}

weft::task<weft::command> jumping_node(node_context&)
{
    co_await weft::sleep_for(1ms);
    co_return weft::command::go_to("c").set(value, 3);
}

weft::task<weft::state_update> updating_node(node_context&)
{
    co_await weft::sleep_for(1ms);
    co_return weft::state_update{}.set(value, 4);
}

void throws_number(node_context&) { throw 42; }

weft::task<void> throws_at_once(node_context&)
{
    throw weft::error{weft::errc::invalid_json, "reply", "line 1"};
    co_return;
}

}  // namespace

BOOST_AUTO_TEST_CASE(nodes_may_be_plain_or_coroutines_and_return_nothing_a_command_or_state)
{
    const weft::graph graph =
        empty_graph()
            .node("a", updating_node)
            .node("b", jumping_node, {.goes_to = {"c"}})
            .node("skipped", [] {})
            .node("c", [](node_context& context) { return weft::state_update{}.set(total, context.get(value)); })
            .node("d", [] { return weft::command::end().set(other, 5); })
            .node("e", [] {})
            .edge(weft::start, "a")
            .edge("a", "b")
            .edge("b", "skipped")
            .edge("skipped", "c")
            .edge("c", "d")
            .edge("d", "e")
            .build();
    const auto result = simulate(graph);
    BOOST_TEST(path_of(result) == "a b c d");
    BOOST_TEST(result.state.get(value) == 3);
    BOOST_TEST(result.state.get(total) == 3);
    BOOST_TEST(result.state.get(other) == 5);
}

BOOST_AUTO_TEST_CASE(a_failure_names_node_visit_and_attempt_whatever_is_thrown)
{
    const auto text = [](auto&& work) { return simulate(one_node(work)).message(); };
    BOOST_TEST(text(throws_number) == "node 'a', visit 1, attempt 1: an exception of type int");
    const auto throws_foreign = [] { throw std::runtime_error{"pipe"}; };
    BOOST_TEST(text(throws_foreign) == "node 'a', visit 1, attempt 1: std::runtime_error: pipe");
    const auto result = simulate(one_node(throws_at_once));
    BOOST_TEST(result.message().find("node 'a', visit 1, attempt 1: reply: ") == 0u, result.message());
    BOOST_TEST((result.why->code == weft::errc::invalid_json));
    BOOST_TEST(static_cast<bool>(result.why->cause));
}

BOOST_AUTO_TEST_CASE(a_command_to_fail_says_why)
{
    const auto result = simulate(one_node([] { return weft::command::fail("too vague"); }, tries(3)));
    BOOST_TEST(result.message().find("node 'a', visit 1, attempt 1: ") == 0u);
    BOOST_TEST(result.message().find("too vague") != std::string::npos);
    BOOST_TEST(result.retries == 0u);
}

BOOST_AUTO_TEST_CASE(a_timeout_stops_the_attempt_and_a_further_one_follows)
{
    weft::node_options options = tries(2, 100ms);
    options.timeout = 30ms;
    const auto result = simulate(one_node(sleeps(1h), options));
    BOOST_TEST((result.why->code == weft::errc::node_timeout));
    BOOST_TEST(result.why->attempt == 2u);
    BOOST_TEST(result.elapsed.count() == std::chrono::nanoseconds{160ms}.count());
    BOOST_TEST(result.unresponsive.empty());
}

BOOST_AUTO_TEST_CASE(the_run_has_a_timeout_for_nodes_without_one_and_zero_means_none)
{
    weft::run_options options;
    options.node_timeout(50ms);
    BOOST_TEST((simulate(one_node(sleeps(60ms)), with(options)).why->code == weft::errc::node_timeout));
    options.node_timeout(0ms);
    BOOST_TEST((simulate(one_node(sleeps(60min)), with(options)).status == run_status::finished));
}

BOOST_AUTO_TEST_CASE(a_node_that_hears_no_stop_is_destroyed_after_the_grace_period_and_named)
{
    weft::run_options options;
    options.stop_grace(200ms);
    weft::node_options timed;
    timed.timeout = 100ms;
    const auto result = simulate(one_node(deaf_node, timed), with(options));
    BOOST_TEST((result.why->code == weft::errc::node_timeout));
    BOOST_TEST(result.elapsed.count() == std::chrono::nanoseconds{300ms}.count());
    BOOST_TEST((result.unresponsive == std::vector<std::string>{"a"}));
    BOOST_TEST(result.message().find("destroyed") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_plain_node_that_takes_longer_than_its_timeout_has_failed)
{
    weft::testing::simulation sim{1};
    weft::node_options timed;
    timed.timeout = 10ms;
    const auto blocks = [&sim] { sim.clock().jump_to(sim.clock().now() + 20ms); };
    const auto result = run_in(sim, one_node(blocks, timed));
    BOOST_TEST((result.why->code == weft::errc::node_timeout));
    BOOST_TEST(result.message().find("on_pool") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_time_limit_of_a_run_stops_its_nodes)
{
    weft::run_options options;
    options.elapsed_max(1s);
    const auto result = simulate(one_node(sleeps(1h)), with(options));
    BOOST_TEST((result.status == run_status::failed));
    BOOST_TEST((result.why->code == weft::errc::run_timeout));
    BOOST_TEST(result.elapsed.count() == std::chrono::nanoseconds{1s}.count());
    BOOST_TEST((result.resume_from == std::vector<std::string_view>{"a"}));
}

BOOST_AUTO_TEST_CASE(an_endless_graph_of_plain_nodes_still_hears_its_time_limit)
{
    // In real time: a simulation's clock stands still while anything is ready.
    weft::run_options options;
    options.elapsed_max(5ms).steps_max(0);
    const weft::graph graph = empty_graph().node("a", [] {}).edge(weft::start, "a").edge("a", "a").build();
    const auto result = weft::run_blocking(graph, with(options));
    BOOST_TEST((result.why->code == weft::errc::run_timeout));
}

BOOST_AUTO_TEST_CASE(first_values_go_through_reducers_and_json_through_conversion)
{
    const weft::graph graph = one_node([] {});
    const auto typed = simulate(graph, weft::run_request{}.input(words, "x").input(words, "y").input(value, 3));
    BOOST_TEST(typed.state.get(words).size() == 2u);
    BOOST_TEST(typed.state.get(value) == 3);
    const auto from_json = simulate(graph, weft::run_request{}.input(boost::json::object{{"value", 9}}));
    BOOST_TEST(from_json.state.get(value) == 9);
}

BOOST_AUTO_TEST_CASE(values_that_overwrite_are_there_whatever_the_reducer)
{
    const std::vector<std::string> history{"a", "b", "c"};
    const auto given = simulate(one_node([] {}), weft::run_request{}.overwrite(words, history));
    BOOST_TEST(given.state.get(words) == history, boost::test_tools::per_element());
    const auto answer = [&] { return weft::command::next().overwrite(words, history).set(total, 2); };
    const auto answered = simulate(one_node(answer), weft::run_request{}.input(words, "gone").input(total, 1));
    BOOST_TEST(answered.state.get(words) == history, boost::test_tools::per_element());
    BOOST_TEST(answered.state.get(total) == 3);
}

BOOST_AUTO_TEST_CASE(wrong_input_fails_the_run_and_runs_no_node)
{
    const weft::graph graph = one_node([] {});
    constexpr weft::state_key<int> unknown{"unknown"};
    constexpr weft::state_key<std::string> mistyped{"value"};
    const auto result_of = [&](weft::run_request request) { return simulate(graph, std::move(request)); };
    const auto no_key = result_of(weft::run_request{}.input(unknown, 1));
    BOOST_TEST((no_key.why->code == weft::errc::unknown_state_key));
    BOOST_TEST(no_key.steps == 0u);
    BOOST_TEST((result_of(weft::run_request{}.input(mistyped, "x")).why->code == weft::errc::state_type_mismatch));
    const auto json = boost::json::object{{"value", "text"}};
    const auto wrong_type = result_of(weft::run_request{}.input(json));
    BOOST_TEST((wrong_type.why->code == weft::errc::state_conversion));
    BOOST_TEST(wrong_type.message().find("'value'") != std::string::npos);
    BOOST_TEST((result_of(weft::run_request{}.input(boost::json::object{{"nope", 1}})).why->code ==
                weft::errc::unknown_state_key));
}

BOOST_AUTO_TEST_CASE(wrong_keys_in_a_node_fail_it_by_name)
{
    constexpr weft::state_key<int> unknown{"unknown"};
    const auto result = simulate(one_node([&](node_context& context) { context.set(unknown, 1); }));
    BOOST_TEST((result.why->code == weft::errc::unknown_state_key));
    BOOST_TEST(result.message().find("node 'a', key 'unknown'") != std::string::npos, result.message());
    const auto returned = simulate(one_node([&] { return weft::state_update{}.set(unknown, 1); }));
    BOOST_TEST((returned.why->code == weft::errc::unknown_state_key));
    const auto missing = simulate(one_node([](node_context& context) { static_cast<void>(context.get(value)); }));
    BOOST_TEST((missing.why->code == weft::errc::missing_state_value));
}

BOOST_AUTO_TEST_CASE(a_condition_that_throws_anything_fails_its_node_by_edge_number)
{
    const auto graph = [](weft::edge_predicate holds) {
        return empty_graph()
            .node("a", [] {})
            .node("b", [] {})
            .edge(weft::start, "a")
            .edge_when("a", "b", holds)
            .build();
    };
    const auto result = simulate(graph([](const weft::state_view& s) { return s.get(value) == 1; }));
    BOOST_TEST((result.why->code == weft::errc::condition_failed));
    BOOST_TEST(result.message().find("node 'a', edge[1] to 'b'") == 0u, result.message());
    const auto odd = simulate(graph([](const weft::state_view&) -> bool { throw 42; }));
    BOOST_TEST((odd.why->code == weft::errc::condition_failed));
}

BOOST_AUTO_TEST_CASE(a_coroutine_that_is_stopped_hears_it_in_its_token_and_at_its_next_wait)
{
    struct hearing {
        static weft::task<void> listen(node_context& context, bool& was_told, bool& was_refused)
        {
            const std::stop_token token = context.stop_token();
            try {
                co_await weft::sleep_for(1h);
            } catch (const weft::error&) {
                was_told = token.stop_requested() && context.stop_requested();
            }
            try {
                co_await weft::sleep_for(1h);
            } catch (const weft::error& e) {
                was_refused = e.code() == weft::errc::cancelled;
            }
        }
    };
    bool was_told = false;
    bool was_refused = false;
    weft::run_options options;
    options.elapsed_max(10ms);
    const auto works = [&](node_context& context) { return hearing::listen(context, was_told, was_refused); };
    const auto result = simulate(one_node(works), with(options));
    BOOST_TEST(was_told);
    BOOST_TEST(was_refused);
    BOOST_TEST(result.elapsed.count() == std::chrono::nanoseconds{10ms}.count());
}

BOOST_AUTO_TEST_CASE(a_run_on_a_blocking_thread_gives_its_result)
{
    const auto result = weft::run_blocking(one_node(sleeps(1ms)), weft::run_request{"t-1"}.input(value, 2));
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(result.state.get(value) == 2);
}

BOOST_AUTO_TEST_CASE(a_node_knows_the_thread_of_its_run)
{
    std::string thread;
    const auto works = [&thread](node_context& context) { thread = context.thread(); };
    simulate(one_node(works), weft::run_request{"customer-7"});
    BOOST_TEST(thread == "customer-7");
}

BOOST_AUTO_TEST_CASE(a_run_goes_on_where_a_copy_of_its_frontier_was_kept)
{
    const weft::graph graph = empty_graph()
                                  .node("a", writes(1ms, 1)).node("b", writes(1ms, 2)).node("c", writes(1ms, 3))
                                  .edge(weft::start, "a").edge("a", "b").edge("b", "c")
                                  .build();
    std::vector<std::shared_ptr<const weft::frontier>> kept;
    weft::run_options options;
    options.on_save([&kept](const weft::frontier& where) { kept.push_back(std::make_shared<weft::frontier>(where)); });
    const auto whole = simulate(graph, with(options));
    BOOST_REQUIRE(kept.size() >= 2);
    for (const auto& where : kept) {
        const auto rest = simulate(graph, weft::run_request{}.resume(where));
        BOOST_TEST(path_of(rest) == path_of(whole));
        BOOST_TEST(rest.state.get(words) == whole.state.get(words), boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(a_save_that_throws_fails_the_run)
{
    const weft::graph graph = empty_graph()
                                  .node("a", sleeps(1ms)).node("b", sleeps(1ms)).node("c", sleeps(1ms))
                                  .edge(weft::start, "a").edge("a", "b").edge("b", "c")
                                  .build();
    weft::run_options options;
    options.on_save([](const weft::frontier& where) {
        if (where.steps == 2) throw std::runtime_error{"disk full"};
    });
    const auto result = simulate(graph, with(options));
    BOOST_TEST((result.status == run_status::failed));
    BOOST_TEST(result.message().find("disk full") != std::string::npos);
    BOOST_TEST(path_of(result) == "a b");
}

BOOST_AUTO_TEST_CASE(a_node_without_grace_is_destroyed_at_once)
{
    weft::run_options options;
    options.elapsed_max(10ms).stop_grace(0ns);
    const auto result = simulate(one_node(deaf_node), with(options));
    BOOST_TEST((result.why->code == weft::errc::run_timeout));
    BOOST_TEST((result.unresponsive == std::vector<std::string>{"a"}));
    BOOST_TEST((result.elapsed <= 11ms));
}

BOOST_AUTO_TEST_CASE(a_token_that_has_stopped_or_paused_before_a_run_lets_no_node_begin)
{
    int visits = 0;
    const weft::graph graph = one_node([&visits] { ++visits; });
    std::stop_source asked;
    asked.request_stop();
    const auto stopped = simulate(graph, weft::run_request{}.stop(asked.get_token()));
    BOOST_TEST((stopped.status == run_status::cancelled));
    const auto paused = simulate(graph, weft::run_request{}.pause(asked.get_token()));
    BOOST_TEST((paused.status == run_status::paused));
    BOOST_TEST(visits == 0);
    const auto resumed = simulate(graph, weft::run_request{}.resume(paused.paused_at));
    BOOST_TEST((resumed.status == run_status::finished));
    BOOST_TEST(visits == 1);
}

BOOST_AUTO_TEST_CASE(a_token_pauses_a_run_before_its_next_node)
{
    std::stop_source pause;
    bool has_run = false;
    const auto ask = [&](weft::node_context&) { pause.request_stop(); };
    const weft::graph inner = empty_graph("inner")
        .node("x", ask).node("y", [&] { has_run = true; }).edge(weft::start, "x").edge("x", "y").build();
    const weft::graph graph = empty_graph().node("in", weft::subgraph{inner}).edge(weft::start, "in").build();
    for (const weft::graph& g : {inner, graph}) {
        pause = std::stop_source{};
        const auto paused = simulate(g, weft::run_request{}.pause(pause.get_token()));
        BOOST_TEST(paused.message() == "paused");
        BOOST_TEST(!has_run);
        BOOST_TEST(simulate(g, weft::run_request{}.resume(paused.paused_at)).message() == "finished");
        BOOST_TEST(std::exchange(has_run, false));
    }
}

namespace {

weft::task<void> pause_and_write(weft::node_context& context, std::stop_source& pause)
{
    pause.request_stop();
    co_await weft::sleep_for(5ms);
    context.set(value, 1);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_token_that_pauses_lets_a_node_finish_that_waits)
{
    weft::testing::simulation sim{1};
    std::stop_source pause;
    const auto ask = [&pause](weft::node_context& context) { return pause_and_write(context, pause); };
    const weft::graph graph =
        empty_graph().node("a", ask).node("b", [] {}).edge(weft::start, "a").edge("a", "b").build();
    const auto paused = run_in(sim, graph, weft::run_request{}.pause(pause.get_token()));
    BOOST_TEST(paused.message() == "paused");
    BOOST_TEST(paused.state.get(value) == 1);
    BOOST_TEST(path_of(paused) == "a");
}

BOOST_AUTO_TEST_CASE(input_joins_the_state_where_a_run_goes_on)
{
    const auto add_one = [](weft::node_context& context) { context.set(total, 1); };
    const weft::graph graph = empty_graph()
        .node("a", add_one, {.pauses = weft::pause_point::after}).node("b", add_one)
        .edge(weft::start, "a").edge("a", "b")
        .build();
    const auto paused = simulate(graph, weft::run_request{}.input(total, 10).input(value, 1));
    BOOST_REQUIRE((paused.status == weft::run_status::paused));
    auto further = weft::run_request{}.resume(paused.paused_at).input(total, 100).input(value, 2);
    const auto resumed = simulate(graph, std::move(further));
    BOOST_TEST(resumed.state.get(total) == 112);
    BOOST_TEST(resumed.state.get(value) == 2);
    BOOST_TEST(paused.state.get(total) == 11);
    constexpr weft::state_key<int> unknown{"unknown"};
    const auto refused = simulate(graph, weft::run_request{}.resume(paused.paused_at).input(unknown, 1));
    BOOST_TEST((refused.why->code == weft::errc::unknown_state_key));
}

BOOST_AUTO_TEST_SUITE_END()
