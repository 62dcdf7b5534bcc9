#include <boost/test/unit_test.hpp>

#include "observe/trace/recorded_spans.hpp"

#include <weft/async/scope.hpp>
#include <weft/engine/durable_engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/testing/simulation.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

BOOST_AUTO_TEST_SUITE(resumed_run_test)

using weft::span_key;

inline constexpr weft::state_key<std::string> said_in_part{"said"};

weft::task<void> ask_for_part(weft::node_context& node)
{
    const boost::json::value answer = co_await node.interrupt(weft::question{"Fine?"});
    node.set(said_in_part, std::string{answer.as_string()});
}

std::shared_ptr<const weft::durable_graphs> graph_of_parts()
{
    weft::graph_builder builder{"parts"};
    builder.state(said_in_part).node("before", [](weft::node_context&) {}).node("ask", ask_for_part);
    builder.edge(weft::start, "before").edge("before", "ask");
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(builder.build());
    return graphs;
}

/** A process that has an engine of its own, for as long as one call. */
weft::task<weft::run_result> in_a_process(weft::checkpoint_store& store, std::shared_ptr<weft::run_observer> by,
                                          std::string answer)
{
    weft::durable_options options;
    options.observer = std::move(by);
    weft::durable_engine engine{store, graph_of_parts(), std::move(options)};
    co_await engine.open();
    weft::run_result result;
    const weft::thread_key thread{"t"};
    if (answer.empty()) {
        weft::run_request request{"t"};
        request.trace(*weft::trace_context::read("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", ""));
        weft::durable_request order{std::move(request)};
        order.of("parts");
        result = co_await engine.run(std::move(order));
    } else {
        weft::question_answers answers;
        const std::vector<weft::open_question> open = co_await engine.questions(thread);
        for (const weft::open_question& each : open) answers[each.address] = boost::json::value(answer);
        result = co_await engine.resume(thread, std::move(answers));
    }
    co_await engine.close();
    co_return result;
}

BOOST_AUTO_TEST_CASE(another_process_goes_on_with_the_trace_and_a_link_to_the_part_before)
{
    weft::testing::simulation sim{1};
    weft::memory_store store;
    const auto first = std::make_shared<recorded_spans>();
    const auto second = std::make_shared<recorded_spans>();
    const weft::run_result asked = sim.run(in_a_process(store, first, ""));
    BOOST_TEST_REQUIRE((asked.status == weft::run_status::paused), asked.message());
    const weft::run_result ended = sim.run(in_a_process(store, second, "yes"));
    BOOST_TEST_REQUIRE(ended.ok(), ended.message());

    BOOST_TEST(first->tree() == "invoke_workflow parts\n  weft.node before\n  weft.node ask\n");
    BOOST_TEST(second->tree() == "invoke_workflow parts\n  weft.node ask\n");
    const weft::span& before = first->find("invoke_workflow parts");
    const weft::span& after = second->find("invoke_workflow parts");
    BOOST_TEST(before.parent == 0x00f067aa0ba902b7u);
    BOOST_TEST(before.links.empty());
    BOOST_TEST(after.place.trace_high == 0x4bf92f3577b34da6u);
    BOOST_TEST(after.place.trace_low == before.place.trace_low);
    BOOST_TEST(after.place.span != before.place.span);
    BOOST_TEST_REQUIRE(after.links.size() == 1u);
    BOOST_TEST((after.links.front() == before.place));
    BOOST_TEST(after.text(span_key::run) == before.text(span_key::run));
    BOOST_TEST(after.number(span_key::part) > before.number(span_key::part));
    // How long it waited in line counts once, however often it goes on.
    BOOST_TEST(weft::metric_text(first->registry, weft::metric_format::prometheus)
                   .find("weft_run_queue_seconds_count{graph=\"parts\"} 1") != std::string::npos);
    BOOST_TEST(weft::metric_text(second->registry, weft::metric_format::prometheus).find("weft_run_queue_seconds") ==
               std::string::npos);
}

/** Runs a thread, forks its newest checkpoint, and runs the fork. */
weft::task<void> run_and_fork(weft::checkpoint_store& store, std::shared_ptr<weft::run_observer> by, bool is_edited)
{
    weft::graph_builder builder{"plain"};
    builder.state(said_in_part).node("before", [](weft::node_context&) {}).edge(weft::start, "before");
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(builder.build());
    weft::durable_options options;
    options.observer = std::move(by);
    weft::durable_engine engine{store, std::move(graphs), std::move(options)};
    co_await engine.open();
    weft::run_request first{"t"};
    first.trace(*weft::trace_context::read("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", ""));
    weft::durable_request order{std::move(first)};
    static_cast<void>(co_await engine.run(std::move(order)));
    const weft::thread_key source{"t"};
    const weft::thread_snapshot left = co_await engine.read(source);
    weft::state_update edits;
    if (is_edited) edits.set(said_in_part, "otherwise");
    const weft::thread_key fork{"fork"};
    static_cast<void>(co_await engine.fork(source, left.info().sequence, fork, std::move(edits)));
    weft::durable_request again{std::string{"fork"}};
    static_cast<void>(co_await engine.run(std::move(again)));
    weft::durable_request further{std::string{"fork"}};
    static_cast<void>(co_await engine.run(std::move(further)));
    co_await engine.close();
}

BOOST_AUTO_TEST_CASE(the_first_run_of_a_fork_has_a_link_to_the_run_that_it_forked_from)
{
    for (const bool is_edited : {false, true}) {
        weft::testing::simulation sim{1};
        weft::memory_store store;
        const auto spans = std::make_shared<recorded_spans>();
        sim.run(run_and_fork(store, spans, is_edited));
        std::vector<weft::span> runs;
        for (const weft::span& each : spans->spans())
            if (each.name == "invoke_workflow plain") runs.push_back(each);
        BOOST_TEST_REQUIRE(runs.size() == 3u);
        BOOST_TEST(runs[0].links.empty());
        BOOST_TEST_REQUIRE(runs[1].links.size() == 1u);
        BOOST_TEST((runs[1].links.front() == runs[0].place));
        BOOST_TEST(runs[2].links.empty());
    }
}

BOOST_AUTO_TEST_SUITE_END()
