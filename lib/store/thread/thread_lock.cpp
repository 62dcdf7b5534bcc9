#include <weft/store/thread/thread_lock.hpp>

#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>

#include <algorithm>
#include <exception>

namespace weft {

namespace {

constexpr std::chrono::nanoseconds release_time_max = std::chrono::seconds{1};
constexpr int renewals_per_lifetime = 3;

error lost_thread(const thread_hold& hold, const std::string& why)
{
    return error{errc::thread_lost, hold.thread.thread,
                 why + "; give the lock a longer lifetime, or look at what kept this process from renewing it"};
}

/** One renewal, which may fail and be tried again until the hold runs out. @return The hold as it is then. */
task<thread_hold> renewed(std::shared_ptr<thread_lock> lock, thread_hold hold)
{
    const task_context& context = co_await this_task::context();
    std::optional<thread_hold> longer;
    std::optional<error> failure;
    try {
        task<std::optional<thread_hold>> asking = lock->renew(hold);
        longer = co_await with_deadline(std::move(asking), hold.valid_until - context.loop->now());
    } catch (const error& e) {
        failure = e;
    }
    if (longer) co_return std::move(*longer);
    if (!failure) throw lost_thread(hold, "the lock ran out");
    if (failure->code() == errc::cancelled && context.scope->stop_requested()) throw *failure;
    if (context.loop->now() >= hold.valid_until)
        throw lost_thread(hold, std::string{"the lock could not be renewed: "} + failure->what());
    co_return hold;
}

task<void> keep_renewing(std::shared_ptr<thread_lock> lock, thread_hold hold)
{
    serial_loop& loop = co_await this_task::loop();
    const std::chrono::nanoseconds pause = lock->lifetime() / renewals_per_lifetime;
    for (;;) {
        co_await sleep_for(std::min<std::chrono::nanoseconds>(pause, hold.valid_until - loop.now()));
        thread_hold longer = co_await renewed(lock, hold);
        hold = std::move(longer);
    }
}

task<void> work_then_stop(task<void> work, scope& both)
{
    co_await std::move(work);
    both.request_stop();
}

/** Gives a lock back that may be out of reach, or have another holder by now. */
task<void> release_quietly(std::shared_ptr<thread_lock> lock, thread_hold hold)
{
    try {
        const bool was_ours = co_await lock->release(std::move(hold));
        static_cast<void>(was_ours);
    } catch (const error&) {
        co_return;  // it runs out
    }
}

}  // namespace

task<void> run_holding(std::shared_ptr<thread_lock> lock, thread_key thread,
                       std::function<task<void>(thread_hold)> work)
{
    const task_context& context = co_await this_task::context();
    std::optional<thread_hold> hold = co_await lock->acquire(thread);
    if (!hold) throw error{errc::thread_is_busy, thread.thread, "another holder has its lock; try again later"};
    std::exception_ptr failure;
    try {
        scope both{context};
        task<void> working = work(*hold);
        both.spawn(keep_renewing(lock, *hold));
        both.spawn(work_then_stop(std::move(working), both));
        co_await both.join();
    } catch (...) {
        failure = std::current_exception();
    }
    task<void> releasing = release_quietly(lock, *hold);
    try {
        co_await shielded(std::move(releasing), release_time_max);
    } catch (const error& e) {
        if (e.code() != errc::timeout) throw;
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace weft
