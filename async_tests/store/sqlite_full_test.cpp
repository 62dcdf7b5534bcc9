#include <boost/test/unit_test.hpp>

#include "sqlite_faults.hpp"
#include "sqlite_fixture.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>

#include <sys/resource.h>

#include <csignal>

namespace sqlite_full_cases {

using namespace sqlite_tests;
namespace this_task = weft::this_task;
using weft::errc;

BOOST_AUTO_TEST_SUITE(sqlite_full_test)

constexpr int commits_max = 10'000;

/** Commits until the store says no. */
task<std::optional<weft::error>> fill(weft::checkpoint_store& store, weft::write_fence& fence)
{
    std::optional<weft::error> refused;
    for (int i = 0; i < commits_max && !refused; ++i) {
        try {
            std::string body = "body " + std::to_string(fence.head + 1) + std::string(5'000, '.');
            fence.head = co_await commit(store, fence, std::move(body));
        } catch (const weft::error& e) {
            refused = e;
        }
    }
    co_return refused;
}

/** Everything that was acknowledged can be read, and nothing else. */
task<void> check_all(weft::checkpoint_store& store, weft::write_fence fence)
{
    const weft::history_page page{.count_max = commits_max};
    const auto history = co_await store.history(fence.thread, page);
    BOOST_TEST(static_cast<std::int64_t>(history.size()) == fence.head);
    for (std::int64_t i = 1; i <= fence.head; ++i) {
        const auto read = co_await store.load(fence.thread, i);
        BOOST_TEST((read && read->body.starts_with("body " + std::to_string(i) + ".")));
    }
}

task<void> fill_quota(const store_file& file)
{
    const store_ptr store = co_await weft::sqlite_store::open(file.with(&weft::sqlite_options::quota_bytes, 1 << 20));
    weft::write_fence fence = co_await hold(*store, "t");
    const auto refused = co_await fill(*store, fence);
    BOOST_TEST((refused && refused->code() == errc::store_full));
    BOOST_TEST(fence.head > 50);
    co_await check_all(*store, fence);

    const weft::retention last_five{.keep_last = 5};
    const weft::prune_report pruned = co_await store->prune(fence.thread, last_five);
    BOOST_TEST(pruned.checkpoints == static_cast<std::uint64_t>(fence.head - 5));
    const std::int64_t head = co_await commit(*store, fence, "there is room again");
    BOOST_TEST(head == fence.head + 1);
}

BOOST_AUTO_TEST_CASE(a_quota_that_is_used_up_loses_nothing_and_pruning_makes_room)
{
    const store_file file{"quota"};
    weft::run_blocking(fill_quota(file));
}

/** While it lives, no file of this process becomes larger. */
class file_size_limit {
public:
    explicit file_size_limit(rlim_t bytes) : handler_{std::signal(SIGXFSZ, SIG_IGN)}
    {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        rlimit lower = before_;
        lower.rlim_cur = bytes;
        ::setrlimit(RLIMIT_FSIZE, &lower);
    }
    ~file_size_limit()
    {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }
    file_size_limit(const file_size_limit&) = delete;
    file_size_limit& operator=(const file_size_limit&) = delete;

private:
    void (*handler_)(int);
    rlimit before_ = {};
};

task<void> fill_disk(const store_file& file)
{
    const store_ptr store = co_await weft::sqlite_store::open(file.options());
    weft::write_fence fence = co_await hold(*store, "t");
    {
        const file_size_limit limit{2 << 20};
        const auto refused = co_await fill(*store, fence);
        BOOST_TEST_REQUIRE(refused.has_value());
        BOOST_TEST(refused->code() == errc::store_full, refused->what());
        BOOST_TEST(fence.head > 10);
        co_await check_all(*store, fence);
    }
    // The disk has room again, and the store goes on by itself.
    fence.head = co_await commit(*store, fence, "body " + std::to_string(fence.head + 1) + ".");
    co_await check_all(*store, fence);
}

task<void> check_reopened(const store_file& file)
{
    const store_ptr store =
        co_await weft::sqlite_store::open(file.with(&weft::sqlite_options::check, weft::sqlite_check::whole));
    const auto newest = co_await store->load(weft::thread_key{"t"}, std::nullopt);
    BOOST_TEST_REQUIRE(newest.has_value());
    weft::write_fence fence;
    fence.thread = weft::thread_key{"t"};
    fence.head = newest->sequence;
    co_await check_all(*store, fence);
}

BOOST_AUTO_TEST_CASE(a_full_disk_loses_nothing_that_was_acknowledged_and_reading_goes_on)
{
    const store_file file{"disk"};
    weft::run_blocking(fill_disk(file));
    weft::run_blocking(check_reopened(file));
}

task<void> lose_a_sync(const store_file& file, disk_faults& faults)
{
    const store_ptr store =
        co_await weft::sqlite_store::open(file.with(&weft::sqlite_options::sync, weft::sqlite_sync::full));
    weft::write_fence fence = co_await hold(*store, "t");
    fence.head = co_await commit(*store, fence, "body 1.");
    faults.fail_syncs(true);
    const auto unknown = co_await error_of(commit(*store, fence, "body 2."));
    faults.fail_syncs(false);
    BOOST_TEST((unknown && unknown->code() == errc::store_outcome_unknown));
    const auto refused = co_await error_of(commit(*store, fence, "body 2."));
    BOOST_TEST((refused && refused->code() == errc::store_unavailable));
    const auto read = co_await store->load(fence.thread, 1);
    BOOST_TEST((read && read->body == "body 1."));
}

BOOST_AUTO_TEST_CASE(after_a_failed_sync_nothing_more_is_written_until_the_file_is_opened_again)
{
    const store_file file{"sync"};
    disk_faults faults;
    weft::run_blocking(lose_a_sync(file, faults));
    weft::run_blocking(check_reopened(file));  // with the second checkpoint or without it
}

task<void> fail_writes(const store_file& file, disk_faults& faults)
{
    const store_ptr store = co_await weft::sqlite_store::open(file.options());
    weft::write_fence fence = co_await hold(*store, "t");
    fence.head = co_await commit(*store, fence, "body 1.");
    faults.fail_writes(true);
    const auto failed = co_await error_of(commit(*store, fence, "body 2."));
    BOOST_TEST((failed && failed->code() == errc::store_unavailable));
    faults.fail_writes(false);
    fence.head = co_await commit(*store, fence, "body 2.");
    co_await check_all(*store, fence);
}

BOOST_AUTO_TEST_CASE(a_write_that_the_disk_refuses_did_not_happen)
{
    const store_file file{"write"};
    disk_faults faults;
    weft::run_blocking(fail_writes(file, faults));
    weft::run_blocking(check_reopened(file));
}

task<void> wait_for_a_lock(const store_file& file)
{
    const store_ptr store =
        co_await weft::sqlite_store::open(file.with(&weft::sqlite_options::answer_max, std::chrono::milliseconds{50}));
    const weft::write_fence fence = co_await hold(*store, "t");
    foreign_connection other{file.path()};
    other.run("BEGIN IMMEDIATE");
    const auto first = co_await error_of(commit(*store, fence, "body 1."));
    BOOST_TEST((first && first->code() == errc::store_outcome_unknown));  // the writer has it and waits
    const auto second = co_await error_of(commit(*store, fence, "body 1."));
    BOOST_TEST((second && second->code() == errc::store_unavailable));  // it is in the queue
    other.run("COMMIT");
}

BOOST_AUTO_TEST_CASE(who_waits_too_long_for_another_program_learns_what_is_known)
{
    const store_file file{"busy"};
    weft::run_blocking(wait_for_a_lock(file));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sqlite_full_cases
