#pragma once

#include "sqlite_connection.hpp"
#include "sqlite_time.hpp"

#include <weft/store/item_store.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace weft::sqlite_detail {

/** A path of names as bytes whose order is that of the paths, and in which a path's bytes begin those of all paths
 *  below it. */
[[nodiscard]] std::string encoded(const std::vector<std::string>& space);

/** The path that `encoded` made these bytes of. */
[[nodiscard]] std::vector<std::string> decoded(std::string_view bytes);

/** An item to be written; its value as JSON text. */
struct item_draft {
    std::string tenant;
    item_key key;
    std::string value;
    std::optional<std::chrono::milliseconds> lifetime;
};

/** Which items to list. */
struct item_range {
    std::string tenant;
    std::vector<std::string> space;
    std::optional<item_key> after;
    std::size_t max = 0;
};

void write_item(connection& db, const item_draft& item, const moment& at);
[[nodiscard]] std::optional<stored_item> read_item(connection& db, const std::string& tenant, const item_key& key,
                                                   const moment& at);
[[nodiscard]] bool delete_item(connection& db, const std::string& tenant, const item_key& key, const moment& at);
[[nodiscard]] std::vector<stored_item> list_items(connection& db, const item_range& range, const moment& at);
std::size_t sweep_items(connection& db, std::size_t max, const moment& at);

}  // namespace weft::sqlite_detail
