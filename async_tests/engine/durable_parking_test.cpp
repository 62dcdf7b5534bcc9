#include <weft/testing/async_test_case.hpp>

#include "durable_cases.hpp"

#include <weft/async/scope.hpp>
#include <weft/testing/forwarding_store.hpp>

#include <optional>

using namespace weft_tests;
using weft::run_status;
using weft::thread_key;
using weft::testing::simulation;

BOOST_AUTO_TEST_SUITE(durable_parking_test)

namespace {

/** What nodes have done in the world. */
struct diary {
    std::map<std::string, int> begun;
    std::map<std::string, int> effects;  // by key
    int calls = 0;
};

std::int64_t note(diary& at, const std::string& key)
{
    ++at.calls;
    return ++at.effects[key];
}

/** Has an effect, asks, and sets what it had in hand before. */
weft::task<void> asking_node(weft::node_context& context, std::shared_ptr<diary> at)
{
    const int count = ++at->begun[std::string{context.node()}];
    const auto effect = [at](const weft::effect_context& effect) { return note(*at, effect.key()); };
    static_cast<void>(co_await context.once("note", effect));
    const std::string said = co_await context.ask<std::string>("Who?");
    context.set(words, std::string{context.node()} + ":" + said + ":" + std::to_string(count));
}

auto asks_and_notes(std::shared_ptr<diary> at)
{
    return [at](weft::node_context& context) { return asking_node(context, at); };
}

/** s, then x, which asks, beside y of that length, then j. */
weft::graph one_asks(std::shared_ptr<diary> at, std::chrono::nanoseconds length_of_y = 0ms)
{
    weft::graph_builder builder{"one_asks"};
    builder.state(value, other, total, words);
    builder.node("s", [] {}).node("x", asks_and_notes(at)).node("y", sleeps(length_of_y)).node("j", [] {});
    builder.edge(weft::start, "s").edge("s", "x").edge("s", "y").edge("x", "j").edge("y", "j");
    return builder.build();
}

/** Only a node that asks. */
weft::graph asks_alone(std::shared_ptr<diary> at)
{
    weft::graph_builder builder{"alone"};
    builder.state(value, other, total, words);
    return builder.node("x", asks_and_notes(at)).edge(weft::start, "x").build();
}

weft::durable_request parked_in(std::string thread)
{
    weft::run_request request{std::move(thread)};
    return weft::durable_request{std::move(request).on_questions(weft::interrupts::park)};
}

weft::durable_options parking()
{
    weft::durable_options options;
    return options.on_questions(weft::interrupts::park);
}

weft::task<void> run_into(weft::durable_engine& with, weft::durable_request request,
                          std::optional<weft::run_result>& into)
{
    weft::task<weft::run_result> running = with.run(std::move(request));
    weft::run_result result = co_await std::move(running);
    into.emplace(std::move(result));
}

weft::task<void> work(weft::durable_engine& with)
{
    weft::task<void> working = with.work();
    co_await std::move(working);
}

weft::task<void> answer_all(weft::durable_engine& with, std::string thread, std::string said)
{
    const thread_key key{std::move(thread)};
    weft::task<std::vector<weft::open_question>> reading = with.questions(key);
    const std::vector<weft::open_question> open = co_await std::move(reading);
    weft::question_answers answers;
    for (const weft::open_question& each : open) answers.emplace(each.address, boost::json::value(said));
    weft::task<void> answering = with.answer(key, std::move(answers));
    co_await std::move(answering);
}

weft::task<weft::run_phase> phase_of(weft::checkpoint_store& store, std::string thread)
{
    const thread_key key{std::move(thread)};
    weft::task<std::optional<weft::run_record>> looking = store.active_run(key);
    const std::optional<weft::run_record> active = co_await std::move(looking);
    co_return active ? active->phase : weft::run_phase::finished;
}

weft::task<void> enter_run(weft::checkpoint_store& store, std::string thread, std::string graph)
{
    weft::serial_loop& loop = co_await weft::this_task::loop();
    weft::id_source ids{loop.clock(), loop.random()};
    weft::new_run run{thread_key{std::move(thread)}, ids.next<weft::run_id>()};
    run.graph_named(std::move(graph));
    weft::task<weft::run_admission> entering = store.enqueue(std::move(run));
    static_cast<void>(co_await std::move(entering));
}

std::string words_of(const std::optional<weft::run_result>& result)
{
    return result && result->state.find(words) ? result->state.get(words).front() : std::string{};
}

}  // namespace

WEFT_ASYNC_TEST_CASE(P16_a_parked_run_goes_on_with_what_it_has_in_hand_as_soon_as_it_is_answered_here)
{
    auto at = std::make_shared<diary>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(one_asks(at))};
    co_await durable.open();
    const weft::task_context& context = co_await weft::this_task::context();
    weft::serial_loop& loop = co_await weft::this_task::loop();
    std::optional<weft::run_result> result;
    weft::scope children{context};
    children.spawn(run_into(durable, parked_in("t"), result));
    co_await weft::sleep_for(10s);
    const weft::run_phase phase = co_await phase_of(store, "t");
    BOOST_TEST((phase == weft::run_phase::running));
    const weft::time_point before = loop.now();
    co_await answer_all(durable, "t", "Ada");
    co_await children.join();
    BOOST_TEST((loop.now() == before));
    BOOST_TEST((result->status == run_status::finished));
    BOOST_TEST(words_of(result) == "x:Ada:1");  // its coroutine was not begun again
    BOOST_TEST(at->calls == 1);
    const auto kinds = co_await kinds_of(durable, "t");
    BOOST_TEST(kinds == (std::vector<std::string>{"node_complete s", "node_complete y", "node_complete x", "finish"}));
}

WEFT_ASYNC_TEST_CASE(an_answer_from_another_process_reaches_a_parked_run_with_its_next_look)
{
    auto at = std::make_shared<diary>();
    weft::memory_store store{test_key()};
    weft::durable_engine one{store, graphs_of(one_asks(at))};
    weft::durable_engine two{store, graphs_of(one_asks(at))};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    weft::serial_loop& loop = co_await weft::this_task::loop();
    std::optional<weft::run_result> result;
    weft::scope children{context};
    children.spawn(run_into(one, parked_in("t"), result));
    co_await weft::sleep_for(10s);
    const weft::time_point before = loop.now();
    co_await answer_all(two, "t", "Ada");
    co_await children.join();
    BOOST_TEST((loop.now() - before <= 500ms));
    BOOST_TEST(words_of(result) == "x:Ada:1");
}

WEFT_ASYNC_TEST_CASE(an_answer_from_another_process_reaches_a_node_while_its_siblings_run)
{
    auto at = std::make_shared<diary>();
    weft::memory_store store{test_key()};
    weft::durable_engine one{store, graphs_of(one_asks(at, 20s))};
    weft::durable_engine two{store, graphs_of(one_asks(at, 20s))};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::optional<weft::run_result> result;
    weft::scope children{context};
    children.spawn(run_into(one, in_thread("t"), result));  // one that would pause when only answers are missing
    co_await weft::sleep_for(5s);
    co_await answer_all(two, "t", "Ada");
    co_await weft::sleep_for(1s);
    const auto kinds = co_await kinds_of(two, "t");
    BOOST_TEST(kinds.back() == "node_complete x");
    co_await children.join();
    BOOST_TEST((result->status == run_status::finished));
    BOOST_TEST(words_of(result) == "x:Ada:1");
}

WEFT_ASYNC_TEST_CASE(a_run_that_is_parked_for_long_gives_itself_back_and_waits_in_the_store)
{
    auto at = std::make_shared<diary>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(one_asks(at)), parking().park_for(std::chrono::milliseconds{30'000})};
    co_await durable.open();
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const weft::time_point before = loop.now();
    const weft::run_result paused = co_await durable.run(in_thread("t"));
    BOOST_TEST((paused.status == run_status::paused));
    BOOST_TEST((loop.now() - before >= 30s));
    BOOST_TEST((loop.now() - before <= 32s));
    BOOST_TEST(paused.questions.size() == 1u);
    const weft::run_phase phase = co_await phase_of(store, "t");
    BOOST_TEST((phase == weft::run_phase::waiting));
    weft::question_answers answers;
    answers.emplace("s#1.0/x#1/ask#0", boost::json::value("Ada"));
    const thread_key key{"t"};
    std::optional<weft::run_result> result{co_await durable.resume(key, answers)};
    BOOST_TEST(words_of(result) == "x:Ada:2");
    BOOST_TEST(at->calls == 1);  // what stands above the question was not done again
}

WEFT_ASYNC_TEST_CASE(a_request_may_pause_in_a_process_whose_runs_park)
{
    auto at = std::make_shared<diary>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(one_asks(at)), parking()};
    co_await durable.open();
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const weft::time_point before = loop.now();
    weft::run_request request{"t"};
    const weft::run_result paused = co_await durable.run(std::move(request).on_questions(weft::interrupts::pause));
    BOOST_TEST((paused.status == run_status::paused));
    BOOST_TEST((loop.now() - before < 1s));
}

WEFT_ASYNC_TEST_CASE(a_resume_of_a_parked_run_gives_what_becomes_of_it_wherever_that_is)
{
    auto at = std::make_shared<diary>();
    weft::memory_store store{test_key()};
    weft::durable_engine one{store, graphs_of(one_asks(at))};
    weft::durable_engine two{store, graphs_of(one_asks(at))};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::optional<weft::run_result> result;
    weft::scope children{context};
    children.spawn(run_into(one, parked_in("t"), result));
    co_await weft::sleep_for(1s);
    weft::question_answers answers;
    answers.emplace("s#1.0/x#1/ask#0", boost::json::value("Ada"));
    const thread_key key{"t"};
    std::optional<weft::run_result> elsewhere{co_await two.resume(key, answers)};
    co_await children.join();
    BOOST_TEST((elsewhere->status == run_status::finished));
    BOOST_TEST(words_of(elsewhere) == "x:Ada:1");
    BOOST_TEST(words_of(result) == "x:Ada:1");
}

WEFT_ASYNC_TEST_CASE(a_resume_takes_a_run_over_that_gave_itself_back_meanwhile)
{
    auto at = std::make_shared<diary>();
    weft::memory_store store{test_key()};
    // It never looks for answers before it gives itself back.
    weft::durable_options deaf = parking();
    deaf.poll_every(std::chrono::milliseconds{20'000});
    weft::durable_engine one{store, graphs_of(one_asks(at)), deaf};
    weft::durable_engine two{store, graphs_of(one_asks(at))};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::optional<weft::run_result> result;
    weft::scope children{context};
    children.spawn(run_into(one, in_thread("t"), result));
    co_await weft::sleep_for(100ms);
    const thread_key key{"t"};
    const bool is_paused = co_await two.pause(key);  // with the heartbeat, behind the answer
    BOOST_TEST(is_paused);
    weft::question_answers answers;
    answers.emplace("s#1.0/x#1/ask#0", boost::json::value("Ada"));
    std::optional<weft::run_result> taken{co_await two.resume(key, answers)};
    co_await children.join();
    BOOST_TEST((taken->status == run_status::finished));
    BOOST_TEST(words_of(taken) == "x:Ada:2");
    BOOST_TEST(at->calls == 1);
}

WEFT_ASYNC_TEST_CASE(a_graph_inside_parks_where_it_stands)
{
    auto at = std::make_shared<diary>();
    weft::graph_builder inner{"inside"};
    inner.state(words);
    inner.node("i", [at] { ++at->begun["i"]; }).node("x", asks_and_notes(at)).edge(weft::start, "i").edge("i", "x");
    weft::graph_builder builder{"around"};
    builder.state(value, other, total, words);
    builder.node("in", weft::subgraph{inner.build()}).node("z", [] {}).edge(weft::start, "in").edge("in", "z");
    const auto graphs = graphs_of(builder.build());
    weft::memory_store store{test_key()};
    weft::durable_engine one{store, graphs};
    weft::durable_engine two{store, graphs};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::optional<weft::run_result> result;
    weft::scope children{context};
    children.spawn(run_into(one, parked_in("t"), result));
    co_await weft::sleep_for(5s);
    const thread_key key{"t"};
    const auto open = co_await two.questions(key);
    BOOST_TEST_REQUIRE(open.size() == 1u);
    BOOST_TEST(open.front().address == "in#1/x#1/ask#0");
    co_await answer_all(two, "t", "Ada");
    co_await children.join();
    BOOST_TEST(words_of(result) == "x:Ada:1");
    BOOST_TEST(at->begun["i"] == 1);
}

WEFT_ASYNC_TEST_CASE(P16_after_a_crash_a_parked_run_is_begun_again_and_what_stands_above_is_replayed)
{
    auto at = std::make_shared<diary>();
    weft::memory_store store{test_key()};
    const auto graphs = graphs_of(one_asks(at));
    const weft::task_context& context = co_await weft::this_task::context();
    weft::wall_time asked;
    const thread_key key{"t"};
    {
        weft::durable_engine dying{store, graphs};
        co_await dying.open();
        std::optional<weft::run_result> never;
        weft::scope children{context};
        children.spawn(run_into(dying, parked_in("t"), never));
        co_await weft::sleep_for(2s);
        const auto open = co_await dying.questions(key);
        asked = open.front().asked_at;
    }
    weft::durable_engine heir{store, graphs, parking()};
    co_await heir.open();
    weft::scope children{context};
    children.spawn(work(heir));
    co_await weft::sleep_for(20s);
    const auto open = co_await heir.questions(key);
    BOOST_TEST_REQUIRE(open.size() == 1u);
    BOOST_TEST(open.front().address == "s#1.0/x#1/ask#0");
    BOOST_TEST((open.front().asked_at == asked));
    BOOST_TEST(at->begun["x"] == 2);
    co_await answer_all(heir, "t", "Ada");
    co_await weft::sleep_for(1s);
    const weft::thread_snapshot last = co_await heir.read(key);
    BOOST_TEST(!last.is_unfinished());
    BOOST_TEST(last.state().get(words).front() == "x:Ada:2");
    BOOST_TEST(at->calls == 1);
    co_await heir.close();
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(parked_runs_take_no_place_in_the_worker_loop_up_to_a_limit)
{
    auto at = std::make_shared<diary>();
    weft::memory_store store{test_key()};
    weft::durable_options options = parking();
    options.runs_max(1).parked_max(2);
    weft::durable_engine durable{store, graphs_of(asks_alone(at)), options};
    co_await durable.open();
    for (const char* thread : {"a", "b", "c"}) co_await enter_run(store, thread, "alone");
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(work(durable));
    co_await weft::sleep_for(10s);
    BOOST_TEST(at->begun["x"] == 3);
    const weft::run_phase oldest = co_await phase_of(store, "a");  // there is place for two
    BOOST_TEST((oldest == weft::run_phase::waiting));
    const weft::run_phase second = co_await phase_of(store, "b");
    BOOST_TEST((second == weft::run_phase::running));
    for (const char* thread : {"b", "c"}) co_await answer_all(durable, thread, "Ada");
    co_await weft::sleep_for(1s);
    for (const char* thread : {"b", "c"}) {
        const weft::run_phase phase = co_await phase_of(store, thread);
        BOOST_TEST((phase == weft::run_phase::finished));
    }
    BOOST_TEST(at->begun["x"] == 3);
    co_await durable.close();
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(a_parked_run_of_a_process_that_drains_is_taken_over_at_once)
{
    auto at = std::make_shared<diary>();
    weft::memory_store store{test_key()};
    weft::durable_engine one{store, graphs_of(asks_alone(at)), parking()};
    weft::durable_engine two{store, graphs_of(asks_alone(at)), parking()};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::optional<weft::run_result> result;
    weft::scope children{context};
    children.spawn(run_into(one, in_thread("t"), result));
    co_await weft::sleep_for(3s);
    co_await one.close();
    BOOST_TEST((result->status == run_status::paused));
    children.spawn(work(two));
    co_await weft::sleep_for(1s);
    BOOST_TEST(at->begun["x"] == 2);
    co_await answer_all(two, "t", "Ada");
    co_await weft::sleep_for(1ms);
    const weft::run_phase phase = co_await phase_of(store, "t");
    BOOST_TEST((phase == weft::run_phase::finished));
    BOOST_TEST(at->calls == 1);
    co_await two.close();
    co_await children.join();
}

namespace {

/** Answers a thread's questions in the moment when its run gives itself back: too late for it to hear of that. */
class late_answerer final : public weft::testing::forwarding_store {
public:
    using forwarding_store::forwarding_store;
    weft::task<weft::write_state> finish(weft::write_fence fence, weft::run_outcome outcome) override
    {
        if (outcome.phase == weft::run_phase::waiting) {
            weft::task<std::vector<weft::question_record>> reading = inner().questions(fence.thread);
            const std::vector<weft::question_record> asked = co_await std::move(reading);
            for (const weft::question_record& each : asked) {
                weft::task<weft::answer_state> telling = inner().answer(fence.thread, each.address, "\"Ada\"");
                static_cast<void>(co_await std::move(telling));
            }
        }
        weft::task<weft::write_state> finishing = inner().finish(std::move(fence), std::move(outcome));
        co_return co_await std::move(finishing);
    }
};

/** Gives an answer that does not fit, as a program would that does not look. */
weft::task<void> answer_with_a_number(weft::checkpoint_store& store, thread_key thread)
{
    weft::task<std::vector<weft::question_record>> reading = store.questions(thread);
    const std::vector<weft::question_record> asked = co_await std::move(reading);
    weft::task<weft::answer_state> telling = store.answer(thread, asked.front().address, "7");
    static_cast<void>(co_await std::move(telling));
}

}  // namespace

WEFT_ASYNC_TEST_CASE(an_answer_that_comes_while_a_worker_gives_a_run_back_is_not_left_lying)
{
    auto at = std::make_shared<diary>();
    weft::memory_store store{test_key()};
    late_answerer late{store};
    weft::durable_options options = parking();
    options.park_for(std::chrono::milliseconds{1000});
    weft::durable_engine durable{late, graphs_of(asks_alone(at)), options};
    co_await durable.open();
    co_await enter_run(store, "t", "alone");
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    children.spawn(work(durable));
    co_await weft::sleep_for(5s);
    const weft::run_phase phase = co_await phase_of(store, "t");
    BOOST_TEST((phase == weft::run_phase::finished));
    BOOST_TEST(at->calls == 1);
    co_await durable.close();
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(P18_an_answer_in_the_store_that_does_not_fit_fails_the_parked_node)
{
    auto at = std::make_shared<diary>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(asks_alone(at))};
    co_await durable.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::optional<weft::run_result> result;
    weft::scope children{context};
    children.spawn(run_into(durable, parked_in("t"), result));
    co_await weft::sleep_for(2s);
    co_await answer_with_a_number(store, thread_key{"t"});
    co_await children.join();
    BOOST_TEST((result->status == run_status::failed));
    BOOST_TEST((result->why->code == weft::errc::invalid_answer));
}

WEFT_ASYNC_TEST_CASE(a_parked_run_is_stopped_from_another_process_and_its_answer_is_kept_for_the_next)
{
    auto at = std::make_shared<diary>();
    weft::memory_store store{test_key()};
    weft::durable_engine one{store, graphs_of(one_asks(at))};
    weft::durable_engine two{store, graphs_of(one_asks(at))};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::optional<weft::run_result> result;
    weft::scope children{context};
    children.spawn(run_into(one, parked_in("t"), result));
    co_await weft::sleep_for(1s);
    const thread_key key{"t"};
    const bool was_active = co_await two.stop(key);
    BOOST_TEST(was_active);
    co_await children.join();
    BOOST_TEST((result->status == run_status::cancelled));
    co_await answer_all(two, "t", "Ada");
    std::optional<weft::run_result> next{co_await two.run(in_thread("t"))};
    BOOST_TEST((next->status == run_status::finished));  // it goes on where the other one was, without asking again
    BOOST_TEST(words_of(next) == "x:Ada:2");
    BOOST_TEST(at->calls == 1);
}

BOOST_AUTO_TEST_SUITE_END()
