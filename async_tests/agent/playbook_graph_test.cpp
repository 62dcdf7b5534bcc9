#include <boost/test/unit_test.hpp>

#include "agent_graphs.hpp"

#include <weft/agent/playbook_graph.hpp>
#include <weft/base/error.hpp>

#include <algorithm>
#include <stdexcept>

using namespace weft_tests;
using namespace std::chrono_literals;
using weft::testing::scripted_turn;

BOOST_AUTO_TEST_SUITE(playbook_graph_test)

namespace {

/** Nodes and edges (`a>b`, `a.handle>b`) of a playbook whose trigger is `t`. */
weft::playbook_definition playbook_of(std::string name, std::string nodes, const std::vector<std::string>& edges)
{
    std::string text = "{'name': '" + std::move(name) + "', 'nodes': [{'id': 't', 'subtype': 'trigger'}, " +
                       std::move(nodes) + "], 'edges': [";
    for (const std::string& edge : edges) {
        const std::size_t to = edge.find('>');
        const std::size_t dot = std::min(edge.find('.'), to);
        const std::string handle = dot < to ? edge.substr(dot + 1, to - dot - 1) : "";
        text += (&edge == &edges.front() ? "" : ", ") + std::string{"{'source': '"} + edge.substr(0, dot) +
                "', 'target': '" + edge.substr(to + 1) + "', 'handle': '" + handle + "'}";
    }
    text += "]}";
    std::replace(text.begin(), text.end(), '\'', '"');
    return weft::read_playbook(text);
}

weft::playbook_options options_of(std::shared_ptr<weft::chat_model> model)
{
    weft::playbook_options options;
    options.agent = options_with(std::move(model));
    weft::tool_set tools;
    tools.add("shout", "Says it loud.", [](boost::json::object) { return std::string{"LOUD"}; });
    tools.add("breaks", "Breaks.", []() -> std::string { throw std::runtime_error{"broken"}; });
    options.agent.tools = std::make_shared<const weft::tool_set>(std::move(tools));
    return options;
}

agent_run run_of(const weft::playbook_definition& what, const weft::playbook_options& options)
{
    weft::run_request request{"pb"};
    std::move(request).input(weft::playbook_keys::trigger, boost::json::value{"go"});
    return run_agent_graph(weft::playbook_graph(what, options), std::move(request));
}

/** What a node left, as JSON text. */
std::string left_by(const agent_run& run, std::string_view label)
{
    const boost::json::object& outputs = run.result.state.get(weft::playbook_keys::outputs);
    const boost::json::value* const record = outputs.if_contains(label);
    return record ? boost::json::serialize(record->at("result")) : "nothing";
}

std::string response_of(const agent_run& run) { return run.result.state.get(weft::playbook_keys::response); }

}  // namespace

BOOST_AUTO_TEST_CASE(SUL_15_an_agent_is_a_run_of_its_own_and_a_response_tells_what_it_did)
{
    const auto model = scripted({"It rains. " + done_block});
    const auto what = playbook_of("p",
                                  "{'id': 'a', 'subtype': 'agent', 'label': 'Look', 'prompt': 'Weather for {{trigger}}'}, "
                                  "{'id': 'r', 'subtype': 'response', 'prompt': '{{Look.result}} {{Look.threadId}}'}",
                                  {"t>a", "a>r"});
    const agent_run run = run_of(what, options_of(model));
    BOOST_TEST(run.result.message() == "finished");
    BOOST_TEST(response_of(run) == "It rains. pb/a#1");
    const std::string asked = model->requests().at(0).messages.back().text();
    BOOST_TEST(asked.starts_with("Weather for go"));
    BOOST_TEST(asked.find("Suggested next action") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(SUL_15_a_blocked_agent_says_so_and_one_that_fails_fails_the_run)
{
    const auto what = playbook_of("p", "{'id': 'a', 'subtype': 'agent', 'prompt': 'Do it.'}", {"t>a"});
    BOOST_TEST(left_by(run_of(what, options_of(scripted({blocked_block}))), "a").starts_with("\"[BLOCKED] no key"));
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->then(scripted_turn{}.fails(weft::errc::model_unauthorized));
    const agent_run failed = run_of(what, options_of(model));
    BOOST_TEST((failed.result.status == weft::run_status::failed));
    BOOST_TEST(failed.result.message().find("did not come to an end") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(SUL_15_tool_call_condition_and_wait)
{
    const auto what = playbook_of("p",
                                  "{'id': 'c', 'subtype': 'tool-call', 'tool': 'shout', 'arguments': {'text': 'x'}}, "
                                  "{'id': 'i', 'subtype': 'condition', 'condition': '{{c.result}} contains loud'}, "
                                  "{'id': 'w', 'subtype': 'wait', 'amount': 2, 'unit': 'hours'}, "
                                  "{'id': 'no', 'subtype': 'response', 'prompt': 'no'}",
                                  {"t>c", "c>i", "i.condition-true>w", "i.condition-false>no"});
    const agent_run run = run_of(what, options_of(nullptr));
    BOOST_TEST(run.result.message() == "finished");
    BOOST_TEST(left_by(run, "c") == "\"LOUD\"");
    BOOST_TEST(left_by(run, "i") == "true");
    BOOST_TEST((run.result.elapsed >= 2h));
    BOOST_TEST(left_by(run, "no") == "nothing");
}

BOOST_AUTO_TEST_CASE(SUL_15_a_router_asks_a_model)
{
    const auto what = playbook_of("p",
                                  "{'id': 'r', 'subtype': 'router', 'prompt': 'Who?', 'routes': ['sales', 'support']}, "
                                  "{'id': 'a', 'subtype': 'response', 'prompt': 'A'}, "
                                  "{'id': 'b', 'subtype': 'response', 'prompt': 'B'}",
                                  {"t>r", "r.route-0>a", "r.route-1>b"});
    BOOST_TEST(response_of(run_of(what, options_of(scripted({"Support"})))) == "B");
    BOOST_TEST(response_of(run_of(what, options_of(scripted({"dunno"})))) == "A");
}

BOOST_AUTO_TEST_CASE(SUL_15_a_loop_goes_round_to_its_limit)
{
    const auto what = playbook_of("p",
                                  "{'id': 'l', 'subtype': 'loop', 'max_iterations': 3}, "
                                  "{'id': 'c', 'subtype': 'tool-call', 'tool': 'shout'}, "
                                  "{'id': 'e', 'subtype': 'response', 'prompt': 'end'}",
                                  {"t>l", "l.loop-body>c", "c>l", "l.loop-exit>e"});
    const agent_run run = run_of(what, options_of(nullptr));
    BOOST_TEST(run.result.visits_of("c") == 3u);
    BOOST_TEST(left_by(run, "l") ==
               R"({"totalIterations":3,"exitReason":"max_iterations","iterationResults":[["LOUD"],["LOUD"],["LOUD"]]})");
    BOOST_TEST(response_of(run) == "end");
}

BOOST_AUTO_TEST_CASE(SUL_16_branches_that_fail_do_not_matter_if_one_succeeds)
{
    const std::string nodes = "{'id': 'f', 'subtype': 'parallel'}, "
                              "{'id': 'a', 'subtype': 'tool-call', 'tool': 'breaks'}, "
                              "{'id': 'm', 'subtype': 'merge'}, ";
    const std::vector<std::string> edges{"t>f", "f>a", "f>b", "a>m", "b>m"};
    const agent_run partial = run_of(
        playbook_of("p", nodes + "{'id': 'b', 'subtype': 'tool-call', 'tool': 'shout'}", edges), options_of(nullptr));
    BOOST_TEST(partial.result.message() == "finished");
    BOOST_TEST(left_by(partial, "m").starts_with(R"({"b":"LOUD","failed":[)"));
    const agent_run none = run_of(
        playbook_of("p", nodes + "{'id': 'b', 'subtype': 'tool-call', 'tool': 'breaks'}", edges), options_of(nullptr));
    BOOST_TEST((none.result.status == weft::run_status::failed));
    BOOST_TEST(left_by(none, "m") == "nothing");
}

BOOST_AUTO_TEST_CASE(SUL_15_sub_workflows_lie_in_each_other_and_their_failure_goes_up)
{
    auto library = std::make_shared<weft::playbook_library>();
    library->emplace("inner", playbook_of("inner", "{'id': 'r', 'subtype': 'response', 'prompt': 'got {{trigger}}'}",
                                          {"t>r"}));
    library->emplace("broken", playbook_of("broken", "{'id': 'c', 'subtype': 'tool-call', 'tool': 'breaks'}", {"t>c"}));
    library->emplace("round", playbook_of("round", "{'id': 's', 'subtype': 'sub-workflow', 'workflow': 'round'}", {"t>s"}));
    weft::playbook_options options = options_of(nullptr);
    options.library = library;
    const auto calling = [](const std::string& whom) {
        return playbook_of("outer", "{'id': 's', 'subtype': 'sub-workflow', 'prompt': 'a {{trigger}}', 'workflow': '" +
                                        whom + "'}", {"t>s"});
    };
    BOOST_TEST(left_by(run_of(calling("inner"), options), "s") == "\"got a go\"");
    BOOST_TEST((run_of(calling("broken"), options).result.status == weft::run_status::failed));
    BOOST_CHECK_EXCEPTION((void)weft::playbook_graph(calling("round"), options), weft::playbook_error,
                          [](const weft::playbook_error& e) {
                              return e.mistakes().at(0).path == "$.nodes[1].workflow" &&
                                     e.mistakes()[0].text.find("comes back to itself") != std::string::npos;
                          });
    BOOST_CHECK_THROW((void)weft::playbook_graph(calling("nobody"), options), weft::playbook_error);
}

BOOST_AUTO_TEST_CASE(SUL_15_a_transfer_ends_all_playbooks_and_goes_on_with_another)
{
    auto library = std::make_shared<weft::playbook_library>();
    library->emplace("inner", playbook_of("inner", "{'id': 'x', 'subtype': 'transfer', 'workflow': 'last', "
                                                   "'prompt': 'from {{trigger}}'}", {"t>x"}));
    library->emplace("last", playbook_of("last", "{'id': 'r', 'subtype': 'response', 'prompt': '{{trigger}}'}", {"t>r"}));
    library->emplace("outer", playbook_of("outer", "{'id': 's', 'subtype': 'sub-workflow', 'workflow': 'inner', "
                                                   "'prompt': 'outer'}, {'id': 'r', 'subtype': 'response', 'prompt': 'never'}",
                                          {"t>s", "s>r"}));
    weft::playbook_options options = options_of(nullptr);
    options.library = library;
    weft::testing::simulation sim{1};
    const weft::playbook_result result = sim.run(weft::run_playbook("outer", "go", options, "pb"));
    const std::vector<std::string> expected{"outer", "last"};
    BOOST_TEST(result.workflows == expected, boost::test_tools::per_element());
    BOOST_TEST(result.last.state.get(weft::playbook_keys::response) == "from outer");
    BOOST_CHECK_THROW((void)sim.run(weft::run_playbook("nobody", "go", options, "pb")), weft::error);
}

BOOST_AUTO_TEST_CASE(SUL_15_user_input_waits_for_a_person)
{
    const auto what = playbook_of("p", "{'id': 'u', 'subtype': 'user-input', 'prompt': 'Which {{trigger}}?'}", {"t>u"});
    const agent_run run = run_of(what, options_of(nullptr));
    BOOST_TEST((run.result.status == weft::run_status::paused));
    BOOST_REQUIRE(run.result.questions.size() == 1u);
}

BOOST_AUTO_TEST_CASE(SUL_17_an_agent_that_hangs_fails_in_bounded_time)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->otherwise(scripted_turn{}.wait(5h).text(done_block));
    weft::playbook_options options = options_of(model);
    options.agent.timeout = 24h;
    const auto what = playbook_of("p", "{'id': 'a', 'subtype': 'agent', 'prompt': 'Do it.'}", {"t>a"});
    const agent_run run = run_of(what, options);
    BOOST_TEST((run.result.status == weft::run_status::failed));
    BOOST_TEST((run.result.elapsed < 10min));
}

BOOST_AUTO_TEST_CASE(what_is_missing_around_a_playbook_is_told_at_once)
{
    const auto what = playbook_of("p", "{'id': 'a', 'subtype': 'agent', 'prompt': 'x'}, "
                                       "{'id': 'c', 'subtype': 'tool-call', 'tool': 'shuot'}", {"t>a", "a>c"});
    BOOST_CHECK_EXCEPTION((void)weft::playbook_graph(what, options_of(nullptr)), weft::playbook_error,
                          [](const weft::playbook_error& e) { return e.mistakes().size() == 2; });
}

BOOST_AUTO_TEST_SUITE_END()
