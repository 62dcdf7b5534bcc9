#include <boost/test/unit_test.hpp>

#include "interrupts.hpp"

#include <weft/async/scope.hpp>

using namespace weft_tests;

BOOST_AUTO_TEST_SUITE(interrupt_test)

namespace {

/** ^ -> a asks, b asks, c sleeps -> d */
weft::graph two_askers(std::chrono::nanoseconds span = 5ms)
{
    return empty_graph()
        .node("a", asks("A?")).node("b", asks("B?")).node("c", sleeps(span)).node("d", [] {})
        .edge(weft::start, "a").edge(weft::start, "b").edge(weft::start, "c")
        .edge("a", "d").edge("b", "d").edge("c", "d")
        .build();
}

task<void> ask_into(node_context& context, const char* text, std::string& into)
{
    question asked{text};
    std::string said = co_await context.ask<std::string>(std::move(asked));
    into = std::move(said);
}

/** A node that asks two questions at once. */
task<void> ask_two(node_context& context)
{
    std::string one;
    std::string two;
    const weft::task_context& around = co_await weft::this_task::context();
    weft::scope children{around};
    children.spawn(ask_into(context, "One?", one));
    children.spawn(ask_into(context, "Two?", two));
    co_await children.join();
    context.set(words, one + "-" + two);
}

/** How an answer is received: `accepted`, `already_answered`, or the code of an error. */
task<std::string> answer(run_handle& run, std::string address, boost::json::value value)
{
    std::string received;
    try {
        const weft::answer_state state = co_await run.answer(std::move(address), std::move(value));
        received = state == weft::answer_state::accepted ? "accepted" : "already_answered";
    } catch (const weft::error& wrong) {
        received = name_of(wrong.code());
    }
    co_return received;
}

void with_many_seeds(task<void> (*body)())
{
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        weft::testing::simulation sim{seed};
        sim.run(body());
    }
}

task<void> while_the_process_lives_the_coroutine_stays_parked_and_goes_on_body()
{
    run_handle run = co_await start(two_askers());
    co_await weft::sleep_for(1ms);
    BOOST_TEST(run.questions().size() == 2u);
    std::string addresses[2] = {run.questions()[0].address, run.questions()[1].address};
    std::string said = co_await answer(run, addresses[1], "two");
    BOOST_TEST(said == "accepted");
    co_await weft::sleep_for(1h);  // longer than any timeout of a node
    BOOST_TEST(run.questions().size() == 1u);
    said = co_await answer(run, addresses[0], "one");
    BOOST_TEST(said == "accepted");
    const run_result done = co_await run.result();
    BOOST_TEST((done.status == run_status::finished), done.message());
    BOOST_TEST(done.steps == 4u);
    BOOST_TEST(done.retries == 0u);
}

task<void> P18_an_answer_goes_to_its_address_once_and_must_fit_body()
{
    run_handle run = co_await start(two_askers());
    co_await weft::sleep_for(1ms);
    const std::string a = run.questions()[0].address;
    const std::string b = run.questions()[1].address;
    std::string said = co_await answer(run, "nowhere#1/ask#0", "x");
    BOOST_TEST(said == "unknown_question");
    said = co_await answer(run, a, 7);
    BOOST_TEST(said == "invalid_answer");
    BOOST_TEST(run.questions().size() == 2u);
    said = co_await answer(run, a, "first");
    BOOST_TEST(said == "accepted");
    said = co_await answer(run, a, "second");
    BOOST_TEST(said == "already_answered");
    said = co_await answer(run, b, "other");
    BOOST_TEST(said == "accepted");
    const run_result done = co_await run.result();
    const std::string all = words_of(done);
    BOOST_TEST(all.find(":first") != std::string::npos);
    BOOST_TEST(all.find(":second") == std::string::npos);
    said = co_await answer(run, a, "third");
    BOOST_TEST(said == "unknown_question");  // the run is over
}

task<void> a_graph_inside_stays_parked_while_the_one_outside_goes_on_body()
{
    const weft::graph inner = empty_graph("inner").node("ask", asks()).node("then", sleeps(2ms))
                                  .edge(weft::start, "ask").edge("ask", "then").build();
    const weft::graph graph = empty_graph("outer")
        .node("in", weft::subgraph{inner}).node("s", sleeps(1s)).node("t", asks())
        .edge(weft::start, "in").edge(weft::start, "s").edge("s", "t").build();
    run_handle run = co_await start(graph);
    co_await weft::sleep_for(2s);
    BOOST_TEST(run.questions().size() == 2u);
    const std::vector<weft::open_question> open = run.questions();
    for (const weft::open_question& one : open) {
        const std::string said = co_await answer(run, one.address, "yes");
        BOOST_TEST(said == "accepted", one.address);
    }
    const run_result done = co_await run.result();
    BOOST_TEST((done.status == run_status::finished), done.message());
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_pauses_with_its_question_and_goes_on_with_the_answer)
{
    weft::testing::simulation sim{1};
    const weft::graph graph = one_asker();
    const run_result paused = run_in(sim, graph);
    BOOST_TEST((paused.status == run_status::paused));
    BOOST_TEST(questions_of(paused) == "a#1/ask#0");
    BOOST_TEST(paused.questions[0].asked.text == "What?");
    const run_result done = resume_in(sim, graph, paused, {{"a#1/ask#0", "this"}});
    BOOST_TEST((done.status == run_status::finished), done.message());
    BOOST_TEST(words_of(done) == "a:this");
    BOOST_TEST(done.steps == 1u);
    BOOST_TEST(done.questions.empty());
}

BOOST_AUTO_TEST_CASE(a_resume_without_an_answer_pauses_again_with_the_same_question)
{
    weft::testing::simulation sim{1};
    const weft::graph graph = one_asker();
    const run_result first = run_in(sim, graph);
    const run_result second = resume_in(sim, graph, first);
    BOOST_TEST((second.status == run_status::paused));
    BOOST_TEST(questions_of(second) == "a#1/ask#0");
    BOOST_TEST((second.questions[0].asked_at == first.questions[0].asked_at));
    BOOST_TEST(words_of(resume_in(sim, graph, second, {{"a#1/ask#0", "this"}})) == "a:this");
}

BOOST_AUTO_TEST_CASE(siblings_go_on_while_one_is_parked)
{
    weft::testing::simulation sim{1};
    const weft::graph graph = two_askers();
    const run_result paused = run_in(sim, graph);
    BOOST_TEST((sim.elapsed() == 5ms));
    BOOST_TEST(questions_of(paused).find("a#1/ask#0") != std::string::npos);
    BOOST_TEST(paused.questions.size() == 2u);
    BOOST_TEST(paused.visits_of("c") == 1u);
}

BOOST_AUTO_TEST_CASE(while_the_process_lives_the_coroutine_stays_parked_and_goes_on)
{
    with_many_seeds(&while_the_process_lives_the_coroutine_stays_parked_and_goes_on_body);
}

BOOST_AUTO_TEST_CASE(P18_an_answer_goes_to_its_address_once_and_must_fit)
{
    with_many_seeds(&P18_an_answer_goes_to_its_address_once_and_must_fit_body);
}

BOOST_AUTO_TEST_CASE(P18_answers_of_a_resume_that_are_wrong_are_told_before_anything_runs)
{
    weft::testing::simulation sim{1};
    const weft::graph graph = one_asker();
    const run_result paused = run_in(sim, graph);
    const run_result unfit = resume_in(sim, graph, paused, {{"a#1/ask#0", 7}});
    BOOST_TEST((unfit.status == run_status::failed));
    BOOST_TEST((unfit.why->code == weft::errc::invalid_answer));
    BOOST_TEST(unfit.message().find("a#1/ask#0, $") != std::string::npos);
    const run_result unknown = resume_in(sim, graph, paused, {{"b#1/ask#0", "x"}});
    BOOST_TEST((unknown.why->code == weft::errc::unknown_question));
    BOOST_TEST(unknown.message().find("'a#1/ask#0'") != std::string::npos);
    BOOST_TEST(words_of(resume_in(sim, graph, paused, {{"a#1/ask#0", "this"}})) == "a:this");
}

BOOST_AUTO_TEST_CASE(several_questions_of_a_visit_are_told_apart_and_answered_one_by_one)
{
    const auto work = [](node_context& context) -> task<void> {
        for (const char* text : {"One?", "Two?", "Three?"}) {
            question asked{text};
            const std::string said = co_await context.ask<std::string>(std::move(asked));
            context.set(words, said);
        }
    };
    const weft::graph graph = empty_graph().node("a", work).edge(weft::start, "a").build();
    weft::testing::simulation sim{1};
    run_result result = run_in(sim, graph);
    for (int i = 0; i < 3; ++i) {
        const std::string address = "a#1/ask#" + std::to_string(i);
        BOOST_TEST(questions_of(result) == address);
        question_answers answers;
        answers.emplace(address, std::to_string(i));
        result = resume_in(sim, graph, result, std::move(answers));
    }
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(words_of(result) == "0 1 2");
}

BOOST_AUTO_TEST_CASE(a_node_asks_several_questions_at_once)
{
    const weft::graph graph = empty_graph().node("a", ask_two).edge(weft::start, "a").build();
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        weft::testing::simulation sim{seed};
        const run_result both = run_in(sim, graph);
        BOOST_TEST(both.questions.size() == 2u);
        std::string first;
        std::string second;
        for (const weft::open_question& open : both.questions)
            (open.asked.text == "One?" ? first : second) = open.address;
        const run_result half = resume_in(sim, graph, both, {{second, "2"}});
        BOOST_TEST(questions_of(half) == first);
        BOOST_TEST(words_of(resume_in(sim, graph, half, {{first, "1"}})) == "1-2");
    }
}

BOOST_AUTO_TEST_CASE(P20_a_graph_inside_goes_on_where_its_question_was)
{
    int begun = 0;
    const auto first = [&begun](node_context&) { ++begun; };
    const weft::graph inner = empty_graph("inner").node("x", first).node("ask", asks())
                                  .edge(weft::start, "x").edge("x", "ask").build();
    const weft::graph graph = around(around(inner));
    weft::testing::simulation sim{1};
    const run_result paused = run_in(sim, graph);
    BOOST_TEST(questions_of(paused) == "in#1/in#1/ask#1/ask#0");
    const run_result done = resume_in(sim, graph, paused, {{"in#1/in#1/ask#1/ask#0", "deep"}});
    BOOST_TEST((done.status == run_status::finished), done.message());
    BOOST_TEST(words_of(done) == "ask:deep");
    BOOST_TEST(begun == 1);
}

BOOST_AUTO_TEST_CASE(a_graph_inside_stays_parked_while_the_one_outside_goes_on)
{
    with_many_seeds(&a_graph_inside_stays_parked_while_the_one_outside_goes_on_body);
}

BOOST_AUTO_TEST_CASE(the_timeout_of_a_node_does_not_run_while_it_is_parked)
{
    const auto work = [](node_context& context) -> task<void> {
        co_await weft::sleep_for(30ms);
        question asked{"What?"};
        (void)co_await context.ask<std::string>(std::move(asked));
        co_await weft::sleep_for(60ms);
    };
    for (const auto& [limit, status] : {std::pair{100ms, run_status::finished}, std::pair{80ms, run_status::failed}}) {
        weft::node_options options = tries(1);
        options.timeout = limit;
        const weft::graph graph = empty_graph().node("a", work, options).edge(weft::start, "a").build();
        const auto whole = [](weft::graph what) -> task<run_result> {
            run_handle run = co_await start(std::move(what));
            co_await weft::sleep_for(1h);
            (void)co_await run.answer("a#1/ask#0", "this");
            co_return co_await run.result();
        };
        weft::testing::simulation sim{1};
        const run_result result = sim.run(whole(graph));
        BOOST_TEST((result.status == status), result.message());
    }
}

BOOST_AUTO_TEST_CASE(a_cancel_ends_a_parked_node_at_once)
{
    const auto whole = [](weft::graph what) -> task<run_result> {
        run_handle run = co_await start(std::move(what));
        co_await weft::sleep_for(1h);
        run.cancel();
        co_return co_await run.result();
    };
    weft::testing::simulation sim{1};
    const run_result result = sim.run(whole(one_asker()));
    BOOST_TEST((result.status == run_status::cancelled));
    BOOST_TEST((sim.elapsed() == 1h));
    BOOST_TEST(result.unresponsive.empty());
}

BOOST_AUTO_TEST_CASE(a_pause_from_outside_ends_a_parked_run_with_its_questions)
{
    const auto whole = [](weft::graph what) -> task<run_result> {
        run_handle run = co_await start(std::move(what));
        co_await weft::sleep_for(1h);
        run.pause();
        co_return co_await run.result();
    };
    weft::testing::simulation sim{1};
    const weft::graph graph = around(two_askers());
    const run_result paused = sim.run(whole(graph));
    BOOST_TEST((paused.status == run_status::paused));
    BOOST_REQUIRE(paused.questions.size() == 2u);
    const run_result done = resume_in(sim, graph, paused,
                                      {{paused.questions[0].address, "1"}, {paused.questions[1].address, "2"}});
    BOOST_TEST((done.status == run_status::finished), done.message());
}

BOOST_AUTO_TEST_CASE(a_wrong_question_and_a_plain_node_that_asks_are_refused)
{
    const auto wrong = [](node_context& context) -> task<void> {
        question asked = question::selection("Which?", {});
        (void)co_await context.ask<std::string>(std::move(asked));
    };
    const auto plain = [](node_context& context) { (void)context.interrupt(question{"What?"}); };
    for (const weft::graph& graph : {empty_graph().node("a", wrong, tries(1)).edge(weft::start, "a").build(),
                                     empty_graph().node("a", plain, tries(1)).edge(weft::start, "a").build()}) {
        const run_result result = simulate(graph);
        BOOST_REQUIRE((result.status == run_status::failed));
        BOOST_TEST((result.why->code == weft::errc::invalid_configuration));
    }
}

BOOST_AUTO_TEST_CASE(whoever_watches_hears_of_questions_and_answers_but_not_what_was_answered)
{
    std::vector<std::string> heard;
    const auto hear = [&](const weft::run_event& event) {
        if (event.what == weft::run_event::kind::question_asked ||
            event.what == weft::run_event::kind::question_answered)
            heard.push_back(weft::to_line(event));
    };
    const auto whole = [](weft::graph what, run_request request) -> task<run_result> {
        run_handle run = co_await start(std::move(what), std::move(request));
        co_await weft::sleep_for(1ms);
        (void)co_await run.answer("in#1/a#1/ask#0", "a secret");
        co_return co_await run.result();
    };
    weft::testing::simulation sim{1};
    (void)sim.run(whole(around(one_asker()), run_request{}.on_event(hear)));
    BOOST_REQUIRE(heard.size() == 2u);
    BOOST_TEST(heard[0].find("question_asked in in a visit 1 attempt 1 in#1/a#1/ask#0: What?") != std::string::npos);
    BOOST_TEST(heard[1].find("question_answered in in a") != std::string::npos);
    BOOST_TEST(heard[1].find("secret") == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
