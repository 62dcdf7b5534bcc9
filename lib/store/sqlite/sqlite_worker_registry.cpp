#include <weft/store/sqlite/sqlite_worker_registry.hpp>

#include "sqlite_core.hpp"
#include "sqlite_queue.hpp"
#include "sqlite_run_row.hpp"
#include "sqlite_workers.hpp"
#include "store/record/limit_checks.hpp"
#include "store/record/queue_texts.hpp"
#include "store/role/announcements.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace weft::sqlite_detail {

namespace {

/** Its worker is lost. */
void take_away(connection& db, run_row run, const std::string& worker, std::int64_t wall)
{
    // Of the runs that a worker had any may have ended it; of suspects it had one.
    if (!run.is_suspect()) run.attempt = 1;
    run.suspected_at = run.head;
    note_lost_attempt(db, run, "the worker '" + worker + "' was lost", wall);
    if (run.attempt < run.attempts_max) return let_go_until(db, run, back_off_of_run(db, run), wall);
    end_run(db, run,
            run_outcome{run_phase::dead, "taken up " + std::to_string(run.attempt) + " times without an end"}, wall);
}

/** Runs of a worker, to be collected before they are changed. */
std::vector<run_row> runs_held_by(connection& db, worker_id worker, std::size_t max)
{
    query asked{db, WEFT_SQLITE_RUN_ROW "r.phase = 2 AND r.worker = ? LIMIT ?", worker,
                std::min<std::size_t>(max, INT64_MAX)};
    std::vector<run_row> found;
    while (auto row = row_of(asked)) found.push_back(*row);
    return found;
}

}  // namespace

bool is_alive(connection& db, worker_id worker, const moment& at)
{
    return query{db, "SELECT 1 FROM worker WHERE no = ? AND until > ?", worker, stored(at.now)}.next();
}

worker_id enter_worker(connection& db, const worker_entry& entry, const moment& at)
{
    const std::string graphs = store_detail::text_of_abilities(entry.graphs);
    query made{db, "INSERT INTO worker (name, until, graphs, since, seen) VALUES (?1, ?2, ?3, ?4, ?4) RETURNING no",
               entry.name, later(stored(at.now), entry.lifetime), graphs, stored(at.today)};
    const worker_id worker = made.next() ? made.integer(0) : 0;
    made.run();
    return worker;
}

heartbeat_report prolong_worker(connection& db, worker_id worker, std::chrono::milliseconds lifetime, const moment& at)
{
    heartbeat_report report;
    report.is_alive =
        query{db, "UPDATE worker SET until = ?, seen = ? WHERE no = ? AND until IS NOT NULL",
              later(stored(at.now), lifetime), stored(at.today), worker}.run() > 0;
    if (!report.is_alive) return report;
    query asked{db, "SELECT id, signal FROM run WHERE phase = 2 AND worker = ? AND signal > 0", worker};
    while (asked.next()) report.signals.push_back({run_id{asked.id(0)}, asked.as<run_signal>(1)});
    return report;
}

bool change_graphs_of(connection& db, worker_id worker, const std::vector<graph_ability>& graphs)
{
    const std::string text = store_detail::text_of_abilities(graphs);
    return query{db, "UPDATE worker SET graphs = ? WHERE no = ? AND until IS NOT NULL", text, worker}.run() > 0;
}

void remove_worker(connection& db, worker_id worker, const moment& at)
{
    for (run_row& run : runs_held_by(db, worker, INT64_MAX)) {
        run.attempt = std::max<std::int64_t>(run.attempt - 1, 0);
        let_go(db, run, run_phase::ready, stored(at.today));
    }
    query{db, "DELETE FROM worker WHERE no = ?", worker}.run();
}

std::size_t reap_workers(connection& db, std::size_t runs_max, const moment& at)
{
    // From here on they get no sign of life accepted, even if not all of their runs are taken away at once.
    query{db, "UPDATE worker SET until = NULL WHERE until <= ?", stored(at.now)}.run();
    std::vector<std::pair<worker_id, std::string>> lost;
    {
        query asked{db, "SELECT no, name FROM worker WHERE until IS NULL ORDER BY no"};
        while (asked.next()) lost.emplace_back(asked.integer(0), asked.text(1));
    }
    std::size_t taken = 0;
    for (const auto& [worker, name] : lost) {
        const std::vector<run_row> runs = runs_held_by(db, worker, runs_max - taken);
        for (const run_row& run : runs) take_away(db, run, name, stored(at.today));
        taken += runs.size();
        if (taken == runs_max) break;
        query{db, "DELETE FROM worker WHERE no = ?", worker}.run();
    }
    return taken;
}

std::optional<std::chrono::milliseconds> next_due(connection& db, const moment& at)
{
    using std::chrono::nanoseconds;
    std::optional<nanoseconds> next;
    const auto consider = [&next](std::int64_t span) {
        next = std::max(nanoseconds{0}, next ? std::min(*next, nanoseconds{span}) : nanoseconds{span});
    };
    query lifetimes{db, "SELECT until - ? FROM worker WHERE until IS NOT NULL ORDER BY until LIMIT 1", stored(at.now)};
    if (lifetimes.next()) consider(lifetimes.integer(0));
    query moments{db, "SELECT later - ? FROM run WHERE later IS NOT NULL AND phase IN (0, 3) ORDER BY later LIMIT 1",
                  stored(at.today)};
    if (moments.next()) consider(moments.integer(0));
    query rates{db, "SELECT opens - ? FROM bucket WHERE opens IS NOT NULL ORDER BY opens LIMIT 1", stored(at.today)};
    if (rates.next()) consider(rates.integer(0));
    if (!next) return std::nullopt;
    return std::chrono::ceil<std::chrono::milliseconds>(*next);
}

void give_up_all_workers(connection& db, clock::system_time_point now)
{
    std::vector<run_row> held;
    {
        query asked{db, WEFT_SQLITE_RUN_ROW "r.phase = 2"};
        while (auto row = row_of(asked)) held.push_back(*row);
    }
    for (const run_row& run : held) take_away(db, run, "of the process before", stored(now));
    db.run("DELETE FROM worker");
    // An older program counts nothing when its runs end.
    db.run("UPDATE bucket SET active = 0 WHERE active <> 0");
}

}  // namespace weft::sqlite_detail

namespace weft {

namespace {

using sqlite_detail::connection;
using sqlite_detail::moment;

// About what the row of a worker takes.
constexpr std::size_t worker_row_bytes = 256;

store_news::due_task due_in(sqlite_detail::core& core)
{
    auto work = [](connection& db, const moment& at) { return sqlite_detail::next_due(db, at); };
    co_return co_await core.read(std::move(work));
}

}  // namespace

sqlite_worker_registry::sqlite_worker_registry(std::unique_ptr<sqlite_detail::core> core)
    : announcing_store{core->key(), {.next_due = [from = core.get()] { return due_in(*from); }}},
      core_{std::move(core)}
{
}

sqlite_worker_registry::~sqlite_worker_registry() = default;

task<worker_id> sqlite_worker_registry::enter(worker_entry entry)
{
    check_limits(entry);
    auto work = [entry = std::move(entry)](connection& db, const moment& at) {
        return sqlite_detail::enter_worker(db, entry, at);
    };
    co_return co_await core_->write(std::move(work), worker_row_bytes);
}

// The moment is that of the call, not of its turn in the queue.
task<heartbeat_report> sqlite_worker_registry::heartbeat(worker_id worker, std::chrono::milliseconds lifetime)
{
    auto work = [worker, lifetime](connection& db, const moment& at) {
        return sqlite_detail::prolong_worker(db, worker, lifetime, at);
    };
    co_return co_await core_->write(std::move(work), worker_row_bytes);
}

task<bool> sqlite_worker_registry::change_graphs(worker_id worker, std::vector<graph_ability> graphs)
{
    check_limits(graphs);
    auto work = [worker, graphs = std::move(graphs)](connection& db, const moment&) {
        return sqlite_detail::change_graphs_of(db, worker, graphs);
    };
    co_return co_await core_->write(std::move(work), worker_row_bytes);
}

task<void> sqlite_worker_registry::leave(worker_id worker)
{
    auto work = [worker](connection& db, const moment& at) { sqlite_detail::remove_worker(db, worker, at); };
    co_await core_->write(std::move(work), worker_row_bytes);
    store_detail::announce_changes(*news(), true);
}

task<std::size_t> sqlite_worker_registry::reap(std::size_t runs_max)
{
    auto work = [runs_max](connection& db, const moment& at) { return sqlite_detail::reap_workers(db, runs_max, at); };
    const std::size_t count = co_await core_->write(std::move(work), worker_row_bytes);
    store_detail::announce_changes(*news(), count > 0);
    co_return count;
}

}  // namespace weft
