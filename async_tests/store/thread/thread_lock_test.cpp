#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/store/checkpoint_store.hpp>
#include <weft/store/thread/memory_thread_lock.hpp>
#include <weft/testing/async_test_case.hpp>

#include <optional>
#include <string>

BOOST_AUTO_TEST_SUITE(thread_lock_test)

using namespace std::chrono_literals;
using weft::errc;
using weft::error;
using weft::memory_thread_lock;
using weft::task;
using weft::thread_hold;
using weft::thread_key;

namespace {

/** A lock whose server can be away. */
class leaving_lock final : public weft::thread_lock {
public:
    task<std::optional<thread_hold>> acquire(thread_key thread) override { return inner_.acquire(std::move(thread)); }
    task<std::optional<thread_hold>> renew(thread_hold hold) override
    {
        ++renewals;
        if (is_away) throw error{errc::store_unavailable, "test", "away"};
        if (is_mute) co_await weft::sleep_for(std::chrono::hours{1});
        co_return co_await inner_.renew(std::move(hold));
    }
    task<bool> release(thread_hold hold) override { return inner_.release(std::move(hold)); }
    task<bool> is_held(thread_key thread) override { return inner_.is_held(std::move(thread)); }
    std::chrono::milliseconds lifetime() const noexcept override { return inner_.lifetime(); }

    bool is_away = false;
    bool is_mute = false;
    int renewals = 0;

private:
    memory_thread_lock inner_;
};

task<void> work_for(std::chrono::seconds span, bool* is_done)
{
    co_await weft::sleep_for(span);
    *is_done = true;
}

task<void> fail_after(std::chrono::seconds span)
{
    co_await weft::sleep_for(span);
    throw error{errc::model_overloaded, "work"};
}

task<std::optional<error>> failure_of(task<void> work)
{
    try {
        co_await std::move(work);
    } catch (const error& e) {
        co_return e;
    }
    co_return std::nullopt;
}

}  // namespace

WEFT_ASYNC_TEST_CASE(SUL_13_a_thread_has_one_holder_at_a_time)
{
    memory_thread_lock lock;
    BOOST_TEST((lock.lifetime() == 30s));
    const thread_key thread{"t-1"};
    const std::optional<thread_hold> first = co_await lock.acquire(thread);
    BOOST_REQUIRE(first);
    const std::optional<thread_hold> second = co_await lock.acquire(thread);
    BOOST_TEST(!second);
    const thread_key other{"t-2"};
    const std::optional<thread_hold> elsewhere = co_await lock.acquire(other);
    BOOST_TEST(elsewhere.has_value());
    const bool was_ours = co_await lock.release(*first);
    BOOST_TEST(was_ours);
    const std::optional<thread_hold> third = co_await lock.acquire(thread);
    BOOST_REQUIRE(third);
    BOOST_TEST(third->fence > first->fence);
    BOOST_TEST(third->owner != first->owner);
}

WEFT_ASYNC_TEST_CASE(SUL_13_an_owner_whose_lock_ran_out_cannot_release_or_renew_the_next_one)
{
    memory_thread_lock lock;
    const thread_key thread{"t-1"};
    const std::optional<thread_hold> first = co_await lock.acquire(thread);
    co_await weft::sleep_for(31s);
    const std::optional<thread_hold> second = co_await lock.acquire(thread);
    BOOST_REQUIRE(second);
    const bool was_ours = co_await lock.release(*first);
    BOOST_TEST(!was_ours);
    const std::optional<thread_hold> renewed = co_await lock.renew(*first);
    BOOST_TEST(!renewed);
    const bool is_held = co_await lock.is_held(thread);
    BOOST_TEST(is_held);
    const std::optional<thread_hold> third = co_await lock.acquire(thread);
    BOOST_TEST(!third);
}

WEFT_ASYNC_TEST_CASE(a_renewed_lock_lasts_longer)
{
    memory_thread_lock lock;
    const thread_key thread{"t-1"};
    std::optional<thread_hold> hold = co_await lock.acquire(thread);
    for (int i = 0; i < 5; ++i) {
        co_await weft::sleep_for(20s);
        hold = co_await lock.renew(*hold);
        BOOST_REQUIRE(hold);
    }
    const std::optional<thread_hold> other = co_await lock.acquire(thread);
    BOOST_TEST(!other);
    co_await weft::sleep_for(31s);
    const std::optional<thread_hold> late = co_await lock.renew(*hold);
    BOOST_TEST(!late);
}

WEFT_ASYNC_TEST_CASE(locks_that_ran_out_take_no_memory_for_ever)
{
    memory_thread_lock lock;
    for (int i = 0; i < 500; ++i) {
        const thread_key thread{"t-" + std::to_string(i)};
        const std::optional<thread_hold> hold = co_await lock.acquire(thread);
        BOOST_TEST(hold.has_value());
        co_await weft::sleep_for(1s);
    }
    const thread_key last{"t-499"};
    const bool is_held = co_await lock.is_held(last);
    BOOST_TEST(is_held);
}

WEFT_ASYNC_TEST_CASE(work_keeps_its_thread_however_long_it_takes)
{
    const auto lock = std::make_shared<leaving_lock>();
    const thread_key thread{"t-1"};
    bool is_done = false;
    const auto work = [&](thread_hold hold) {
        BOOST_TEST(hold.is_locked());
        return work_for(300s, &is_done);
    };
    co_await weft::run_holding(lock, thread, work);
    BOOST_TEST(is_done);
    BOOST_TEST(lock->renewals >= 29);
    const bool is_held = co_await lock->is_held(thread);
    BOOST_TEST(!is_held);
}

WEFT_ASYNC_TEST_CASE(a_busy_thread_is_an_error_and_its_holder_stays)
{
    const auto lock = std::make_shared<memory_thread_lock>();
    const thread_key thread{"t-1"};
    const std::optional<thread_hold> holder = co_await lock->acquire(thread);
    bool is_done = false;
    const auto work = [&](thread_hold) { return work_for(1s, &is_done); };
    const std::optional<error> busy = co_await failure_of(weft::run_holding(lock, thread, work));
    BOOST_REQUIRE(busy);
    BOOST_TEST((busy->code() == errc::thread_is_busy));
    BOOST_TEST(!is_done);
    const bool was_ours = co_await lock->release(*holder);
    BOOST_TEST(was_ours);
}

WEFT_ASYNC_TEST_CASE(work_fails_with_its_own_error_and_gives_the_thread_back)
{
    const auto lock = std::make_shared<memory_thread_lock>();
    const thread_key thread{"t-1"};
    const auto work = [](thread_hold) { return fail_after(5s); };
    const std::optional<error> failure = co_await failure_of(weft::run_holding(lock, thread, work));
    BOOST_REQUIRE(failure);
    BOOST_TEST((failure->code() == errc::model_overloaded));
    const bool is_held = co_await lock->is_held(thread);
    BOOST_TEST(!is_held);
}

WEFT_ASYNC_TEST_CASE(a_lock_that_is_away_for_a_moment_does_not_stop_the_work)
{
    const auto lock = std::make_shared<leaving_lock>();
    const thread_key thread{"t-1"};
    bool is_done = false;
    lock->is_away = true;
    const auto work = [&](thread_hold) { return work_for(20s, &is_done); };
    co_await weft::run_holding(lock, thread, work);
    BOOST_TEST(is_done);
}

WEFT_ASYNC_TEST_CASE(work_whose_lock_cannot_be_renewed_is_stopped_when_it_runs_out)
{
    for (const bool is_mute : {false, true}) {
        const auto lock = std::make_shared<leaving_lock>();
        const thread_key thread{"t-1"};
        bool is_done = false;
        (is_mute ? lock->is_mute : lock->is_away) = true;
        const weft::task_context& context = co_await weft::this_task::context();
        const weft::time_point began = context.loop->now();
        const auto work = [&](thread_hold) { return work_for(3600s, &is_done); };
        const std::optional<error> lost = co_await failure_of(weft::run_holding(lock, thread, work));
        BOOST_REQUIRE(lost);
        BOOST_TEST((lost->code() == errc::thread_lost));
        BOOST_TEST(!is_done);
        const auto elapsed = context.loop->now() - began;
        BOOST_TEST((elapsed >= 29s && elapsed < 32s));
    }
}

WEFT_ASYNC_TEST_CASE(a_stop_stops_the_work_and_gives_the_thread_back)
{
    const auto lock = std::make_shared<memory_thread_lock>();
    const thread_key thread{"t-1"};
    bool is_done = false;
    const auto work = [&](thread_hold) { return work_for(100s, &is_done); };
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope runs{context};
    runs.spawn(weft::run_holding(lock, thread, work));
    co_await weft::sleep_for(50s);
    runs.request_stop();
    co_await runs.join();
    BOOST_TEST(!is_done);
    const bool is_held = co_await lock->is_held(thread);
    BOOST_TEST(!is_held);
}

WEFT_ASYNC_TEST_CASE(a_name_that_is_too_long_is_refused)
{
    memory_thread_lock lock;
    bool is_refused = false;
    try {
        const thread_key endless{std::string(weft::store_limits::name_bytes_max + 1, 'x')};
        const std::optional<thread_hold> hold = co_await lock.acquire(endless);
    } catch (const error& e) {
        is_refused = e.code() == errc::limit_reached;
    }
    BOOST_TEST(is_refused);
}

BOOST_AUTO_TEST_SUITE_END()
