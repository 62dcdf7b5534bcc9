#include <weft/engine/run/execution_meta.hpp>

#include "facade/ensemble/ensembles.hpp"
#include "graph/graphs.hpp"

#include <weft/async/join.hpp>
#include <weft/async/sleep.hpp>
#include <weft/facade/state/state_stream.hpp>
#include <weft/facade/state_graph.hpp>

#include <stdexcept>

using namespace weft_tests;
using namespace std::chrono_literals;
using weft::compiled_state_graph;
using weft::message;
using weft::state_command;
using weft::state_graph;
using weft::state_request;
using weft::thread_status;

BOOST_AUTO_TEST_SUITE(state_threads_test)

namespace {

/** a -> b -> c -> END; each says its name. */
state_graph abc()
{
    state_graph graph{"test", value, total};
    for (const char* name : {"a", "b", "c"}) graph.add_node(name, [name] { return name; });
    graph.set_entry_point("a").add_edge("a", "b").add_edge("b", "c").add_edge("c", "__end__");
    return graph;
}

state_request says_on(std::string text, std::string thread = "t")
{
    return state_request{{message::user(std::move(text))}}.thread(std::move(thread));
}
state_request go_on(std::string thread = "t") { return state_request{}.thread(std::move(thread)); }

weft::state_result invoke(const compiled_state_graph& graph, state_request request)
{
    weft::testing::simulation sim{1};
    return sim.run(graph.invoke(std::move(request)));
}

std::string said(const weft::list<message>& context)
{
    std::string line;
    for (const message& m : context) line.append(line.empty() ? "" : " ").append(m.text());
    return line;
}
std::string said(const weft::state_result& result) { return said(result.context()); }

}  // namespace

BOOST_AUTO_TEST_CASE(PYA_5_a_thread_is_interrupted_before_a_node_once)
{
    const auto graph = abc().compile({.interrupt_before = {"b"}});
    const auto first = invoke(graph, says_on("hi"));
    BOOST_TEST((first.status == thread_status::interrupted_before));
    BOOST_TEST(first.is_interrupted());
    BOOST_TEST(first.interrupted_node == "b");
    BOOST_TEST(first.interrupt_reason == "interrupt_before: b");
    BOOST_TEST(said(first) == "hi a");
    BOOST_TEST((graph.threads()->load("t")->status == thread_status::interrupted_before));
    const auto second = invoke(graph, go_on());
    BOOST_TEST((second.status == thread_status::completed));
    BOOST_TEST(said(second) == "hi a b c");
}

BOOST_AUTO_TEST_CASE(PYA_5_a_thread_is_interrupted_after_a_node_once)
{
    const auto graph = abc().compile({.interrupt_after = {"b"}});
    const auto first = invoke(graph, says_on("hi"));
    BOOST_TEST((first.status == thread_status::interrupted_after));
    BOOST_TEST(first.interrupted_node == "b");
    BOOST_TEST(said(first) == "hi a b");
    BOOST_TEST(said(invoke(graph, go_on())) == "hi a b c");
}

BOOST_AUTO_TEST_CASE(PYA_5_a_resume_merges_its_input)
{
    const auto graph = abc().compile({.interrupt_before = {"c"}});
    invoke(graph, says_on("hi"));
    const auto resumed = invoke(graph, says_on("yes").input(weft::state_update{}.set(total, 3)));
    BOOST_TEST(said(resumed) == "hi a b yes c");
    BOOST_TEST(resumed.state.get(total) == 3);
}

BOOST_AUTO_TEST_CASE(PYA_5_several_interrupts)
{
    const auto graph = abc().compile({.interrupt_before = {"b"}, .interrupt_after = {"b", "c"}});
    BOOST_TEST((invoke(graph, says_on("hi")).status == thread_status::interrupted_before));
    const auto second = invoke(graph, go_on());
    BOOST_TEST((second.status == thread_status::interrupted_after));
    BOOST_TEST(second.interrupted_node == "b");
    const auto third = invoke(graph, go_on());
    BOOST_TEST((third.status == thread_status::interrupted_after));
    BOOST_TEST(third.interrupted_node == "c");
    const auto fourth = invoke(graph, go_on());
    BOOST_TEST((fourth.status == thread_status::completed));
    BOOST_TEST(said(fourth) == "hi a b c");
}

BOOST_AUTO_TEST_CASE(PYA_5_a_new_visit_interrupts_again)
{
    state_graph looping = abc();
    looping.add_conditional_edges("c", [](const weft::state_view& s) {
        return s.get(weft::context_key).size() < 7 ? std::optional<std::string>{"b"} : std::nullopt;
    });
    const auto graph = looping.compile({.interrupt_before = {"b"}});
    BOOST_TEST(invoke(graph, says_on("hi")).is_interrupted());
    const auto second = invoke(graph, go_on());
    BOOST_TEST((second.status == thread_status::interrupted_before));
    BOOST_TEST(said(second) == "hi a b c");
    BOOST_TEST(invoke(graph, go_on()).is_interrupted());
    BOOST_TEST((invoke(graph, go_on()).status == thread_status::completed));
}

BOOST_AUTO_TEST_CASE(PYA_5_a_streamed_thread_is_interrupted_where_one_is_that_is_not_and_once)
{
    const auto graph = abc().compile({.interrupt_before = {"b"}});
    std::vector<weft::stream_chunk> chunks;
    const auto stream = [&](weft::state_request request) {
        chunks.clear();
        weft::testing::simulation sim{1};
        return sim.run(weft::stream_state(graph, std::move(request), weft::stream_granularity::full,
                                          [&](const weft::stream_chunk& chunk) { chunks.push_back(chunk); }));
    };
    const auto first = stream(says_on("hi"));
    BOOST_TEST((first.status == thread_status::interrupted_before));
    BOOST_TEST(said(first) == "hi a");
    BOOST_TEST(chunks.back().text == "interrupted_before");
    BOOST_TEST(chunks.back().node == "b");
    const auto second = stream(go_on());
    BOOST_TEST((second.status == thread_status::completed));
    BOOST_TEST(said(second) == "hi a b c");
    BOOST_TEST(chunks.back().text == "completed");
    for (const weft::stream_chunk& chunk : chunks)
        if (chunk.message) BOOST_TEST(chunk.message->text() != "a", "told again");
}

BOOST_AUTO_TEST_CASE(PYA_18_each_invocation_has_the_recursion_limit_to_itself)
{
    const auto graph = abc().compile({.interrupt_after = {"b"}});
    BOOST_TEST(invoke(graph, says_on("hi").recursion_limit(2)).is_interrupted());
    BOOST_TEST((invoke(graph, go_on().recursion_limit(1)).status == thread_status::completed));
    BOOST_TEST(invoke(graph, says_on("hi").recursion_limit(2)).is_interrupted());  // a completed thread begins anew
}

BOOST_AUTO_TEST_CASE(PYA_18_a_limit_for_the_whole_run_is_one_of_its_own)
{
    const auto graph = abc().compile({.interrupt_after = {"b"}});
    BOOST_TEST(invoke(graph, says_on("hi").run_limit(2)).is_interrupted());
    const auto says_why = [](const weft::state_graph_error& e) {
        return e.id() == "RECURSION_000" && std::string{e.what()}.find("Run limit of 2") != std::string::npos;
    };
    BOOST_CHECK_EXCEPTION(invoke(graph, go_on().run_limit(2)), weft::state_graph_error, says_why);
}

BOOST_AUTO_TEST_CASE(PYA_19_the_current_node_is_readable_from_nodes_routers_checkpoints_and_streams)
{
    std::string seen;
    state_graph made = abc();
    made.override_node("b", [&seen](weft::node_context& context) {
        seen += context.get(weft::execution_meta_key).current_node + " ";
    });
    made.add_conditional_edges("b", [&seen](const weft::state_view& state) {
        seen += "behind " + state.get(weft::execution_meta_key).current_node;
        return std::optional<std::string>{"c"};
    });
    const auto graph = made.compile({.interrupt_before = {"c"}});
    std::string streamed;
    weft::testing::simulation sim{1};
    const auto first = sim.run(weft::stream_state(
        graph, says_on("hi"), weft::stream_granularity::full, [&](const weft::stream_chunk& chunk) {
            if (chunk.kind == weft::stream_chunk_kind::state) streamed += chunk.node + " ";
        }));
    BOOST_TEST(seen == "b behind b");
    BOOST_TEST(streamed.starts_with("a b "));
    BOOST_TEST(first.state.get(weft::execution_meta_key).current_node == "c");
    const auto kept = graph.threads()->load("t");
    BOOST_REQUIRE(kept);
    BOOST_TEST(kept->at->root->root().get(weft::execution_meta_key).current_node == "c");
    BOOST_TEST(invoke(graph, go_on()).state.get(weft::execution_meta_key).current_node == std::string{weft::end});
}

BOOST_AUTO_TEST_CASE(PYA_5_interrupts_within_a_graph_of_a_node)
{
    state_graph outer = abc();
    outer.add_node("in", abc().compile({.interrupt_before = {"c"}})).add_edge("a", "b").add_edge("in", "__end__");
    outer.override_node("a", [] { return state_command{"A"}.go_to("in"); });
    const auto graph = outer.compile();
    const auto first = invoke(graph, says_on("hi"));
    BOOST_TEST((first.status == thread_status::interrupted_before));
    BOOST_TEST(first.interrupted_node == "in");
    BOOST_TEST(said(invoke(graph, go_on())) == "hi A a b c");
}

BOOST_AUTO_TEST_CASE(PYA_6_a_stop_is_looked_at_before_the_next_node)
{
    std::optional<compiled_state_graph> graph;
    weft::stop_answer answer;
    state_graph made = abc();
    made.override_node("b", [&] { answer = graph->stop("t"); });
    graph = made.compile();
    const auto stopped = invoke(*graph, says_on("hi"));
    BOOST_TEST((answer.ok && answer.running && answer.reason.empty()));
    BOOST_TEST((stopped.status == thread_status::stopped));
    BOOST_TEST(said(stopped) == "hi a");
    BOOST_TEST(stopped.path == (std::vector<std::string>{"a", "b"}), boost::test_tools::per_element());
    const auto resumed = invoke(*graph, go_on());  // the wish to stop is forgotten
    BOOST_TEST((resumed.status == thread_status::completed));
    BOOST_TEST(said(resumed) == "hi a c");
}

namespace {

weft::task<void> wait_a_second() { co_await weft::sleep_for(1s); }

weft::task<weft::stop_answer> stop_soon(compiled_state_graph graph)
{
    co_await weft::sleep_for(500ms);
    co_return graph.stop("t");
}

}  // namespace

BOOST_AUTO_TEST_CASE(PYA_6_a_stop_lets_the_running_node_finish)
{
    state_graph made = abc();
    made.override_node("b", &wait_a_second);
    const auto graph = made.compile();
    weft::testing::simulation sim{1};
    const auto [result, answer] = sim.run(weft::join(graph.invoke(says_on("hi")), stop_soon(graph)));
    BOOST_TEST(answer.ok);
    BOOST_TEST((result.status == thread_status::stopped));
    BOOST_TEST(said(result) == "hi a");
    BOOST_TEST((sim.elapsed() == 1s));
}

BOOST_AUTO_TEST_CASE(PYA_6_why_a_thread_cannot_be_stopped)
{
    const auto graph = abc().compile();
    BOOST_TEST(graph.stop("t").reason == "no-state");
    invoke(graph, says_on("hi"));
    const auto late = graph.stop("t");
    BOOST_TEST(late.reason == "not-running");
    BOOST_TEST(!late.running);
    BOOST_TEST(abc().compile({.threads = nullptr}).stop("t").reason == "no-checkpointer");
}

BOOST_AUTO_TEST_CASE(a_completed_thread_begins_anew_with_its_conversation)
{
    const auto graph = abc().compile();
    invoke(graph, says_on("hi"));
    const auto again = invoke(graph, says_on("more").recursion_limit(3));
    BOOST_TEST(said(again) == "hi a b c more a b c");
    BOOST_TEST(again.path.size() == 3u);
    BOOST_TEST(said(invoke(graph, says_on("hi", "other"))) == "hi a b c");
    graph.threads()->forget("t");
    BOOST_TEST(said(invoke(graph, says_on("hi"))) == "hi a b c");
}

BOOST_AUTO_TEST_CASE(a_first_run_needs_messages_and_a_thread_runs_once_at_a_time)
{
    const auto graph = abc().compile();
    BOOST_TEST(has(error_of([&] { invoke(graph, go_on()); }), "Input data must contain 'messages' for new execution."));
    const auto named = invoke(graph, state_request{{message::user("hi")}});
    BOOST_TEST(named.thread_id.size() == 23u);
    weft::testing::simulation sim{1};
    state_graph slow = abc();
    slow.override_node("a", &wait_a_second);
    const auto busy = slow.compile();
    const auto both = [&] { sim.run(weft::join(busy.invoke(says_on("hi")), busy.invoke(says_on("hi")))); };
    BOOST_TEST(has(error_of(both), "Thread 't' runs already"));
}

namespace {

state_graph failing()
{
    state_graph made = abc();
    made.override_node("b", []() -> std::string { throw std::runtime_error{"broken"}; });
    return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(PYA_17_a_failure_is_told_kept_and_thrown)
{
    const auto graph = failing().compile();
    bool was_told = false;
    const auto watch = [&](const weft::run_event& e) { was_told |= e.what == weft::run_event::kind::node_failed; };
    try {
        invoke(graph, says_on("hi").on_event(watch));
        BOOST_FAIL("nothing was thrown");
    } catch (const weft::state_graph_error& e) {
        BOOST_TEST(e.id() == "NODE_001");
        BOOST_TEST(has(e.what(), "node 'b'"));
        BOOST_TEST(has(e.what(), "broken"));
    }
    BOOST_TEST(was_told);
    const auto kept = graph.threads()->load("t");
    BOOST_TEST((kept->status == thread_status::error));
    BOOST_TEST(has(kept->error, "broken"));
    BOOST_TEST(said(kept->at->root->root().get(weft::context_key)) == "hi a");
}

BOOST_AUTO_TEST_CASE(PYA_17_a_message_recovers)
{
    const auto sorry = [](const weft::node_context& context, const std::exception_ptr& cause) {
        return state_command{std::string{context.node()} + ": " + weft::text_of(cause)};
    };
    const auto result = invoke(failing().compile({.on_error = sorry}), says_on("hi"));
    BOOST_TEST((result.status == thread_status::completed));
    BOOST_TEST(said(result) == "hi a b: broken c");
}

BOOST_AUTO_TEST_CASE(PYA_17_a_command_recovers_when_the_attempts_are_spent)
{
    int calls = 0;
    const auto leave = [&calls](const weft::node_context&, const std::exception_ptr&) {
        ++calls;
        return state_command{"sorry"}.go_to("__end__");
    };
    state_graph made{"test"};
    int attempts = 0;
    const auto work = [&attempts]() -> std::string {
        ++attempts;
        throw std::runtime_error{"broken"};
    };
    made.add_node("a", work, {.options = tries(3)}).set_entry_point("a");
    BOOST_TEST(said(invoke(made.compile({.on_error = leave}), says_on("hi"))) == "hi sorry");
    BOOST_TEST(attempts == 3);
    BOOST_TEST(calls == 1);
    const auto refuses = [](const weft::node_context&, const std::exception_ptr&) { return std::nullopt; };
    BOOST_CHECK_THROW(invoke(made.compile({.on_error = refuses}), says_on("hi")), weft::state_graph_error);
}

BOOST_AUTO_TEST_SUITE_END()
