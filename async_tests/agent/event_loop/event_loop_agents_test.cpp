#include <boost/test/unit_test.hpp>

#include "agent/loops.hpp"
#include "agent/talks.hpp"

#include <weft/agent/core/agent_event.hpp>

using namespace weft_tests;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(event_loop_agents_test)

namespace {

weft::sub_agent finder(std::string id = "finder")
{
    weft::sub_agent agent;
    agent.id = std::move(id);
    agent.when = "finds things";
    agent.how.settings.system = "You find things.";
    agent.how.outputs = {{.name = "found"}};
    agent.how.tools = looking();
    return agent;
}

weft::event_loop_options delegating(std::vector<weft::sub_agent> agents = {finder()})
{
    weft::event_loop_options options = answering();
    options.sub_agents = std::move(agents);
    return options;
}

/** Requests of the sub-agent, and those of the loop. */
bool is_child(const weft::chat_request& request)
{
    return request.messages[0].text().find("find things") != std::string::npos;
}
bool is_parent(const weft::chat_request& request) { return !is_child(request); }

loop_script child(loop_script turn) { return turn.when(is_child); }
loop_script parent(loop_script turn) { return turn.when(is_parent); }

loop_script delegates(std::string task, std::string agent = "finder")
{
    boost::json::object arguments{{"agent_id", std::move(agent)}, {"task", std::move(task)}};
    return parent(loop_script{}.call("delegate_to_sub_agent", std::move(arguments)));
}

/** The result of the first delegation, as the loop reads it. */
boost::json::object result_in(const loop_model& model, std::size_t call)
{
    const weft::chat_request request = model.requests().at(call);
    for (const weft::message& one : request.messages)
        if (one.role == weft::role::tool) return weft::parse_json(one.text()).as_object();
    return {};
}

}  // namespace

BOOST_AUTO_TEST_CASE(HIV_38_a_sub_agent_does_a_task_and_gives_a_result)
{
    const auto model = model_of({delegates("Find a river."), child(sets("found", "Po", "The Po it is.")),
                                 parent(sets("answer", "The Po."))});
    const seen_loop seen = run_loop(model, delegating());
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_CHECK_NO_THROW(model->assert_complete());
    BOOST_TEST(seen.answer() == "The Po.");
    BOOST_TEST(is_told(*model, 1, "user: Task:\nFind a river.\n\nWhat is known (you cannot change it):\n"
                                  "- topic: rain"));
    const boost::json::object result = result_in(*model, 2);
    BOOST_TEST(result.at("message").as_string() == "The Po it is.");
    BOOST_TEST(result.at("data").at("found").as_string() == "Po");
    BOOST_TEST(result.at("reports").as_array().empty());
    const boost::json::object& metadata = result.at("metadata").as_object();
    BOOST_TEST(metadata.at("agent_id").as_string() == "finder");
    BOOST_TEST(metadata.at("success").as_bool());
    BOOST_TEST(metadata.contains("tokens_used"));
    BOOST_TEST(metadata.contains("latency_ms"));
    BOOST_TEST(metadata.at("report_count").to_number<int>() == 0);
    BOOST_TEST(fault_of_pairs(model->requests()[2].messages) == "");
}

BOOST_AUTO_TEST_CASE(HIV_38_a_sub_agent_cannot_write_what_is_the_loops)
{
    const auto model = model_of({delegates("Find."), child(sets("answer", "mine")), child(sets("found", "x")),
                                 parent(sets("answer", "a"))});
    const seen_loop seen = run_loop(model, delegating());
    BOOST_CHECK_NO_THROW(model->assert_complete());
    BOOST_TEST(seen.answer() == "a");
    BOOST_TEST(is_told(*model, 2, "tool: Invalid output key 'answer'. Valid: found."));
}

BOOST_AUTO_TEST_CASE(HIV_38_sub_agents_do_not_nest)
{
    const auto model = model_of({delegates("Find."), child(sets("found", "x")), parent(sets("answer", "a"))});
    (void)run_loop(model, delegating());
    BOOST_TEST(is_offered(*model, 0, "delegate_to_sub_agent"));
    for (const char* absent : {"delegate_to_sub_agent", "escalate", "ask_user"})
        BOOST_TEST(!is_offered(*model, 1, absent));
    BOOST_TEST(is_offered(*model, 1, "report_to_parent"));
    weft::sub_agent nested = finder();
    nested.how.sub_agents = {finder("other")};
    BOOST_CHECK_EXCEPTION((void)weft::event_loop(model, delegating({nested})), weft::error,
                          [](const weft::error& e) { return e.detail().find("do not nest") != std::string::npos; });
}

BOOST_AUTO_TEST_CASE(HIV_38_a_sub_agent_sees_the_outputs_that_are_set)
{
    loop_script both = parent(loop_script{}
                                  .call("set_output", {{"key", "answer"}, {"value", "so far"}})
                                  .call("delegate_to_sub_agent", {{"agent_id", "finder"}, {"task", "Check."}}));
    const auto model = model_of({both, child(sets("found", "x")), parent(loop_script{"Done."})});
    const seen_loop seen = run_loop(model, delegating());
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_TEST(is_told(*model, 1, "- answer: so far"));
    BOOST_TEST(seen.answer() == "so far");
}

BOOST_AUTO_TEST_CASE(HIV_38_a_sub_agent_has_ten_turns)
{
    auto model = std::make_shared<loop_model>();
    model->then(delegates("Find."));
    for (int i = 0; i < 10; ++i) model->then(child(loop_script{}.call("look", look_at(std::to_string(i)))));
    model->then(parent(sets("answer", "a")));
    const seen_loop seen = run_loop(model, delegating());
    BOOST_CHECK_NO_THROW(model->assert_complete());
    BOOST_TEST(seen.answer() == "a");
    const boost::json::object result = result_in(*model, 11);
    BOOST_TEST(!result.at("metadata").at("success").as_bool());
    BOOST_TEST(is_told(*model, 11, "Max iterations (10) reached"));
    BOOST_TEST(is_told(*model, 10, "URGENT: only 1 turns are left"));
    BOOST_TEST(is_told(*model, 6, "WARNING: 5 turns are left"));
}

BOOST_AUTO_TEST_CASE(HIV_38_reports_reach_the_parent_and_may_end_the_work)
{
    const auto model = model_of(
        {delegates("Find."),
         child(loop_script{}.call("report_to_parent", {{"message", "half way"}, {"data", {{"n", 1}}}})),
         child(loop_script{}.call("report_to_parent", {{"message", "enough"}, {"mark_complete", true}})),
         parent(sets("answer", "a"))});
    const seen_loop seen = run_loop(model, delegating());
    BOOST_CHECK_NO_THROW(model->assert_complete());
    BOOST_TEST(seen.count(weft::agent_event::subagent_report) == 2u);
    const boost::json::object result = result_in(*model, 3);
    BOOST_TEST(result.at("metadata").at("report_count").to_number<int>() == 2);
    BOOST_TEST(result.at("metadata").at("success").as_bool());
    BOOST_TEST(result.at("reports").at(0).at("data").at("n").to_number<int>() == 1);
}

BOOST_AUTO_TEST_CASE(HIV_38_a_report_that_waits_gets_the_answer_of_a_person_as_its_result)
{
    const auto model = model_of(
        {delegates("Find."),
         child(loop_script{}.call("report_to_parent", {{"message", "Which one?"}, {"wait_for_response", true}})),
         child(sets("found", "x")), parent(sets("answer", "a"))});
    const weft::graph graph = graph_with(model, delegating());
    seen_loop seen = run_loop(graph);
    BOOST_REQUIRE(seen.result.questions.size() == 1u);
    BOOST_TEST(seen.result.questions[0].asked.text == "Which one?");
    weft::run_request again{"t"};
    again.resume(seen.result.paused_at).answer(seen.result.questions[0].address, "The long one.");
    seen = run_loop(graph, std::move(again));
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_CHECK_NO_THROW(model->assert_complete());
    BOOST_TEST(is_told(*model, 2, "tool: The long one.\n"));
}

BOOST_AUTO_TEST_CASE(several_sub_agents_work_side_by_side)
{
    loop_script both = parent(loop_script{}
                                  .call("delegate_to_sub_agent", {{"agent_id", "slow"}, {"task", "Take long."}})
                                  .call("delegate_to_sub_agent", {{"agent_id", "fast"}, {"task", "Be quick."}}));
    const auto of = [](std::string task) {
        return [task](const weft::chat_request& request) {
            return is_child(request) && request.messages[1].text().find(task) != std::string::npos;
        };
    };
    auto model = std::make_shared<loop_model>();
    model->then(both);
    model->then(loop_script{}.wait(5s).call("set_output", {{"key", "found"}, {"value", "s"}}).when(of("Take long.")));
    model->then(loop_script{}.wait(2s).call("set_output", {{"key", "found"}, {"value", "f"}}).when(of("Be quick.")));
    model->then(parent(sets("answer", "a")));
    const seen_loop seen = run_loop(model, delegating({finder("slow"), finder("fast")}));
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_CHECK_NO_THROW(model->assert_complete());
    BOOST_TEST(seen.elapsed >= 5s);
    BOOST_TEST(seen.elapsed < 6s);
    const std::string last = told(*model, 3);
    BOOST_TEST(last.find("\"agent_id\": \"slow\"") < last.find("\"agent_id\": \"fast\""));
    BOOST_TEST(fault_of_pairs(model->requests()[3].messages) == "");
}

BOOST_AUTO_TEST_CASE(a_sub_agent_that_breaks_is_an_error_result)
{
    loop_script broken = loop_script{}.fails(weft::errc::model_rejected).when(is_child);
    const auto model = model_of({delegates("Find."), broken, parent(sets("answer", "a"))});
    const seen_loop seen = run_loop(model, delegating());
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_TEST(seen.answer() == "a");
    BOOST_TEST(is_told(*model, 2, "The sub-agent failed: "));
}

BOOST_AUTO_TEST_CASE(a_sub_agent_that_takes_too_long_is_given_up)
{
    weft::event_loop_options options = delegating();
    options.settings.limits.agent_timeout_seconds = 30;
    loop_script late = loop_script{}.wait(60s).text("late").when(is_child);
    const auto model = model_of({delegates("Find."), late, parent(sets("answer", "a"))});
    const seen_loop seen = run_loop(model, std::move(options));
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_TEST(seen.elapsed < 31s);
    BOOST_TEST(is_told(*model, 2, "The sub-agent failed: "));
}

BOOST_AUTO_TEST_SUITE_END()
