#include "fleet_clients.hpp"

#include <weft/async/scope.hpp>
#include <weft/async/sleep.hpp>
#include <weft/base/error.hpp>
#include <weft/store/service_store.hpp>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace fleet_chaos {

namespace {

using namespace std::chrono_literals;

constexpr auto patience = 100ms;

}  // namespace

fleet_clients::fleet_clients(const fleet_course& course, weft::postgres_store& store,
                             const std::vector<std::uint16_t>& ports, const std::string& ledger,
                             const std::atomic<bool>& is_calm)
    : course_{course}, store_{store}, ports_{ports}, ledger_{ledger}, is_calm_{is_calm}, random_{course.seed + 1},
      ids_{weft::real_clock(), random_}
{
}

weft::task<void> fleet_clients::run()
{
    const weft::task_context& context = co_await weft::this_task::context();
    weft::scope clients{context};
    for (std::size_t i = 0; i < course_.followers; ++i) clients.spawn(follow_runs(i));
    clients.spawn(crowd());
    co_await clients.join();
}

weft::task<void> fleet_clients::follow_runs(std::size_t client)
{
    const std::string tenant = client % 2 == 0 ? "few" : "some";
    for (int i = 0; !is_calm_; ++i) {
        const weft::thread_key thread{"t" + std::to_string(client) + "-" + std::to_string(i), tenant};
        const weft::run_id run = co_await enter(thread);
        stream_chaos::followed seen;
        co_await follow(thread, run, seen);
        co_await judge(thread, run, std::move(seen));
        ++followed_;
    }
}

/** There is more to do than can be done, until all is calm. */
weft::task<void> fleet_clients::crowd()
{
    const std::string tenant = "crowd";
    for (int entered = 0;;) {
        std::size_t left = co_await unfinished(tenant);
        if (is_calm_ && left == 0) co_return;
        for (; !is_calm_ && left < course_.crowd; ++left) {
            const weft::thread_key thread{"c" + std::to_string(entered++), tenant};
            static_cast<void>(co_await enter(thread));
        }
        co_await weft::sleep_for(2 * patience);
    }
}

weft::task<weft::run_id> fleet_clients::enter(weft::thread_key thread)
{
    constexpr std::uint32_t attempts_max = 1'000'000;
    weft::new_run entry{thread, ids_.next<weft::run_id>()};
    entry.graph_named("speaking").with_attempts_max(attempts_max);
    const weft::run_id run = entry.id;
    for (bool is_entered = false; !is_entered;) {
        try {
            static_cast<void>(co_await store_.enqueue(entry));
            is_entered = true;
        } catch (const weft::error& e) {
            note_refusal(e);
        }
        if (!is_entered) co_await weft::sleep_for(patience);
    }
    threads_.push_back(thread);
    ledger_.note({"entered", thread.tenant + "/" + thread.thread, run.text()});
    co_return run;
}

/** Joins at any server again and again, until a stream comes to the end of the run. */
weft::task<void> fleet_clients::follow(weft::thread_key thread, weft::run_id run, stream_chaos::followed& into)
{
    while (!into.is_whole) {
        ++joins_;
        const std::uint16_t port = ports_[random_.below(ports_.size())];
        weft::http_request request = stream_chaos::stream_request(port, thread.thread, run, into);
        request.header("x-tenant", thread.tenant);
        try {
            co_await stream_chaos::read_stream(std::move(request), into);
        } catch (const weft::error& e) {
            if (e.code() == weft::errc::cancelled) throw;
        }
        if (!into.is_whole) co_await weft::sleep_for(patience / 2);
    }
}

/** What two clients get afterwards, and what the store has, against what one got in the midst of it. */
weft::task<void> fleet_clients::judge(weft::thread_key thread, weft::run_id run, stream_chaos::followed seen)
{
    std::set<std::uint64_t> stored;
    while (stored.empty()) {
        try {
            stored = co_await stream_chaos::stored_ids(store_, run);
        } catch (const weft::error& e) {
            note_refusal(e);
        }
        if (stored.empty()) co_await weft::sleep_for(patience);
    }
    for (int i = 0; i < 2; ++i) {
        stream_chaos::followed late;
        co_await follow(thread, run, late);
        stream_chaos::stream_verdict verdict = stream_chaos::judge(thread.thread, seen, late, stored);
        std::move(verdict.wrong.begin(), verdict.wrong.end(), std::back_inserter(wrong_));
        repeated_ += i == 0 ? verdict.repeated : 0;
    }
}

/** How many runs of a tenant are not over; as many as wanted if the store is away. */
weft::task<std::size_t> fleet_clients::unfinished(std::string tenant)
{
    try {
        weft::run_query of_tenant;
        of_tenant.tenant = tenant;
        of_tenant.phases = {weft::run_phase::queued, weft::run_phase::ready, weft::run_phase::running,
                            weft::run_phase::waiting};
        of_tenant.count_max = course_.crowd;
        const weft::run_page page = co_await store_.service().runs().search(std::move(of_tenant));
        co_return page.runs.size();
    } catch (const weft::error& e) {
        note_refusal(e);
    }
    co_return course_.crowd;
}

/** A store that is away or full says so. Whatever else it says is wrong. @par Errors  `errc::cancelled`. */
void fleet_clients::note_refusal(const weft::error& why)
{
    switch (why.code()) {
    case weft::errc::cancelled: throw why;
    case weft::errc::store_full: ++without_room_; return;
    case weft::errc::store_unavailable:
    case weft::errc::store_outcome_unknown: return;
    default: wrong_.push_back(std::string{"the store refuses: "} + why.what());
    }
}

std::string fleet_clients::text() const
{
    return std::to_string(threads_.size()) + " runs, " + std::to_string(followed_) + " of them followed, " +
           std::to_string(joins_) + " joins, " + std::to_string(repeated_) + " steps told again, " +
           std::to_string(without_room_) + " entries refused without room";
}

}  // namespace fleet_chaos
