#include <boost/test/unit_test.hpp>

#include "agent/agents.hpp"
#include "agent/core/tool_step.hpp"
#include "tool/tools.hpp"

#include <weft/graph/graph_builder.hpp>
#include <weft/tool/function_tool.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(tool_step_test)

namespace {

constexpr weft::state_key<std::int64_t, weft::add> total{"total"};

/** Tools `echo`, `wait`, `fail`, `count`, which writes a key, `leave`, which hands over, and a remote one, `page`. */
weft::tool_set step_tools()
{
    weft::tool_set tools = some_tools();
    tools.add("count", "Counts.", [] { return weft::tool_result::text("counted").set(total, 2); });
    tools.add("leave", "Leaves.", [] { return weft::tool_result::text("bye").hand_over("elsewhere"); });
    tools.add_remote("page", "Is carried out elsewhere.", boost::json::object{{"type", "object"}});
    return tools;
}

struct step_work {
    static weft::task<void> turn(weft::tool_runner runner, std::vector<weft::tool_call> calls, weft::node_context& node,
                                 std::string& said)
    {
        const weft::tool_turn done = co_await weft::agent_detail::tool_step(runner, std::move(calls), node);
        said = statuses(done);
    }
    static weft::task<void> messages(weft::tool_runner runner, std::vector<weft::tool_call> calls,
                                     weft::node_context& node, std::shared_ptr<weft::activity_flag> activity,
                                     std::string& said)
    {
        const std::vector<weft::message> answers =
            co_await weft::agent_detail::tool_step_messages(runner, std::move(calls), node, std::move(activity));
        for (const weft::message& answer : answers) said += answer.tool_call_id + "=" + answer.text() + ";";
    }
};

seen_run run_step(std::vector<weft::tool_call> calls, std::string& said,
                  std::shared_ptr<weft::activity_flag> activity = nullptr, weft::run_options options = {})
{
    const weft::tool_runner runner = runner_of(step_tools());
    const auto work = [&](weft::node_context& node) {
        return step_work::messages(runner, calls, node, activity, said);
    };
    const weft::graph graph =
        weft::graph_builder{"g"}.state(total).node("n", work).edge(weft::start, "n").build();
    return run_graph(graph, std::move(options), {});
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_call_has_one_answer_in_the_order_of_the_calls)
{
    std::string said;
    const seen_run seen =
        run_step({call_of("c1", "wait", R"({"ms":5})"), call_of("c2", "echo", R"({"word":"hi"})"),
                  call_of("c3", "fail")},
                 said);
    BOOST_TEST(seen.result.message() == "finished");
    BOOST_TEST(said.starts_with("c1=waited 5;c2=hi;c3="), said);
    BOOST_TEST(said.find("it broke") != std::string::npos, said);
}

BOOST_AUTO_TEST_CASE(a_remote_call_fails_where_nothing_waits_for_its_result)
{
    const weft::tool_runner runner = runner_of(step_tools());
    std::string said;
    const auto work = [&](weft::node_context& node) {
        return step_work::turn(runner, calls_of(call_of("c1", "page"), call_of("c2", "count")), node, said);
    };
    const weft::graph graph = weft::graph_builder{"g"}.state(total).node("n", work).edge(weft::start, "n").build();
    const seen_run seen = run_graph(graph, {}, {});
    BOOST_TEST(seen.result.message() == "finished");
    BOOST_TEST(said.find("c1:remote") == std::string::npos, said);
    BOOST_TEST(said.find("c2:success") != std::string::npos, said);
    BOOST_TEST(seen.value("total") == "nothing");  // what results write is left to the caller
}

BOOST_AUTO_TEST_CASE(what_results_write_reaches_the_state)
{
    std::string said;
    const seen_run seen = run_step({call_of("c1", "count"), call_of("c2", "count")}, said);
    BOOST_TEST(seen.value("total") == "4");
    BOOST_TEST(said == "c1=counted;c2=counted;");
}

BOOST_AUTO_TEST_CASE(a_hand_over_leads_nowhere_and_is_warned_of)
{
    std::string said;
    const seen_run seen = run_step({call_of("c1", "leave")}, said);
    BOOST_TEST(seen.result.message() == "finished");
    BOOST_TEST(said == "c1=bye;");
    BOOST_TEST(seen.all("warning").find("hands over to elsewhere") != std::string::npos, seen.all("warning"));
}

BOOST_AUTO_TEST_CASE(tools_that_tell_something_show_activity)
{
    const auto activity = std::make_shared<weft::activity_flag>();
    std::string said;
    (void)run_step({call_of("c1", "echo", R"({"word":"hi"})")}, said, activity);
    BOOST_TEST(activity->take());
}

BOOST_AUTO_TEST_CASE(a_stop_while_tools_run_fails_the_node_and_writes_nothing)
{
    std::string said;
    const auto options = weft::run_options{}.elapsed_max(std::chrono::milliseconds{50});
    const seen_run seen =
        run_step({call_of("c1", "count"), call_of("c2", "wait", R"({"ms":60000})")}, said, nullptr, options);
    BOOST_TEST(seen.result.message() != "finished");
    BOOST_TEST(said == "");
    BOOST_TEST(seen.value("total") == "nothing");
}

BOOST_AUTO_TEST_SUITE_END()
