#pragma once

#include "sqlite_connection.hpp"

#include <unordered_set>
#include <vector>

namespace weft::sqlite_detail {

using hash_set = std::unordered_set<content_hash>;

/** The blobs of a thread that `links` lead to, themselves included. What is missing leads nowhere. */
[[nodiscard]] hash_set reachable(connection& db, std::int64_t thread, const std::vector<content_hash>& links);

}  // namespace weft::sqlite_detail
