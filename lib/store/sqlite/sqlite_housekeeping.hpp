#pragma once

#include "sqlite_connection.hpp"

#include <weft/store/checkpoint_store.hpp>

#include <string>
#include <vector>

namespace weft::sqlite_detail {

[[nodiscard]] prune_report prune_thread(connection& db, const thread_key& thread, const retention& what);
[[nodiscard]] bool drop_thread(connection& db, const thread_key& thread);
[[nodiscard]] thread_usage read_usage(connection& db, const thread_key& thread);
[[nodiscard]] std::vector<thread_summary> read_threads(connection& db, const std::string& tenant,
                                                       const std::string& after, std::size_t max);

}  // namespace weft::sqlite_detail
