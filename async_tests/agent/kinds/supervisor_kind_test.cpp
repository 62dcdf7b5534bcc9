#include <boost/test/unit_test.hpp>

#include "agent/filed_agents.hpp"

#include <weft/agent/supervisor.hpp>
#include <weft/engine/memory_journal.hpp>
#include <weft/graph/graph_spec_writer.hpp>

using namespace weft_tests;
using namespace std::chrono_literals;
using weft::testing::scripted_turn;

BOOST_AUTO_TEST_SUITE(supervisor_kind_test)

using namespace weft_tests::tool_agents;

namespace {

constexpr std::string_view two_workers =
    "'workers': [{'name': 'finder', 'when': 'Finds things.', 'system': 'You find in {topic}.', 'tools': ['weather']}, "
    "{'name': 'writer', 'system': 'You write.'}]";

std::string one_office(std::string_view more, std::string_view writes = "'messages', 'answer'")
{
    return file_of("supervisor", "'system': 'You lead.', " + std::string{two_workers} + std::string{more}, writes);
}

scripted_turn spoken_by(std::string system, scripted_turn turn)
{
    return turn.when([system = std::move(system)](const weft::chat_request& request) {
        return request.messages[0].text().starts_with(system);
    });
}
scripted_turn by_boss(scripted_turn turn) { return spoken_by("You lead.", std::move(turn)); }
scripted_turn by_finder(scripted_turn turn) { return spoken_by("You find in Rome.", std::move(turn)); }
scripted_turn by_writer(scripted_turn turn) { return spoken_by("You write.", std::move(turn)); }

scripted_turn two_tasks()
{
    return scripted_turn{}.call("ask_writer", {{"task", "Write."}}, "w").call("ask_finder", {{"task", "Find."}}, "f");
}

std::string results_of(const weft::run_result& result)
{
    std::string text;
    for (const weft::message& one : result.state.get(weft::react_messages))
        if (one.role == weft::role::tool) text += one.tool_call_id + "=" + one.text() + (one.is_error ? "! " : " ");
    return text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_supervisor_of_a_file_gives_tasks_to_workers)
{
    const auto model = script();
    model->then(by_boss(two_tasks()).expects([](const weft::chat_request& request) {
             BOOST_TEST(last_of(request, weft::role::user) == "About Rome.");
         }))
        .then(by_writer(scripted_turn{}.wait(9s).text("A text.")))
        .then(by_finder(scripted_turn{}.wait(5s).call("weather", {{"city", "Rome"}})))
        .then(by_finder(scripted_turn{"Rain."}).expects([](const weft::chat_request& request) {
            BOOST_TEST(request.messages.size() == 4u);  // its task, and what it did about it
            BOOST_TEST(last_of(request, weft::role::user) == "Find.");
        }))
        .then(by_boss(scripted_turn{"All done."}));
    const weft::run_result result = run_file(one_office(", 'prompt': 'About {topic}.'"), registry_with(model));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_of(result, "answer").as_string() == "All done.");
    BOOST_TEST(results_of(result) == "w=A text. f=Rain. ");
    BOOST_TEST((result.elapsed == 9s));
    model->assert_complete();
}

BOOST_AUTO_TEST_CASE(a_supervisor_of_a_file_gives_values_to_keys)
{
    const auto model = script();
    model->then(by_boss(scripted_turn{"Good."})).then(by_boss(scripted_turn{R"({"answer": "yes", "score": 1.5})"}));
    const weft::run_result result =
        run_file(one_office(", 'prompt': 'Well?'", "'messages', 'answer', 'score'"), registry_with(model));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_of(result, "score").as_double() == 1.5);
}

BOOST_AUTO_TEST_CASE(the_conversation_may_be_any_list_of_a_file)
{
    std::string members = one_office(", 'messages': 'talk', 'prompt': 'Well?'", "'talk', 'answer'");
    members.replace(members.find("{'name': 'who'"), 0, "{'name': 'talk', 'type': 'list', 'reducer': 'append'}, ");
    const auto model = script();
    model->then(by_boss(two_tasks()))
        .then(by_writer(scripted_turn{"A text."}))
        .then(by_finder(scripted_turn{"Rain."}))
        .then(by_boss(scripted_turn{"All done."}));
    const weft::run_result result = run_file(members, registry_with(model));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_of(result, "talk").as_array().size() == 5u);
    model->assert_complete();
}

BOOST_AUTO_TEST_CASE(what_a_guardrail_stops_in_a_worker_stops_the_supervisor)
{
    const std::string file = file_of(
        "supervisor", "'system': 'You lead.', 'prompt': 'Well?', 'workers': [{'name': 'finder', 'system': 'You find in "
                      "{topic}.'}, {'name': 'writer', 'system': 'You write.', 'guards': {'output': [{'name': "
                      "'secrets', 'words': ['Turing']}]}}]");
    const auto model = script();
    model->then(by_boss(two_tasks()))
        .then(by_writer(scripted_turn{"Turing did it."}))
        .then(by_finder(scripted_turn{"Rain."}));
    const weft::run_result result = run_file(file, registry_with(model));
    BOOST_REQUIRE(result.why);
    BOOST_TEST((result.why->code == weft::errc::guardrail_tripped), result.message());
    BOOST_TEST(result.message().find("'secrets'") != std::string::npos);
    BOOST_TEST(result.message().find("Turing") == std::string::npos);
    model->assert_complete();  // the supervisor is not asked again
}

BOOST_AUTO_TEST_CASE(limits_of_a_file_hold)
{
    const auto model = script();
    model->then(by_boss(two_tasks()))
        .then(by_writer(scripted_turn{}.wait(1h).text("late")))
        .then(by_boss(scripted_turn{"Half of it."}));
    const weft::run_result result = run_file(
        one_office(", 'prompt': 'Well?', 'delegations_max': 1, 'worker_timeout': '1m'"), registry_with(model));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST((result.elapsed == 1min));
    BOOST_TEST(results_of(result).find("w=It could not be done: ") == 0u);
    BOOST_TEST(results_of(result).find("f=Not done: 1 tasks") != std::string::npos);

    const auto alone = script();
    alone->then(by_boss(two_tasks()))
        .then(by_writer(scripted_turn{}.wait(2s).text("A text.")))
        .then(by_finder(scripted_turn{}.wait(2s).text("Rain.")))
        .then(by_boss(scripted_turn{"All done."}));
    const weft::run_result one_by_one =
        run_file(one_office(", 'prompt': 'Well?', 'busy_workers_max': 1"), registry_with(alone));
    BOOST_TEST(one_by_one.message() == "finished");
    BOOST_TEST((one_by_one.elapsed == 4s));
}

BOOST_AUTO_TEST_CASE(without_a_model_a_supervisor_is_rehearsed)
{
    const std::string call =
        "<tool_call>{\\'name\\': \\'ask_writer\\', \\'arguments\\': {\\'task\\': \\'Write.\\'}}</tool_call>";
    const weft::run_result result = run_file(
        one_office(", 'prompt': 'Hello', 'scripted': ['I ask. " + call + "', 'Done.']"), registry_with(nullptr));
    BOOST_TEST(result.message() == "finished");
    BOOST_TEST(value_of(result, "answer").as_string() == "Done.");
    BOOST_TEST(results_of(result).find("A rehearsal") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(guardrails_look_at_tasks_and_at_what_workers_answer)
{
    const auto model = script();
    model->then(by_boss(two_tasks()))
        .then(by_writer(scripted_turn{"A secret."}))
        .then(by_finder(scripted_turn{"Rain."}));
    const weft::run_result leaked =
        run_file(one_office(", 'prompt': 'Well?', 'guards': {'tool_result': [{'name': 'g', 'words': ['secret']}]}"),
                 registry_with(model));
    BOOST_TEST((leaked.status == weft::run_status::failed));
    BOOST_TEST(leaked.message().find("the text has the word 'secret'") != std::string::npos, leaked.message());

    const auto tasks = script();
    tasks->then(by_boss(two_tasks()));
    const weft::run_result stopped =
        run_file(one_office(", 'prompt': 'Well?', 'guards': {'tool_call': [{'name': 'g', 'words': ['write']}]}"),
                 registry_with(tasks));
    BOOST_TEST(stopped.message().find("the text has the word 'write'") != std::string::npos, stopped.message());
    tasks->assert_complete();
}

BOOST_AUTO_TEST_CASE(workers_that_must_be_confirmed_ask_each_for_itself)
{
    const auto model = script();
    model->then(by_boss(two_tasks()))
        .then(by_writer(scripted_turn{"A text."}))
        .then(by_finder(scripted_turn{}.call("weather", {{"city", "Rome"}}, "x")))
        .then(by_finder(scripted_turn{"Rain."}))
        .then(by_boss(scripted_turn{"All done."}));
    weft::agent_surroundings around = surroundings_with(model);
    around.tool_options.policy = [](const weft::tool_invocation& call, const auto&) {
        return call.call.name == "weather" ? weft::tool_decision::confirm("Look out?") : weft::tool_decision::allow();
    };
    around.tool_options.confirm = weft::confirm_by_question;
    const weft::loaded_graph loaded =
        weft::load_graph(spec_text(one_office(", 'prompt': 'Hello'")), registry_around(around));
    weft::testing::simulation sim{1};
    const weft::engine engine{loaded.what};
    weft::run_request request;
    request.journal(std::make_shared<weft::memory_journal>("run"));
    const weft::run_result asked = sim.run(engine.run(std::move(request)));
    BOOST_REQUIRE_MESSAGE(asked.status == weft::run_status::paused, asked.message());
    BOOST_REQUIRE(asked.questions.size() == 1u);
    weft::run_request again;
    again.resume(asked.paused_at).answer(asked.questions[0].address, true);
    const weft::run_result done = sim.run(engine.run(std::move(again)));
    BOOST_TEST(done.message() == "finished");
    BOOST_TEST(results_of(done) == "w=A text. f=Rain. ");
    model->assert_complete();
}

BOOST_AUTO_TEST_CASE(all_mistakes_of_a_supervisor_are_told_at_once)
{
    const std::string all = all_mistakes(
        file_of("supervisor",
                "'prompt': '{tpoic}', 'turns_max': 0, 'delegations_max': 0, 'busy_workers_max': 0, "
                "'tools': ['wether'], 'guards': {'input': [{'name': ''}]}, 'workers': ["
                "{'name': 'think', 'system': 'See {messages}.'}, {'name': 'a b', 'system': '{nothing}'}, "
                "{'name': 'think', 'temperature': -1}]"),
        registry_with(script()));
    const auto has = [&](std::string_view part) { return all.find(part) != std::string::npos; };
    BOOST_TEST(has("settings.prompt: line 1, column 1: there is no key 'tpoic' (did you mean 'topic'?)"), all);
    BOOST_TEST(has("settings.turns_max: is out of range"), all);
    BOOST_TEST(has("settings.delegations_max: is out of range: it is 1 to 1000"), all);
    BOOST_TEST(has("settings.busy_workers_max: is out of range: it is 1 to 1000"), all);
    BOOST_TEST(has("settings.tools: there is no tool 'wether'"), all);
    BOOST_TEST(has("settings.guards.input[0].name: is empty"), all);
    BOOST_TEST(has("workers[0].name: is a name that every supervisor has a node of"), all);
    BOOST_TEST(has("workers[0].system: line 1, column 5: a worker has a key 'messages' of its own"), all);
    BOOST_TEST(has("workers[1].name: "), all);
    BOOST_TEST(has("workers[1].system: line 1, column 1: there is no key 'nothing'"), all);
    BOOST_TEST(has("workers[2].name: another worker is called 'think'"), all);
    BOOST_TEST(has("workers[2].temperature: is negative"), all);
    BOOST_TEST(tells(file_of("supervisor", "'workers': []"), "settings.workers: is empty"));
    BOOST_TEST(tells(one_office("", "'messages'"), "no key for the answer"));
    BOOST_TEST(tells(one_office(", 'hands_over': []"), "hands_over"));
}

BOOST_AUTO_TEST_CASE(a_supervisor_is_written_as_it_was_read)
{
    BOOST_TEST(survives_writing(one_office(", 'prompt': 'Hello', 'delegations_max': 3, 'busy_workers_max': 2, "
                                           "'worker_timeout': '90s', 'guards': {'tool_result': [{'name': 'g', "
                                           "'injections': true}]}"),
                                registry_with(script())));
}

BOOST_AUTO_TEST_SUITE_END()
