#include "cron_runner.hpp"

#include "serve/http/refusal.hpp"

#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/error.hpp>
#include <weft/serve/cron_moment.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace weft::serve_detail {

namespace {

constexpr std::chrono::minutes cron_lease{1};
constexpr std::chrono::seconds begin_max{20};  // less than the lease
constexpr std::chrono::seconds cron_look_every{1};
constexpr std::size_t taken_max = 16;          // at once: the lease is for all of them
constexpr std::chrono::minutes missed_after{1};

bool is_cancelled(const std::exception_ptr& thrown)
{
    try {
        std::rethrow_exception(thrown);
    } catch (const error& e) {
        return e.code() == errc::cancelled;
    } catch (...) {
        return false;
    }
}

}  // namespace

cron_verdict verdict_of(const std::exception_ptr& thrown)
{
    if (!thrown) return cron_verdict::goes_on;
    const refusal why = refusal_for(thrown);
    if (why.code == "thread_not_found" || why.code == "assistant_not_found") return cron_verdict::is_over;
    // Another server on the store may have the graph.
    if (why.code == "graph_not_found") return cron_verdict::tries_again;
    const bool is_passing = why.status == 429 || why.status >= 500;
    return is_passing ? cron_verdict::tries_again : cron_verdict::goes_on;
}

cron_turn turn_of(const cron& taken, wall_time now)
{
    const wall_time moment = taken.next.value_or(now);
    cron_turn turn;
    turn.begins = taken.missed != cron_missed::skip || now - moment <= missed_after;
    turn.next_after = taken.missed == cron_missed::all ? moment : std::max(now, moment);
    return turn;
}

task<void> cron_runner::work()
{
    for (;;) {
        bool has_more = false;
        std::string problem;
        try {
            has_more = co_await begin_due(*this);
        } catch (const error& e) {
            if (e.code() == errc::cancelled) throw;
            problem = e.what();
        }
        if (!problem.empty()) problem_(problem);
        if (!has_more) co_await sleep_for(cron_look_every);
    }
}

/** @return  Whether there may be more that are due. */
task<bool> cron_runner::begin_due(cron_runner& self)
{
    std::vector<cron> due = co_await self.crons_.take(cron_lease, taken_max);
    const serial_loop& loop = co_await this_task::loop();
    const time_point latest = loop.now() + cron_lease - begin_max;
    for (cron& each : due) {
        // Others may have what is left from now on: they begin the same runs, each once.
        if (loop.now() > latest) co_return true;
        co_await begin_one(self, std::move(each));
    }
    co_return due.size() == taken_max;
}

task<void> cron_runner::begin_one(cron_runner& self, cron due)
{
    const std::string where = "cron " + due.id + ": ";
    const serial_loop& loop = co_await this_task::loop();
    const cron_turn turn = turn_of(due, due.taken.value_or(loop.clock().system_now()));
    std::exception_ptr failure;
    try {
        if (turn.begins) co_await with_deadline(self.begin_(due), begin_max);
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure && is_cancelled(failure)) std::rethrow_exception(failure);
    if (failure) self.problem_(where + text_of(failure));
    const cron_verdict verdict = verdict_of(failure);
    if (verdict == cron_verdict::tries_again) co_return;
    std::optional<wall_time> next;
    if (verdict == cron_verdict::goes_on) {
        try {
            next = next_moment(due, turn.next_after);
        } catch (const error& e) {
            self.problem_(where + e.what());  // a zone that the system does not know any more: it has no next moment
        }
    }
    // Changed meanwhile, by a client or another process: then what they said counts.
    (void)co_await self.crons_.ran(std::move(due), next);
}

}  // namespace weft::serve_detail
