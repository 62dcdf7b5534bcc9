#include <boost/test/unit_test.hpp>

#include "agent/tool_agents.hpp"

#include <weft/agent/supervisor.hpp>

using namespace std::chrono_literals;
using weft::testing::scripted_turn;

BOOST_AUTO_TEST_SUITE(supervisor_test)

using namespace weft_tests::tool_agents;

namespace {

scripted_turn by(std::string agent, scripted_turn turn)
{
    return turn.when([agent = std::move(agent)](const weft::chat_request& request) {
        return request.messages[0].text() == "You are " + agent + ".";
    });
}

weft::graph office(const std::shared_ptr<weft::chat_model>& model, weft::supervisor_options options = {})
{
    weft::react_options boss = weather_agent("boss");
    std::vector<weft::supervisor_worker> workers;
    workers.push_back({.when = "Finds things.", .agent = weather_agent("finder")});
    workers.push_back({.when = "Writes texts.", .agent = weather_agent("writer")});
    return weft::make_supervisor(model, std::move(boss), std::move(workers), options);
}

std::string results_of(const weft::run_result& result)
{
    std::string text;
    for (const weft::message& one : result.state.get(weft::react_messages))
        if (one.role == weft::role::tool) text += one.tool_call_id + "=" + one.text() + (one.is_error ? "! " : " ");
    return text;
}

scripted_turn two_tasks()
{
    return scripted_turn{}.call("ask_writer", {{"task", "Write."}}, "w").call("ask_finder", {{"task", "Find."}}, "f");
}

}  // namespace

BOOST_AUTO_TEST_CASE(workers_work_side_by_side_and_their_answers_come_in_the_order_of_the_calls)
{
    const auto model = script();
    model->then(by("boss", two_tasks()))
        .then(by("writer", scripted_turn{}.wait(9s).text("A text.")))
        .then(by("finder", scripted_turn{}.wait(5s).call("weather", {{"city", "Rome"}})))
        .then(by("finder", scripted_turn{}.wait(1s).text("Rain.")))
        .then(by("boss", scripted_turn{"All done."}));
    weft::testing::simulation sim{1};
    const weft::engine engine{office(model)};
    const weft::run_result result =
        sim.run(engine.run(weft::run_request{}.input(weft::react_messages, weft::message::user("Do it"))));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(result.state.get(weft::react_answer) == "All done.");
    BOOST_TEST(results_of(result) == "w=A text. f=Rain. ");
    BOOST_TEST((sim.elapsed() == 9s));
    BOOST_TEST(result.state.get(weft::delegation_results).empty());
    model->assert_complete();
    for (const weft::chat_request& request : model->requests())
        if (request.messages[0].text() == "You are writer.") {
            BOOST_TEST(request.messages.size() == 2u);  // it sees its task and nothing else
            BOOST_TEST(last_of(request, weft::role::user) == "Write.");
        }
}

BOOST_AUTO_TEST_CASE(a_worker_that_fails_is_told_to_the_supervisor)
{
    const auto model = script();
    model->then(by("boss", two_tasks()))
        .then(by("writer", scripted_turn{}.fails(weft::errc::model_rejected, "no")))
        .then(by("finder", scripted_turn{"Found."}))
        .then(by("boss", scripted_turn{"Half of it."}));
    const weft::run_result result = ask(office(model), "Do it");
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(result.state.get(weft::react_answer) == "Half of it.");
    BOOST_TEST(results_of(result).find("w=It could not be done: ") == 0u);
    BOOST_TEST(results_of(result).find("f=Found. ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_worker_that_takes_too_long_is_stopped)
{
    const auto model = script();
    model->then(by("boss", two_tasks()))
        .then(by("writer", scripted_turn{}.wait(1h).text("late")))
        .then(by("finder", scripted_turn{"Found."}))
        .then(by("boss", scripted_turn{"Half of it."}));
    weft::supervisor_options options;
    options.worker_timeout = 1min;
    const weft::run_result result = ask(office(model, options), "Do it");
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST((result.elapsed == 1min));
    BOOST_TEST(results_of(result).find("w=It could not be done: ") == 0u);
}

BOOST_AUTO_TEST_CASE(its_own_tools_are_called_beside_the_workers)
{
    const auto model = script();
    scripted_turn both;
    both.call("ask_finder", {{"task", "Find."}}, "f").call("weather", {{"city", "Rome"}}, "r");
    model->then(by("boss", std::move(both)))
        .then(by("finder", scripted_turn{"Found."}))
        .then(by("boss", scripted_turn{"Done."}));
    const weft::run_result result = ask(office(model), "Do it");
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(results_of(result).find("f=Found.") != std::string::npos);
    BOOST_TEST(results_of(result).find("r=rain in Rome") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(more_tasks_than_it_may_give_are_refused)
{
    const auto model = script();
    model->then(by("boss", two_tasks()))
        .then(by("writer", scripted_turn{"A text."}))
        .then(by("boss", two_tasks()))
        .then(by("boss", scripted_turn{"Enough."}));
    weft::supervisor_options options;
    options.delegations_max = 1;
    const weft::run_result result = ask(office(model, options), "Do it");
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(result.state.get(weft::react_answer) == "Enough.");
    const std::string results = results_of(result);
    BOOST_TEST(results.find("w=A text. f=Not done: 1 tasks") == 0u);
    BOOST_TEST(results.rfind("w=Not done") != std::string::npos);
    model->assert_complete();
}

BOOST_AUTO_TEST_CASE(it_comes_to_an_end_when_its_turns_are_over)
{
    const auto model = script();
    model->then(by("boss", two_tasks()))
        .then(by("writer", scripted_turn{"A text."}))
        .then(by("finder", scripted_turn{"Found."}))
        .then(by("boss", scripted_turn{"So be it."}));
    weft::react_options boss = weather_agent("boss");
    boss.settings.turns_max = 1;
    std::vector<weft::supervisor_worker> workers;
    workers.push_back({.agent = weather_agent("finder")});
    workers.push_back({.agent = weather_agent("writer")});
    const weft::run_result result = ask(weft::make_supervisor(model, boss, std::move(workers)), "Do it");
    BOOST_TEST(result.state.get(weft::react_answer) == "So be it.");
    BOOST_TEST(path_of(result).ends_with("collect answer"));
}

BOOST_AUTO_TEST_CASE(what_is_wrong_with_a_supervisor_is_told)
{
    const auto fault = [](weft::react_options boss, std::vector<weft::supervisor_worker> workers) {
        try {
            (void)weft::make_supervisor(script(), std::move(boss), std::move(workers));
        } catch (const weft::error& e) {
            return e.detail();
        }
        return std::string{"none"};
    };
    BOOST_TEST(fault(weather_agent(), {}).find("no workers") != std::string::npos);
    weft::react_options hands = weather_agent();
    hands.settings.hands_over = {{"x", ""}};
    BOOST_TEST(fault(hands, {{.agent = weather_agent("w")}}).find("cannot hand over") != std::string::npos);
    weft::supervisor_worker odd{.agent = weather_agent("w")};
    odd.agent.settings.messages = "talk";
    BOOST_TEST(fault(weather_agent(), {odd}).find("'w' has a conversation or an answer") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
