#include <weft/testing/async_test_case.hpp>

#include "durable_workers.hpp"

#include <weft/async/scope.hpp>
#include <weft/store/role/forwarding_store.hpp>

using namespace weft_tests;
using weft::busy_policy;
using weft::run_status;
using weft::thread_key;

BOOST_AUTO_TEST_SUITE(durable_two_engines_test)

namespace {

weft::task<std::string> refusal_of(weft::durable_engine& with, std::string thread)
{
    std::string text;
    try {
        static_cast<void>(co_await with.run(in_thread(std::move(thread))));
    } catch (const weft::error& e) {
        text = e.what();
    }
    co_return text;
}

/** s, then b, which publishes 5 and takes long, then c. */
weft::graph publishing_chain(std::shared_ptr<begun_nodes> begun)
{
    struct publisher {
        static weft::task<void> work(weft::node_context& context, std::shared_ptr<begun_nodes> begun)
        {
            const bool is_first = ++begun->times["b"] == 1;
            if (is_first) context.publish(total, 5);
            co_await weft::sleep_for(is_first ? 100s : 1ms);
        }
    };
    const auto publishes = [begun](weft::node_context& context) { return publisher::work(context, begun); };
    weft::graph_builder builder{"chain"};
    builder.state(value, other, total, words);
    builder.node("s", counts(begun, 1ms)).node("b", publishes).node("c", counts(begun, 1ms));
    return builder.edge(weft::start, "s").edge("s", "b").edge("b", "c").build();
}

/** Two chains: one is over at once, the other takes a minute. */
std::shared_ptr<const weft::durable_graphs> quick_and_slow(std::shared_ptr<begun_nodes> begun)
{
    weft::graph_builder slow{"slow"};
    slow.state(value, other, total, words);
    slow.node("sa", counts(begun, 20s)).node("sb", counts(begun, 20s)).node("sc", counts(begun, 20s));
    slow.edge(weft::start, "sa").edge("sa", "sb").edge("sb", "sc");
    auto graphs = std::make_shared<weft::durable_graphs>();
    graphs->add(counted_chain(begun)).add(slow.build());
    return graphs;
}

/** Does what it is asked, and once loses the answer, or takes its time with it. */
class claim_loser final : public weft::forwarding_store {
public:
    using forwarding_store::forwarding_store;
    bool loses_claim = false;
    std::chrono::milliseconds enqueue_takes{0};
    int left = 0;

    weft::task<std::vector<weft::run_claim>> claim(weft::worker_id worker, std::size_t max) override
    {
        std::vector<weft::run_claim> claims = co_await inner().claim(worker, max);
        if (!claims.empty() && std::exchange(loses_claim, false))
            throw weft::error{weft::errc::store_outcome_unknown, "test", "the answer is lost"};
        co_return claims;
    }
    weft::task<weft::run_admission> enqueue(weft::new_run run) override
    {
        weft::run_admission admission = co_await inner().enqueue(std::move(run));
        if (enqueue_takes.count() > 0) co_await weft::sleep_for(enqueue_takes);
        co_return admission;
    }
    weft::task<void> leave(weft::worker_id worker) override
    {
        ++left;
        co_await inner().leave(worker);
    }
};

}  // namespace

WEFT_ASYNC_TEST_CASE(the_loser_of_a_race_is_told_which_run_has_the_thread_and_who_has_that)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine one{store, graphs_of(counted_chain(begun))};
    weft::durable_engine two{store, graphs_of(counted_chain(begun))};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::string first;
    weft::scope children{context};
    children.spawn(tell_end_of(one, in_thread("t"), first));
    co_await weft::sleep_for(5ms);
    const thread_key key{"t"};
    const auto active = co_await store.active_run(key);
    const std::string elsewhere = co_await refusal_of(two, "t");
    BOOST_TEST(elsewhere.find("run " + active->id.text()) != std::string::npos, elsewhere);
    BOOST_TEST(elsewhere.find("at worker " + std::to_string(one.worker())) != std::string::npos, elsewhere);
    const std::string here = co_await refusal_of(one, "t");
    BOOST_TEST(here.find("in this process") != std::string::npos, here);
    co_await children.join();
    BOOST_TEST(first == "finished 3");
}

WEFT_ASYNC_TEST_CASE(PYA_6_a_run_is_paused_from_another_process_and_resumed_there)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine one{store, quick_and_slow(begun)};
    weft::durable_engine two{store, quick_and_slow(begun)};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::string first;
    weft::scope children{context};
    children.spawn(tell_end_of(one, in_thread("t").of("slow"), first));
    co_await weft::sleep_for(1s);
    const thread_key key{"t"};
    const bool was_active = co_await two.pause(key);
    BOOST_TEST(was_active);
    co_await weft::sleep_for(20s);
    BOOST_TEST(first == "paused");  // the node that ran has ended, and no further one began
    BOOST_TEST(begun->times["sa"] == 1);
    BOOST_TEST(begun->times["sb"] == 0);
    const weft::run_result rest = co_await two.resume(key);  // the request is done with: it does not pause again
    BOOST_TEST((rest.status == run_status::finished));
    BOOST_TEST(begun->times == (std::map<std::string, int>{{"sa", 1}, {"sb", 1}, {"sc", 1}}));
}

WEFT_ASYNC_TEST_CASE(HIV_30_a_thread_is_stopped_from_another_process_with_its_partial_work_kept)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine one{store, graphs_of(publishing_chain(begun))};
    weft::durable_engine two{store, graphs_of(publishing_chain(begun))};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::string first;
    weft::scope children{context};
    children.spawn(tell_end_of(one, in_thread("t"), first));
    co_await weft::sleep_for(1s);
    const thread_key key{"t"};
    const bool was_active = co_await two.stop(key);
    BOOST_TEST(was_active);
    co_await weft::sleep_for(6s);  // a heartbeat later
    BOOST_TEST(first == "cancelled");
    const weft::thread_snapshot at = co_await two.read(key);
    BOOST_TEST((at.info().kind == weft::checkpoint_kind::cancel));
    BOOST_TEST(at.state().get(total) == 6);  // of s, and what b had published
    BOOST_TEST(at.next_nodes() == (std::vector<std::string>{"b"}));
    const weft::run_result rest = co_await two.run(in_thread("t"));
    BOOST_TEST(rest.state.get(total) == 7);
    BOOST_TEST(begun->times == (std::map<std::string, int>{{"s", 1}, {"b", 2}, {"c", 1}}));
}

WEFT_ASYNC_TEST_CASE(a_run_replaces_one_of_another_process_and_one_that_waits)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    weft::durable_engine one{store, quick_and_slow(begun)};
    weft::durable_engine two{store, quick_and_slow(begun)};
    co_await one.open();
    co_await two.open();
    const weft::task_context& context = co_await weft::this_task::context();
    std::string first, second;
    weft::scope children{context};
    children.spawn(tell_end_of(one, in_thread("t").of("slow"), first));
    co_await weft::sleep_for(1s);
    children.spawn(tell_end_of(two, in_thread("t").of("slow").on_busy(busy_policy::replace), second));
    co_await weft::sleep_for(7s);
    BOOST_TEST(first == "cancelled");
    BOOST_TEST(begun->times["sa"] == 2);  // it goes on where the other one was
    const thread_key key{"t"};
    static_cast<void>(co_await one.pause(key));
    co_await weft::sleep_for(30s);
    BOOST_TEST(second == "paused");
    const auto waiting = co_await store.active_run(key);
    const weft::run_result third = co_await one.run(in_thread("t").of("slow").on_busy(busy_policy::replace));
    BOOST_TEST((third.status == run_status::finished));
    const auto replaced = co_await store.find_run(waiting->id);
    BOOST_TEST((replaced->phase == weft::run_phase::cancelled));
    BOOST_TEST(begun->times["sa"] == 2);
}

WEFT_ASYNC_TEST_CASE(a_worker_whose_claim_was_not_answered_leaves_and_enters_anew)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    claim_loser losing{store};
    weft::serial_loop& loop = co_await weft::this_task::loop();
    weft::new_run slow = some_run("slow", loop);
    static_cast<void>(co_await store.enqueue(slow.graph_named("slow")));
    weft::durable_engine durable{losing, quick_and_slow(begun)};
    co_await durable.open();
    const weft::task_context& context = co_await weft::this_task::context();
    bool has_ended = false;
    weft::scope children{context};
    children.spawn(work_into(durable, has_ended));
    co_await weft::sleep_for(2s);
    const weft::worker_id before = durable.worker();
    losing.loses_claim = true;
    static_cast<void>(co_await store.enqueue(some_run("lost", loop)));
    co_await weft::sleep_for(1s);
    BOOST_TEST(!losing.loses_claim);
    BOOST_TEST(begun->times["a"] == 0);
    co_await weft::sleep_for(25s);
    // It did not wait for the end of what it had: that went on from its next node.
    BOOST_TEST(begun->times["c"] == 1);
    BOOST_TEST(losing.left == 1);
    BOOST_TEST(durable.worker() != before);
    co_await weft::sleep_for(60s);
    BOOST_TEST(begun->times == (std::map<std::string, int>{{"a", 1}, {"b", 1}, {"c", 1}, {"sa", 1}, {"sb", 1},
                                                          {"sc", 1}}));
    co_await durable.close();
    co_await children.join();
}

WEFT_ASYNC_TEST_CASE(a_run_whose_caller_goes_away_before_it_is_entered_blocks_no_thread)
{
    auto begun = std::make_shared<begun_nodes>();
    weft::memory_store store{test_key()};
    claim_loser slow{store};
    slow.enqueue_takes = std::chrono::milliseconds{1000};
    weft::durable_engine durable{slow, graphs_of(counted_chain(begun))};
    co_await durable.open();
    const weft::task_context& context = co_await weft::this_task::context();
    const thread_key stopped{"stopped"};
    const thread_key destroyed{"destroyed"};
    {
        std::string end;
        weft::scope children{context};
        children.spawn(tell_end_of(durable, in_thread("stopped"), end));
        co_await weft::sleep_for(100ms);
        children.request_stop();
        co_await children.join();
        BOOST_TEST(end == "cancelled");
    }
    {
        std::string end;
        weft::scope children{context};
        children.spawn(tell_end_of(durable, in_thread("destroyed"), end));
        co_await weft::sleep_for(100ms);
    }
    const auto ghost = co_await store.active_run(stopped);
    BOOST_TEST_REQUIRE(ghost.has_value());
    BOOST_TEST((ghost->phase == weft::run_phase::running));
    co_await weft::sleep_for(10s);
    const auto cancelled = co_await store.find_run(ghost->id);
    BOOST_TEST((cancelled->phase == weft::run_phase::cancelled));
    BOOST_TEST(begun->times.empty());
    const auto ready = co_await store.active_run(destroyed);
    BOOST_TEST_REQUIRE(ready.has_value());
    BOOST_TEST((ready->phase == weft::run_phase::ready));
    const std::size_t taken = co_await durable.recover();
    BOOST_TEST(taken == 1u);
    BOOST_TEST(begun->times["c"] == 1);
}

BOOST_AUTO_TEST_SUITE_END()
