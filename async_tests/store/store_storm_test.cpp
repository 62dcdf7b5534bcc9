#include <boost/test/unit_test.hpp>

#ifdef WEFT_HAS_POSTGRES
#include "postgres_fixture.hpp"
#endif
#include "sqlite_fixture.hpp"

#include <weft/async/run_blocking.hpp>
#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/random.hpp>
#include <weft/store/memory_store.hpp>

#include <functional>
#include <thread>

/** Several OS threads with a loop each on one store: runs that contend for threads, calls that are stopped on their
 *  way, and a store that is closed behind them. Short, for ThreadSanitizer above all. */
namespace store_storm_test {

using namespace std::chrono_literals;
using weft::task;
using weft::thread_key;

constexpr int loops = 4;
constexpr int rounds = 15;
constexpr int threads = 5;

/** Calls of one loop. */
class storm {
public:
    storm(weft::checkpoint_store& store, std::uint64_t seed) : store_{store}, random_{seed} {}

    task<void> rage()
    {
        const weft::task_context& context = co_await weft::this_task::context();
        worker_ = co_await store_.enter("storm", 1h);
        for (int i = 0; i < rounds; ++i) {
            weft::scope children{context, weft::failure_policy::keep_going};
            children.spawn(tolerant(run(thread())));
            children.spawn(tolerant(run(thread())));
            children.spawn(tolerant(answer_all(thread())));
            children.spawn(tolerant(meddle(thread())));
            const bool is_stopped = random_.below(3) == 0;
            if (is_stopped) co_await weft::sleep_for(std::chrono::microseconds{random_.below(300)});
            if (is_stopped) children.request_stop();
            co_await children.join();
        }
        co_await store_.leave(worker_);
    }

    std::string mistake;

private:
    thread_key thread() { return thread_key{"t" + std::to_string(random_.below(threads))}; }

    /** A call that is stopped, or finds another one in its way, is no mistake. */
    task<void> tolerant(task<void> calls)
    {
        try {
            co_await std::move(calls);
        } catch (const weft::error& e) {
            const bool is_expected = e.code() == weft::errc::cancelled || e.code() == weft::errc::store_unavailable ||
                                     e.code() == weft::errc::store_outcome_unknown;
            if (!is_expected) mistake = e.what();
        }
    }

    task<void> run(thread_key name)
    {
        weft::new_run entry{name, weft::run_id{sqlite_tests::next_id()}};
        entry.on_busy(weft::busy_policy::queue).started_by(worker_);
        weft::run_admission admission = co_await store_.enqueue(std::move(entry));
        std::vector<weft::run_claim> claims;
        if (admission.claim) claims.push_back(std::move(*admission.claim));
        else claims = co_await store_.claim(worker_, 1);
        for (const weft::run_claim& claim : claims) co_await carry(claim.fence);
    }

    task<void> carry(weft::write_fence fence)
    {
        const std::string top = fence.run.text();
        const weft::question_record question{top + "/a#1/q#0", "{}"};
        weft::write_state state = co_await store_.ask(fence, question);
        const weft::effect_record effect{top + "/a#1/e#0", weft::effect_phase::done, "key", "{}"};
        if (state == weft::write_state::ok) state = co_await store_.record(fence, effect);
        for (int i = 0; i < 3 && state == weft::write_state::ok; ++i) {
            weft::checkpoint_draft draft = sqlite_tests::draft_of("body");
            if (i == 2) draft.settled = {top};
            const weft::commit_result result = co_await store_.commit(fence, std::move(draft));
            state = result.state;
            fence.head = result.head;
        }
        weft::run_outcome outcome{random_.below(2) == 0 ? weft::run_phase::waiting : weft::run_phase::finished};
        static_cast<void>(co_await store_.finish(fence, std::move(outcome.for_answers_below(top))));
    }

    task<void> answer_all(thread_key name)
    {
        const std::vector<weft::question_record> asked = co_await store_.questions(name);
        for (const weft::question_record& each : asked)
            static_cast<void>(co_await store_.answer(name, each.address, "1"));
    }

    task<void> meddle(thread_key name)
    {
        static_cast<void>(co_await store_.heartbeat(worker_, 1h));
        static_cast<void>(co_await store_.signal(name, weft::run_signal::cancel));
        static_cast<void>(co_await store_.reap(10));
        static_cast<void>(co_await store_.load(name, std::nullopt));
        const weft::retention last{.keep_last = 1000};
        static_cast<void>(co_await store_.prune(name, last));
    }

    weft::checkpoint_store& store_;
    weft::random_source random_;
    weft::worker_id worker_ = 0;
};

void rage_from_all_loops(weft::checkpoint_store& store)
{
    std::vector<std::thread> running;
    std::vector<std::unique_ptr<storm>> storms;
    for (int i = 0; i < loops; ++i) storms.push_back(std::make_unique<storm>(store, static_cast<std::uint64_t>(i)));
    for (const auto& each : storms) running.emplace_back([&each] { weft::run_blocking(each->rage()); });
    for (std::thread& each : running) each.join();
    for (const auto& each : storms) BOOST_TEST(each->mistake == "");
}

/** Histories without holes, and no two runs that hold one thread. */
task<void> check_threads(weft::checkpoint_store& store)
{
    std::int64_t all = 0;
    for (int i = 0; i < threads; ++i) {
        const thread_key name{"t" + std::to_string(i)};
        const weft::history_page page{.count_max = 10'000};
        const auto infos = co_await store.history(name, page);
        for (std::size_t at = 0; at < infos.size(); ++at)
            BOOST_TEST_REQUIRE(infos[at].sequence == static_cast<std::int64_t>(infos.size() - at));
        all += static_cast<std::int64_t>(infos.size());
        const auto active = co_await store.active_run(name);
        BOOST_TEST((!active || !is_over(active->phase)));
    }
    BOOST_TEST(all > 0);
}

/** Calls that are under way when they are stopped and their store is closed. */
task<void> close_behind_calls(std::function<task<std::unique_ptr<weft::checkpoint_store>>()> open)
{
    const weft::task_context& context = co_await weft::this_task::context();
    for (int i = 0; i < 5; ++i) {
        auto opening = open();
        std::unique_ptr<weft::checkpoint_store> store = co_await std::move(opening);
        {
            storm calls{*store, static_cast<std::uint64_t>(100 + i)};
            weft::scope children{context, weft::failure_policy::keep_going};
            for (int k = 0; k < 8; ++k) children.spawn(calls.rage());
            co_await weft::sleep_for(std::chrono::microseconds{200 * i});
            children.request_stop();
            co_await children.join();
        }
        store.reset();
    }
}

void weather(std::function<task<std::unique_ptr<weft::checkpoint_store>>()> open)
{
    {
        const std::unique_ptr<weft::checkpoint_store> store = weft::run_blocking(open());
        rage_from_all_loops(*store);
        weft::run_blocking(check_threads(*store));
    }
    weft::run_blocking(close_behind_calls(open));
}

BOOST_AUTO_TEST_SUITE(store_storm_test)

BOOST_AUTO_TEST_CASE(a_store_in_memory_serves_several_loops)
{
    weft::memory_store store{weft::hash_key{}};
    rage_from_all_loops(store);
    weft::run_blocking(check_threads(store));
}

task<std::unique_ptr<weft::checkpoint_store>> open_sqlite(weft::sqlite_options options)
{
    co_return co_await weft::sqlite_store::open(std::move(options));
}

BOOST_AUTO_TEST_CASE(a_sqlite_store_serves_several_loops_and_is_closed_behind_calls_that_are_stopped)
{
    const sqlite_tests::store_file file{"storm"};
    weather([&file] { return open_sqlite(file.options()); });
}

#ifdef WEFT_HAS_POSTGRES

task<std::unique_ptr<weft::checkpoint_store>> open_postgres(weft::postgres_options options)
{
    co_return co_await weft::postgres_store::open(std::move(options));
}

BOOST_AUTO_TEST_CASE(a_postgres_store_serves_several_loops_and_is_closed_behind_calls_that_are_stopped,
                     *boost::unit_test::precondition(weft_tests::has_postgres))
{
    weft_tests::fresh_names fresh;
    weft::postgres_options options = weft_tests::options_on(weft_tests::shared_postgres_server(), fresh.schema());
    options.connections = 2;
    weather([&options] { return open_postgres(options); });
}

#endif

BOOST_AUTO_TEST_SUITE_END()

}  // namespace store_storm_test
