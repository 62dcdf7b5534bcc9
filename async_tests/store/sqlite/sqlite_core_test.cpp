#include <boost/test/unit_test.hpp>

#include "store/sqlite/sqlite_core.hpp"
#include "store/sqlite_fixture.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>

#include <latch>
#include <semaphore>

namespace sqlite_core_cases {

using namespace sqlite_tests;
using weft::errc;
using weft::sqlite_detail::connection;
using weft::sqlite_detail::core;
using weft::sqlite_detail::moment;

BOOST_AUTO_TEST_SUITE(sqlite_core_test)

namespace {

/** A call that is at work until another one waits behind it. */
struct long_call {
    std::binary_semaphore has_begun{0};
    std::latch next_is_there{1};
    int runs = 0;
};

void raise_epoch(connection& db) { db.run("UPDATE store SET epoch = epoch + 1"); }

task<void> work_long(core& file, long_call& how)
{
    const auto work = [&how](connection& db, const moment&) {
        raise_epoch(db);
        if (++how.runs == 1) how.has_begun.release();
        how.next_is_there.wait();
    };
    co_await file.write(work, 1);
}

task<void> work_once(core& file)
{
    const auto work = [](connection& db, const moment&) { raise_epoch(db); };
    co_await file.write(work, 1);
}

task<void> fail_once(core& file, std::optional<weft::error>& how)
{
    const auto work = [](connection& db, const moment&) {
        raise_epoch(db);
        throw weft::error{errc::store_refused, "test", "a call that fails"};
    };
    try {
        co_await file.write(work, 1);
    } catch (const weft::error& e) {
        how = e;
    }
}

std::int64_t read_epoch(connection& db, const moment&) { return db.pragma("SELECT epoch FROM store"); }

/** What three calls led to, of which each came while the one before it was at work. */
struct three_calls {
    long_call first{};
    long_call second{};
    std::optional<weft::error> third{};
    std::uint64_t transactions = 0;
    std::int64_t epochs = 0;
};

enum class third_call { succeeds, fails };

task<void> write_three(const store_file& file, third_call what, three_calls& into)
{
    core opened{file.options()};
    co_await opened.open();
    const std::int64_t epoch_before = co_await opened.read(&read_epoch);
    const std::uint64_t before = opened.counts().transactions;
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope calls{context};
    calls.spawn(work_long(opened, into.first));
    into.first.has_begun.acquire();
    calls.spawn(work_long(opened, into.second));  // from now on two callers are known
    into.first.next_is_there.count_down();
    into.second.has_begun.acquire();
    calls.spawn(what == third_call::fails ? fail_once(opened, into.third) : work_once(opened));
    into.second.next_is_there.count_down();
    co_await calls.join();
    into.transactions = opened.counts().transactions - before;
    const std::int64_t epoch = co_await opened.read(&read_epoch);
    into.epochs = epoch - epoch_before;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_call_joins_the_transaction_that_was_begun_for_as_many_callers)
{
    const store_file file{"open"};
    three_calls found;
    weft::run_blocking(write_three(file, third_call::succeeds, found));
    BOOST_TEST(found.transactions == 2U);
    BOOST_TEST(found.epochs == 3);
    BOOST_TEST(found.second.runs == 1);
}

BOOST_AUTO_TEST_CASE(a_call_that_fails_in_an_open_transaction_fails_alone)
{
    const store_file file{"joined"};
    three_calls found;
    weft::run_blocking(write_three(file, third_call::fails, found));
    BOOST_TEST((found.third && found.third->code() == errc::store_refused));
    BOOST_TEST(found.transactions == 2U);
    BOOST_TEST(found.second.runs == 2);  // it began anew without the other
    BOOST_TEST(found.epochs == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sqlite_core_cases
