#include <boost/test/unit_test.hpp>

#include "tool/tools.hpp"

#include <weft/engine/engine.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/testing/simulation.hpp>
#include <weft/tool/call/remote_results.hpp>
#include <weft/tool/tool_node.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(tool_node_test)

namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using conversation = weft::list<weft::message>;
using weft::errc;
using weft::message;
using weft::tool_call;

constexpr weft::state_key<conversation, weft::append> messages{"messages"};
constexpr weft::state_key<weft::list<std::string>, weft::append> notes{"notes"};
constexpr weft::state_key<std::string> topic{"topic"};

message calling(std::vector<tool_call> calls)
{
    message one = message::assistant("");
    one.tool_calls = std::move(calls);
    return one;
}

conversation talk(std::vector<tool_call> calls)
{
    return {message::user("go"), calling(std::move(calls))};
}

weft::graph graph_of(weft::tool_set tools, weft::tool_settings settings = {}, weft::tool_runner_options options = {})
{
    return weft::graph_builder{"talk"}
        .state(messages, notes, topic)
        .node("tools", weft::tool_node{std::move(tools), std::move(settings), std::move(options)},
              {.goes_to = {"billing", "sales"}})
        .node("after", [](weft::node_context& node) { node.set(notes, "after"); })
        .node("billing", [](weft::node_context& node) { node.set(notes, "billing"); })
        .node("sales", [](weft::node_context& node) { node.set(notes, "sales"); })
        .edge(weft::start, "tools")
        .edge("tools", "after")
        .build();
}

struct seen {
    weft::run_result result;
    std::vector<std::string> events;
    std::chrono::nanoseconds elapsed{0};

    [[nodiscard]] std::string told() const
    {
        std::string text;
        for (const message& one : result.state.get(messages))
            if (one.role == weft::role::tool)
                text.append(text.empty() ? "" : "|").append(one.tool_call_id).append("=").append(one.text());
        return text;
    }
    [[nodiscard]] std::string noted() const
    {
        std::string text;
        for (const std::string& one : result.state.get(notes)) text.append(text.empty() ? "" : " ").append(one);
        return text;
    }
};

seen run(const weft::graph& what, weft::run_request request)
{
    seen run;
    weft::testing::simulation sim{1};
    const weft::engine engine{what};
    request.on_event([&run](const weft::run_event& event) {
        if (event.what == weft::run_event::kind::output) run.events.push_back(event.label + " " + event.text);
    });
    run.result = sim.run(engine.run(std::move(request)));
    run.elapsed = sim.elapsed();
    return run;
}

seen run(const weft::graph& what, conversation first)
{
    return run(what, weft::run_request{"thread-7"}.overwrite(messages, std::move(first)).input(topic, "rain"));
}

errc code_of(const seen& run) { return run.result.why ? run.result.why->code : errc{}; }

}  // namespace

BOOST_AUTO_TEST_CASE(PYA_9_01_one_call_is_answered_and_the_edges_go_on)
{
    const seen run = tool_node_test::run(graph_of(some_tools()), talk({call_of("a", "echo", R"({"word":"hi"})")}));
    BOOST_TEST(run.result.message() == "finished");
    BOOST_TEST(run.told() == "a=hi");
    BOOST_TEST(run.noted() == "after");
}

BOOST_AUTO_TEST_CASE(PYA_9_02_calls_run_in_parallel)
{
    const seen run = tool_node_test::run(graph_of(some_tools()), talk({call_of("a", "wait", R"({"ms":300})"),
                                                                       call_of("b", "wait", R"({"ms":200})"),
                                                                       call_of("c", "wait", R"({"ms":100})")}));
    BOOST_TEST((run.elapsed >= 300ms && run.elapsed < 310ms));
    BOOST_TEST(run.told() == "a=waited 300|b=waited 200|c=waited 100");
}

BOOST_AUTO_TEST_CASE(PYA_9_03_an_error_of_one_call_leaves_the_others_alone)
{
    const seen run = tool_node_test::run(
        graph_of(some_tools()), talk({call_of("a", "wait", R"({"ms":5})"), call_of("b", "fail"),
                                      call_of("c", "echo", R"({"word":"hi"})")}));
    BOOST_TEST(run.told() == "a=waited 5|b=Internal execution error: it broke|c=hi");
    BOOST_TEST(run.result.message() == "finished");
}

BOOST_AUTO_TEST_CASE(calls_are_taken_from_the_budget_of_the_run_before_any_is_made)
{
    const auto with = [](std::int64_t calls_max) {
        weft::budget limits;
        limits.tool_calls = calls_max;
        return tool_node_test::run(graph_of(some_tools()),
                                   weft::run_request{}
                                       .overwrite(messages, talk({call_of("a", "echo", R"({"word":"hi"})"),
                                                                  call_of("b", "echo", R"({"word":"ho"})")}))
                                       .options(weft::run_options{}.budget(limits)));
    };
    const seen enough = with(2);
    BOOST_TEST(enough.told() == "a=hi|b=ho");
    BOOST_TEST(enough.result.spent->tool_calls == 2);
    const seen poor = with(1);
    BOOST_TEST((code_of(poor) == errc::budget_exhausted));
    BOOST_TEST(poor.told() == "");
    BOOST_TEST(poor.result.spent->tool_calls == 0);
}

BOOST_AUTO_TEST_CASE(PYA_9_04_an_unknown_tool_is_an_answer)
{
    const seen run = tool_node_test::run(graph_of(some_tools()), talk({call_of("a", "ecko")}));
    BOOST_TEST(has(run.told(), "a=Unknown tool: there is no tool 'ecko' (did you mean 'echo'?)"));
}

BOOST_AUTO_TEST_CASE(PYA_9_05_arguments_that_do_not_fit_are_an_answer)
{
    const seen run = tool_node_test::run(graph_of(some_tools()), talk({call_of("a", "echo", R"({"word":[]})")}));
    BOOST_TEST(has(run.told(), "a=The arguments of echo do not fit: $.word: expected a string"));
}

BOOST_AUTO_TEST_CASE(PYA_9_06_without_messages_the_node_fails_and_says_what_is_missing)
{
    const seen run = tool_node_test::run(graph_of(some_tools()), conversation{});
    BOOST_TEST((code_of(run) == errc::missing_state_value));
    BOOST_TEST(has(run.result.message(), "the key 'messages' has no messages"));
}

BOOST_AUTO_TEST_CASE(PYA_9_07_without_calls_nothing_is_done)
{
    const seen spoke = run(graph_of(some_tools()), conversation{message::assistant("no tools needed")});
    BOOST_TEST(spoke.told() == "");
    BOOST_TEST(spoke.noted() == "after");
    const conversation asked{calling({call_of("a", "fail")}), message::tool_result("a", "x"), message::user("go on")};
    BOOST_TEST(run(graph_of(some_tools()), asked).told() == "a=x");
}

BOOST_AUTO_TEST_CASE(PYA_9_08_calls_that_are_answered_already_are_not_made_again)
{
    conversation half = talk({call_of("a", "fail"), call_of("b", "echo", R"({"word":"hi"})")});
    half.push_back(message::tool_result("a", "kept"));
    BOOST_TEST(run(graph_of(some_tools()), half).told() == "a=kept|b=hi");
}

BOOST_AUTO_TEST_CASE(PYA_9_09_a_hand_over_goes_to_its_node_and_nothing_else_is_done)
{
    weft::tool_set tools = some_tools();
    tools.add_hand_over("billing", "for invoices");
    const seen run = tool_node_test::run(
        graph_of(std::move(tools)), talk({call_of("a", "fail"), call_of("b", "transfer_to_billing")}));
    BOOST_TEST(run.noted() == "billing");
    BOOST_TEST(has(run.told(), "a=Not done: transfer_to_billing was called in the same turn"));
    BOOST_TEST(has(run.told(), "|b=The conversation is handed over to billing."));
}

BOOST_AUTO_TEST_CASE(PYA_9_10_of_several_hand_overs_the_first_counts)
{
    weft::tool_set tools;
    tools.add_hand_over("billing", "");
    tools.add_hand_over("sales", "");
    tools.add("guess", "", [] { return weft::tool_result::text("x").hand_over("billing"); });
    const weft::graph graph = graph_of(std::move(tools));
    BOOST_TEST(run(graph, talk({call_of("a", "transfer_to_sales"), call_of("b", "transfer_to_billing")})).noted() ==
               "sales");
    const seen two = run(graph, talk({call_of("a", "guess"), call_of("b", "guess")}));
    BOOST_TEST(two.noted() == "billing");
}

BOOST_AUTO_TEST_CASE(PYA_9_11_what_is_injected_is_no_part_of_the_schema)
{
    weft::tool_set tools;
    tools.add("look", "", [](const weft::tool_context& context, word_arguments a, weft::node_context& node) {
        return a.word + " " + node.get(topic) + " " + context.thread + " " + context.call_id;
    });
    const json::object& properties = tools.entries().front().spec.parameters.at("properties").as_object();
    BOOST_TEST(properties.size() == 2u);
    BOOST_TEST(properties.contains("word"));
    const seen run = tool_node_test::run(graph_of(std::move(tools)), talk({call_of("a", "look", R"({"word":"w"})")}));
    BOOST_TEST(run.told() == "a=w rain thread-7 a");
}

BOOST_AUTO_TEST_CASE(PYA_9_12_updates_of_the_state_are_merged_in_the_order_of_the_calls)
{
    weft::tool_set tools;
    tools.add("note", "", [](wait_arguments a) -> weft::task<weft::tool_result> {
        std::string said = co_await wait_and_say(a.ms);
        co_return weft::tool_result::text(said).set(notes, said).set(topic, said);
    });
    const seen run = tool_node_test::run(
        graph_of(std::move(tools)), talk({call_of("a", "note", R"({"ms":30})"), call_of("b", "note", R"({"ms":10})")}));
    BOOST_TEST(run.noted() == "waited 30 waited 10 after");
    BOOST_TEST(run.result.state.get(topic) == "waited 10");
}

BOOST_AUTO_TEST_CASE(PYA_9_13_progress_and_begin_and_end_reach_the_watchers)
{
    weft::tool_set tools;
    tools.add("busy", "", [](const weft::tool_context& context) { context.emit("half way"); });
    const seen run = tool_node_test::run(graph_of(std::move(tools)), talk({call_of("a", "busy")}));
    const std::vector<std::string> expected{R"(tool_start {"id":"a","name":"busy"})", "progress half way",
                                            R"(tool_end {"id":"a","name":"busy","status":"success"})"};
    BOOST_TEST(run.events == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(PYA_9_14_tools_are_chosen_by_name_and_by_tag)
{
    weft::tool_settings settings;
    settings.tools = {"echo"};
    const seen run = tool_node_test::run(graph_of(some_tools(), settings), talk({call_of("a", "fail")}));
    BOOST_TEST(has(run.told(), "there are: echo"));
    settings.tools = {"ecko"};
    BOOST_CHECK_THROW((void)graph_of(some_tools(), settings), weft::error);
    weft::tool_set tools = some_tools();
    tools.add("tagged", "", [] {}).tag("safe");
    const std::vector<std::string> tags{"safe"};
    BOOST_TEST(has(tool_node_test::run(graph_of(tools.tagged(tags)), talk({call_of("a", "fail")})).told(),
                   "there are: tagged"));
}

BOOST_AUTO_TEST_CASE(a_cancelled_run_keeps_an_answer_for_every_call)
{
    std::stop_source stop;
    weft::tool_set tools = some_tools();
    tools.add("stop", "", [&stop] { stop.request_stop(); });
    const seen run = tool_node_test::run(
        graph_of(std::move(tools)),
        weft::run_request{}
            .overwrite(messages, talk({call_of("a", "stop"), call_of("b", "wait", R"({"ms":60000})")}))
            .stop(stop.get_token()));
    BOOST_TEST((run.result.status == weft::run_status::cancelled));
    BOOST_TEST(has(run.told(), "a="));
    BOOST_TEST(has(run.told(), "b=Cancelled before it was done."));
}

BOOST_AUTO_TEST_CASE(the_messages_may_be_plain_json_or_a_key_without_reducer)
{
    constexpr weft::state_key<json::array, weft::append> plain{"messages"};
    constexpr weft::state_key<conversation> whole{"messages"};
    constexpr weft::state_key<std::string> text{"messages"};
    const auto graph_on = [](const auto& key) {
        return weft::graph_builder{"g"}
            .state(key)
            .node("t", weft::tool_node{some_tools()})
            .edge(weft::start, "t")
            .build();
    };
    const conversation first = talk({call_of("a", "echo", R"({"word":"hi"})")});
    weft::testing::simulation sim{1};
    const weft::graph on_plain = graph_on(plain);
    const weft::engine plain_engine{on_plain};
    const auto one = sim.run(
        plain_engine.run(weft::run_request{}.overwrite(plain, weft::to_json(first).as_array())));
    BOOST_TEST(one.state.get(plain).size() == 3u);
    BOOST_TEST(one.state.get(plain).at(2).at("content") == "hi");
    const weft::graph on_whole = graph_on(whole);
    const weft::engine whole_engine{on_whole};
    const auto two = sim.run(whole_engine.run(weft::run_request{}.input(whole, first)));
    BOOST_TEST(two.state.get(whole).size() == 3u);
    const weft::graph on_text = graph_on(text);
    const weft::engine text_engine{on_text};
    const auto wrong = sim.run(text_engine.run(weft::run_request{}.input(text, "x")));
    BOOST_TEST((wrong.why->code == errc::state_type_mismatch));
}

namespace {

weft::graph remote_graph(const weft::tool_runner_options& options = {})
{
    weft::tool_set tools = some_tools();
    tools.add_remote("approve", "Asks the accountant.", weft::json_schema_of<word_arguments>());
    weft::tool_settings settings;
    settings.remote = "posted";
    return weft::graph_builder{"talk"}
        .state(messages, notes, topic)
        .node("tools", weft::tool_node{tools, settings}, {.goes_to = {"posted"}})
        .node("posted", weft::tool_node{tools, settings, options},
              {.goes_to = {"posted"}, .pauses = weft::pause_point::before})
        .node("after", [](weft::node_context& node) { node.set(notes, "after"); })
        .edge(weft::start, "tools")
        .edge("tools", "after")
        .edge("posted", "after")
        .build();
}

}  // namespace

BOOST_AUTO_TEST_CASE(PYA_10_a_remote_call_interrupts_the_run_until_its_result_is_posted)
{
    const weft::graph graph = remote_graph();
    const seen paused = run(graph, talk({call_of("r", "approve", R"({"word":"x"})"),
                                         call_of("a", "echo", R"({"word":"hi"})"),
                                         call_of("s", "approve", R"({"word":"y"})")}));
    BOOST_TEST((paused.result.status == weft::run_status::paused));
    BOOST_TEST(paused.told() == "a=hi");
    BOOST_TEST(paused.events.front() == R"(remote_call {"id":"r","name":"approve","arguments":{"word":"x"}})");

    weft::remote_results results{paused.result.state.get(messages)};
    BOOST_TEST(results.open().size() == 2u);
    BOOST_TEST(!results.post("unknown", weft::tool_result::text("no")));
    BOOST_TEST(!results.post("a", weft::tool_result::text("no")));
    BOOST_TEST(results.post("s", weft::tool_result::text("granted")));
    BOOST_TEST(results.messages().front().text() == "granted");
    BOOST_TEST(!results.post("s", weft::tool_result::text("twice")));
    const auto again = weft::run_request{}.resume(paused.result.paused_at);
    const seen half = run(graph, weft::run_request{again}.input(messages, results.messages().front()));
    BOOST_TEST((half.result.status == weft::run_status::paused));
    BOOST_TEST(half.told() == "a=hi|s=granted");

    weft::remote_results rest{half.result.state.get(messages)};
    BOOST_TEST(rest.open().size() == 1u);
    BOOST_TEST(rest.post("r", weft::tool_result::error("refused")));
    const seen whole =
        run(graph, weft::run_request{}.resume(half.result.paused_at).input(messages, rest.messages().front()));
    BOOST_TEST(whole.result.message() == "finished");
    BOOST_TEST(whole.told() == "a=hi|s=granted|r=refused");
    BOOST_TEST(whole.noted() == "after");
}

BOOST_AUTO_TEST_CASE(results_that_are_posted_are_inspected_once_when_all_are_there)
{
    std::vector<std::string> looked_at;
    weft::tool_runner_options options;
    options.inspect = [&](const weft::tool_invocation& call, weft::tool_answer& answer) -> weft::task<void> {
        looked_at.push_back(call.call.name + " " + answer.result.readable());
        if (answer.result.is_error) throw std::runtime_error{"cannot tell"};
        if (call.call.id == "s") answer.result = weft::tool_result::text("***");
        co_return;
    };
    const weft::graph graph = remote_graph(options);
    const seen paused =
        run(graph, talk({call_of("r", "approve", R"({"word":"x"})"), call_of("a", "echo", R"({"word":"hi"})"),
                         call_of("s", "approve", R"({"word":"y"})"), call_of("t", "approve", R"({"word":"z"})")}));
    BOOST_REQUIRE((paused.result.status == weft::run_status::paused));
    weft::remote_results results{paused.result.state.get(messages)};
    BOOST_TEST(results.post("s", weft::tool_result::text("secret")));
    const seen half = run(graph, weft::run_request{}
                                     .resume(paused.result.paused_at)
                                     .input(messages, results.messages().front()));
    BOOST_TEST(looked_at.empty());
    weft::remote_results rest{half.result.state.get(messages)};
    BOOST_TEST(rest.post("r", weft::tool_result::text("plain")));
    BOOST_TEST(rest.post("t", weft::tool_result::error("odd")));
    weft::run_request last;
    last.resume(half.result.paused_at);
    for (const message& one : rest.messages()) last.input(messages, one);
    const seen whole = run(graph, std::move(last));
    BOOST_TEST(whole.result.message() == "finished");
    BOOST_TEST(whole.told() == "a=hi|s=***|r=plain|t=the check of the result failed: cannot tell");
    BOOST_TEST(looked_at.size() == 3u);  // not the local one
}

BOOST_AUTO_TEST_CASE(PYA_10_where_nobody_waits_for_the_result_the_model_is_told)
{
    weft::tool_set tools;
    tools.add_remote("approve", "", weft::json_schema_of<word_arguments>());
    const seen run =
        tool_node_test::run(graph_of(std::move(tools)), talk({call_of("r", "approve", R"({"word":"x"})")}));
    BOOST_TEST(run.told() == "r=Nobody is there to do it.");
}

BOOST_AUTO_TEST_SUITE_END()
