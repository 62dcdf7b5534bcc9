#include <boost/test/unit_test.hpp>

#include "engine/nodes.hpp"

#include <weft/async/task/yield_now.hpp>
#include <weft/engine/run_handle.hpp>

#include <functional>
#include <optional>

using namespace weft_tests;
using weft::errc;
using weft::node_context;
using weft::run_status;

BOOST_AUTO_TEST_SUITE(plain_stage_test)

namespace {

using plain_work = std::function<void(node_context&)>;

/** `a`, `b` and `c`, one behind the other, of which one does `work` and the others only leave their names. */
struct line {
    std::vector<std::string> called;

    weft::graph with(const std::string& which, plain_work work, weft::node_options options = {})
    {
        weft::graph_builder builder = empty_graph();
        std::string before{weft::start};
        for (const std::string name : {"a", "b", "c"}) {
            const auto call = [this, work = name == which ? work : plain_work{}](node_context& context) {
                called.push_back(std::string{context.node()} + std::to_string(context.visit()) +
                                 std::to_string(context.attempt()) + (context.previous_failure() ? "!" : ""));
                if (work) work(context);
            };
            builder.node(name, call, name == which ? options : weft::node_options{}).edge(before, name);
            before = name;
        }
        return builder.build();
    }
};

std::string joined(const std::vector<std::string>& texts)
{
    std::string line;
    for (const std::string& text : texts) line.append(line.empty() ? "" : " ").append(text);
    return line;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_node_of_a_line_has_its_own_name_and_visit)
{
    line nodes;
    const weft::run_result result = simulate(nodes.with("b", {}));
    BOOST_TEST(result.ok());
    BOOST_TEST(joined(nodes.called) == "a11 b11 c11");
    BOOST_TEST(path_of(result) == "a b c");
    BOOST_TEST(result.steps == 3u);
}

BOOST_AUTO_TEST_CASE(what_failed_before_a_node_is_not_said_to_the_one_behind_it)
{
    line nodes;
    const auto fail_once = [](node_context& context) {
        if (context.attempt() == 1) throw std::runtime_error{"once"};
    };
    const weft::run_result result = simulate(nodes.with("a", fail_once, {.retry = {.attempts_max = 2}}));
    BOOST_TEST(result.ok());
    BOOST_TEST(joined(nodes.called) == "a11 a12! b11 c11");
}

BOOST_AUTO_TEST_CASE(a_node_in_the_middle_of_a_line_may_write_throw_and_stop_the_line)
{
    line writing;
    const auto writes = [](node_context& context) { context.set(value, 7); };
    BOOST_TEST(simulate(writing.with("b", writes)).state.get(value) == 7);
    BOOST_TEST(joined(writing.called) == "a11 b11 c11");

    line failing;
    const weft::run_result failed = simulate(failing.with("b", [](node_context&) { throw std::runtime_error{"no"}; }));
    BOOST_REQUIRE(failed.why);
    BOOST_TEST(failed.why->node == "b");
    BOOST_TEST(joined(failing.called) == "a11 b11");

    line limited;
    const weft::run_result cut = simulate(limited.with("b", {}), with(weft::run_options{}.steps_max(2)));
    BOOST_REQUIRE(cut.why);
    BOOST_TEST((cut.why->code == errc::steps_exceeded));
    BOOST_TEST(joined(limited.called) == "a11 b11");
}

BOOST_AUTO_TEST_CASE(what_a_node_has_done_is_not_counted_against_the_one_behind_it)
{
    line nodes;
    std::optional<bool> is_repeatable;
    weft::graph_builder builder = empty_graph();
    builder.node("a", [](node_context& context) { context.cancel_branches("none"); })
        .node("b", [&](node_context& context) { is_repeatable = context.is_repeatable(); })
        .edge(weft::start, "a")
        .edge("a", "b");
    BOOST_TEST(simulate(builder.build()).ok());
    BOOST_TEST(is_repeatable.value());
}

namespace {

weft::task<std::string> watch_from_the_middle(line& nodes)
{
    std::optional<weft::run_handle> run;
    std::optional<weft::event_stream> stream;
    const weft::engine engine{nodes.with("b", [&](node_context&) { stream = run->events(); })};
    run = co_await engine.start(weft::run_request{});
    std::string seen;
    const weft::run_result result = co_await run->result();
    for (;;) {
        const std::optional<weft::run_event> event = co_await stream->next();
        if (!event) break;
        if (event->what == weft::run_event::kind::node_started) seen += event->node;
    }
    co_return result.ok() ? seen : "failed";
}

}  // namespace

BOOST_AUTO_TEST_CASE(who_watches_from_the_middle_of_a_line_sees_the_rest_of_it)
{
    weft::testing::simulation sim{1};
    line nodes;
    BOOST_TEST(sim.run(watch_from_the_middle(nodes)) == "c");
}

namespace {

weft::task<weft::run_result> cancel_after_a_turn(weft::graph endless)
{
    const weft::engine engine{std::move(endless)};
    weft::run_options limits;
    limits.steps_max(20'000);
    weft::run_handle run = co_await engine.start(weft::run_request{}.options(limits));
    co_await weft::yield_now();
    co_await weft::yield_now();
    run.cancel();
    co_return co_await run.result();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_line_without_an_end_lets_its_loop_go_on)
{
    weft::graph_builder builder = empty_graph();
    builder.node("a", [] {}).node("b", [] {}).edge(weft::start, "a").edge("a", "b").edge("b", "a");
    weft::testing::simulation sim{1};
    const weft::run_result result = sim.run(cancel_after_a_turn(builder.build()));
    BOOST_TEST((result.status == run_status::cancelled));
    BOOST_TEST(result.steps % 512 == 0u);
}

BOOST_AUTO_TEST_CASE(a_branch_may_stop_the_one_that_would_begin_behind_it)
{
    std::vector<std::string> called;
    weft::graph_builder builder = empty_graph();
    builder.node("split", [] {}).node("join", [] {}).edge(weft::start, "split");
    for (const char* const name : {"a", "b", "c"}) {
        const auto call = [&called](node_context& context) {
            called.emplace_back(context.node());
            if (context.node() == "a") context.cancel_branches("b");
        };
        builder.node(name, call).edge("split", name).edge(name, "join");
    }
    const weft::run_result result = simulate(builder.build());
    BOOST_TEST(result.ok());
    BOOST_TEST(joined(called) == "a c");
}

namespace {

weft::task<void> end_at_once(node_context&) { co_return; }

}  // namespace

BOOST_AUTO_TEST_CASE(coroutines_that_end_at_once_stand_in_one_line_with_plain_nodes)
{
    weft::graph_builder builder = empty_graph();
    builder.node("a", &end_at_once).node("b", [] {}).node("c", &end_at_once).node("d", sleeps(1ms)).node("e", [] {});
    builder.edge(weft::start, "a").edge("a", "b").edge("b", "c").edge("c", "d").edge("d", "e");
    const weft::run_result result = simulate(builder.build());
    BOOST_TEST(result.ok());
    BOOST_TEST(path_of(result) == "a b c d e");
}

BOOST_AUTO_TEST_SUITE_END()
