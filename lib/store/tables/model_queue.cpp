#include "model_queue.hpp"

#include "model_documents.hpp"
#include "run_line.hpp"
#include "store/record/queue_turn.hpp"

#include <weft/store/record/abilities.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

namespace weft::store_detail {

namespace {

rule_book rules_of(const store_tables& tables)
{
    const auto first = tables.documents.lower_bound(document_key{rule_kind, "", ""});
    if (first == tables.documents.end() || first->first.kind != rule_kind) return rule_book{nullptr};
    return rule_book{[&tables](const std::string& id) {
        const std::optional<stored_document> found = read_document(tables, document_key{rule_kind, "", id});
        return found ? std::optional{found->body} : std::nullopt;
    }};
}

/** The queue of a store, as `take_in_turn` goes through it. */
class ready_runs {
public:
    using run = run_row*;

    ready_runs(const model_access& store, worker_id worker)
        : store_{store}, worker_{store.tables.workers.at(worker)}, rules_{rules_of(store.tables)}
    {
        for (auto& [name, bucket] : store.tables.buckets)
            if (bucket.opens && *bucket.opens <= store.at.today) bucket.opens.reset();
    }

    [[nodiscard]] std::optional<std::string> tenant_behind(const std::string* tenant) const
    {
        const auto& ready = store_.tables.ready;
        const auto next = tenant ? ready.upper_bound(*tenant) : ready.begin();
        return next == ready.end() ? std::nullopt : std::optional{next->first};
    }

    [[nodiscard]] std::uint32_t weight(const std::string& tenant) { return rules_.weight(tenant); }

    [[nodiscard]] std::optional<run_row*> take(const std::string& tenant)
    {
        const auto of_tenant = store_.tables.ready.find(tenant);
        if (of_tenant == store_.tables.ready.end()) return std::nullopt;
        // What was held back once in a claim stays so: the next look begins behind it.
        std::pair<std::int64_t, std::uint64_t>& seen = seen_.try_emplace(tenant, INT64_MIN, 0).first->second;
        for (auto next = of_tenant->second.upper_bound(seen); next != of_tenant->second.end(); ++next) {
            seen = next->first;
            run_row& run = store_.tables.runs.at(next->second);
            if (!is_able(run.record)) continue;
            const std::optional<limit_scope> holds_back = enter_buckets(run);
            if (holds_back == limit_scope::tenant) seen.first = INT64_MAX;
            if (holds_back == limit_scope::tenant) break;
            if (holds_back) continue;
            leave_queue(store_, run);
            return &run;
        }
        return std::nullopt;
    }

    [[nodiscard]] bool may_take(run_row& suspect) { return is_able(suspect.record) && !enter_buckets(suspect); }

private:
    [[nodiscard]] bool is_able(const run_record& run) const
    {
        return store_.options.flaw == store_flaw::no_abilities ||
               has_ability(worker_.graphs, run.graph, run.revision);
    }

    /** All of them, or none: then what kind of limit holds it back. */
    [[nodiscard]] std::optional<limit_scope> enter_buckets(run_row& run)
    {
        if (store_.options.flaw == store_flaw::no_limits) return std::nullopt;
        const std::vector<bucket_limit> limits =
            rules_.limits_of(run.record.thread.tenant, run.record.graph, run.record.limit_keys);
        for (const bucket_limit& each : limits) {
            bucket_row& bucket = store_.tables.buckets[each.bucket];
            const bucket_state state{bucket.active, bucket.next_even};
            if (!state.has_room(each.limit)) return each.of;
            if (!each.limit.rate || state.opens(*each.limit.rate) <= store_.at.today) continue;
            bucket.opens = state.opens(*each.limit.rate);
            return each.of;
        }
        for (const bucket_limit& each : limits) {
            bucket_row& bucket = store_.tables.buckets[each.bucket];
            bucket_state state{bucket.active, bucket.next_even};
            state.take(each.limit, store_.at.today);
            bucket.active = state.active;
            bucket.next_even = state.next_even;
            run.buckets.push_back(each.bucket);
        }
        return std::nullopt;
    }

    const model_access& store_;
    const worker_row& worker_;
    rule_book rules_;
    std::map<std::string, std::pair<std::int64_t, std::uint64_t>> seen_;  // of each tenant, how far this claim looked
};

/** A queue without turns. */
std::vector<run_row*> oldest_of_all(const model_access& store, ready_runs& source, std::size_t max)
{
    std::vector<run_row*> taken;
    while (taken.size() < max && !store.tables.ready.empty()) {
        const auto oldest = std::min_element(
            store.tables.ready.begin(), store.tables.ready.end(),
            [](const auto& a, const auto& b) { return a.second.begin()->first < b.second.begin()->first; });
        const std::optional<run_row*> run = source.take(std::string{oldest->first});
        if (!run) break;
        taken.push_back(*run);
    }
    return taken;
}

}  // namespace

bool can_run(const model_access& store, worker_id worker, const run_record& run)
{
    const worker_row* row = living_worker(store, worker);
    return row && has_ability(row->graphs, run.graph, run.revision);
}

std::vector<bucket_limit> limits_of_run(const model_access& store, const run_row& run)
{
    return rules_of(store.tables).limits_of(run.record.thread.tenant, run.record.graph, run.record.limit_keys);
}

bool may_start_at_once(const model_access& store, const run_row& run, worker_id worker)
{
    return can_run(store, worker, run.record) && limits_of_run(store, run).empty();
}

std::vector<run_row*> next_in_turn(const model_access& store, worker_id worker, run_row* suspect, std::size_t max)
{
    ready_runs source{store, worker};
    const bool has_suspect = suspect && source.may_take(*suspect);
    if (has_suspect) --max;
    queue_turn turn{store.tables.turn_tenant, store.tables.turn_left};
    std::vector<run_row*> taken = store.options.flaw == store_flaw::no_turns ? oldest_of_all(store, source, max)
                                                                             : take_in_turn(source, turn, max);
    store.tables.turn_tenant = std::move(turn.tenant);
    store.tables.turn_left = turn.left;
    if (has_suspect) taken.push_back(suspect);
    return taken;
}

std::chrono::milliseconds back_off_of_run(const model_access& store, const run_row& run)
{
    return back_off(rules_of(store.tables).retry(run.record.graph), run.record.attempt, run.record.id);
}

bool try_run_again(const model_access& store, run_row& run, const std::string& cause)
{
    const retry_rule rule = rules_of(store.tables).retry(run.record.graph);
    if (!rule.retries_failures) return false;
    note_lost_attempt(store, run.record, cause);
    if (run.record.attempt >= run.attempts_max)
        end_run(store, run, run_phase::dead, cause);
    else
        make_run_ready_later(store, run, back_off(rule, run.record.attempt, run.record.id));
    return true;
}

std::size_t forget_idle_buckets(store_tables& tables, wall_time now)
{
    return std::erase_if(tables.buckets, [&](const auto& each) {
        const bucket_row& bucket = each.second;
        return bucket.active == 0 && !bucket.opens && bucket.next_even <= now;
    });
}

std::vector<queue_depth> queue_depths(const store_tables& tables, std::size_t count_max)
{
    std::map<std::tuple<std::string, std::string, std::string, run_phase>, queue_depth> found;
    for (const auto& [id, row] : tables.runs) {
        const run_record& run = row.record;
        if (run.phase > run_phase::running) continue;
        queue_depth& depth = found[{run.thread.tenant, run.graph, run.revision, run.phase}];
        if (depth.count == 0 || run.created < depth.oldest) depth.oldest = run.created;
        ++depth.count;
    }
    std::vector<queue_depth> depths;
    for (auto& [kind, depth] : found) {
        if (depths.size() == count_max) break;
        std::tie(depth.tenant, depth.graph, depth.revision, depth.phase) = kind;
        depth.count = std::min(depth.count, queue_counted_max);
        depths.push_back(std::move(depth));
    }
    return depths;
}

std::vector<dead_runs> dead_by_graph(const store_tables& tables, std::size_t count_max)
{
    std::map<std::string, std::size_t> found;
    std::size_t counted = 0;
    for (const auto& [id, row] : tables.runs)
        if (row.record.phase == run_phase::dead && counted++ < queue_counted_max) ++found[row.record.graph];
    std::vector<dead_runs> graphs;
    for (const auto& [graph, count] : found)
        if (graphs.size() < count_max) graphs.push_back({graph, count});
    return graphs;
}

std::vector<unclaimable_runs> runs_no_worker_can(const store_tables& tables, std::size_t count_max, store_moment at)
{
    const auto is_known = [&](const run_record& run) {
        return std::any_of(tables.workers.begin(), tables.workers.end(), [&](const auto& each) {
            const worker_row& worker = each.second;
            return !worker.is_given_up && at.now < worker.until && may_claim(worker.graphs, run.graph, run.revision);
        });
    };
    std::map<std::pair<std::string, std::string>, unclaimable_runs> found;
    for (const auto& [id, row] : tables.runs) {
        const run_record& run = row.record;
        if (run.phase != run_phase::ready || is_known(run)) continue;
        unclaimable_runs& kind = found[{run.graph, run.revision}];
        if (kind.count == 0 || run.created < kind.oldest) kind.oldest = run.created;
        ++kind.count;
    }
    std::vector<unclaimable_runs> kinds;
    for (auto& [name, kind] : found) {
        if (kinds.size() == count_max) break;
        std::tie(kind.graph, kind.revision) = name;
        kind.count = std::min(kind.count, queue_counted_max);
        kinds.push_back(std::move(kind));
    }
    return kinds;
}

std::vector<listed_worker> list_workers(const store_tables& tables, std::size_t count_max, store_moment at)
{
    std::vector<listed_worker> found;
    for (auto each = tables.workers.rbegin(); each != tables.workers.rend() && found.size() < count_max; ++each) {
        const worker_row& row = each->second;
        listed_worker worker;
        worker.id = each->first;
        worker.name = row.name;
        worker.since = row.since;
        worker.seen = row.seen;
        worker.is_alive = !row.is_given_up && at.now < row.until;
        worker.runs = row.runs.size();
        worker.graphs = row.graphs;
        found.push_back(std::move(worker));
    }
    return found;
}

}  // namespace weft::store_detail
