#include "model_documents.hpp"

#include "store/record/json_contains.hpp"
#include "store/record/limit_checks.hpp"
#include "store/record/list_cursor.hpp"

#include <weft/base/json.hpp>
#include <weft/base/json/json_reading.hpp>

#include <algorithm>
#include <tuple>
#include <utility>

namespace weft::store_detail {

namespace {

using document_rows = std::vector<const document_row*>;

bool has_expected_revision(const store_tables& tables, const document_change& change)
{
    if (!change.expected) return true;
    const auto found = tables.documents.find(change.key);
    return *change.expected == (found == tables.documents.end() ? 0 : found->second.document.revision);
}

void apply_change(store_tables& tables, document_change change, wall_time now)
{
    if (!change.body) {
        tables.documents.erase(change.key);
        return;
    }
    const auto [found, is_new] = tables.documents.try_emplace(change.key);
    document_row& row = found->second;
    row.change_no = ++tables.last_change;
    if (is_new) {
        row.no = row.change_no;
        row.document.key = std::move(change.key);
        row.document.created = now;
    }
    row.document.revision += 1;
    row.document.body = std::move(*change.body);
    row.document.changed = now;
    row.document.due = change.due;
}

/** All documents that a query asks for, in no order. */
document_rows matching_documents(const store_tables& tables, const document_query& query)
{
    const boost::json::value wanted = checked_object(query.contains, document_limits::body_bytes_max, "filter");
    document_rows found;
    for (auto each = tables.documents.lower_bound(document_key{query.kind, {}, {}}); each != tables.documents.end();
         ++each) {
        const document_row& row = each->second;
        if (row.document.key.kind != query.kind) break;
        if (query.tenant && *query.tenant != row.document.key.tenant) continue;
        if (wanted.get_object().empty() || json_contains(parse_json(row.document.body), wanted)) found.push_back(&row);
    }
    return found;
}

list_cursor document_cursor(const document_row& row, list_order order)
{
    const document_key& key = row.document.key;
    if (order == list_order::by_name) return {0, 0, key.tenant, key.id};
    return {static_cast<std::int64_t>(order == list_order::last_changed_first ? row.change_no : row.no), 0, {}, {}};
}

/** Whether the row of the first cursor stands before that of the second one. */
bool document_precedes(const list_cursor& one, const list_cursor& other, list_order order)
{
    if (order == list_order::by_name) return std::tie(one.tenant, one.name) < std::tie(other.tenant, other.name);
    return order == list_order::oldest_first ? one.first < other.first : one.first > other.first;
}

/** Documents of a kind whose time has come, those that have waited longest first. */
std::vector<document_key> due_documents(const store_tables& tables, const std::string& kind, std::size_t count_max,
                                        wall_time now)
{
    std::vector<std::pair<wall_time, document_key>> due;
    for (auto each = tables.documents.lower_bound(document_key{kind, {}, {}});
         each != tables.documents.end() && each->first.kind == kind; ++each)
        if (each->second.document.due && *each->second.document.due <= now)
            due.emplace_back(*each->second.document.due, each->first);
    // Those that have waited longest come first; there is no index, as tests have few documents.
    std::sort(due.begin(), due.end());
    std::vector<document_key> keys;
    for (auto& [time, key] : due)
        if (keys.size() < count_max) keys.push_back(std::move(key));
    return keys;
}

}  // namespace

void add_document(store_tables& tables, document_change made, wall_time now)
{
    if (has_expected_revision(tables, made)) apply_change(tables, std::move(made), now);
}

bool write_documents(store_tables& tables, std::vector<document_change> changes, store_moment at)
{
    check_limits(changes);
    const auto is_expected = [&](const document_change& each) { return has_expected_revision(tables, each); };
    // All conditions are looked at before anything changes.
    if (!std::all_of(changes.begin(), changes.end(), is_expected)) return false;
    for (document_change& each : changes) apply_change(tables, std::move(each), at.today);
    return true;
}

std::optional<stored_document> read_document(const store_tables& tables, const document_key& key)
{
    const auto found = tables.documents.find(key);
    return found == tables.documents.end() ? std::nullopt : std::optional{found->second.document};
}

document_page search_documents(const store_tables& tables, const document_query& query)
{
    check_limits(query);
    document_rows found = matching_documents(tables, query);
    if (!query.after.empty()) {
        const list_cursor after = list_cursor::parse(query.after);
        std::erase_if(found, [&](const document_row* row) {
            return !document_precedes(after, document_cursor(*row, query.order), query.order);
        });
    }
    std::sort(found.begin(), found.end(), [&](const document_row* one, const document_row* other) {
        return document_precedes(document_cursor(*one, query.order), document_cursor(*other, query.order), query.order);
    });
    document_page page;
    const bool goes_on = found.size() > query.count_max;
    if (goes_on) found.resize(query.count_max);
    for (const document_row* row : found) page.documents.push_back(row->document);
    if (goes_on && !found.empty()) page.next = document_cursor(*found.back(), query.order).text();
    return page;
}

std::size_t count_documents(const store_tables& tables, const document_query& query)
{
    check_limits(query);
    return matching_documents(tables, query).size();
}

std::vector<stored_document> take_due_documents(store_tables& tables, const std::string& kind,
                                                std::chrono::milliseconds lease, std::size_t count_max, store_moment at)
{
    std::vector<stored_document> taken;
    for (const document_key& key : due_documents(tables, kind, count_max, at.today)) {
        document_row& row = tables.documents.at(key);
        // The revision tells a taker that was too slow from the one that has the document now.
        row.document.due = at.today + lease;
        row.document.revision += 1;
        taken.push_back(row.document);
    }
    return taken;
}

std::size_t erase_due_documents(store_tables& tables, const std::string& kind, std::size_t count_max, store_moment at)
{
    const std::vector<document_key> due = due_documents(tables, kind, count_max, at.today);
    for (const document_key& key : due) tables.documents.erase(key);
    return due.size();
}

}  // namespace weft::store_detail
