#include <boost/test/unit_test.hpp>

#include "store/sqlite/sqlite_call.hpp"
#include "store/sqlite_fixture.hpp"

#include <weft/async/scope.hpp>
#include <weft/testing/simulation.hpp>

#include <chrono>
#include <thread>

namespace sqlite_call_cases {

using namespace std::chrono_literals;
using namespace sqlite_tests;
using weft::errc;
using weft::sqlite_detail::call;
using weft::sqlite_detail::call_batch;
using weft::sqlite_detail::call_queue;
using weft::sqlite_detail::wait_rules;

BOOST_AUTO_TEST_SUITE(sqlite_call_test)

class idle_call final : public call {
public:
    explicit idle_call(std::size_t bytes = 1) : call{bytes} {}
    void run(weft::sqlite_detail::connection&) override {}
};

using call_ptr = weft::intrusive_ptr<call>;

call_ptr make_call(std::size_t bytes = 1) { return call_ptr{new idle_call{bytes}}; }

weft::testing::simulation_limits impatient()
{
    weft::testing::simulation_limits limits;
    limits.outside_max = 1ms;  // no OS thread serves the queue
    return limits;
}

const std::string file_name = "weft.db";
const wait_rules write_rules{5s, errc::store_outcome_unknown, file_name};

BOOST_AUTO_TEST_CASE(calls_are_taken_in_their_order_and_only_as_many_as_the_limits_allow)
{
    call_queue queue{100};
    std::vector<call_ptr> calls;
    for (std::size_t i = 0; i < 10; ++i) {
        calls.push_back(make_call(i == 3 ? 1'000 : 10));
        BOOST_TEST(queue.push(*calls.back()));
    }
    call_batch batch;
    queue.take(batch, {64, 100});
    BOOST_TEST((batch == call_batch{calls[0], calls[1], calls[2]}));
    batch.clear();
    queue.take(batch, {64, 100});  // alone, although it is too large
    BOOST_TEST((batch == call_batch{calls[3]}));
    batch.clear();
    queue.take(batch, {2, 100});
    BOOST_TEST((batch == call_batch{calls[4], calls[5]}));
    queue.close();
    batch.clear();
    queue.take(batch, {64, 100});
    BOOST_TEST(batch.size() == 4U);
    batch.clear();
    queue.take(batch, {64, 100});
    BOOST_TEST(batch.empty());
}

BOOST_AUTO_TEST_CASE(a_batch_grows_by_what_is_there_up_to_its_limits_and_waits_for_none)
{
    call_queue queue{100};
    std::vector<call_ptr> calls;
    for (int i = 0; i < 4; ++i) calls.push_back(make_call(10));
    call_batch batch{make_call(70)};
    queue.take_more(batch, {64, 100});
    BOOST_TEST(batch.size() == 1U);
    for (const call_ptr& one : calls) BOOST_TEST(queue.push(*one));
    queue.take_more(batch, {3, 100});
    BOOST_TEST(batch.size() == 3U);
    queue.take_more(batch, {64, 100});
    BOOST_TEST(batch.size() == 4U, "the bytes of all of them count");
    BOOST_TEST(queue.waiting() == 1U);
}

BOOST_AUTO_TEST_CASE(who_gathers_is_woken_when_enough_calls_are_there)
{
    call_queue queue{100};
    const call_ptr first = make_call();
    const call_ptr second = make_call();
    BOOST_TEST(queue.push(*first));
    std::thread caller{[&] { static_cast<void>(queue.push(*second)); }};
    queue.gather(2, 1h);
    BOOST_TEST(queue.waiting() == 2U);
    caller.join();
}

BOOST_AUTO_TEST_CASE(who_gathers_is_woken_by_the_end_and_by_the_clock)
{
    call_queue queue{100};
    const call_ptr only = make_call();
    BOOST_TEST(queue.push(*only));
    queue.gather(1, 1h);
    queue.gather(2, 1us);
    std::thread closer{[&] { queue.close(); }};
    queue.gather(2, 1h);
    closer.join();
    call_batch batch;
    queue.take(batch, {64, 100});
    BOOST_TEST(batch.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_call_that_is_withdrawn_is_in_the_queue_no_longer)
{
    call_queue queue{1};
    const call_ptr one = make_call();
    const call_ptr other = make_call();
    BOOST_TEST(queue.push(*one));
    BOOST_TEST(!queue.push(*other));
    BOOST_TEST(queue.withdraw(*one));
    BOOST_TEST(!queue.withdraw(*one));
    BOOST_TEST(one->use_count() == 1U);
    BOOST_TEST(queue.push(*other));
}

BOOST_AUTO_TEST_CASE(a_queue_that_dies_lets_go_of_what_waits)
{
    const call_ptr one = make_call();
    {
        call_queue queue{1};
        BOOST_TEST(queue.push(*one));
    }
    BOOST_TEST(one->use_count() == 1U);
}

BOOST_AUTO_TEST_CASE(a_call_too_many_is_refused)
{
    call_queue queue{1};
    const call_ptr one = make_call();
    BOOST_TEST(queue.push(*one));
    weft::testing::simulation sim{1, impatient()};
    const auto how = sim.run(error_of(answer_of(queue, make_call(), write_rules)));
    BOOST_TEST((how && how->code() == errc::limit_reached));
}

BOOST_AUTO_TEST_CASE(a_call_that_nobody_takes_ends_in_time_and_nothing_was_done)
{
    call_queue queue{1};
    weft::testing::simulation sim{1, impatient()};
    const auto how = sim.run(error_of(answer_of(queue, make_call(), write_rules)));
    BOOST_TEST((how && how->code() == errc::store_unavailable));
    BOOST_TEST((sim.elapsed() == 5s));
    const call_ptr next = make_call();
    BOOST_TEST(queue.push(*next));  // it has left the queue
}

task<void> take_but_never_answer(call_queue& queue, errc when_begun, std::optional<weft::error>& how)
{
    const wait_rules rules{5s, when_begun, file_name};
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope children{context};
    const auto note = [](call_queue& where, const wait_rules& by, std::optional<weft::error>& out) -> task<void> {
        out = co_await error_of(answer_of(where, make_call(), by));
    };
    children.spawn(note(queue, rules, how));
    call_batch batch;
    queue.take(batch, {64, 100});
    co_await children.join();
}

BOOST_AUTO_TEST_CASE(nobody_knows_what_became_of_a_write_that_has_begun_and_is_not_answered)
{
    for (const errc code : {errc::store_outcome_unknown, errc::store_unavailable}) {
        call_queue queue{10};
        weft::testing::simulation sim{1, impatient()};
        std::optional<weft::error> how;
        sim.run(take_but_never_answer(queue, code, how));
        BOOST_TEST((how && how->code() == code));
    }
}

BOOST_AUTO_TEST_CASE(who_is_stopped_takes_the_call_with_him)
{
    call_queue queue{10};
    weft::testing::simulation sim{1, impatient()};
    const call_ptr one = make_call();
    weft::testing::simulation::root<void> waiting{sim, answer_of(queue, one, write_rules)};
    waiting.request_stop();
    while (!waiting.has_ended()) sim.step();
    BOOST_TEST((weft::code_of(waiting.error()) == errc::cancelled));
    BOOST_TEST(!queue.withdraw(*one));
    BOOST_TEST(!sim.loop().has_outside_work());
}

BOOST_AUTO_TEST_CASE(in_a_stopped_scope_nothing_is_queued)
{
    call_queue queue{10};
    weft::testing::simulation sim{1, impatient()};
    const auto stopped = [](call_queue& where, call_ptr what) -> task<void> {
        const weft::task_context& context = co_await weft::this_task::context();
        context.scope->request_stop();
        co_await answer_of(where, what, write_rules);
    };
    const call_ptr one = make_call();
    const auto how = sim.run(error_of(stopped(queue, one)));
    BOOST_TEST((how && how->code() == errc::cancelled));
    BOOST_TEST(!queue.withdraw(*one));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sqlite_call_cases
