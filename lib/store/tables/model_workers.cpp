#include "model_workers.hpp"

#include "model_queue.hpp"
#include "run_line.hpp"
#include "store/record/limit_checks.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace weft::store_detail {

worker_id enter_worker(const model_access& store, worker_entry entry)
{
    check_limits(entry);
    worker_row row;
    row.name = std::move(entry.name);
    row.until = store.at.now + entry.lifetime;
    row.since = row.seen = store.at.today;
    row.graphs = std::move(entry.graphs);
    store.tables.workers.emplace(store.tables.last_worker + 1, std::move(row));
    return ++store.tables.last_worker;
}

heartbeat_report keep_worker_alive(const model_access& store, worker_id worker, std::chrono::milliseconds lifetime)
{
    heartbeat_report report;
    const auto found = store.tables.workers.find(worker);
    // A worker that was late and has not been given up yet lives on.
    if (found == store.tables.workers.end() || found->second.is_given_up) return report;
    report.is_alive = true;
    found->second.until = store.at.now + lifetime;
    found->second.seen = store.at.today;
    for (const run_id& id : found->second.runs) {
        const run_signal signal = store.tables.runs.at(id).record.signal;
        if (signal != run_signal::none) report.signals.push_back({id, signal});
    }
    return report;
}

bool change_graphs_of(store_tables& tables, worker_id worker, std::vector<graph_ability> graphs)
{
    check_limits(graphs);
    const auto found = tables.workers.find(worker);
    if (found == tables.workers.end() || found->second.is_given_up) return false;
    found->second.graphs = std::move(graphs);
    return true;
}

void leave_worker(const model_access& store, worker_id worker)
{
    const auto found = store.tables.workers.find(worker);
    if (found == store.tables.workers.end()) return;
    const std::set<run_id> runs = found->second.runs;
    for (const run_id& id : runs) {
        run_row& run = store.tables.runs.at(id);
        --run.record.attempt;
        make_run_ready_again(store, run);
    }
    store.tables.workers.erase(worker);
}

std::size_t reap_workers(const model_access& store, std::size_t runs_max)
{
    std::size_t count = 0;
    if (store.options.flaw == store_flaw::no_reap) return count;
    for (auto each = store.tables.workers.begin(); each != store.tables.workers.end();) {
        worker_row& worker = each->second;
        if (!worker.is_given_up && store.at.now < worker.until) {
            ++each;
            continue;
        }
        worker.is_given_up = true;  // from here its writes are fenced, also of runs that must wait for the next reap
        while (!worker.runs.empty() && count < runs_max) {
            run_row& run = store.tables.runs.at(*worker.runs.begin());
            ++count;
            // Of the runs that a worker had any may have ended it; of suspects it had one.
            if (!is_suspect(store.tables, run)) run.record.attempt = 1;
            run.suspected_at = find_thread(store.tables, run.record.thread)->head;
            note_lost_attempt(store, run.record, "the worker '" + worker.name + "' was lost");
            if (run.record.attempt < run.attempts_max) {
                make_run_ready_later(store, run, back_off_of_run(store, run));
                continue;
            }
            end_run(store, run, run_phase::dead,
                    "taken up " + std::to_string(run.record.attempt) + " times without an end");
        }
        if (!worker.runs.empty()) break;
        each = store.tables.workers.erase(each);
    }
    return count;
}

std::optional<std::chrono::milliseconds> next_due(const store_tables& tables, store_moment at)
{
    using std::chrono::milliseconds;
    std::optional<milliseconds> next;
    const auto consider = [&next](milliseconds span) {
        next = std::max(milliseconds{0}, next ? std::min(*next, span) : span);
    };
    for (const auto& [id, worker] : tables.workers)
        if (!worker.is_given_up) consider(std::chrono::ceil<milliseconds>(worker.until - at.now));
    if (!tables.later.empty()) consider(std::chrono::ceil<milliseconds>(tables.later.begin()->first.first - at.today));
    for (const auto& [name, bucket] : tables.buckets)
        if (bucket.opens) consider(std::chrono::ceil<milliseconds>(*bucket.opens - at.today));
    return next;
}

}  // namespace weft::store_detail
