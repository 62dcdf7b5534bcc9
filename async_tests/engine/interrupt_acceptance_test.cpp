#include <boost/asio/io_context.hpp>
#include <boost/test/unit_test.hpp>

#include "interrupts.hpp"

#include <weft/asio.hpp>
#include <weft/base/random.hpp>
#include <weft/engine/scheduler/frontier.hpp>
#include <weft/engine/trace/run_overlay_recorder.hpp>

#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <set>
#include <thread>

using namespace weft_tests;
using weft::answer_state;
using weft::memory_journal;

BOOST_AUTO_TEST_SUITE(interrupt_acceptance_test)

namespace {

/** A graph whose fan-out of items asks in each branch, twice in a loop, and in a graph inside. */
weft::graph many_askers(int branches)
{
    const weft::graph inner = empty_graph("inner").node("deep", asks("Deep?")).edge(weft::start, "deep").build();
    const auto hand_out = [](const weft::state& left, node_context& context) {
        context.set(words, left.get(words).back());
        return weft::command::next();
    };
    auto nested = weft::subgraph{.graph = inner, .inputs = {{"value", "value"}}, .take_outputs = hand_out};
    const auto split = [branches](node_context&) {
        std::vector<weft::send> items;
        for (int i = 0; i < branches; ++i) {
            items.emplace_back("one").input(value, i);
        }
        return weft::command::fan_out(std::move(items));
    };
    struct asker {
        static task<void> ask(node_context& context)
        {
            const std::string item = std::to_string(context.get(value));
            question asked{"Item " + item + "?"};
            const std::string said = co_await context.ask<std::string>(std::move(asked));
            context.set(words, item + "=" + said);
        }
    };
    return empty_graph("many")
        .node("split", split, {.goes_to = {"one"}}).node("one", &asker::ask).node("in", std::move(nested))
        .node("last", asks("Last?"))
        .edge(weft::start, "split").edge("one", "in").edge("in", "last").fan_in("split", "last")
        .build();
}

/** What belongs to a question: the answer names its address. */
std::string answer_to(const weft::open_question& one) { return "<" + one.address + ">"; }

/** All words, in an order that does not depend on time. */
std::vector<std::string> sorted_words(const run_result& result)
{
    std::vector<std::string> all = result.state.get(words);
    std::sort(all.begin(), all.end());
    return all;
}

/** Answers one open question after the other, in an order that `order` chooses, each with a resume. */
run_result answered_by_resumes(weft::testing::simulation& sim, const weft::graph& graph, weft::random_source& order)
{
    run_result result = run_in(sim, graph);
    for (int rounds = 0; result.status == run_status::paused && rounds < 100; ++rounds) {
        question_answers answers;
        const std::size_t count = 1 + order.below(result.questions.size());
        for (std::size_t i = 0; i < count; ++i) {
            const weft::open_question& one = result.questions[order.below(result.questions.size())];
            answers.emplace(one.address, answer_to(one));
        }
        result = resume_in(sim, graph, result, std::move(answers));
    }
    return result;
}

/** The same with a handle, while the run lives. */
task<run_result> answered_while_it_lives(weft::graph graph, weft::random_source& order)
{
    const weft::engine engine{std::move(graph)};
    run_handle run = co_await engine.start(run_request{});
    for (int rounds = 0; !run.is_finished() && rounds < 1000; ++rounds) {
        co_await weft::sleep_for(1ms);
        const std::vector<weft::open_question> open = run.questions();
        if (open.empty()) continue;
        const weft::open_question& one = open[order.below(open.size())];
        std::string address = one.address;
        boost::json::value said(answer_to(one));
        (void)co_await run.answer(std::move(address), std::move(said));
    }
    co_return co_await run.result();
}

}  // namespace

BOOST_AUTO_TEST_CASE(P19_many_questions_in_branches_and_graphs_inside_are_answered_in_any_order)
{
    const weft::graph graph = many_askers(5);
    std::vector<std::string> expected;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        weft::random_source order{seed};
        weft::testing::simulation sim{seed};
        const run_result resumed = answered_by_resumes(sim, graph, order);
        BOOST_REQUIRE_MESSAGE(resumed.status == run_status::finished, seed << ": " << resumed.message());
        BOOST_TEST(resumed.visits_of("one") == 5u);
        if (expected.empty()) expected = sorted_words(resumed);
        BOOST_TEST(expected.size() == 11u);
        BOOST_TEST(sorted_words(resumed) == expected, boost::test_tools::per_element());
        weft::testing::simulation other{seed + 1000};
        const run_result parked = other.run(answered_while_it_lives(graph, order));
        BOOST_REQUIRE_MESSAGE(parked.status == run_status::finished, seed << ": " << parked.message());
        BOOST_TEST(sorted_words(parked) == expected, boost::test_tools::per_element());
        BOOST_TEST(parked.steps == resumed.steps);
    }
}

BOOST_AUTO_TEST_CASE(P17_each_item_of_a_fan_out_gets_its_own_answer)
{
    weft::testing::simulation sim{3};
    const run_result paused = run_in(sim, many_askers(3));
    std::set<std::string> seen;
    for (const weft::open_question& one : paused.questions) {
        seen.insert(one.address);
        const std::string item = one.asked.text.substr(5, 1);
        BOOST_TEST(one.address == "split#1." + item + "/one#1/ask#0");
    }
    BOOST_TEST(seen.size() == 3u);
}

BOOST_AUTO_TEST_CASE(P21_an_answered_question_is_not_asked_again_in_its_visit_and_is_in_the_next)
{
    struct asker {
        static task<void> work(node_context& context, int& attempts)
        {
            ++attempts;
            question asked{"What?"};
            const std::string said = co_await context.ask<std::string>(std::move(asked));
            if (context.attempt() == 1) throw weft::error{weft::errc::model_overloaded, "test", "after the answer"};
            context.set(words, said);
            context.set(total, 1);
        }
    };
    int attempts = 0;
    const auto work = [&](node_context& context) { return asker::work(context, attempts); };
    const auto again = [](const weft::state_view& state) { return state.value_or(total, 0) < 2; };
    const weft::graph graph =
        empty_graph().node("a", work, tries(2)).edge(weft::start, "a").edge_when("a", "a", again)
            .edge("a", weft::end).build();
    weft::testing::simulation sim{1};
    const run_result first = run_in(sim, graph);
    BOOST_TEST(questions_of(first) == "a#1/ask#0");
    const run_result second = resume_in(sim, graph, first, {{"a#1/ask#0", "one"}});  // a retry finds the answer
    BOOST_TEST(questions_of(second) == "a#2/ask#0");
    const run_result done = resume_in(sim, graph, second, {{"a#2/ask#0", "two"}});
    BOOST_TEST((done.status == run_status::finished), done.message());
    BOOST_TEST(words_of(done) == "one two");
}

BOOST_AUTO_TEST_CASE(P21_answers_and_effects_within_a_node_survive_a_retry_of_that_node)
{
    struct inside {
        static task<void> work(node_context& context, int& effects, int& failures)
        {
            const auto count = [&effects] { return ++effects; };
            (void)co_await context.once("count", count);
            question asked{"What?"};
            const std::string said = co_await context.ask<std::string>(std::move(asked));
            context.set(words, said);
            if (failures-- > 0) throw weft::error{weft::errc::model_overloaded, "test", "after the answer"};
        }
    };
    int effects = 0;
    int failures = 2;
    const auto work = [&](node_context& context) { return inside::work(context, effects, failures); };
    const weft::graph inner = empty_graph("inner").node("x", work, tries(1)).edge(weft::start, "x").build();
    const weft::graph graph = empty_graph("outer").node("in", weft::subgraph{inner}, tries(3))
                                  .edge(weft::start, "in").build();
    weft::testing::simulation sim{1};
    const auto journal = std::make_shared<memory_journal>("tenant/thread/run");
    const run_result paused = run_in(sim, graph, run_request{}.journal(journal));
    BOOST_TEST(questions_of(paused) == "in#1/x#1/ask#0");
    const run_result done = resume_in(sim, graph, paused, {{"in#1/x#1/ask#0", "once"}});
    BOOST_TEST((done.status == run_status::finished), done.message());
    BOOST_TEST(words_of(done) == "once");
    BOOST_TEST(effects == 1);
    BOOST_TEST(done.retries == 2u);
    BOOST_TEST(journal->effects().empty());
}

BOOST_AUTO_TEST_CASE(P22_a_second_answer_is_told_that_there_is_a_first)
{
    struct whole {
        static task<void> run(weft::graph graph)
        {
            const weft::engine engine{std::move(graph)};
            run_handle run = co_await engine.start(run_request{});
            co_await weft::sleep_for(1ms);
            const answer_state first = co_await run.answer("a#1/ask#0", "one");
            const answer_state at_once = co_await run.answer("a#1/ask#0", "two");
            co_await weft::sleep_for(1ms);
            const answer_state later = co_await run.answer("a#1/ask#0", "three");  // its visit is over
            BOOST_TEST((first == answer_state::accepted));
            BOOST_TEST((at_once == answer_state::already_answered));
            BOOST_TEST((later == answer_state::already_answered));
            (void)co_await run.answer("b#1/ask#0", "end");
            const run_result done = co_await run.result();
            BOOST_TEST(words_of(done) == "a:one b:end");
        }
    };
    weft::testing::simulation sim{1};
    sim.run(whole::run(empty_graph().node("a", asks()).node("b", asks())
                           .edge(weft::start, "a").edge("a", "b").build()));
}

BOOST_AUTO_TEST_CASE(P23_an_answer_that_races_with_a_pause_or_a_cancel_is_not_lost)
{
    struct whole {
        static task<run_result> run(weft::graph graph, bool cancels, bool first, std::string& said)
        {
            const weft::engine engine{std::move(graph)};
            run_handle run = co_await engine.start(run_request{});
            co_await weft::sleep_for(1ms);
            const auto end = [&] { cancels ? run.cancel() : run.pause(); };
            if (first) end();
            try {
                const answer_state state = co_await run.answer("a#1/ask#0", "kept");
                said = state == answer_state::accepted ? "accepted" : "already_answered";
            } catch (const weft::error& wrong) {
                said = name_of(wrong.code());
            }
            if (!first) end();
            co_return co_await run.result();
        }
    };
    const weft::graph graph = empty_graph().node("a", asks()).node("b", sleeps(5ms)).node("c", sleeps(5ms))
                                  .edge(weft::start, "a").edge("a", "b").edge("b", "c").build();
    for (std::uint64_t seed = 1; seed <= 50; ++seed)
        for (const bool cancels : {false, true})
            for (const bool first : {false, true}) {
                weft::testing::simulation sim{seed};
                std::string said;
                const run_result result = sim.run(whole::run(graph, cancels, first, said));
                BOOST_TEST((result.status == (cancels ? run_status::cancelled : run_status::paused)));
                if (cancels) continue;
                // What was accepted is used, what was not is still asked.
                BOOST_TEST((said == "accepted") == result.questions.empty());
                const run_result done = said == "accepted" ? resume_in(sim, graph, result)
                                                           : resume_in(sim, graph, result, {{"a#1/ask#0", "kept"}});
                BOOST_TEST((done.status == run_status::finished), seed << " " << said << ": " << done.message());
                BOOST_TEST(words_of(done) == "a:kept");
            }
}

BOOST_AUTO_TEST_CASE(answers_come_from_any_os_thread)
{
    boost::asio::io_context io{1};
    const weft::graph graph = empty_graph().node("a", asks()).node("b", asks())
                                  .edge(weft::start, "a").edge("a", "b").build();
    const weft::engine engine{graph};
    weft::serial_loop& loop = weft::serial_loop::of(io);
    run_handle run = engine.start(loop, run_request{});
    std::string words_at_the_end;
    std::thread somebody{[&] {
        for (const char* address : {"a#1/ask#0", "b#1/ask#0"})
            for (;;) {  // until it is asked
                try {
                    auto answered = run.async_answer(address, "yes", boost::asio::use_future);
                    if (std::get<0>(std::tuple{answered.get()}) == answer_state::accepted) break;
                } catch (const weft::error& not_yet) {
                    if (not_yet.code() != weft::errc::unknown_question) throw;
                }
            }
    }};
    io.run();
    somebody.join();
    BOOST_TEST(run.is_finished());
}

BOOST_AUTO_TEST_CASE(P20_a_crash_is_survived_with_a_kept_frontier_and_the_journal)
{
    // Each round kills the run at some moment and goes on from what was kept: answers lie in the journal.
    const weft::graph graph = many_askers(3);
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        weft::random_source chance{seed};
        const auto journal = std::make_shared<memory_journal>("tenant/thread/run");
        std::shared_ptr<const weft::frontier> kept;
        std::vector<std::string> ended;
        for (int life = 0; life < 200 && ended.empty(); ++life) {
            weft::testing::simulation sim{chance.next()};
            run_request request;
            request.journal(journal).options(weft::run_options{}.on_save(
                [&](const weft::frontier& where) { kept = std::make_shared<const weft::frontier>(where); }));
            if (kept) request.resume(kept);
            const weft::engine engine{graph};
            weft::testing::simulation::root<run_result> run{sim, engine.run(std::move(request))};
            for (std::uint64_t steps = chance.below(30); steps > 0 && !run.has_ended(); --steps) sim.step();
            if (run.has_ended()) {
                const run_result result = run.take();
                BOOST_REQUIRE_MESSAGE(result.status != run_status::failed, seed << ": " << result.message());
                if (result.status == run_status::finished) ended = sorted_words(result);
            }
            // Another process answers one of the questions that the journal has.
            std::vector<std::string> open;
            for (const auto& [address, record] : journal->questions())
                if (record.phase == weft::question_phase::open) open.push_back(address);
            if (open.empty()) continue;
            const std::string address = open[chance.below(open.size())];
            weft::testing::simulation outside{1};
            (void)outside.run(journal->answer(address, "\"<" + address + ">\""));
        }
        weft::random_source order{seed};
        weft::testing::simulation sim{seed};
        const run_result undisturbed = answered_by_resumes(sim, graph, order);
        BOOST_TEST(ended == sorted_words(undisturbed), boost::test_tools::per_element());
    }
}

BOOST_AUTO_TEST_CASE(a_drawing_knows_which_nodes_wait_for_answers)
{
    const weft::graph graph = empty_graph().node("a", asks()).edge(weft::start, "a").build();
    weft::run_overlay_recorder recorder{graph};
    weft::testing::simulation sim{1};
    const run_result paused = run_in(
        sim, graph, run_request{}.on_event([&](const weft::run_event& event) { recorder.add(event); }));
    BOOST_TEST(recorder.overlay().nodes[graph.find("a")].questions == 1u);
    (void)run_in(sim, graph, run_request{}.resume(paused.paused_at).answer("a#1/ask#0", "x").on_event(
                                 [&](const weft::run_event& event) { recorder.add(event); }));
    BOOST_TEST(recorder.overlay().nodes[graph.find("a")].questions == 0u);
}

BOOST_AUTO_TEST_CASE(the_same_seed_gives_the_same_events)
{
    const auto lines = [](std::uint64_t seed) {
        std::vector<std::string> all;
        weft::testing::simulation sim{seed};
        (void)run_in(sim, many_askers(4),
                     run_request{}.on_event([&](const weft::run_event& event) { all.push_back(to_line(event)); }));
        return all;
    };
    for (std::uint64_t seed = 1; seed <= 5; ++seed)
        BOOST_TEST(lines(seed) == lines(seed), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
