#include <weft/agent/host/workflow_agent.hpp>

#include <boost/test/unit_test.hpp>

#include "agent/playbooks.hpp"

#include <weft/agent/agent_session.hpp>
#include <weft/agent/playbook/playbook_run.hpp>
#include <weft/base/error.hpp>

using namespace weft_tests;
using weft::agent_stop;
using weft::testing::scripted_turn;

BOOST_AUTO_TEST_SUITE(workflow_agent_test)

namespace {

const std::string start_report = R"({"workflow": "report", "input": "Rome"})";

/** Workflows: `report` asks a condition in words and responds, `breaks` fails, `asks` asks a person. */
std::shared_ptr<const weft::playbook_library> workflows()
{
    auto library = std::make_shared<weft::playbook_library>();
    library->emplace("report", playbook_of("report",
                                           "{'id': 'c', 'subtype': 'condition', 'condition': 'It is urgent'}, "
                                           "{'id': 'y', 'subtype': 'response', 'prompt': 'Fast: {{trigger}}'}, "
                                           "{'id': 'n', 'subtype': 'response', 'prompt': 'Slow: {{trigger}}'}",
                                           {"t>c", "c.condition-true>y", "c.condition-false>n"}));
    library->emplace("breaks", playbook_of("breaks", "{'id': 'b', 'subtype': 'tool-call', 'tool': 'breaks'}", {"t>b"}));
    library->emplace("asks", playbook_of("asks",
                                         "{'id': 'u', 'subtype': 'user-input', 'prompt': 'Which city?'}, "
                                         "{'id': 'r', 'subtype': 'response', 'prompt': 'You said {{u.result}}.'}",
                                         {"t>u", "u>r"}));
    return library;
}

weft::workflow_agent_options options_for(const std::shared_ptr<weft::chat_model>& model)
{
    weft::workflow_agent_options options;
    options.agent = options_with(model);
    options.workflows = options_of(model);
    options.workflows.library = workflows();
    return options;
}

/** A session that runs workflows, and what it emitted. */
struct workflow_session {
    explicit workflow_session(const std::shared_ptr<weft::chat_model>& model, std::uint32_t workflows_max = 10)
        : session{graph_of(model, workflows_max), "thread-1", options()}
    {
    }
    static weft::graph graph_of(const std::shared_ptr<weft::chat_model>& model, std::uint32_t workflows_max)
    {
        weft::workflow_agent_options options = options_for(model);
        options.workflows_max = workflows_max;
        return weft::workflow_agent_graph(std::move(options));
    }
    weft::agent_session_options options()
    {
        weft::agent_session_options result;
        result.on_complete = [this](const weft::completion_signal& signal) { signals.push_back(signal); };
        result.on_event = [this](const weft::run_event& event) {
            if (event.what == weft::run_event::kind::output) emitted.push_back(event.label + ": " + event.text);
            if (const auto told = weft::playbook_event_of(event, *library))
                events.push_back(std::string{told->name} + " " + told->workflow + " " + told->node);
        };
        return result;
    }
    weft::run_result say(std::string text) { return sim.run(session.say(std::move(text))); }

    std::shared_ptr<const weft::playbook_library> library = workflows();
    std::vector<weft::completion_signal> signals;
    std::vector<std::string> emitted, events;
    weft::testing::simulation sim{1};
    weft::agent_session session;
};

const weft::agent_status& status_of(const weft::run_result& result)
{
    return result.state.get(weft::agent_keys::status);
}

std::size_t count(const std::vector<std::string>& lines, const std::string& line)
{
    return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), line));
}

}  // namespace

BOOST_AUTO_TEST_CASE(SUL_21_a_session_goes_on_with_the_workflow_behind_the_loop_and_returns_to_the_agent)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->then(scripted_turn{}.raw_call("start_workflow", start_report))
        .then(scripted_turn{"I have begun."})
        .then(scripted_turn{R"({"answer": "yes", "reasoning": "asap"})"})
        .then(scripted_turn{"It is fast. " + done_block})
        .then(scripted_turn{"You are welcome. " + done_block});
    workflow_session of{model};
    const weft::run_result result = of.say("A report on Rome, asap!");
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(status_of(result).reply == "It is fast.");
    BOOST_TEST((status_of(result).stop == agent_stop::done));
    BOOST_REQUIRE(of.signals.size() == 1u);
    BOOST_TEST((of.signals[0].stop == agent_stop::done));
    const std::vector<weft::chat_request> asked = model->requests();
    // The model that decides in the workflow sees the conversation; the agent sees the result.
    BOOST_TEST(asked.at(2).messages[1].text() == "A report on Rome, asap!");
    BOOST_TEST(asked.at(2).messages.back().text().find("It is urgent") != std::string::npos);
    BOOST_TEST(asked.at(3).messages.back().text() == "[Workflow 'report' completed]\nFast: Rome");
    BOOST_TEST(count(of.emitted, "workflow_completed: report") == 1u);
    BOOST_TEST(count(of.events, "node_completed report y") == 1u);
    // The next turn begins with the conversation, and no workflow.
    BOOST_TEST(status_of(of.say("Thanks!")).reply == "You are welcome.");
    model->assert_complete();
}

BOOST_AUTO_TEST_CASE(SUL_21_a_workflow_that_fails_is_told_to_the_agent_and_the_turn_goes_on)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->then(scripted_turn{}.raw_call("start_workflow", R"({"workflow": "breaks", "input": ""})"))
        .then(scripted_turn{"Begun."})
        .then(scripted_turn{"It did not work. " + done_block});
    workflow_session of{model};
    const weft::run_result result = of.say("Do it.");
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(status_of(result).reply == "It did not work.");
    const std::string told = model->requests().at(2).messages.back().text();
    BOOST_TEST(told.starts_with("[Workflow 'breaks' failed]\n"));
    BOOST_TEST(told.find("broken") != std::string::npos, told);
}

BOOST_AUTO_TEST_CASE(SUL_21_several_workflows_of_a_turn_run_one_after_the_other)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->then(scripted_turn{}.raw_call("start_workflow", start_report)
                    .raw_call("start_workflow", R"({"workflow": "report", "input": "Oslo"})"))
        .then(scripted_turn{"Begun."})
        .then(scripted_turn{"no"})
        .then(scripted_turn{"no"})
        .then(scripted_turn{"Both are slow. " + done_block});
    workflow_session of{model};
    const weft::run_result result = of.say("Two reports.");
    BOOST_TEST(status_of(result).reply == "Both are slow.");
    const weft::list<weft::message> said = model->requests().at(4).messages;
    BOOST_TEST(said[said.size() - 2].text() == "[Workflow 'report' completed]\nSlow: Rome");
    BOOST_TEST(said.back().text() == "[Workflow 'report' completed]\nSlow: Oslo");
}

BOOST_AUTO_TEST_CASE(SUL_21_an_agent_that_starts_workflows_without_end_is_ended)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    for (int i = 0; i < 3; ++i)
        model->then(scripted_turn{}.raw_call("start_workflow", R"({"workflow": "breaks", "input": ""})"))
            .then(scripted_turn{"Again."});
    workflow_session of{model, 2};
    const weft::run_result result = of.say("Go.");
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST((of.signals.at(0).stop == agent_stop::max_loops));
    BOOST_TEST(result.visits_of("workflow") == 3u);  // the third is refused
    model->assert_complete();
}

BOOST_AUTO_TEST_CASE(SUL_21_a_question_of_a_workflow_is_answered_in_the_session)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->then(scripted_turn{}.raw_call("start_workflow", R"({"workflow": "asks", "input": ""})"))
        .then(scripted_turn{"Begun."})
        .then(scripted_turn{"Rome it is. " + done_block});
    workflow_session of{model};
    const weft::run_result paused = of.say("Go.");
    BOOST_TEST((paused.status == weft::run_status::paused));
    BOOST_REQUIRE(of.session.questions().size() == 1u);
    BOOST_TEST(of.session.questions()[0].asked.text == "Which city?");
    const weft::run_result result = of.sim.run(of.session.answer("Rome"));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(model->requests().at(2).messages.back().text() == "[Workflow 'asks' completed]\nYou said Rome.");
    BOOST_TEST(status_of(result).reply == "Rome it is.");
    BOOST_TEST(of.session.questions().empty());
    BOOST_CHECK_EXCEPTION(of.sim.run(of.session.answer("Oslo")), weft::error,
                          [](const weft::error& e) { return e.code() == weft::errc::invalid_answer; });
    BOOST_TEST(of.signals.size() == 2u);
}

BOOST_AUTO_TEST_CASE(SUL_21_a_program_can_start_a_workflow_too)
{
    const auto model = scripted({"Let me see. " + more_block, "no", "It is slow. " + done_block});
    weft::run_request request = saying("A report.");
    weft::agent_workflow report;
    report.name = "report";
    report.input = "Oslo";
    request.input(weft::agent_keys::workflows, std::move(report));
    const agent_run run = run_agent_graph(weft::workflow_agent_graph(options_for(model)), std::move(request));
    BOOST_TEST(run.result.message() == "finished");
    BOOST_TEST(run.status().reply == "It is slow.");
    BOOST_TEST(run.said().at(run.said().size() - 2) ==
               "system:[Workflow 'report' completed]\nSlow: Oslo [workflow_result]");
    weft::run_request wrong = saying("A report.");
    weft::agent_workflow unknown;
    unknown.name = "nothing";
    wrong.input(weft::agent_keys::workflows, std::move(unknown));
    const auto other = scripted({done_block, "There is none. " + done_block});
    const agent_run told = run_agent_graph(weft::workflow_agent_graph(options_for(other)), std::move(wrong));
    BOOST_TEST(told.status().reply == "There is none.");
    BOOST_TEST(other->requests().at(1).messages.back().text().find("nothing") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(SUL_21_an_agent_without_workflows_is_refused)
{
    weft::workflow_agent_options options = options_for(scripted({}));
    options.workflows.library = nullptr;
    BOOST_CHECK_THROW((void)weft::workflow_agent_graph(options), weft::error);
    options = options_for(nullptr);
    BOOST_CHECK_THROW((void)weft::workflow_agent_graph(options), weft::error);
}

BOOST_AUTO_TEST_SUITE_END()
