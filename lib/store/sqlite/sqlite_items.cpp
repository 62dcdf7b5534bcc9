#include "sqlite_items.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_reading.hpp>

#include <algorithm>

namespace weft::sqlite_detail {

namespace {

// A name ends with 0 1, and a 0 inside it becomes 0 2, so that the shorter of two names comes first.
constexpr char mark = '\0';
constexpr char end_of_name = '\1';
constexpr char zero_in_name = '\2';

/** What every statement that reads items begins with: name, value, created, changed, expires. */
stored_item item_of(query& asked, std::vector<std::string> space, const connection& db)
{
    stored_item found;
    found.key = item_key{std::move(space), asked.text(0)};
    json_reading how;
    how.depth_max = 100'000;  // as it was written, so it is read
    try {
        found.value = parse_json_as(asked.view(1), how);
    } catch (const error& e) {
        throw error{errc::store_corrupt, db.file(),
                    "item '" + found.key.name + "' is not JSON: " + e.where() + ", " + e.detail()};
    }
    found.created = as_wall_time(asked.integer(2));
    found.changed = as_wall_time(asked.integer(3));
    if (!asked.is_null(4)) found.expires = as_wall_time(asked.integer(4));
    return found;
}

}  // namespace

std::string encoded(const std::vector<std::string>& space)
{
    std::string bytes;
    for (const std::string& name : space) {
        for (const char c : name) {
            bytes += c;
            if (c == mark) bytes += zero_in_name;
        }
        bytes += mark;
        bytes += end_of_name;
    }
    return bytes;
}

std::vector<std::string> decoded(std::string_view bytes)
{
    std::vector<std::string> space;
    std::string name;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const bool is_marked = bytes[i] == mark && i + 1 < bytes.size();
        if (is_marked && bytes[++i] == end_of_name)
            space.push_back(std::exchange(name, {}));
        else
            name += is_marked ? mark : bytes[i];
    }
    return space;
}

void write_item(connection& db, const item_draft& item, const moment& at)
{
    const std::int64_t now = stored(at.today);
    std::optional<std::int64_t> expires;
    if (item.lifetime) expires = later(now, *item.lifetime);
    const std::string space = encoded(item.key.space);
    query{db,
          "INSERT INTO item (tenant, space, name, created, changed, expires, value) "
          "VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6) "
          "ON CONFLICT DO UPDATE SET value = ?6, expires = ?5, changed = ?4, "
          "created = CASE WHEN expires <= ?4 THEN ?4 ELSE created END",
          item.tenant, raw{space}, item.key.name, now, expires, item.value}.run();
}

std::optional<stored_item> read_item(connection& db, const std::string& tenant, const item_key& key, const moment& at)
{
    const std::string space = encoded(key.space);
    query asked{db,
                "SELECT name, value, created, changed, expires FROM item WHERE tenant = ? AND space = ? AND name = ? "
                "AND (expires IS NULL OR expires > ?)",
                tenant, raw{space}, key.name, stored(at.today)};
    if (!asked.next()) return std::nullopt;
    return item_of(asked, key.space, db);
}

bool delete_item(connection& db, const std::string& tenant, const item_key& key, const moment& at)
{
    const std::string space = encoded(key.space);
    const bool is_there = query{db,
                                "SELECT 1 FROM item WHERE tenant = ? AND space = ? AND name = ? "
                                "AND (expires IS NULL OR expires > ?)",
                                tenant, raw{space}, key.name, stored(at.today)}
                              .next();
    query{db, "DELETE FROM item WHERE tenant = ? AND space = ? AND name = ?", tenant, raw{space}, key.name}.run();
    return is_there;
}

std::vector<stored_item> list_items(connection& db, const item_range& range, const moment& at)
{
    const std::string first = encoded(range.space);
    // All that begins with `first` ends before the same bytes with a greater last one.
    std::string end = first;
    if (!end.empty()) ++end.back();
    const std::optional<raw> before = end.empty() ? std::nullopt : std::optional{raw{end}};
    const std::string after_space = range.after ? encoded(range.after->space) : std::string{};
    const std::string after_name = range.after ? range.after->name : std::string{};
    query asked{db,
                "SELECT name, value, created, changed, expires, space FROM item WHERE tenant = ?1 AND space >= ?2 "
                "AND (?3 IS NULL OR space < ?3) AND (?4 = 0 OR (space, name) > (?5, ?6)) "
                "AND (expires IS NULL OR expires > ?7) ORDER BY space, name LIMIT ?8",
                range.tenant, raw{first}, before, range.after.has_value(), raw{after_space}, after_name,
                stored(at.today), std::min<std::size_t>(range.max, INT64_MAX)};
    std::vector<stored_item> found;
    while (asked.next()) found.push_back(item_of(asked, decoded(asked.view(5)), db));
    return found;
}

std::size_t sweep_items(connection& db, std::size_t max, const moment& at)
{
    return static_cast<std::size_t>(
        query{db,
              "DELETE FROM item WHERE (tenant, space, name) IN "
              "(SELECT tenant, space, name FROM item WHERE expires <= ? LIMIT ?)",
              stored(at.today), std::min<std::size_t>(max, INT64_MAX)}
            .run());
}

}  // namespace weft::sqlite_detail
