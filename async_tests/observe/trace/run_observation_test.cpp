#include <boost/test/unit_test.hpp>

#include "observe/trace/recorded_spans.hpp"

#include <weft/agent/react_agent.hpp>
#include <weft/async/sleep.hpp>
#include <weft/engine/engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>
#include <weft/testing/scripted_model.hpp>
#include <weft/testing/simulation.hpp>

#include <boost/describe/class.hpp>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>

BOOST_AUTO_TEST_SUITE(run_observation_test)

using weft::span_key;
using weft::testing::scripted_turn;
using weft::testing::simulation;
using namespace std::chrono_literals;

inline constexpr weft::state_key<std::string> spoken{"spoken"};
const std::string canary = "canary-5b1f";

weft::task<weft::run_result> run_observed(weft::graph what, weft::run_request request, weft::run_observer& by)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    observe(request, by, {.graph = what.name(), .thread = "t-1", .loop = &loop});
    const weft::engine engine{std::move(what)};
    co_return co_await engine.run(std::move(request));
}

struct looked_up {
    std::string what;
};
BOOST_DESCRIBE_STRUCT(looked_up, (), (what))

/** A graph whose agent looks something up, and whose prompts, arguments, results and replies all have the canary. */
weft::graph asking_graph()
{
    const auto model = std::make_shared<weft::testing::scripted_model>("gpt-x at api.openai.com:443");
    scripted_turn looks;
    looks.text("Look: " + canary).call("search", {{"what", canary}}).used(weft::tokens{40}, weft::tokens{6});
    model->then(looks).then(scripted_turn{"It rains. " + canary}.wait(2s).used(weft::tokens{60}, weft::tokens{4}));
    weft::react_options options;
    options.settings.system = "Be brief. " + canary;
    options.tools.add("search", "Looks something up.", [](const looked_up&) { return "result " + canary; });
    const weft::react_agent agent{model, std::move(options)};
    weft::graph_builder builder{"asking"};
    builder.state(spoken, weft::react_messages, weft::react_answer)
        .node("prepare", [](weft::node_context& node) {
            node.set(weft::react_messages, weft::message::user("Rain? " + canary));
        })
        .node("helper", agent.as_node())
        .edge(weft::start, "prepare")
        .edge("prepare", "helper");
    return builder.build();
}

BOOST_AUTO_TEST_CASE(a_run_is_a_tree_of_its_nodes_agents_models_and_tools)
{
    simulation sim{1};
    recorded_spans seen;
    const weft::run_result result = sim.run(run_observed(asking_graph(), {}, seen));
    BOOST_TEST_REQUIRE(result.ok(), result.message());
    BOOST_TEST(seen.tree() == "invoke_workflow asking\n"
                              "  weft.node prepare\n"
                              "  invoke_agent helper\n"
                              "    weft.node think\n"
                              "      chat gpt-x\n"
                              "    weft.node act\n"
                              "      execute_tool search\n"
                              "    weft.node think\n"
                              "      chat gpt-x\n");
    const weft::span& root = seen.find("invoke_workflow asking");
    BOOST_TEST(root.parent == 0u);
    BOOST_TEST(root.text(span_key::conversation) == "t-1");
    BOOST_TEST(root.text(span_key::status) == "finished");
    for (const weft::span& each : seen.spans()) {
        BOOST_TEST(each.place.trace_low == root.place.trace_low);
        BOOST_TEST(each.text(span_key::conversation) == "t-1");
        BOOST_TEST(each.start <= each.end);
    }
    const weft::span& chat = seen.find("chat gpt-x");
    BOOST_TEST(chat.text(span_key::provider) == "openai");
    BOOST_TEST(chat.number(span_key::input_tokens) == 40);
    BOOST_TEST(chat.number(span_key::output_tokens) == 6);
    BOOST_TEST(chat.text(span_key::finish_reason) == "tool_calls");
    BOOST_TEST((chat.kind == weft::span_kind::client));
    BOOST_TEST(seen.find("execute_tool search").text(span_key::tool) == "search");
    BOOST_TEST(root.end - root.start >= 2'000'000'000);
}

/** All texts of all spans. */
std::string told(recorded_spans& seen)
{
    std::string all;
    for (const weft::span& each : seen.spans()) {
        all += each.name + "\n";
        for (const weft::span_attribute& attribute : each.attributes)
            if (const auto* const text = std::get_if<std::string>(&attribute.value)) all += *text + "\n";
    }
    return all;
}

BOOST_AUTO_TEST_CASE(what_was_said_is_told_only_where_it_is_asked_for)
{
    simulation sim{1};
    recorded_spans silent;
    BOOST_TEST(sim.run(run_observed(asking_graph(), {}, silent)).ok());
    BOOST_TEST(told(silent).find(canary) == std::string::npos);

    weft::trace_options traces;
    traces.has_content = true;
    traces.content_bytes_max = 200;
    traces.redact = [](span_key, std::string text) {
        for (std::size_t at = 0; (at = text.find(canary)) != text.npos;) text.replace(at, canary.size(), "***");
        return text;
    };
    recorded_spans open{traces};
    BOOST_TEST(sim.run(run_observed(asking_graph(), {}, open)).ok());
    const std::string all = told(open);
    BOOST_TEST(all.find(canary) == std::string::npos);
    BOOST_TEST(all.find(R"({"what":"***"})") != std::string::npos, all);
    BOOST_TEST(all.find("result ***") != std::string::npos);
    BOOST_TEST(open.find("chat gpt-x").text(span_key::input_messages).size() <= 200u);
    BOOST_TEST(open.find("chat gpt-x").text(span_key::input_messages).starts_with(R"([{"role":"system","parts":)"));
}

/** Fails if its input says so, with a text that repeats what was said; and may take long. */
weft::graph failing_graph()
{
    weft::node_options tries;
    tries.retry = {.attempts_max = 2, .initial = 0ns};
    weft::graph_builder builder{"failing"};
    builder.state(spoken).node("n", [](weft::node_context& node) -> weft::task<void> {
        const std::string said = node.get(spoken);
        if (said == "slow") co_await weft::sleep_for(3s);
        if (said == "bad") throw std::runtime_error{"I was told " + canary};
    }, tries);
    return builder.edge(weft::start, "n").build();
}

BOOST_AUTO_TEST_CASE(runs_that_fail_or_take_long_are_kept_though_the_ratio_would_not)
{
    weft::trace_options traces;
    traces.sampling.ratio = 0;
    traces.sampling.keeps_slower_than = 2s;
    recorded_spans seen{traces};
    simulation sim{1};
    const auto run_with = [&](std::string input) {
        (void)sim.run(run_observed(failing_graph(), weft::run_request{spoken, std::move(input)}, seen));
    };
    run_with("good");
    BOOST_TEST(seen.spans().empty());
    BOOST_TEST(seen.metrics.otlp_spans.at({"unsampled"}).value() == 2);
    run_with("bad");
    BOOST_TEST(seen.tree() == "invoke_workflow failing !\n  weft.node n !\n  weft.node n !\n");
    BOOST_TEST(told(seen).find(canary) == std::string::npos);
    const weft::span& root = seen.find("invoke_workflow failing");
    BOOST_TEST_REQUIRE(root.notes.size() == 1u);
    BOOST_TEST(root.notes.front().name == "retry");
    run_with("slow");
    BOOST_TEST(seen.spans().size() == 5u);
    // All that happened counts, whatever is sent.
    BOOST_TEST(seen.metrics.runs.at({"failing", "finished"}).value() == 2);
    BOOST_TEST(seen.metrics.node_failures.at({"failing", "n"}).value() == 2);
    BOOST_TEST(seen.metrics.runs_open.at({"failing"}).value() == 0);
}

BOOST_AUTO_TEST_CASE(a_ratio_sends_about_so_many_of_the_runs)
{
    weft::trace_options traces;
    traces.sampling.ratio = 0.25;
    recorded_spans seen{traces};
    simulation sim{1};
    for (int i = 0; i < 200; ++i)
        (void)sim.run(run_observed(failing_graph(), weft::run_request{spoken, "good"}, seen));
    const std::size_t sent = seen.spans().size() / 2;  // the run and its node
    BOOST_TEST(sent > 25u);
    BOOST_TEST(sent < 75u);
}

BOOST_AUTO_TEST_CASE(a_caller_decides_for_its_trace_and_is_the_parent)
{
    recorded_spans seen;
    simulation sim{1};
    const auto run_for = [&](const std::string& flags) {
        weft::run_request request{spoken, "good"};
        const std::string parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-" + flags;
        request.trace(*weft::trace_context::read(parent, "a=b"));
        (void)sim.run(run_observed(failing_graph(), std::move(request), seen));
    };
    run_for("00");
    BOOST_TEST(seen.spans().empty());
    run_for("01");
    const weft::span& root = seen.find("invoke_workflow failing");
    BOOST_TEST(root.place.trace_high == 0x4bf92f3577b34da6u);
    BOOST_TEST(root.parent == 0x00f067aa0ba902b7u);
    BOOST_TEST(root.trace_state == "a=b");
}

BOOST_AUTO_TEST_CASE(a_run_without_end_keeps_no_more_spans_than_it_may)
{
    weft::trace_options traces;
    traces.sampling.ratio = 0;
    traces.spans_per_run_max = 10;
    recorded_spans seen{traces};
    // It goes round a hundred times and fails then.
    static constexpr weft::state_key<std::int64_t, weft::add> rounds{"rounds"};
    weft::graph_builder builder{"round"};
    builder.state(rounds).initial(rounds, 0).node("turn", [](weft::node_context& node) {
        if (node.get(rounds) == 99) throw std::runtime_error{"enough"};
        node.set(rounds, 1);
    });
    builder.edge(weft::start, "turn").edge("turn", "turn");
    simulation sim{1};
    (void)sim.run(run_observed(builder.build(), {}, seen));
    BOOST_TEST(seen.spans().size() == 11u);  // with that of the run
    BOOST_TEST(seen.metrics.otlp_spans.at({"dropped"}).value() == 90);
}

BOOST_AUTO_TEST_SUITE_END()
