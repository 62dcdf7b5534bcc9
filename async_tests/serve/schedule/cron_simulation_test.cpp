#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "serve/schedule/cron_runner.hpp"

#include <weft/async/sleep.hpp>
#include <weft/base/random.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/serve/cron_moment.hpp>
#include <weft/store/memory_store.hpp>
#include <weft/testing/simulation.hpp>

#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/** Seeded lives and deaths of servers around the nights in which the clocks of Berlin jump. A calendar of the test
 *  itself says which moments there are; each has to have one run in the end. */
namespace cron_simulation_test {

using namespace std::chrono_literals;
using weft::wall_time;
using weft::serve_detail::cron_runner;

/** What a server does wrong, so that it shows whether the simulation finds it. */
enum class cron_flaw {
    none,
    no_key,             ///< Two attempts at a moment make two runs.
    moved_early,        ///< The moment counts as done before its run was begun.
    no_zone,            ///< The offset of winter holds for ever.
    no_gap,             ///< A moment that the clocks jump over has no run.
    repeats_the_hour,   ///< A moment that the clocks repeat has two runs.
};

struct named_flaw {
    const char* name;
    cron_flaw flaw;
};
std::ostream& operator<<(std::ostream& to, const named_flaw& each) { return to << each.name; }

const std::vector<named_flaw> cron_flaws = {{"no key", cron_flaw::no_key},
                                            {"moved early", cron_flaw::moved_early},
                                            {"no zone", cron_flaw::no_zone},
                                            {"no gap", cron_flaw::no_gap},
                                            {"repeats the hour", cron_flaw::repeats_the_hour}};

const wall_time spring{std::chrono::seconds{1'711'846'800}};  // 2024-03-31 01:00 UTC: 02:00 becomes 03:00
const wall_time autumn{std::chrono::seconds{1'729'990'800}};  // 2024-10-27 01:00 UTC: 03:00 becomes 02:00

struct schedule_case {
    const char* text;
    std::set<int> minutes;
    std::set<int> hours;  // empty: each
};

const std::vector<schedule_case> schedules = {{"30 2 * * *", {30}, {2}},
                                              {"0,30 2 * * *", {0, 30}, {2}},
                                              {"*/20 * * * *", {0, 20, 40}, {}},
                                              {"15 1,3 * * *", {15}, {1, 3}}};

/** The moments of Berlin behind `begin`, up to `end`, by looking at each minute. */
std::set<wall_time> calendar_of(const schedule_case& of, wall_time begin, wall_time end)
{
    const auto local = [](wall_time at) { return at + (at >= spring && at < autumn ? 2h : 1h); };
    const auto fits = [&](wall_time shown) {
        const auto minute = std::chrono::floor<std::chrono::minutes>(shown.time_since_epoch()).count();
        return of.minutes.contains(static_cast<int>(minute % 60)) &&
               (of.hours.empty() || of.hours.contains(static_cast<int>(minute / 60 % 24)));
    };
    std::set<wall_time> moments;
    for (wall_time at = begin + 1min; at <= end; at += 1min) {
        const bool is_repeated = at >= autumn && at < autumn + 1h;
        if (!is_repeated && fits(local(at))) moments.insert(at);
        if (at != spring) continue;
        for (wall_time skipped = spring + 1h; skipped < spring + 2h; skipped += 1min)
            if (fits(skipped)) moments.insert(spring);
    }
    return moments;
}

/** The documents of a server that has a flaw. */
class flawed_documents final : public weft::document_store {
public:
    flawed_documents(weft::document_store& inner, cron_flaw flaw) : inner_{inner}, crons_{inner}, flaw_{flaw} {}

    weft::task<bool> write(std::vector<weft::document_change> changes) override
    {
        const bool is_written = co_await inner_.write(std::move(changes));
        if (is_written && taken_) co_await amend();
        co_return is_written;
    }
    weft::task<std::optional<weft::stored_document>> read(weft::document_key key) override
    {
        return inner_.read(std::move(key));
    }
    weft::task<weft::document_page> search(weft::document_query query) override
    {
        return inner_.search(std::move(query));
    }
    weft::task<std::size_t> count(weft::document_query query) override { return inner_.count(std::move(query)); }
    weft::task<std::vector<weft::stored_document>> take_due(std::string kind, std::chrono::milliseconds lease,
                                                            std::size_t count_max) override
    {
        const std::vector<weft::stored_document> due = co_await inner_.take_due(std::move(kind), lease, count_max);
        if (due.empty()) co_return due;
        const std::optional<weft::cron> known = co_await crons_.find("", "c");
        taken_ = known.value().next;
        if (flaw_ == cron_flaw::moved_early) co_await move_to(next_moment(*known, *taken_));
        co_return due;
    }
    weft::task<std::size_t> erase_due(std::string kind, std::size_t count_max) override
    {
        return inner_.erase_due(std::move(kind), count_max);
    }

private:
    weft::task<void> move_to(std::optional<wall_time> next)
    {
        std::optional<weft::cron> known = co_await crons_.find("", "c");
        static_cast<void>(co_await crons_.ran(std::move(known.value()), next));
    }

    weft::task<void> amend()
    {
        const std::optional<weft::cron> known = co_await crons_.find("", "c");
        weft::cron of = known.value();
        const wall_time next = of.next.value();
        if (flaw_ == cron_flaw::no_zone) {
            of.time_zone = "Etc/GMT-1";
            co_await move_to(next_moment(of, *taken_));
        }
        if (flaw_ == cron_flaw::no_gap && next == spring) co_await move_to(next_moment(of, spring));
        const bool is_first_time = *taken_ >= autumn - 1h && *taken_ < autumn;
        if (flaw_ == cron_flaw::repeats_the_hour && is_first_time && next > autumn) co_await move_to(*taken_ + 1h);
    }

    weft::document_store& inner_;
    weft::cron_table crons_;
    cron_flaw flaw_;
    std::optional<wall_time> taken_;
};

class cron_night {
public:
    cron_night(std::uint64_t seed, cron_flaw flaw)
        : random_{seed}, flaw_{flaw}, sim_{seed, {.elapsed_max = std::chrono::hours{24 * 365 * 100}}},
          of_{schedules[random_.below(schedules.size())]}
    {
        const wall_time jump = random_.below(2) == 0 ? spring : autumn;
        sim_.clock().advance(jump - 4h + std::chrono::minutes{random_.below(60)} - sim_.clock().system_now());
        begin_ = std::chrono::floor<std::chrono::minutes>(sim_.clock().system_now());
        weft::cron made;
        made.id = "c";
        made.schedule = of_.text;
        made.time_zone = "Europe/Berlin";
        made.missed = weft::cron_missed::all;
        made.next = next_moment(made, begin_);
        weft::cron_table crons{store_.service().documents()};
        BOOST_TEST_REQUIRE(sim_.run(crons.create(std::move(made))));
    }

    [[nodiscard]] std::string run()
    {
        const wall_time end = begin_ + 8h;
        while (sim_.clock().system_now() < end) {
            live(random_.below(400));
            sim_.clock().advance(std::chrono::minutes{random_.below(50)} + std::chrono::seconds{random_.below(60)});
        }
        // Servers that live on: what others had taken is free after a minute.
        for (int round = 0; round < 4; ++round) {
            live(600);
            sim_.clock().advance(61s);
        }
        const std::set<wall_time> wanted = calendar_of(of_, begin_, sim_.clock().system_now() - 5min);
        for (const wall_time moment : wanted)
            if (!begun_.contains(moment)) return "a moment without a run";
        for (const auto& [moment, count] : begun_) {
            if (count > 1) return "a moment with two runs";
            if (moment < end && !wanted.contains(moment)) return "a run of no moment";
        }
        return {};
    }

private:
    /** Two servers, which crash after so many steps. */
    void live(std::size_t steps)
    {
        std::vector<std::unique_ptr<flawed_documents>> documents;
        std::vector<std::unique_ptr<cron_runner>> runners;
        std::vector<std::unique_ptr<weft::testing::simulation::root<void>>> running;
        for (int i = 0; i < 2; ++i) {
            documents.push_back(std::make_unique<flawed_documents>(store_.service().documents(), flaw_));
            runners.push_back(std::make_unique<cron_runner>(
                *documents.back(), [this](weft::cron due) { return begin(*this, *due.next); },
                [](std::string_view what) { BOOST_ERROR(what); }));
            running.push_back(
                std::make_unique<weft::testing::simulation::root<void>>(sim_, runners.back()->work()));
        }
        for (std::size_t i = 0; i < steps; ++i) sim_.step();
    }

    static weft::task<void> begin(cron_night& self, wall_time moment)
    {
        co_await weft::sleep_for(std::chrono::milliseconds{self.random_.below(900)});
        const auto id = self.ids_.next<weft::run_id>();
        weft::new_run run{weft::thread_key{id.text()}, id};
        if (self.flaw_ != cron_flaw::no_key)
            run.idempotency_key = std::to_string(moment.time_since_epoch().count());
        const weft::run_admission admission = co_await self.store_.enqueue(std::move(run));
        if (admission.what != weft::run_admission::kind::duplicate) ++self.begun_[moment];
        co_await weft::sleep_for(std::chrono::milliseconds{self.random_.below(900)});
    }

    weft::random_source random_;
    cron_flaw flaw_;
    weft::memory_store store_{weft::hash_key{}};
    weft::testing::simulation sim_;
    weft::id_source ids_{weft::real_clock(), random_};
    const schedule_case& of_;
    wall_time begin_;
    std::map<wall_time, int> begun_;
};

BOOST_AUTO_TEST_SUITE(cron_simulation_test)

BOOST_AUTO_TEST_CASE(each_moment_has_one_run_through_crashes_and_clocks_that_jump)
{
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const std::string found = cron_night{seed, cron_flaw::none}.run();
        BOOST_REQUIRE_MESSAGE(found.empty(), "seed " << seed << ": " << found);
    }
}

BOOST_DATA_TEST_CASE(a_server_that_errs_about_moments_is_found_out, boost::unit_test::data::make(cron_flaws), each)
{
    std::string found;
    std::uint64_t seed = 0;
    while (found.empty() && seed < 1'000) found = cron_night{++seed, each.flaw}.run();
    BOOST_REQUIRE_MESSAGE(!found.empty(), "no violation in 1,000 seeds with " << each.name);
    BOOST_TEST_MESSAGE(each.name << ", seed " << seed << ": " << found);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace cron_simulation_test
