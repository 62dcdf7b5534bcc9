#ifdef WEFT_HAS_POSTGRES

#include "store/postgres/claim_watermark.hpp"
#include "store/postgres/wire/sql_queue.hpp"
#include "store/postgres/sql/sql_statements.hpp"

#include <boost/test/unit_test.hpp>

namespace postgres_queue_test {

using namespace weft::postgres_detail;
using namespace std::chrono_literals;

sql_call_ptr call_of(const std::string& thread, std::size_t bytes = 0, bool is_alone = false)
{
    sql_parameters parameters;
    parameters.text(thread).text(std::string(bytes, 'x'));
    sql_request request;
    request.step(sql::lock_thread, std::move(parameters)).of(weft::thread_key{thread});
    if (is_alone) request.by_itself();
    return weft::make_counted<sql_call>(std::move(request));
}

void push(sql_queue& queue, sql_call_ptr call) { BOOST_TEST(queue.push(std::move(call)).has_value()); }

BOOST_AUTO_TEST_SUITE(postgres_queue_test)

BOOST_AUTO_TEST_CASE(a_batch_has_at_most_64_calls_sorted_by_their_threads)
{
    sql_queue queue{1'000};
    for (int i = 0; i < 70; ++i) push(queue, call_of("thread " + std::to_string(99 - i)));
    const std::vector<sql_call_ptr> first = queue.take_batch();
    BOOST_TEST(first.size() == 64u);
    for (std::size_t i = 1; i < first.size(); ++i)
        BOOST_TEST(first[i - 1]->request.lock_order() < first[i]->request.lock_order());
    BOOST_TEST(queue.take_batch().size() == 6u);
    BOOST_TEST(queue.take_batch().empty());
}

BOOST_AUTO_TEST_CASE(calls_of_one_thread_keep_their_order)
{
    sql_queue queue{10};
    const sql_call_ptr first = call_of("t");
    const sql_call_ptr second = call_of("t");
    push(queue, first);
    push(queue, call_of("s"));
    push(queue, second);
    const std::vector<sql_call_ptr> batch = queue.take_batch();
    BOOST_TEST((batch[1] == first));
    BOOST_TEST((batch[2] == second));
}

BOOST_AUTO_TEST_CASE(a_batch_has_at_most_a_megabyte_or_one_call)
{
    sql_queue queue{10};
    push(queue, call_of("a", 700'000));
    push(queue, call_of("b", 700'000));
    push(queue, call_of("c", 5'000'000));
    for (int i = 0; i < 3; ++i) BOOST_TEST(queue.take_batch().size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_call_that_shares_with_nobody_is_taken_alone)
{
    sql_queue queue{10};
    push(queue, call_of("a"));
    push(queue, call_of("b", 0, true));
    push(queue, call_of("c"));
    for (int i = 0; i < 3; ++i) BOOST_TEST(queue.take_batch().size() == 1u);
}

BOOST_AUTO_TEST_CASE(abandoned_calls_are_dropped)
{
    sql_queue queue{10};
    const sql_call_ptr gone = call_of("a");
    push(queue, gone);
    push(queue, call_of("b"));
    gone->abandon();
    BOOST_TEST(queue.take_batch().size() == 1u);
    BOOST_TEST(queue.empty());
}

BOOST_AUTO_TEST_CASE(a_full_queue_takes_no_more)
{
    sql_queue queue{2};
    BOOST_TEST(queue.push(call_of("a")).value() == 1u);
    BOOST_TEST(queue.push(call_of("b")).value() == 2u);
    BOOST_TEST(!queue.push(call_of("c")).has_value());
}

BOOST_AUTO_TEST_CASE(what_waited_too_long_is_taken_out)
{
    sql_queue queue{10};
    const sql_call_ptr late = call_of("late");
    const sql_call_ptr in_time = call_of("in time");
    const weft::time_point now{1h};
    late->deadline = now;
    in_time->deadline = now + 1ms;
    push(queue, late);
    push(queue, in_time);
    const std::vector<sql_call_ptr> expired = queue.take_expired(now);
    BOOST_TEST(expired.size() == 1u);
    BOOST_TEST((expired[0] == late));
    BOOST_TEST(queue.take_all().size() == 1u);
}

BOOST_AUTO_TEST_CASE(claims_begin_at_the_mark_for_a_second_after_two_looks_from_the_beginning_were_slow)
{
    claim_watermark mark;
    const weft::time_point now{1h};
    BOOST_TEST(!mark.mark(now).has_value());
    mark.looked(now, now + 10ms);
    mark.advance(7);
    BOOST_TEST(!mark.mark(now + 11ms).has_value());
    mark.looked(now, now + 60ms);
    mark.advance(7);
    BOOST_TEST(!mark.mark(now + 61ms).has_value());
    mark.looked(now, now + 60ms);
    mark.advance(7);
    BOOST_TEST((mark.mark(now + 1'059ms) == 7));
    BOOST_TEST(!mark.mark(now + 1'060ms).has_value());
    mark.forget();
    BOOST_TEST(!mark.mark(now + 100ms).has_value());
    mark.advance(7);
    mark.looked(now, now + 10ms);
    mark.advance(7);
    BOOST_TEST(!mark.mark(now + 11ms).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace postgres_queue_test

#endif
