#include "model_lists.hpp"

#include "store/record/json_contains.hpp"
#include "store/record/limit_checks.hpp"
#include "store/record/list_cursor.hpp"
#include "store/record/list_rules.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json.hpp>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace weft::store_detail {

namespace {

// Without a filter nothing is parsed, which is most of the time of a list.
bool contains_object(const std::string& text, const std::string& filter)
{
    return filter == "{}" || json_contains(parse_json(text), parse_json(filter));
}

template <class Phase>
bool is_one_of(Phase phase, const std::vector<Phase>& phases)
{
    return phases.empty() || std::find(phases.begin(), phases.end(), phase) != phases.end();
}

stored_run listed(const run_row& row)
{
    const run_record& record = row.record;
    stored_run run;
    run.id = record.id;
    run.thread = record.thread;
    run.phase = record.phase;
    run.signal = record.signal;
    run.graph = record.graph;
    run.revision = record.revision;
    run.message = record.message;
    run.attempt = record.attempt;
    run.created = record.created;
    run.changed = record.changed;
    run.ended = record.ended;
    run.metadata = record.metadata;
    run.webhook = record.webhook;
    run.idempotency_key = row.idempotency_key;
    run.priority = record.priority;
    run.not_before = record.not_before;
    return run;
}

bool is_between(wall_time time, std::optional<wall_time> from, std::optional<wall_time> before)
{
    return (!from || time >= *from) && (!before || time < *before);
}

bool is_wanted(const run_record& run, const run_query& query)
{
    return (!query.tenant || *query.tenant == run.thread.tenant) &&
           (!query.thread || *query.thread == run.thread.thread) && (!query.graph || *query.graph == run.graph) &&
           is_one_of(run.phase, query.phases) && is_between(run.created, query.created_from, query.created_before) &&
           is_between(run.changed, query.changed_from, query.changed_before) &&
           contains_object(run.metadata, query.contains);
}

std::optional<run_phase> phase_of(const store_tables& tables, std::optional<run_id> run)
{
    return run ? std::optional{tables.runs.at(*run).record.phase} : std::nullopt;
}

stored_thread listed(const store_tables& tables, const thread_key& key, const thread_row& row)
{
    stored_thread thread;
    thread.thread = key;
    thread.head = row.head;
    thread.active = row.active;
    thread.changed = row.changed;
    thread.created = row.created;
    thread.metadata = row.metadata;
    thread.values = row.values;
    // The last run that ended tells whether an idle thread failed.
    const std::optional<run_id> last = row.ended.empty() ? std::nullopt : std::optional{row.ended.back()};
    thread.phase = phase_of_thread(phase_of(tables, row.active), phase_of(tables, last));
    return thread;
}

/** A thread of a list with its place in it. */
struct placed_thread {
    stored_thread thread;
    list_cursor place;
};

list_cursor place_of(const thread_key& key, const thread_row& row, list_order order)
{
    if (order == list_order::by_name) return {0, 0, key.tenant, key.thread};
    const auto no = static_cast<std::int64_t>(row.no);
    if (order != list_order::last_changed_first) return {no, 0, {}, {}};
    return {row.changed.time_since_epoch().count(), no, {}, {}};
}

bool stands_before(const list_cursor& one, const list_cursor& other, list_order order)
{
    if (order == list_order::by_name) return std::tie(one.tenant, one.name) < std::tie(other.tenant, other.name);
    const auto numbers = [](const list_cursor& place) { return std::pair{place.first, place.second}; };
    return order == list_order::oldest_first ? numbers(one) < numbers(other) : numbers(one) > numbers(other);
}

std::vector<placed_thread> matching_threads(const store_tables& tables, const thread_query& query)
{
    std::vector<placed_thread> found;
    for (const auto& [key, row] : tables.threads) {
        if (query.tenant && *query.tenant != key.tenant) continue;
        stored_thread thread = listed(tables, key, row);
        if (!is_between(row.changed, query.changed_from, query.changed_before)) continue;
        if (!is_one_of(thread.phase, query.phases) || !contains_object(row.metadata, query.metadata_contains) ||
            !contains_object(row.values, query.values_contain))
            continue;
        found.push_back({std::move(thread), place_of(key, row, query.order)});
    }
    return found;
}

}  // namespace

run_page search_runs(const store_tables& tables, const run_query& query)
{
    check_limits(query);
    const std::int64_t after = query.after.empty() ? 0 : list_cursor::parse(query.after).first;
    const auto is_behind = [&](const run_row& row) {
        const auto order = static_cast<std::int64_t>(row.order);
        return query.after.empty() || (query.is_newest_first ? order < after : order > after);
    };
    std::vector<const run_row*> found;
    for (const auto& [id, row] : tables.runs)
        if (is_behind(row) && is_wanted(row.record, query)) found.push_back(&row);
    std::sort(found.begin(), found.end(), [&](const run_row* one, const run_row* other) {
        return query.is_newest_first ? one->order > other->order : one->order < other->order;
    });
    run_page page;
    for (const run_row* row : found) {
        if (page.runs.size() == query.count_max) break;
        page.runs.push_back(listed(*row));
    }
    if (found.size() > page.runs.size() && !page.runs.empty())
        page.next = list_cursor{static_cast<std::int64_t>(found[page.runs.size() - 1]->order), 0, {}, {}}.text();
    return page;
}

std::size_t count_runs(const store_tables& tables, const run_query& query)
{
    check_limits(query);
    return static_cast<std::size_t>(std::count_if(tables.runs.begin(), tables.runs.end(), [&](const auto& each) {
        return is_wanted(each.second.record, query);
    }));
}

bool create_thread(store_tables& tables, const thread_key& thread, std::string metadata, wall_time now)
{
    check_limits(thread);
    check_limits(thread_change{.metadata = metadata});
    if (tables.threads.contains(thread)) return false;
    thread_row& row = tables.thread_made(thread, now);
    row.changed = now;
    row.metadata = std::move(metadata);
    return true;
}

bool copy_thread(store_model& model, const thread_key& from, const thread_key& to, checkpoint_id id, store_moment at)
{
    check_limits(to);
    if (from.tenant != to.tenant)
        throw error{errc::store_refused, "thread '" + from.thread + "'", "threads are copied within their tenant"};
    store_tables& tables = model.tables();
    const auto source = tables.threads.find(from);
    const auto taken = tables.threads.find(to);
    if (source == tables.threads.end() || source == taken || tables.places.contains(id)) return false;
    if (taken != tables.threads.end() && taken->second.head > 0) return false;
    const std::int64_t head = source->second.head;
    // A fork refuses what was asked above and nothing else, or it throws before anything changes.
    if (head > 0) static_cast<void>(model.fork(from, head, to, id, at));
    thread_row& copy = tables.thread_made(to, at.today);
    copy.metadata = source->second.metadata;
    copy.values = source->second.values;
    copy.changed = at.today;
    return true;
}

std::optional<stored_thread> find_stored_thread(const store_tables& tables, const thread_key& thread)
{
    const auto found = tables.threads.find(thread);
    return found == tables.threads.end() ? std::nullopt : std::optional{listed(tables, thread, found->second)};
}

bool update_thread(store_tables& tables, const thread_key& thread, const thread_change& change)
{
    check_limits(change);
    const auto found = tables.threads.find(thread);
    if (found == tables.threads.end()) return false;
    thread_row& row = found->second;
    if (change.metadata) row.metadata = merged_objects(row.metadata, *change.metadata);
    // Values are replaced as a whole: they are what a state was, not what was said about it.
    if (change.values) row.values = *change.values;
    return true;
}

thread_page search_threads(const store_tables& tables, const thread_query& query)
{
    check_limits(query);
    std::vector<placed_thread> found = matching_threads(tables, query);
    if (!query.after.empty()) {
        const list_cursor after = list_cursor::parse(query.after);
        std::erase_if(found, [&](const placed_thread& each) { return !stands_before(after, each.place, query.order); });
    }
    std::sort(found.begin(), found.end(), [&](const placed_thread& one, const placed_thread& other) {
        return stands_before(one.place, other.place, query.order);
    });
    thread_page page;
    const std::size_t count = std::min(found.size(), query.count_max);
    if (found.size() > count && count > 0) page.next = found[count - 1].place.text();
    for (std::size_t i = 0; i < count; ++i) page.threads.push_back(std::move(found[i].thread));
    return page;
}

std::size_t count_threads(const store_tables& tables, const thread_query& query)
{
    check_limits(query);
    return matching_threads(tables, query).size();
}

}  // namespace weft::store_detail
