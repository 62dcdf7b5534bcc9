#include <weft/testing/async_test_case.hpp>

#include "durable_trial.hpp"
#include "silent_store.hpp"

#include <weft/async/scope.hpp>
#include <weft/testing/faulty_store.hpp>

#include <optional>

using namespace weft_tests;
using weft::run_status;
using weft::thread_key;
using weft::testing::simulation;

BOOST_AUTO_TEST_SUITE(durable_questions_test)

namespace {

/** Counts what reaches the world, by key. */
struct bank {
    std::map<std::string, int> charges;
    int calls = 0;
};

weft::task<std::int64_t> charge(std::shared_ptr<bank> at, std::string key)
{
    ++at->calls;
    ++at->charges[key];
    co_await weft::sleep_for(3ms);
    co_return 7;
}

weft::task<void> paying_node(weft::node_context& context, std::shared_ptr<bank> at)
{
    const auto pay = [at](const weft::effect_context& effect) { return charge(at, effect.key()); };
    const std::int64_t paid = co_await context.once("charge", pay);
    const std::string name = co_await context.ask<std::string>("Who?");
    context.set(total, paid);
    context.set(words, name);
}

/** Two branches that each pay and ask, and a node at their join. */
weft::graph paying_graph(std::shared_ptr<bank> at)
{
    const auto pays = [at](weft::node_context& context) { return paying_node(context, at); };
    weft::graph_builder builder{"paying"};
    builder.state(value, other, total, words);
    builder.node("s", [] {}).node("x", pays).node("y", pays).node("j", [] {});
    builder.edge(weft::start, "s").edge("s", "x").edge("s", "y").edge("x", "j").edge("y", "j");
    return builder.build();
}

boost::json::value text(const char* from) { return boost::json::value(from); }

weft::question_answers answers_of(const std::string& address, boost::json::value value)
{
    weft::question_answers answers;
    answers.emplace(address, std::move(value));
    return answers;
}

/** Answers all questions of a thread in the store, past the engine, and gives back what it answered. */
weft::task<weft::question_answers> answer_in(weft::checkpoint_store& store, thread_key key)
{
    const std::vector<weft::question_record> asked = co_await store.questions(key);
    weft::question_answers answers;
    for (const weft::question_record& each : asked) {
        answers.emplace(each.address.substr(each.address.find('/') + 1), text("x"));
        static_cast<void>(co_await store.answer(key, each.address, "\"x\""));
    }
    co_return answers;
}

weft::task<weft::errc> answer_error(weft::durable_engine& with, weft::question_answers answers)
{
    const thread_key key{"t"};
    try {
        co_await with.answer(key, std::move(answers));
    } catch (const weft::error& e) {
        co_return e.code();
    }
    co_return weft::errc::cancelled;
}

}  // namespace

WEFT_ASYNC_TEST_CASE(P19_branches_are_answered_in_any_order_and_effects_are_had_once)
{
    auto at = std::make_shared<bank>();
    durable_trial on{paying_graph(at)};
    co_await on.durable.open();
    const weft::run_result asked = co_await on.run();
    BOOST_TEST((asked.status == run_status::paused));
    const std::vector<weft::open_question> open = co_await on.durable.questions(on.key);
    BOOST_TEST_REQUIRE(open.size() == 2u);
    const std::vector<weft::effect_record> paid = co_await on.durable.effects(on.key);
    BOOST_TEST_REQUIRE(paid.size() == 2u);
    BOOST_TEST((paid[0].phase == weft::effect_phase::done));
    BOOST_TEST(paid[0].address.find("#1/charge#0") != std::string::npos, paid[0].address);
    const weft::question_answers second = answers_of(open[1].address, text("second"));
    const weft::run_result half = co_await on.durable.resume(on.key, second);
    BOOST_TEST((half.status == run_status::paused));
    const std::vector<weft::open_question> left = co_await on.durable.questions(on.key);
    BOOST_TEST_REQUIRE(left.size() == 1u);
    BOOST_TEST(left.front().address == open[0].address);
    const weft::question_answers first = answers_of(open[0].address, text("first"));
    const weft::run_result result = co_await on.durable.resume(on.key, first);
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(result.state.get(total) == 14);
    BOOST_TEST(sorted_words(result.state) == (std::vector<std::string>{"first", "second"}));
    BOOST_TEST(at->calls == 2);
    BOOST_TEST(at->charges.size() == 2u);
    const auto effects = co_await on.store.effects(on.key);
    BOOST_TEST(effects.empty());
    const auto questions = co_await on.store.questions(on.key);
    BOOST_TEST(questions.empty());
}

WEFT_ASYNC_TEST_CASE(values_are_changed_while_questions_are_open)
{
    auto at = std::make_shared<bank>();
    durable_trial on{paying_graph(at)};
    co_await on.durable.open();
    static_cast<void>(co_await on.run());
    const std::vector<weft::open_question> before = co_await on.durable.questions(on.key);
    const weft::thread_snapshot edited = co_await on.durable.edit(on.key, weft::state_update{}.set(other, 5));
    BOOST_TEST(edited.state().get(other) == 5);
    const std::vector<weft::open_question> open = co_await on.durable.questions(on.key);
    BOOST_TEST_REQUIRE(open.size() == 2u);
    BOOST_TEST(open[0].address == before[0].address);
    const std::optional<weft::run_record> waiting = co_await on.store.active_run(on.key);
    BOOST_TEST((waiting.value().phase == weft::run_phase::waiting));
    weft::question_answers answers = answers_of(open[0].address, text("first"));
    answers.emplace(open[1].address, text("second"));
    // Through the store alone, which must still know what the run waits for.
    co_await on.durable.answer(on.key, answers);
    const std::size_t taken = co_await on.durable.recover();
    BOOST_TEST(taken == 1u);
    const weft::thread_snapshot result = co_await on.durable.read(on.key);
    BOOST_TEST(!result.is_unfinished());
    BOOST_TEST(result.state().get(other) == 5);
    BOOST_TEST(result.state().get(total) == 14);
    BOOST_TEST(at->calls == 2);
}

WEFT_ASYNC_TEST_CASE(a_run_that_waits_ends_when_its_thread_goes_back)
{
    auto at = std::make_shared<bank>();
    durable_trial on{paying_graph(at)};
    co_await on.durable.open();
    static_cast<void>(co_await on.run());
    const std::optional<weft::run_record> waiting = co_await on.store.active_run(on.key);
    const weft::thread_snapshot first = co_await on.durable.edit(on.key, weft::state_update{}.set(other, 5), 0);
    BOOST_TEST(first.state().get(other) == 5);
    BOOST_TEST(!first.is_unfinished());
    const std::optional<weft::run_record> ended = co_await on.store.find_run(waiting.value().id);
    BOOST_TEST((ended.value().phase == weft::run_phase::cancelled));
    const std::vector<weft::open_question> open = co_await on.durable.questions(on.key);
    BOOST_TEST(open.empty());
}

WEFT_ASYNC_TEST_CASE(P22_an_answer_counts_once_must_fit_and_must_have_its_question)
{
    auto at = std::make_shared<bank>();
    durable_trial on{paying_graph(at)};
    co_await on.durable.open();
    static_cast<void>(co_await on.run());
    const std::vector<weft::open_question> open = co_await on.durable.questions(on.key);
    const weft::question_answers wrong = answers_of(open[0].address, 7);
    const weft::errc misfit = co_await answer_error(on.durable, wrong);
    BOOST_TEST((misfit == weft::errc::invalid_answer));
    const weft::question_answers unknown = answers_of("nobody#1/ask#0", text("x"));
    const weft::errc stray = co_await answer_error(on.durable, unknown);
    BOOST_TEST((stray == weft::errc::unknown_question));
    const weft::question_answers good = answers_of(open[0].address, text("one"));
    const weft::errc none = co_await answer_error(on.durable, good);
    BOOST_TEST((none == weft::errc::cancelled));
    const weft::errc again = co_await answer_error(on.durable, good);
    BOOST_TEST((again == weft::errc::cancelled));  // the same answer is one answer
    const weft::question_answers other = answers_of(open[0].address, text("another"));
    const weft::errc refused = co_await answer_error(on.durable, other);
    BOOST_TEST((refused == weft::errc::unknown_question));
}

namespace {

weft::task<void> answer_all(weft::durable_engine& with, thread_key thread)
{
    const std::vector<weft::open_question> open = co_await with.questions(thread);
    weft::question_answers answers;
    for (const weft::open_question& each : open) answers.emplace(each.address, text("x"));
    co_await with.answer(thread, std::move(answers));
}

}  // namespace

WEFT_ASYNC_TEST_CASE(F4_a_run_all_of_whose_questions_are_answered_goes_on_at_the_next_worker)
{
    auto at = std::make_shared<bank>();
    durable_trial on{paying_graph(at)};
    co_await on.durable.open();
    static_cast<void>(co_await on.run());
    const std::size_t none = co_await on.durable.recover();
    BOOST_TEST(none == 0u);
    co_await answer_all(on.durable, on.key);
    weft::durable_engine elsewhere{on.store, graphs_of(paying_graph(at))};
    co_await elsewhere.open();
    const std::size_t taken = co_await elsewhere.recover();
    BOOST_TEST(taken == 1u);
    const weft::thread_snapshot last = co_await elsewhere.read(on.key);
    BOOST_TEST(!last.is_unfinished());
    BOOST_TEST(last.state().get(total) == 14);
}

WEFT_ASYNC_TEST_CASE(F4_a_process_that_died_between_the_answer_and_the_resume_leaves_a_run_that_goes_on)
{
    auto at = std::make_shared<bank>();
    durable_trial on{paying_graph(at)};
    co_await on.durable.open();
    const weft::run_result asked = co_await on.run_once("order 1");
    BOOST_TEST((asked.status == run_status::paused));
    // What is left of `resume(thread, answers)` when it dies behind the answers.
    const weft::question_answers same = co_await answer_in(on.store, on.key);
    const weft::run_result result = co_await on.durable.resume(on.key, same);
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(result.state.get(total) == 14);
}

WEFT_ASYNC_TEST_CASE(U2_an_idempotent_request_goes_on_with_its_run_when_all_is_answered)
{
    auto at = std::make_shared<bank>();
    durable_trial on{paying_graph(at)};
    co_await on.durable.open();
    static_cast<void>(co_await on.run_once("order 1"));
    const weft::run_result waits = co_await on.run_once("order 1");
    BOOST_TEST((waits.status == run_status::paused));
    static_cast<void>(co_await answer_in(on.store, on.key));
    const weft::run_result result = co_await on.run_once("order 1");
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(result.state.get(total) == 14);
}

WEFT_ASYNC_TEST_CASE(F4_a_run_that_is_answered_while_it_comes_to_its_rest_goes_on)
{
    auto at = std::make_shared<bank>();
    weft::memory_store real{test_key()};
    silent_store silent{real};
    weft::testing::faulty_store store{silent, weft::testing::store_faults{}.delay_up_to(20ms), 1};
    weft::durable_engine durable{store, graphs_of(paying_graph(at))};
    co_await durable.open();
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    const auto run = [](weft::durable_engine& with) -> weft::task<void> {
        const weft::run_result result = co_await with.run(in_thread("t"));
        BOOST_TEST((result.status == run_status::paused));
    };
    children.spawn(run(durable));
    const thread_key key{"t"};
    // Answered as soon as both are asked: the run has begun to pause, and does not hear of it.
    std::vector<weft::question_record> asked;
    while (asked.size() < 2) {
        co_await weft::sleep_for(1ms);
        asked = co_await real.questions(key);
    }
    static_cast<void>(co_await answer_in(real, key));
    const auto while_it_runs = co_await real.active_run(key);
    BOOST_TEST((while_it_runs->phase == weft::run_phase::running));
    co_await children.join();
    const std::size_t taken = co_await durable.recover();
    BOOST_TEST(taken == 1u);
    const weft::thread_snapshot last = co_await durable.read(key);
    BOOST_TEST(last.state().get(total) == 14);
}

BOOST_AUTO_TEST_CASE(P16_P24_P27_killed_anywhere_a_paid_effect_keeps_its_key_and_outcomes_are_not_had_again)
{
    const auto ask_all = [](weft::checkpoint_store& store, std::shared_ptr<const weft::durable_graphs> graphs,
                            bool is_first) -> weft::task<std::optional<weft::run_result>> {
        weft::durable_engine durable{store, std::move(graphs)};
        co_await durable.open();
        const thread_key key{"t"};
        std::optional<weft::run_result> result;
        if (is_first) {
            result.emplace(co_await durable.run(in_thread("t")));
        }
        for (;;) {
            static_cast<void>(co_await durable.recover());
            const std::optional<weft::run_record> active = co_await store.active_run(key);
            if (!active) co_return result;
            if (active->phase != weft::run_phase::waiting) {
                co_await weft::sleep_for(1s);
                continue;
            }
            const std::vector<weft::open_question> open = co_await durable.questions(key);
            weft::question_answers answers;
            if (!open.empty()) answers.emplace(open.front().address, text("somebody"));
            result.emplace(co_await durable.resume(key, answers));
        }
    };
    std::size_t kills = 0;
    for (std::size_t at_step = 0;; ++at_step) {
        simulation sim{1};
        weft::memory_store real{test_key()};
        // Each request and each reply takes a while, so that it can be killed on their way.
        weft::testing::faulty_store store{real, weft::testing::store_faults{}.delay_up_to(5ms), 1};
        auto at = std::make_shared<bank>();
        const auto graphs = graphs_of(paying_graph(at));
        bool has_ended = false;
        {
            simulation::root<std::optional<weft::run_result>> first{sim, ask_all(store, graphs, true)};
            for (std::size_t i = 0; i < at_step && !first.has_ended(); ++i) sim.step();
            has_ended = first.has_ended();
            if (has_ended && first.error()) std::rethrow_exception(first.error());
        }
        const auto entered = sim.run(store.active_run(thread_key{"t"}));
        if (has_ended) break;
        if (!entered) continue;
        ++kills;
        static_cast<void>(sim.run(ask_all(store, graphs, false)));
        BOOST_REQUIRE_MESSAGE(at->charges.size() == 2u, "killed after " << at_step);
        BOOST_REQUIRE_MESSAGE(at->calls <= 4, "killed after " << at_step << ": " << at->calls);
        const auto infos = sim.run(store.history(thread_key{"t"}, weft::history_page{}));
        BOOST_REQUIRE_MESSAGE((infos.front().kind == weft::checkpoint_kind::finish), "killed after " << at_step);
    }
    BOOST_TEST(kills > 20u);
}

BOOST_AUTO_TEST_SUITE_END()
