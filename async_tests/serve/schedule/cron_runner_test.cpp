#include <boost/test/unit_test.hpp>

#include "serve/schedule/cron_runner.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/net/server/http_error.hpp>
#include <weft/serve/cron_moment.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/testing/simulation.hpp>

#include <memory>
#include <set>
#include <string>
#include <vector>

BOOST_AUTO_TEST_SUITE(cron_runner_test)

using namespace std::chrono_literals;
using weft::serve_detail::cron_runner;
using weft::serve_detail::cron_verdict;
using weft::next_moment;
using weft::serve_detail::verdict_of;

/** Servers on one store, in a world whose time jumps. */
class cron_world {
public:
    [[nodiscard]] weft::wall_time now() { return sim.clock().system_now(); }

    void add(std::string id, std::string schedule, std::optional<weft::wall_time> end = {},
             weft::cron_missed missed = weft::cron_missed::one)
    {
        weft::cron made;
        made.missed = missed;
        made.id = std::move(id);
        made.schedule = std::move(schedule);
        made.end = end;
        made.next = next_moment(made, now());
        BOOST_TEST(sim.run(crons.create(std::move(made))));
    }
    /** Lets so many servers work for a while. */
    void work(std::chrono::nanoseconds span, std::size_t servers = 1) { sim.run(work_for(*this, span, servers)); }
    [[nodiscard]] std::optional<weft::wall_time> next(std::string id)
    {
        return sim.run(crons.find("", std::move(id))).value().next;
    }

    weft::memory_store store{weft::hash_key{}};
    weft::cron_table crons{store.service().documents()};
    weft::testing::simulation sim{1};
    std::vector<std::exception_ptr> failures;  // of the next attempts
    std::vector<weft::cron> begun;
    std::vector<weft::wall_time> begun_at;
    std::vector<std::string> problems;

private:
    static weft::task<void> begin(cron_world& self, weft::cron due)
    {
        self.begun.push_back(std::move(due));
        self.begun_at.push_back(self.now());
        co_await weft::sleep_for(3ms);
        if (self.failures.empty()) co_return;
        const std::exception_ptr failure = self.failures.front();
        self.failures.erase(self.failures.begin());
        if (failure) std::rethrow_exception(failure);
    }
    static weft::task<void> work_for(cron_world& self, std::chrono::nanoseconds span, std::size_t servers)
    {
        const weft::task_context& context = co_await weft::this_task::context();
        std::vector<std::unique_ptr<cron_runner>> runners;
        weft::scope children{context, weft::failure_policy::keep_going};
        for (std::size_t i = 0; i < servers; ++i) {
            runners.push_back(std::make_unique<cron_runner>(
                self.store.service().documents(),
                [&self](weft::cron due) { return begin(self, std::move(due)); },
                [&self](std::string_view what) { self.problems.emplace_back(what); }));
            children.spawn(runners.back()->work());
        }
        co_await weft::sleep_for(span);
        children.request_stop();
        co_await children.join();
    }
};

std::exception_ptr refused(int status, std::string code)
{
    return std::make_exception_ptr(weft::http_error{status, std::move(code), "because"});
}

BOOST_AUTO_TEST_CASE(each_moment_has_one_run_with_eight_servers)
{
    cron_world w;
    w.add("a", "*/10 * * * *");
    w.add("b", "*/15 * * * *");
    w.work(1h + 5min, 8);
    std::set<std::pair<std::string, weft::wall_time>> moments;
    for (std::size_t i = 0; i < w.begun.size(); ++i) {
        moments.emplace(w.begun[i].id, *w.begun[i].next);
        const auto late = w.begun_at[i] - *w.begun[i].next;
        BOOST_TEST((late >= 0s && late < 2s));
    }
    BOOST_TEST(moments.size() == w.begun.size());
    BOOST_TEST((w.begun.size() >= 10u && w.begun.size() <= 11u));
    BOOST_TEST(w.problems.empty());
}

BOOST_AUTO_TEST_CASE(moments_that_were_missed_have_one_run)
{
    cron_world w;
    w.add("a", "*/10 * * * *");
    const weft::wall_time first = *w.next("a");
    w.sim.run([](std::chrono::nanoseconds span) -> weft::task<void> { co_await weft::sleep_for(span); }(5h));
    w.work(1min);
    BOOST_TEST_REQUIRE(w.begun.size() == 1u);
    BOOST_TEST((*w.begun[0].next == first));
    BOOST_TEST((*w.next("a") > w.now() - 1min));
}

BOOST_AUTO_TEST_CASE(moments_that_were_missed_have_no_run_or_all_their_runs_as_the_cron_says)
{
    cron_world w;
    w.add("skip", "*/10 * * * *", {}, weft::cron_missed::skip);
    w.add("all", "*/10 * * * *", {}, weft::cron_missed::all);
    const weft::wall_time first = *w.next("all");
    w.sim.run([](std::chrono::nanoseconds span) -> weft::task<void> { co_await weft::sleep_for(span); }(1h + 5min));
    const weft::wall_time back = w.now();
    w.work(30s, 8);
    std::vector<weft::wall_time> moments;
    for (const weft::cron& each : w.begun) {
        BOOST_TEST(each.id == "all");
        moments.push_back(*each.next);
    }
    BOOST_TEST_REQUIRE(moments.size() >= 6u);
    for (std::size_t i = 0; i < moments.size(); ++i) BOOST_TEST((moments[i] == first + 10min * static_cast<int>(i)));
    BOOST_TEST((moments.back() <= back && moments.back() > back - 10min));
    BOOST_TEST((*w.next("skip") > back));
    // The next moment of both has its run.
    const std::size_t before = w.begun.size();
    w.work(10min, 8);
    BOOST_TEST(w.begun.size() == before + 2);
}

BOOST_AUTO_TEST_CASE(what_was_missed_is_said_by_the_clock_of_the_store)
{
    using weft::serve_detail::turn_of;
    weft::cron taken;
    taken.next = weft::wall_time{std::chrono::hours{1000}};
    taken.missed = weft::cron_missed::skip;
    BOOST_TEST(turn_of(taken, *taken.next + 1min).begins);
    BOOST_TEST(!turn_of(taken, *taken.next + 61s).begins);
    taken.missed = weft::cron_missed::one;
    BOOST_TEST(turn_of(taken, *taken.next + 5h).begins);
    BOOST_TEST((turn_of(taken, *taken.next + 5h).next_after == *taken.next + 5h));
    taken.missed = weft::cron_missed::all;
    BOOST_TEST((turn_of(taken, *taken.next + 5h).next_after == *taken.next));
}

BOOST_AUTO_TEST_CASE(after_its_end_a_cron_has_no_run)
{
    cron_world w;
    w.add("a", "*/10 * * * *", w.now() + 35min);
    w.work(3h);
    BOOST_TEST((w.begun.size() == 3u || w.begun.size() == 4u));
    BOOST_TEST(!w.next("a").has_value());
}

BOOST_AUTO_TEST_CASE(what_passes_is_tried_again_for_the_same_moment)
{
    cron_world w;
    w.add("a", "0 12 * * *");
    const auto away = std::make_exception_ptr(weft::error{weft::errc::store_unavailable, "store", "it is away"});
    w.failures = {refused(503, "no_capacity"), away, nullptr};
    w.work(20h);
    BOOST_TEST_REQUIRE(w.begun.size() == 3u);
    BOOST_TEST((*w.begun[0].next == *w.begun[2].next));
    BOOST_TEST((w.begun_at[1] - w.begun_at[0] >= 1min && w.begun_at[1] - w.begun_at[0] < 1min + 3s));
    BOOST_TEST(w.problems.size() == 2u);
    BOOST_TEST(w.problems[0].find("cron a: ") == 0u);
}

BOOST_AUTO_TEST_CASE(a_cron_whose_thread_is_gone_is_over_and_one_whose_thread_is_busy_goes_on)
{
    cron_world w;
    w.add("a", "*/10 * * * *");
    w.failures = {refused(409, "thread_is_busy"), refused(404, "thread_not_found")};
    w.work(2h);
    BOOST_TEST(w.begun.size() == 2u);
    BOOST_TEST(!w.next("a").has_value());
}

BOOST_AUTO_TEST_CASE(a_run_that_cannot_be_entered_holds_up_others_for_so_long_only)
{
    cron_world w;
    w.add("a", "*/10 * * * *");
    w.add("b", "*/10 * * * *");
    w.failures = {refused(422, "invalid_body")};
    w.work(10min + 1s);
    BOOST_TEST(w.begun.size() == 2u);
    BOOST_TEST(w.problems.size() == 1u);
}

BOOST_AUTO_TEST_CASE(what_follows_is_decided_by_the_failure)
{
    BOOST_TEST((verdict_of(nullptr) == cron_verdict::goes_on));
    BOOST_TEST((verdict_of(refused(409, "thread_is_busy")) == cron_verdict::goes_on));
    BOOST_TEST((verdict_of(refused(422, "invalid_body")) == cron_verdict::goes_on));
    BOOST_TEST((verdict_of(refused(422, "graph_not_found")) == cron_verdict::tries_again));
    BOOST_TEST((verdict_of(refused(422, "assistant_not_found")) == cron_verdict::is_over));
    BOOST_TEST((verdict_of(refused(404, "thread_not_found")) == cron_verdict::is_over));
    BOOST_TEST((verdict_of(refused(429, "too_many_runs")) == cron_verdict::tries_again));
    const auto late = std::make_exception_ptr(weft::error{weft::errc::timeout, "begin", "late"});
    BOOST_TEST((verdict_of(late) == cron_verdict::tries_again));
    BOOST_TEST((verdict_of(std::make_exception_ptr(std::bad_alloc{})) == cron_verdict::tries_again));
}

BOOST_AUTO_TEST_SUITE_END()
