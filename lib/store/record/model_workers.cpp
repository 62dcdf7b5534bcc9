#include <weft/store/record/store_model.hpp>

#include "limit_checks.hpp"

namespace weft {

store_detail::worker_row* store_model::living_worker(worker_id worker, store_moment at)
{
    const auto found = tables_.workers.find(worker);
    if (found == tables_.workers.end()) return nullptr;
    worker_row& row = found->second;
    return row.is_given_up || at.now >= row.until ? nullptr : &row;
}

worker_id store_model::enter(std::string name, std::chrono::milliseconds lifetime, store_moment at)
{
    check_name_limit(name, "worker");
    worker_row row;
    row.name = std::move(name);
    row.until = at.now + lifetime;
    tables_.workers.emplace(tables_.last_worker + 1, std::move(row));
    return ++tables_.last_worker;
}

heartbeat_report store_model::heartbeat(worker_id worker, std::chrono::milliseconds lifetime, store_moment at)
{
    heartbeat_report report;
    const auto found = tables_.workers.find(worker);
    // Who was late and has not been given up yet lives on.
    if (found == tables_.workers.end() || found->second.is_given_up) return report;
    report.is_alive = true;
    found->second.until = at.now + lifetime;
    for (const run_id& id : found->second.runs) {
        const run_signal signal = tables_.runs.at(id).record.signal;
        if (signal != run_signal::none) report.signals.push_back({id, signal});
    }
    return report;
}

void store_model::leave(worker_id worker, store_moment at)
{
    const auto found = tables_.workers.find(worker);
    if (found == tables_.workers.end()) return;
    const std::set<run_id> runs = found->second.runs;
    for (const run_id& id : runs) {
        run_row& run = tables_.runs.at(id);
        --run.record.attempt;
        back_to_ready(run, at);
    }
    tables_.workers.erase(worker);
}

std::size_t store_model::reap(std::size_t runs_max, store_moment at)
{
    std::size_t count = 0;
    if (options_.flaw == store_flaw::no_reap) return count;
    for (auto each = tables_.workers.begin(); each != tables_.workers.end();) {
        worker_row& worker = each->second;
        if (!worker.is_given_up && at.now < worker.until) {
            ++each;
            continue;
        }
        worker.is_given_up = true;  // from here its writes are fenced, also of runs that must wait for the next reap
        while (!worker.runs.empty() && count < runs_max) {
            run_row& run = tables_.runs.at(*worker.runs.begin());
            ++count;
            // Of the runs that a worker had any may have ended it; of suspects it had one.
            if (!is_suspect(run)) run.record.attempt = 1;
            run.suspected_at = find_thread(run.record.thread)->head;
            if (run.record.attempt < run.attempts_max) {
                back_to_ready(run, at);
                continue;
            }
            end(run, run_phase::dead, "taken up " + std::to_string(run.record.attempt) + " times without an end", at);
        }
        if (!worker.runs.empty()) break;
        each = tables_.workers.erase(each);
    }
    return count;
}

}  // namespace weft
