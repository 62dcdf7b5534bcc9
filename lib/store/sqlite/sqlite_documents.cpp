#include "sqlite_documents.hpp"

#include "store/record/list_cursor.hpp"

#include <weft/base/error.hpp>

#include <algorithm>
#include <utility>

// What every statement that reads documents begins with.
#define WEFT_SQLITE_DOCUMENT \
    "SELECT kind, tenant, id, revision, body, created, changed, due, no, change_no FROM document "
// ?1 kind, ?2 tenant or null, ?3 filter.
#define WEFT_SQLITE_WANTED \
    "WHERE kind = ?1 AND (?2 IS NULL OR tenant = ?2) AND (?3 = '{}' OR weft_contains(body, ?3)) "

namespace weft::sqlite_detail {

namespace {

stored_document document_of(query& asked)
{
    stored_document found;
    found.key = {asked.text(0), asked.text(1), asked.text(2)};
    found.revision = asked.as<std::uint64_t>(3);
    found.body = asked.text(4);
    found.created = as_wall_time(asked.integer(5));
    found.changed = as_wall_time(asked.integer(6));
    if (!asked.is_null(7)) found.due = as_wall_time(asked.integer(7));
    return found;
}

/** A page of a list; ?4 whether it is the first, ?5 to ?7 the row behind which it begins, ?8 how many rows. */
sql_text page_statement(list_order order) noexcept
{
    switch (order) {
    case list_order::newest_first:
        return WEFT_SQLITE_DOCUMENT WEFT_SQLITE_WANTED "AND (?4 OR no < ?5) ORDER BY no DESC LIMIT ?8";
    case list_order::oldest_first:
        return WEFT_SQLITE_DOCUMENT WEFT_SQLITE_WANTED "AND (?4 OR no > ?5) ORDER BY no LIMIT ?8";
    case list_order::last_changed_first:
        return WEFT_SQLITE_DOCUMENT WEFT_SQLITE_WANTED "AND (?4 OR change_no < ?5) ORDER BY change_no DESC LIMIT ?8";
    case list_order::by_name: break;
    }
    return WEFT_SQLITE_DOCUMENT WEFT_SQLITE_WANTED "AND (?4 OR (tenant, id) > (?6, ?7)) ORDER BY tenant, id LIMIT ?8";
}

list_cursor cursor_behind(query& row, list_order order)
{
    if (order == list_order::by_name) return {0, 0, row.text(1), row.text(2)};
    return {row.integer(order == list_order::last_changed_first ? 9 : 8), 0, {}, {}};
}

std::uint64_t revision_of(connection& db, const document_key& key)
{
    query asked{db, "SELECT revision FROM document WHERE kind = ? AND tenant = ? AND id = ?", key.kind, key.tenant,
                key.id};
    return asked.next() ? asked.as<std::uint64_t>(0) : 0;
}

void apply_change(connection& db, const document_change& change, const moment& at)
{
    const document_key& key = change.key;
    if (!change.body) {
        query{db, "DELETE FROM document WHERE kind = ? AND tenant = ? AND id = ?", key.kind, key.tenant, key.id}.run();
        return;
    }
    query{db, "UPDATE store SET last_change = last_change + 1"}.run();
    const std::optional<std::int64_t> due = change.due ? std::optional{stored(*change.due)} : std::nullopt;
    query{db,
          "INSERT INTO document (kind, tenant, id, revision, body, created, changed, due, change_no) "
          "VALUES (?1, ?2, ?3, 1, ?4, ?5, ?5, ?6, (SELECT last_change FROM store)) "
          "ON CONFLICT DO UPDATE SET revision = revision + 1, body = ?4, changed = ?5, due = ?6, "
          "change_no = excluded.change_no",
          key.kind, key.tenant, key.id, *change.body, stored(at.today), due}.run();
}

}  // namespace

bool write_documents(connection& db, const std::vector<document_change>& changes, const moment& at)
{
    const auto is_expected = [&](const document_change& each) {
        return !each.expected || *each.expected == revision_of(db, each.key);
    };
    if (!std::all_of(changes.begin(), changes.end(), is_expected)) return false;
    for (const document_change& each : changes) apply_change(db, each, at);
    return true;
}

std::optional<stored_document> read_document(connection& db, const document_key& key)
{
    query asked{db, WEFT_SQLITE_DOCUMENT "WHERE kind = ? AND tenant = ? AND id = ?", key.kind, key.tenant, key.id};
    if (!asked.next()) return std::nullopt;
    return document_of(asked);
}

document_page search_documents(connection& db, const document_query& wanted)
{
    const list_cursor after = wanted.after.empty() ? list_cursor{} : list_cursor::parse(wanted.after);
    const std::size_t limit = std::min<std::size_t>(wanted.count_max, INT64_MAX - 1) + 1;
    query asked{db,           page_statement(wanted.order), wanted.kind,  wanted.tenant, wanted.contains,
                wanted.after.empty(), after.first,          after.tenant, after.name,    limit};
    document_page page;
    list_cursor last;
    while (asked.next()) {
        if (page.documents.size() == wanted.count_max) {
            // One more than the page was asked for, to know whether there is another page.
            if (!page.documents.empty()) page.next = last.text();
            break;
        }
        page.documents.push_back(document_of(asked));
        last = cursor_behind(asked, wanted.order);
    }
    return page;
}

std::size_t count_documents(connection& db, const document_query& wanted)
{
    query asked{db, "SELECT count(*) FROM document " WEFT_SQLITE_WANTED, wanted.kind, wanted.tenant, wanted.contains};
    return asked.next() ? asked.as<std::size_t>(0) : 0;
}

std::vector<stored_document> take_due_documents(connection& db, const due_documents& which, const moment& at)
{
    std::vector<stored_document> taken;
    std::vector<std::int64_t> numbers;
    {
        query asked{db, WEFT_SQLITE_DOCUMENT "WHERE kind = ? AND due <= ? ORDER BY due, no LIMIT ?", which.kind,
                    stored(at.today), std::min<std::size_t>(which.count_max, INT64_MAX)};
        while (asked.next()) {
            taken.push_back(document_of(asked));
            numbers.push_back(asked.integer(8));
        }
    }
    const std::int64_t until = later(stored(at.today), which.lease);
    for (std::size_t i = 0; i < taken.size(); ++i) {
        query{db, "UPDATE document SET due = ?, revision = revision + 1 WHERE no = ?", until, numbers[i]}.run();
        taken[i].revision += 1;
        taken[i].due = as_wall_time(until);
    }
    return taken;
}

std::size_t erase_due_documents(connection& db, const due_documents& which, const moment& at)
{
    query erased{db,
                 "DELETE FROM document WHERE no IN "
                 "(SELECT no FROM document WHERE kind = ? AND due <= ? ORDER BY due LIMIT ?)",
                 which.kind, stored(at.today), std::min<std::size_t>(which.count_max, INT64_MAX)};
    return static_cast<std::size_t>(erased.run());
}

}  // namespace weft::sqlite_detail

#undef WEFT_SQLITE_DOCUMENT
#undef WEFT_SQLITE_WANTED
