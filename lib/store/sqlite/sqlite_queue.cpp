#include "sqlite_queue.hpp"

#include "sqlite_workers.hpp"
#include "store/record/queue_texts.hpp"

#include <weft/store/record/abilities.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <utility>

namespace weft::sqlite_detail {

namespace {

using store_detail::bucket_limit;
using store_detail::bucket_state;
using store_detail::rule_book;

rule_book rules_of(connection& db)
{
    if (!query{db, "SELECT 1 FROM document WHERE kind = 'queue_rule' LIMIT 1"}.next()) return rule_book{nullptr};
    return rule_book{[&db](const std::string& id) {
        query asked{db, "SELECT body FROM document WHERE kind = 'queue_rule' AND tenant = '' AND id = ?", id};
        return asked.next() ? std::optional{asked.text(0)} : std::nullopt;
    }};
}

std::vector<graph_ability> abilities_of(connection& db, worker_id worker)
{
    query asked{db, "SELECT graphs FROM worker WHERE no = ?", worker};
    return asked.next() ? store_detail::abilities_in(asked.text(0)) : std::vector<graph_ability>{};
}

/** Runs of one tenant, graph and revision, in their order; read in portions. */
struct queue_lane {
    std::string graph;
    std::string revision;
    std::int64_t place = INT64_MIN;  // of the last run that was read
    std::int64_t no = 0;
    std::deque<run_row> next;
    bool is_read = false;            // to the end
    bool is_closed = false;          // a limit of its graph holds it back
};

/** The queue of a file, as `take_in_turn` goes through it. */
class ready_runs {
public:
    using run = run_row;

    ready_runs(connection& db, const queue_portion& wanted)
        : db_{db}, at_{wanted.at}, rules_{rules_of(db)}, graphs_{abilities_of(db, wanted.worker)},
          portion_{std::clamp<std::size_t>(wanted.max, 1, 64)}
    {
        query{db, "UPDATE bucket SET opens = NULL WHERE opens <= ?", stored(at_.today)}.run();
    }

    [[nodiscard]] std::optional<std::string> tenant_behind(const std::string* tenant)
    {
        if (!tenant) {
            query first{db_, "SELECT tenant FROM run WHERE phase = 1 ORDER BY tenant LIMIT 1"};
            return first.next() ? std::optional{first.text(0)} : std::nullopt;
        }
        query next{db_, "SELECT tenant FROM run WHERE phase = 1 AND tenant > ? ORDER BY tenant LIMIT 1", *tenant};
        return next.next() ? std::optional{next.text(0)} : std::nullopt;
    }

    [[nodiscard]] std::uint32_t weight(const std::string& tenant) { return rules_.weight(tenant); }

    [[nodiscard]] bool may_take(run_row& suspect)
    {
        return store_detail::has_ability(graphs_, suspect.graph, suspect.revision) && !enter_buckets(suspect);
    }

    [[nodiscard]] std::optional<run_row> take(const std::string& tenant)
    {
        const auto [found, is_new] = tenants_.try_emplace(tenant);
        if (is_new) found->second = lanes_of(tenant);
        while (queue_lane* const lane = first_of(tenant, found->second)) {
            run_row run = std::move(lane->next.front());
            lane->next.pop_front();
            const std::optional<limit_scope> holds_back = enter_buckets(run);
            if (!holds_back) return run;
            if (holds_back == limit_scope::graph) lane->is_closed = true;
            if (holds_back == limit_scope::tenant) found->second.clear();
        }
        return std::nullopt;
    }

private:
    /** The graphs and revisions of a tenant that the worker can run: each is found by a step in the index. */
    [[nodiscard]] std::vector<queue_lane> lanes_of(const std::string& tenant)
    {
        std::vector<queue_lane> lanes;
        std::optional<std::pair<std::string, std::string>> at;
        for (;;) {
            {
                // What a query is given lives until it has run.
                const std::string_view graph = at ? std::string_view{at->first} : std::string_view{};
                const std::string_view revision = at ? std::string_view{at->second} : std::string_view{};
                query next{db_,
                           "SELECT graph, revision FROM run WHERE phase = 1 AND tenant = ?1 AND "
                           "(graph, revision) > (?2, ?3) ORDER BY graph, revision LIMIT 1",
                           tenant, graph, revision};
                query first{db_,
                            "SELECT graph, revision FROM run WHERE phase = 1 AND tenant = ?1 "
                            "ORDER BY graph, revision LIMIT 1",
                            tenant};
                query& found = at ? next : first;
                if (!found.next()) return lanes;
                at.emplace(found.text(0), found.text(1));
            }
            if (!store_detail::has_ability(graphs_, at->first, at->second)) continue;
            lanes.emplace_back();
            lanes.back().graph = at->first;
            lanes.back().revision = at->second;
        }
    }

    [[nodiscard]] queue_lane* first_of(const std::string& tenant, std::vector<queue_lane>& lanes)
    {
        queue_lane* first = nullptr;
        for (queue_lane& each : lanes) {
            if (each.is_closed) continue;
            if (each.next.empty() && !each.is_read) read_on(tenant, each);
            if (each.next.empty()) continue;
            const auto place_of = [](const queue_lane& lane) {
                return std::pair{lane.next.front().place, lane.next.front().no};
            };
            if (!first || place_of(each) < place_of(*first)) first = &each;
        }
        return first;
    }

    void read_on(const std::string& tenant, queue_lane& lane)
    {
        query asked{db_,
                    WEFT_SQLITE_RUN_ROW
                    "r.phase = 1 AND r.tenant = ? AND r.graph = ? AND r.revision = ? AND "
                    "(r.place, r.no) > (?, ?) AND r.suspected_at IS NOT t.head ORDER BY r.place, r.no LIMIT ?",
                    tenant, lane.graph, lane.revision, lane.place, lane.no, portion_};
        while (auto row = row_of(asked)) lane.next.push_back(std::move(*row));
        lane.is_read = lane.next.size() < portion_;
        if (lane.next.empty()) return;
        lane.place = lane.next.back().place;
        lane.no = lane.next.back().no;
    }

    [[nodiscard]] bucket_state state_of(const std::string& bucket)
    {
        query asked{db_, "SELECT active, next_even FROM bucket WHERE name = ?", bucket};
        if (!asked.next()) return {};
        return {asked.integer(0), as_wall_time(asked.integer(1))};
    }

    /** All of them, or none: then what kind of limit holds it back. */
    [[nodiscard]] std::optional<limit_scope> enter_buckets(run_row& run)
    {
        const std::vector<bucket_limit> limits =
            rules_.limits_of(run.tenant, run.graph, store_detail::keys_in(run.limit_keys));
        for (const bucket_limit& each : limits) {
            if (full_.contains(each.bucket)) return each.of;
            const bucket_state state = state_of(each.bucket);
            const bool is_full = !state.has_room(each.limit);
            if (!is_full && (!each.limit.rate || state.opens(*each.limit.rate) <= at_.today)) continue;
            full_.insert(each.bucket);
            if (!is_full)
                query{db_, "UPDATE bucket SET opens = ? WHERE name = ?", stored(state.opens(*each.limit.rate)),
                      each.bucket}.run();
            return each.of;
        }
        if (limits.empty()) return std::nullopt;
        std::vector<std::string> buckets;
        for (const bucket_limit& each : limits) {
            bucket_state state = state_of(each.bucket);
            state.take(each.limit, at_.today);
            query{db_,
                  "INSERT INTO bucket (name, active, next_even) VALUES (?1, ?2, ?3) "
                  "ON CONFLICT (name) DO UPDATE SET active = ?2, next_even = ?3",
                  each.bucket, state.active, stored(state.next_even)}.run();
            buckets.push_back(each.bucket);
        }
        run.buckets = store_detail::text_of_buckets(buckets);
        query{db_, "UPDATE run SET buckets = ? WHERE no = ?", run.buckets, run.no}.run();
        return std::nullopt;
    }

    connection& db_;
    moment at_;
    rule_book rules_;
    std::vector<graph_ability> graphs_;
    std::size_t portion_;
    std::map<std::string, std::vector<queue_lane>> tenants_;
    std::set<std::string> full_;  // buckets without room, which stay so within a claim
};

}  // namespace

bool can_run(connection& db, worker_id worker, const run_row& run)
{
    return store_detail::has_ability(abilities_of(db, worker), run.graph, run.revision);
}

std::vector<bucket_limit> limits_of_run(connection& db, const run_row& run)
{
    return rules_of(db).limits_of(run.tenant, run.graph, store_detail::keys_in(run.limit_keys));
}

bool may_start_at_once(connection& db, const run_row& run, worker_id worker, const moment& at)
{
    return is_alive(db, worker, at) && can_run(db, worker, run) && limits_of_run(db, run).empty();
}

std::vector<run_row> next_in_turn(connection& db, store_detail::queue_turn& turn, std::optional<run_row> suspect,
                                  queue_portion wanted)
{
    ready_runs source{db, wanted};
    const bool has_suspect = suspect && source.may_take(*suspect);
    if (has_suspect) --wanted.max;
    std::vector<run_row> taken = store_detail::take_in_turn(source, turn, wanted.max);
    if (has_suspect) taken.push_back(std::move(*suspect));
    return taken;
}

std::size_t forget_idle_buckets(connection& db, const moment& at)
{
    query gone{db, "DELETE FROM bucket WHERE active = 0 AND opens IS NULL AND next_even <= ? RETURNING active",
               stored(at.today)};
    std::size_t count = 0;
    while (gone.next()) ++count;
    return count;
}

void leave_buckets(connection& db, const run_row& run)
{
    if (run.buckets.size() <= 2) return;
    for (const std::string& each : store_detail::buckets_in(run.buckets))
        query{db, "UPDATE bucket SET active = max(active - 1, 0) WHERE name = ?", each}.run();
    query{db, "UPDATE run SET buckets = '[]' WHERE no = ?", run.no}.run();
}

std::chrono::milliseconds back_off_of_run(connection& db, const run_row& run)
{
    return store_detail::back_off(rules_of(db).retry(run.graph), static_cast<std::uint32_t>(run.attempt), run.id);
}

bool try_run_again(connection& db, run_row& run, const std::string& cause, const moment& at)
{
    if (!rules_of(db).retry(run.graph).retries_failures) return false;
    const std::int64_t wall = stored(at.today);
    note_lost_attempt(db, run, cause, wall);
    if (run.attempt >= run.attempts_max)
        end_run(db, run, run_outcome{run_phase::dead, cause}, wall);
    else
        let_go_until(db, run, back_off_of_run(db, run), wall);
    return true;
}

std::vector<queue_depth> queue_depths(connection& db, std::size_t count_max)
{
    query asked{db,
                "SELECT tenant, graph, revision, phase, count(*), min(created) FROM run WHERE phase < 3 "
                "GROUP BY tenant, graph, revision, phase ORDER BY tenant, graph, revision, phase LIMIT ?",
                std::min<std::size_t>(count_max, INT64_MAX)};
    std::vector<queue_depth> depths;
    while (asked.next()) {
        queue_depth depth;
        depth.tenant = asked.text(0);
        depth.graph = asked.text(1);
        depth.revision = asked.text(2);
        depth.phase = phase_in(asked, 3);
        depth.count = std::min(asked.as<std::size_t>(4), queue_counted_max);
        depth.oldest = as_wall_time(asked.integer(5));
        depths.push_back(std::move(depth));
    }
    return depths;
}

std::vector<dead_runs> dead_by_graph(connection& db, std::size_t count_max)
{
    query asked{db,
                "SELECT graph, count(*) FROM (SELECT graph FROM run WHERE phase = 7 ORDER BY graph LIMIT ?) "
                "GROUP BY graph ORDER BY graph LIMIT ?",
                queue_counted_max, std::min<std::size_t>(count_max, INT64_MAX)};
    std::vector<dead_runs> graphs;
    while (asked.next()) graphs.push_back({asked.text(0), asked.as<std::size_t>(1)});
    return graphs;
}

std::vector<unclaimable_runs> runs_no_worker_can(connection& db, std::size_t count_max, const moment& at)
{
    std::vector<std::vector<graph_ability>> workers;
    {
        query living{db, "SELECT graphs FROM worker WHERE until > ?", stored(at.now)};
        while (living.next()) workers.push_back(store_detail::abilities_in(living.text(0)));
    }
    std::vector<unclaimable_runs> kinds;
    query asked{db,
                "SELECT graph, revision, count(*), min(created) FROM run WHERE phase = 1 "
                "GROUP BY graph, revision ORDER BY graph, revision"};
    while (asked.next() && kinds.size() < count_max) {
        unclaimable_runs kind;
        kind.graph = asked.text(0);
        kind.revision = asked.text(1);
        kind.count = std::min(asked.as<std::size_t>(2), queue_counted_max);
        kind.oldest = as_wall_time(asked.integer(3));
        const bool is_known = std::any_of(workers.begin(), workers.end(), [&](const auto& each) {
            return store_detail::may_claim(each, kind.graph, kind.revision);
        });
        if (!is_known) kinds.push_back(std::move(kind));
    }
    return kinds;
}

std::vector<listed_worker> list_workers(connection& db, std::size_t count_max, const moment& at)
{
    query asked{db,
                "SELECT w.no, w.name, w.since, w.seen, w.until IS NOT NULL AND w.until > ?, w.graphs, "
                "(SELECT count(*) FROM run r WHERE r.phase = 2 AND r.worker = w.no) "
                "FROM worker w ORDER BY w.no DESC LIMIT ?",
                stored(at.now), std::min<std::size_t>(count_max, INT64_MAX)};
    std::vector<listed_worker> found;
    while (asked.next()) {
        listed_worker worker;
        worker.id = asked.integer(0);
        worker.name = asked.text(1);
        worker.since = as_wall_time(asked.integer(2));
        worker.seen = as_wall_time(asked.integer(3));
        worker.is_alive = asked.integer(4) != 0;
        worker.graphs = store_detail::abilities_in(asked.text(5));
        worker.runs = asked.as<std::size_t>(6);
        found.push_back(std::move(worker));
    }
    return found;
}

}  // namespace weft::sqlite_detail
