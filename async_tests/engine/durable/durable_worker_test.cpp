#include <weft/testing/async_test_case.hpp>

#include "durable_workers.hpp"

#include <weft/async/scope.hpp>
#include <weft/testing/faulty_store.hpp>

using namespace weft_tests;
using weft::busy_policy;
using weft::run_status;
using weft::thread_key;

BOOST_AUTO_TEST_SUITE(durable_worker_test)

WEFT_ASYNC_TEST_CASE(two_processes_race_for_a_thread_and_one_is_told)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine one{store, graphs_of(counted_chain(begun))};
    weft::durable_engine two{store, graphs_of(counted_chain(begun))};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::string first, second;
    weft::scope children{context};
    children.spawn(tell_end_of(one, in_thread("t"), first));
    children.spawn(tell_end_of(two, in_thread("t"), second));
    co_await children.join();
    BOOST_TEST(first == "finished 3");
    BOOST_TEST(second == "thread_is_busy");
    BOOST_TEST(begun->times["a"] == 1);
}

WEFT_ASYNC_TEST_CASE(a_queued_run_begins_when_those_before_it_are_over_in_any_process)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine one{store, graphs_of(counted_chain(begun))};
    weft::durable_engine two{store, graphs_of(counted_chain(begun))};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::vector<std::string> ends(4);
    weft::scope children{context};
    for (std::size_t i = 0; i < ends.size(); ++i) {
        weft::durable_request request = in_thread("t");
        request.on_busy(busy_policy::queue);
        children.spawn(tell_end_of(i % 2 == 0 ? one : two, std::move(request), ends[i]));
    }
    co_await children.join();
    BOOST_TEST(ends == (std::vector<std::string>{"finished 3", "finished 6", "finished 9", "finished 12"}));
}

WEFT_ASYNC_TEST_CASE(a_run_that_replaces_another_one_begins_when_that_is_cancelled)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine one{store, graphs_of(counted_chain(begun))};
    weft::durable_engine two{store, graphs_of(counted_chain(begun))};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::string first, second, third;
    weft::scope children{context};
    children.spawn(tell_end_of(one, in_thread("t"), first));
    co_await weft::sleep_for(15ms);  // b runs
    weft::durable_request request = in_thread("t");
    request.on_busy(busy_policy::replace);
    children.spawn(tell_end_of(one, request, second));
    co_await weft::sleep_for(2ms);
    BOOST_TEST(first == "cancelled");  // in the same process at once
    children.spawn(tell_end_of(two, request, third));
    co_await children.join();
    BOOST_TEST(second.starts_with("cancelled") + second.starts_with("finished") == 1);
    BOOST_TEST(third.starts_with("finished"));
}

WEFT_ASYNC_TEST_CASE(P26_a_second_request_with_one_key_gets_the_run_of_the_first)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine one{store, graphs_of(counted_chain(begun))};
    weft::durable_engine two{store, graphs_of(counted_chain(begun))};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::string first, second;
    weft::durable_request request = in_thread("t");
    request.idempotent("order-7");
    weft::scope children{context};
    children.spawn(tell_end_of(one, request, first));
    children.spawn(tell_end_of(two, request, second));
    co_await children.join();
    BOOST_TEST(first == "finished 3");
    BOOST_TEST(second == "finished 3");
    BOOST_TEST(begun->times["a"] == 1);
}

WEFT_ASYNC_TEST_CASE(P28_a_worker_takes_what_is_ready_and_what_a_dead_process_left)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::serial_loop& loop = co_await weft::this_task::loop();
    static_cast<void>(co_await store.enqueue(some_run("ready", loop)));
    // A process that claims a run and is never heard of again.
    const weft::worker_id dead = co_await store.enter("dead", std::chrono::milliseconds{15'000});
    static_cast<void>(co_await store.enqueue(some_run("left", loop).started_by(dead)));
    weft::durable_engine durable{store, graphs_of(counted_chain(begun))};
    co_await durable.open();
    const weft::task_context& context = co_await weft::this_task::context();
    bool has_ended = false;
    weft::scope children{context};
    children.spawn(work_into(durable, has_ended));
    co_await weft::sleep_for(1s);
    BOOST_TEST(begun->times["c"] == 1);
    co_await weft::sleep_for(16s);
    BOOST_TEST(begun->times["c"] == 2);
    co_await durable.close();
    co_await children.join();
    BOOST_TEST(has_ended);
    BOOST_TEST(durable.worker() == 0);
}

WEFT_ASYNC_TEST_CASE(nodes_know_their_thread_in_whichever_process_they_run)
{
    weft::memory_store store{test_key()};
    weft::serial_loop& loop = co_await weft::this_task::loop();
    static_cast<void>(co_await store.enqueue(some_run("t", loop)));
    const auto tells = [](weft::node_context& at) { at.set(words, std::string{at.thread()}); };
    weft::node_options pausing;
    pausing.pauses = weft::pause_point::before;
    weft::graph_builder builder{"chain"};
    builder.state(words).node("a", tells).node("b", tells, pausing).edge(weft::start, "a").edge("a", "b");
    weft::durable_engine durable{store, graphs_of(builder.build())};
    co_await durable.open();
    const std::size_t taken = co_await durable.recover();
    BOOST_TEST(taken == 1u);
    const thread_key key{"t"};
    const weft::run_result result = co_await durable.resume(key);
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(result.state.get(words) == (std::vector<std::string>{"t", "t"}));
}

WEFT_ASYNC_TEST_CASE(P29_a_run_that_kills_its_worker_again_and_again_is_dead_in_the_end)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::serial_loop& loop = co_await weft::this_task::loop();
    weft::new_run poison = some_run("t", loop);
    poison.with_attempts_max(2);
    static_cast<void>(co_await store.enqueue(poison));
    for (int i = 0; i < 2; ++i) {
        const weft::worker_id dead = co_await store.enter("dead", std::chrono::milliseconds{10});
        const auto claims = co_await store.claim(dead, 1);
        BOOST_TEST(claims.size() == 1u);
        co_await weft::sleep_for(20ms);
        static_cast<void>(co_await store.reap(10));
    }
    weft::durable_engine durable{store, graphs_of(counted_chain(begun))};
    co_await durable.open();
    const std::size_t taken = co_await durable.recover();
    BOOST_TEST(taken == 0u);
    const auto record = co_await store.find_run(poison.id);
    BOOST_TEST((record->phase == weft::run_phase::dead));
}

WEFT_ASYNC_TEST_CASE(drained_runs_pause_at_the_next_node_and_others_go_on_at_once)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::serial_loop& loop = co_await weft::this_task::loop();
    static_cast<void>(co_await store.enqueue(some_run("t", loop)));
    weft::durable_engine one{store, graphs_of(counted_chain(begun))};
    weft::durable_engine two{store, graphs_of(counted_chain(begun))};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    bool has_ended = false;
    weft::scope children{context};
    children.spawn(work_into(one, has_ended));
    co_await weft::sleep_for(15ms);  // b runs
    co_await one.drain();
    co_await children.join();
    BOOST_TEST(has_ended);
    BOOST_TEST(begun->times["c"] == 0);
    const weft::time_point before = loop.now();
    const std::size_t taken = co_await two.recover();
    BOOST_TEST(taken == 1u);
    BOOST_TEST((loop.now() - before < 1s));
    BOOST_TEST(begun->times == (std::map<std::string, int>{{"a", 1}, {"b", 1}, {"c", 1}}));
}

WEFT_ASYNC_TEST_CASE(a_worker_that_is_stopped_hard_gives_its_runs_back)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const weft::new_run run = some_run("t", loop);
    static_cast<void>(co_await store.enqueue(run));
    weft::durable_engine one{store, graphs_of(counted_chain(begun))};
    co_await one.open();
    const weft::task_context& context = co_await weft::this_task::context();
    bool has_ended = false;
    weft::scope children{context};
    children.spawn(work_into(one, has_ended));
    co_await weft::sleep_for(15ms);
    children.request_stop();
    co_await children.join();
    const auto record = co_await store.find_run(run.id);
    BOOST_TEST((record->phase == weft::run_phase::ready));
    weft::durable_engine two{store, graphs_of(counted_chain(begun))};
    co_await two.open();
    static_cast<void>(co_await two.recover());
    BOOST_TEST(begun->times == (std::map<std::string, int>{{"a", 1}, {"b", 2}, {"c", 1}}));
}

WEFT_ASYNC_TEST_CASE(P29_a_forgotten_thread_loses_its_run_and_nothing_comes_back)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(counted_chain(begun))};
    co_await durable.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::string end;
    weft::scope children{context};
    children.spawn(tell_end_of(durable, in_thread("t"), end));
    co_await weft::sleep_for(15ms);
    const thread_key key{"t"};
    const bool was_there = co_await durable.forget(key);
    BOOST_TEST(was_there);
    co_await children.join();
    BOOST_TEST(end == "failed thread_lost");
    const auto infos = co_await durable.history(key);
    BOOST_TEST(infos.empty());
    BOOST_TEST(begun->times["c"] == 0);
}

WEFT_ASYNC_TEST_CASE(a_run_of_a_graph_that_this_process_does_not_have_waits)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::serial_loop& loop = co_await weft::this_task::loop();
    weft::new_run run = some_run("t", loop);
    run.graph_named("unknown");
    static_cast<void>(co_await store.enqueue(run));
    weft::durable_engine durable{store, graphs_of(counted_chain(begun))};
    co_await durable.open();
    static_cast<void>(co_await durable.recover());
    const auto record = co_await store.find_run(run.id);
    BOOST_TEST((record->phase == weft::run_phase::waiting));
    BOOST_TEST(record->message.find("'chain'") != std::string::npos);
}

WEFT_ASYNC_TEST_CASE(a_run_that_its_process_left_is_taken_up_by_a_resume_with_what_is_new)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine durable{store, graphs_of(counted_chain(begun))};
    co_await durable.open();
    weft::serial_loop& loop = co_await weft::this_task::loop();
    weft::new_run left = some_run("t", loop);
    left.with_input(R"({"values": {"value": 1, "other": 2}})");
    const weft::run_admission admission = co_await store.enqueue(std::move(left));
    BOOST_TEST((admission.what == weft::run_admission::kind::ready));
    weft::run_request with;
    with.input(boost::json::object{{"other", 5}});
    weft::task<weft::run_result> resuming =
        durable.resume(thread_key{"t"}, weft::question_answers{}, std::move(with));
    const weft::run_result result = co_await std::move(resuming);
    BOOST_TEST((result.status == run_status::finished));
    BOOST_TEST(result.state.get(total) == 3);
    BOOST_TEST(result.state.get(value) == 1);
    BOOST_TEST(result.state.get(other) == 5);
    co_await durable.close();
}

WEFT_ASYNC_TEST_CASE(a_store_that_takes_no_workers_says_why_at_once)
{
    weft::memory_store real{test_key()};
    weft::testing::faulty_store store{real, weft::testing::store_faults{}.be_full(1), 1};
    weft::durable_engine durable{store, graphs_of(counted_chain(std::make_shared<begun_nodes>()))};
    weft::serial_loop& loop = co_await weft::this_task::loop();
    const weft::time_point before = loop.now();
    weft::errc code{};
    try {
        co_await durable.open();
    } catch (const weft::error& e) {
        code = e.code();
    }
    BOOST_TEST((code == weft::errc::store_full));
    BOOST_TEST((loop.now() - before < 1s));
}

BOOST_AUTO_TEST_SUITE_END()
