#include <weft/facade/ensemble_agents.hpp>

#include <boost/test/unit_test.hpp>

#include "agent/agent_graphs.hpp"

#include <weft/base/error.hpp>
#include <weft/facade/ensemble_graph.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/store/memory_items.hpp>

using namespace weft_tests;
using weft::testing::scripted_turn;

BOOST_AUTO_TEST_SUITE(ensemble_agents_test)

namespace {

weft::ensemble_agent_options agents_with(std::shared_ptr<weft::chat_model> model)
{
    weft::ensemble_agent_options options;
    options.model = std::move(model);
    weft::tool_set tools;
    tools.add("weather", "The weather.", [](boost::json::object) { return std::string{"rain"}; });
    tools.add("bank", "The money.", [](boost::json::object) { return std::string{"none"}; });
    options.tools = std::make_shared<const weft::tool_set>(std::move(tools));
    return options;
}

/** An ensemble of the states, one after the other. */
weft::ensemble_graph line_of(const weft::ensemble_agent_options& options,
                             const std::vector<std::pair<std::string, weft::ensemble_task>>& states)
{
    weft::ensemble_graph::builder made;
    made.name("news").agents(weft::ensemble_agents(options)).start(states.front().first);
    for (std::size_t i = 0; i < states.size(); ++i) {
        made.state(states[i].first, states[i].second);
        made.edge(states[i].first, i + 1 < states.size() ? states[i + 1].first : "__END__");
    }
    return made.build();
}

weft::ensemble_task write_task()
{
    weft::ensemble_task task{"Write about {topic}.", "Three sentences."};
    task.role = "journalist";
    return task;
}

weft::ensemble_request on_rome()
{
    weft::ensemble_request request;
    request.inputs({{"topic", "Rome"}});
    return request;
}

weft::ensemble_result run_news(const weft::ensemble_graph& news, weft::ensemble_request request = on_rome())
{
    weft::testing::simulation sim{1};
    return sim.run(news.run(std::move(request)));
}

std::string prompt_of(const weft::chat_request& asked) { return asked.messages[1].text(); }

bool tells(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(AGE_12_a_task_of_words_with_tools_and_a_model_becomes_an_agent)
{
    auto model = std::make_shared<weft::testing::scripted_model>();
    model->then(scripted_turn{}.call("weather")).then(scripted_turn{"It rains."}).then(scripted_turn{"Fine."});
    weft::ensemble_task write = write_task();
    write.tools = {"weather"};
    const weft::ensemble_task critique{"Judge the text on {topic}."};
    const weft::ensemble_result result =
        run_news(line_of(agents_with(model), {{"write", write}, {"critique", critique}}));
    BOOST_TEST(result.termination_reason == "terminal");
    BOOST_TEST(result.last_output_for_state("write")->text == "It rains.");
    BOOST_TEST(result.final_output().text == "Fine.");
    const std::vector<weft::chat_request> asked = model->requests();
    BOOST_REQUIRE(asked.size() == 3u);
    BOOST_TEST(asked[0].messages[0].text().starts_with("You are journalist."));
    BOOST_TEST(prompt_of(asked[0]) == "Write about Rome.\n\n## Expected Output\nThree sentences.");
    BOOST_REQUIRE(asked[0].tools.size() == 1u);  // of the two, that which the task names
    BOOST_TEST(asked[0].tools[0].name == "weather");
    BOOST_TEST(asked[1].messages.back().text() == "rain");
    BOOST_TEST(asked[2].messages[0].text().starts_with("You are critique."));
    BOOST_TEST(prompt_of(asked[2]) == "Judge the text on Rome.\n\n## Context\n\n### write\nIt rains.");
}

BOOST_AUTO_TEST_CASE(AGE_12_a_further_visit_is_told_what_to_make_better)
{
    const auto model = scripted({"One.", "Two."});
    const weft::ensemble_graph news = weft::ensemble_graph::builder{}
                                          .name("news")
                                          .agents(weft::ensemble_agents(agents_with(model)))
                                          .state("write", write_task())
                                          .edge("write", "__END__", [](const auto& at) { return at.step_number == 2; })
                                          .edge("write", "write")
                                          .start("write")
                                          .build();
    BOOST_TEST(run_news(news).final_output().text == "Two.");
    const std::string prompt = prompt_of(model->requests().at(1));
    for (const char* const part : {"## Revision Instructions (Attempt 1)", "Graph state 'write' visit #2.", "One."})
        BOOST_TEST(tells(prompt, part), part);
}

BOOST_AUTO_TEST_CASE(AGE_12_memory_scopes_are_kept_by_thread)
{
    weft::ensemble_agent_options options = agents_with(scripted({"A", "B", "C", "D"}));
    const auto model = std::static_pointer_cast<weft::testing::scripted_model>(options.model);
    options.memory.emplace(std::make_shared<weft::memory_items>(), "acme");
    options.memory_entries_max = 2;
    weft::ensemble_task write = write_task();
    write.memory = {"facts"};
    const weft::ensemble_graph news = line_of(options, {{"write", write}});
    weft::testing::simulation sim{1};
    for (const char* const thread : {"t1", "t1", "t2", "t1"}) {
        weft::ensemble_request request = on_rome();
        request.thread(thread);
        (void)sim.run(news.run(std::move(request)));
    }
    const std::vector<weft::chat_request> asked = model->requests();
    BOOST_TEST(!tells(prompt_of(asked.at(0)), "## Memory"));
    BOOST_TEST(prompt_of(asked.at(1)).ends_with("\n\n## Memory: facts\n\n### write\nA"));
    BOOST_TEST(!tells(prompt_of(asked.at(2)), "## Memory"));  // another thread
    BOOST_TEST(tells(prompt_of(asked.at(3)), "### write\nA"));
    BOOST_TEST(tells(prompt_of(asked.at(3)), "### write\nB"));
    const auto kept = sim.run(options.memory->list(100));
    BOOST_TEST(kept.size() == 3u);  // two of t1, one of t2: older ones are removed
}

BOOST_AUTO_TEST_CASE(AGE_12_a_run_without_a_thread_remembers_nothing)
{
    weft::ensemble_agent_options options = agents_with(scripted({"A"}));
    options.memory.emplace(std::make_shared<weft::memory_items>());
    weft::ensemble_task write = write_task();
    write.memory = {"facts"};
    weft::testing::simulation sim{1};
    BOOST_TEST(sim.run(line_of(options, {{"write", write}}).run(on_rome())).final_output().text == "A");
    BOOST_TEST(sim.run(options.memory->list(100)).empty());
}

BOOST_AUTO_TEST_CASE(AGE_12_a_review_gate_asks_a_person_who_accepts_or_says_what_to_change)
{
    const auto model = scripted({"It rains.", "It pours.", "Fine."});
    weft::ensemble_task write = write_task();
    write.review = "Can this be published?";
    const weft::ensemble_graph news =
        line_of(agents_with(model), {{"write", write}, {"critique", weft::ensemble_task{"Judge it."}}});
    weft::testing::simulation sim{1};
    const weft::ensemble_result first = sim.run(news.run(on_rome()));
    BOOST_TEST(first.termination_reason == "paused");
    BOOST_REQUIRE(first.questions.size() == 1u);
    BOOST_TEST(first.questions[0].asked.text == "Can this be published?");
    BOOST_TEST(first.questions[0].asked.about.at("text").as_string() == "It rains.");
    weft::ensemble_request changes;
    changes.resume(first.paused_at).answer(first.questions[0].address, "stronger words");
    const weft::ensemble_result second = sim.run(news.run(std::move(changes)));
    BOOST_TEST(second.termination_reason == "paused");
    BOOST_TEST(second.questions.at(0).asked.about.at("text").as_string() == "It pours.");
    const std::string prompt = prompt_of(model->requests().at(1));
    for (const char* const part : {"Write about Rome.", "stronger words", "### Your output\nIt rains."})
        BOOST_TEST(tells(prompt, part), part);
    weft::ensemble_request approves;
    approves.resume(second.paused_at).answer(second.questions[0].address, " Approve ");
    const weft::ensemble_result last = sim.run(news.run(std::move(approves)));
    BOOST_TEST(last.termination_reason == "terminal");
    BOOST_TEST(last.last_output_for_state("write")->text == "It pours.");
    BOOST_TEST(last.final_output().text == "Fine.");
    model->assert_complete();  // nothing was asked twice
}

BOOST_AUTO_TEST_CASE(AGE_12_a_person_can_stop_an_ensemble_and_reviews_are_bounded)
{
    weft::ensemble_task write = write_task();
    write.review = "Good?";
    weft::ensemble_agent_options options = agents_with(scripted({"A", "B"}));
    options.reviews_max = 1;
    const weft::ensemble_graph news = line_of(options, {{"write", write}});
    weft::testing::simulation sim{1};
    const auto answered = [&](std::string words) {
        const weft::ensemble_result asked = sim.run(news.run(on_rome()));
        weft::ensemble_request request;
        request.resume(asked.paused_at).answer(asked.questions.at(0).address, boost::json::value(words));
        (void)sim.run(news.run(std::move(request)));
    };
    BOOST_CHECK_EXCEPTION(answered("stop"), weft::error,
                          [](const weft::error& e) { return tells(e.detail(), "a person has stopped it"); });
    BOOST_CHECK_EXCEPTION(answered("shorter"), weft::error,
                          [](const weft::error& e) { return e.code() == weft::errc::limit_reached; });
}

BOOST_AUTO_TEST_CASE(AGE_12_what_is_wrong_with_tasks_of_words_is_told_at_once)
{
    weft::ensemble_task hammers = write_task();
    hammers.tools = {"hammer"};
    weft::ensemble_task remembers = write_task();
    remembers.memory = {"facts"};
    weft::ensemble_task works{"", [] { return std::string{"x"}; }};
    works.review = "Good?";
    try {
        (void)line_of(agents_with(scripted({})), {{"a", hammers}, {"b", remembers}, {"c", works},
                                                  {"d", weft::ensemble_task{" "}}});
        BOOST_ERROR("nothing was thrown");
    } catch (const weft::graph_error& wrong) {
        const std::string all = wrong.what();
        for (const char* const part : {"state 'a': ", "hammer", "state 'b': it has memory scopes and there is no store",
                                       "state 'c': tools, memory and review belong to a task of words",
                                       "state 'd': Task has no LLM source"})
            BOOST_TEST(tells(all, part), all);
        BOOST_TEST(wrong.mistakes().size() == 4u);
    }
    BOOST_CHECK_THROW((void)weft::ensemble_agents(weft::ensemble_agent_options{}), weft::error);
}

BOOST_AUTO_TEST_SUITE_END()
