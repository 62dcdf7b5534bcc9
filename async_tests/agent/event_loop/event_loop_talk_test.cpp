#include <boost/test/unit_test.hpp>

#include "agent/loops.hpp"
#include "agent/talks.hpp"

#include <weft/agent/core/agent_event.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(event_loop_talk_test)

namespace {

weft::event_loop_options asking_client()
{
    weft::event_loop_options options = answering();
    options.settings.faces_client = true;
    return options;
}

weft::event_loop_options sharing(weft::conversation_mode mode = weft::conversation_mode::continuous)
{
    weft::event_loop_options options = answering();
    options.settings.identity = "You are Ada.";
    options.settings.conversation = "shared_talk";
    options.settings.hand_offs = "left_over";
    options.settings.mode = mode;
    return options;
}

/** research -> write. */
weft::graph two_loops(const std::shared_ptr<loop_model>& model, weft::conversation_mode second)
{
    weft::graph_builder builder{"outer"};
    builder.state(loop_topic, loop_answer, loop_score, loop_talk_key, loop_hand_offs);
    builder.initial(loop_topic, "rain").initial(loop_talk_key, weft::conversation{});
    weft::event_loop_options research = sharing();
    research.settings.system = "Find out.";
    research.outputs = {weft::output_of(loop_score)};
    weft::add_event_loop(builder, "research", model, std::move(research));
    weft::event_loop_options write = sharing(second);
    write.settings.system = "Write it up.";
    write.reads = {"topic", "score"};
    weft::add_event_loop(builder, "write", model, std::move(write));
    builder.edge(weft::start, "research").edge("research", "write");
    return builder.build();
}

std::size_t times(const std::string& text, std::string_view part)
{
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

std::shared_ptr<loop_model> two_workers()
{
    return model_of({sets("score", 7, "I found seven."), loop_script{"Let me see."}, sets("answer", "Seven.")});
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_loop_asks_a_person_and_goes_on_with_the_answer)
{
    const auto model = model_of(
        {loop_script{"Hello!"}.call("ask_user", {{"question", "Where?"}, {"options", {"Rome", "Oslo"}}}),
         sets("answer", "It rains in Oslo.")});
    const weft::graph graph = graph_with(model, asking_client());
    seen_loop seen = run_loop(graph);
    BOOST_TEST((seen.result.status == weft::run_status::paused));
    BOOST_REQUIRE(seen.result.questions.size() == 1u);
    BOOST_TEST(seen.result.questions[0].asked.text == "Where?");
    BOOST_TEST(seen.says(weft::agent_event::output, "Hello!"));
    BOOST_TEST(seen.says(weft::agent_event::input_requested, "Where?"));
    BOOST_TEST(model->requests().size() == 1u);
    weft::run_request again{"t"};
    again.resume(seen.result.paused_at).answer(seen.result.questions[0].address, "Oslo, please");
    seen = run_loop(graph, std::move(again));
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_TEST(seen.says(weft::agent_event::input_received, "Oslo, please"));
    BOOST_TEST(is_told(*model, 1, "user: Oslo, please\n"));
    BOOST_TEST(seen.answer() == "It rains in Oslo.");
    BOOST_CHECK_NO_THROW(model->assert_complete());
}

BOOST_AUTO_TEST_CASE(several_questions_are_asked_at_once)
{
    const boost::json::array two{{{"id", "where"}, {"prompt", "Where?"}}, {{"id", "when"}, {"prompt", "When?"}}};
    const auto model = model_of({loop_script{}.call("ask_user_multiple", {{"questions", two}}), sets("answer", "a")});
    const weft::graph graph = graph_with(model, asking_client());
    seen_loop seen = run_loop(graph);
    BOOST_REQUIRE(seen.result.questions.size() == 1u);
    BOOST_TEST((seen.result.questions[0].asked.kind == weft::question_kind::multi_field));
    weft::run_request again{"t"};
    again.resume(seen.result.paused_at)
        .answer(seen.result.questions[0].address, {{"where", "Rome"}, {"when", "today"}});
    seen = run_loop(graph, std::move(again));
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_TEST(is_told(*model, 1, "user: Where? Rome\nWhen? today\n"));
}

BOOST_AUTO_TEST_CASE(text_alone_does_not_wait_for_the_client)
{
    const auto model = model_of({loop_script{"Hello!"}, sets("answer", "a")});
    const seen_loop seen = run_loop(model, asking_client());
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_TEST(!is_told(*model, 1, "[Judge feedback]"));  // one turn of grace
    BOOST_TEST(is_told(*model, 1, "user: [Continue working on your current task.]"));
}

BOOST_AUTO_TEST_CASE(HIV_37_an_internal_loop_that_asks_is_told_that_it_is_internal)
{
    const auto model = model_of({loop_script{}.call("ask_user", {{"question", "Where?"}}), sets("answer", "a")});
    const seen_loop seen = run_loop(model, answering());
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_TEST(is_told(*model, 1, "tool: You are an internal node"));
    BOOST_TEST(seen.says(weft::agent_event::input_blocked, "Where?"));
}

BOOST_AUTO_TEST_CASE(HIV_40_a_continuous_loop_goes_on_in_the_talk_with_one_marker)
{
    const auto model = two_workers();
    const seen_loop seen = run_loop(two_loops(model, weft::conversation_mode::continuous));
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_TEST(seen.path == "research write");
    const std::string second = told(*model, 1);
    BOOST_TEST(second.find("I found seven.") != std::string::npos);
    BOOST_TEST(times(second, "--- PHASE TRANSITION: research → write ---") == 1u);
    BOOST_TEST(times(told(*model, 2), "--- PHASE TRANSITION: research → write ---") == 1u);
    BOOST_TEST(second.find("You are Ada.") != std::string::npos);
    BOOST_TEST(second.find("- score: 7") != std::string::npos);
    BOOST_TEST(second.find("Write it up.") != std::string::npos);
    BOOST_TEST(told(*model, 0).find("PHASE TRANSITION") == std::string::npos);
    BOOST_TEST(fault_of_pairs(model->requests()[2].messages) == "");
    BOOST_TEST(seen.result.state.get(loop_talk_key).size() > 5u);
}

BOOST_AUTO_TEST_CASE(HIV_40_an_isolated_loop_sees_a_hand_off_only)
{
    const auto model = two_workers();
    const seen_loop seen = run_loop(two_loops(model, weft::conversation_mode::isolated));
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    const std::string second = told(*model, 1);
    BOOST_TEST(second.find("PHASE TRANSITION") == std::string::npos);
    BOOST_TEST(second.find("You are Ada.") == std::string::npos);
    BOOST_TEST(second.find("--- CONTEXT FROM: research") != std::string::npos);
    BOOST_TEST(second.find("- score: 7") != std::string::npos);
    BOOST_TEST(second.find("assistant: I found seven.") == std::string::npos);
    BOOST_TEST(seen.result.state.get(loop_hand_offs).size() == 2u);
}

BOOST_AUTO_TEST_CASE(HIV_39_a_long_talk_is_compacted_and_keeps_its_opening_and_its_pairs)
{
    weft::event_loop_options options = answering();
    options.tools = looking();
    options.settings.limits.context_max = weft::tokens{8'000};
    options.settings.prompt = "The task: watch {topic}.";
    const auto model = std::make_shared<loop_model>();
    const auto is_turn = [](const weft::chat_request& request) { return !request.tools.empty(); };
    const auto is_summary = [](const weft::chat_request& request) { return request.tools.empty(); };
    for (int i = 0; i < 12; ++i)
        model->then(
            loop_script{}.call("look", look_at(std::to_string(i) + " " + text_of_tokens(1'000))).when(is_turn));
    model->then(sets("answer", "a").when(is_turn));
    model->otherwise(loop_script{"It looked at the sky."}.when(is_summary));
    const seen_loop seen = run_loop(model, std::move(options));
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_TEST(seen.count(weft::agent_event::context_compacted) >= 1u);
    for (std::size_t call = 0; call < model->requests().size(); ++call) {
        if (is_summary(model->requests()[call])) continue;
        BOOST_TEST(is_told(*model, call, "The task: watch rain."));
        BOOST_TEST(fault_of_pairs(model->requests()[call].messages) == "");
    }
}

BOOST_AUTO_TEST_CASE(HIV_39_a_talk_without_tools_is_summarised_by_the_model)
{
    weft::event_loop_options options = answering();
    options.settings.limits.context_max = weft::tokens{2'000};
    options.settings.limits.stall_replies = 0;
    const auto model = std::make_shared<loop_model>();
    const auto is_summary = [](const weft::chat_request& request) { return request.tools.empty(); };
    const auto is_turn = [](const weft::chat_request& request) { return !request.tools.empty(); };
    for (int i = 0; i < 14; ++i)
        model->then(loop_script{std::to_string(i) + " " + text_of_tokens(200)}.when(is_turn));
    model->then(sets("answer", "a").when(is_turn));
    model->otherwise(loop_script{"It was about rain."}.when(is_summary));
    const seen_loop seen = run_loop(model, std::move(options));
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    BOOST_TEST(seen.says(weft::agent_event::context_compacted, "summary"));
    BOOST_TEST(seen.steps.find("summarise turn") != std::string::npos);
    const std::size_t last = model->requests().size() - 1;
    BOOST_TEST(is_told(*model, last, "It was about rain."));
    BOOST_TEST(is_told(*model, last, "Inputs:\n- topic: rain"));
}

BOOST_AUTO_TEST_CASE(the_next_request_begins_with_the_one_before)
{
    const auto model = model_of({loop_script{"Hm."}, loop_script{"So it is."}, sets("answer", "a")});
    const seen_loop seen = run_loop(model, answering());
    BOOST_TEST((seen.result.status == weft::run_status::finished), seen.result.message());
    for (std::size_t call = 1; call < 3; ++call)
        BOOST_TEST(told(*model, call).starts_with(told(*model, call - 1)));
}

BOOST_AUTO_TEST_SUITE_END()
