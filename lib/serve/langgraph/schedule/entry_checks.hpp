#pragma once

#include <weft/serve/server_options.hpp>

#include <vector>

namespace weft::serve_detail {

/** @par Errors   `errc::invalid_configuration`: all that is wrong with the entries, each with its id. */
void check_entries(const std::vector<served_entry>& entries, const std::vector<served_graph>& graphs);

}  // namespace weft::serve_detail
