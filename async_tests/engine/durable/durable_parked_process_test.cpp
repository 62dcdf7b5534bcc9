#include <weft/testing/async_test_case.hpp>

#include "durable_parking.hpp"

#include <weft/async/scope.hpp>
#include <weft/store/role/forwarding_store.hpp>

using namespace weft_tests;
using weft::run_status;
using weft::thread_key;

BOOST_AUTO_TEST_SUITE(durable_parked_process_test)

using namespace weft_tests::parking_cases;

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
    options.runs_max = 1;
    options.parked_max = 2;
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
class late_answerer final : public weft::forwarding_store {
public:
    using forwarding_store::forwarding_store;
    weft::task<weft::write_state> finish(weft::write_fence fence, weft::run_outcome outcome) override
    {
        if (outcome.phase == weft::run_phase::waiting) {
            const std::vector<weft::question_record> asked = co_await inner().questions(fence.thread);
            for (const weft::question_record& each : asked) {
                static_cast<void>(co_await inner().answer(fence.thread, each.address, "\"Ada\""));
            }
        }
        co_return co_await inner().finish(std::move(fence), std::move(outcome));
    }
};

/** Gives an answer that does not fit, as a program would that does not look. */
weft::task<void> answer_with_a_number(weft::checkpoint_store& store, thread_key thread)
{
    const std::vector<weft::question_record> asked = co_await store.questions(thread);
    static_cast<void>(co_await store.answer(thread, asked.front().address, "7"));
}

}  // namespace

WEFT_ASYNC_TEST_CASE(an_answer_that_comes_while_a_worker_gives_a_run_back_is_not_left_lying)
{
    auto at = std::make_shared<diary>();
    weft::memory_store store{test_key()};
    late_answerer late{store};
    weft::durable_options options = parking();
    options.park_for = std::chrono::milliseconds{1000};
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
