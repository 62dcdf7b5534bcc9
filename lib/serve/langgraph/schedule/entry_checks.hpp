#pragma once

#include "serve/run/served_set.hpp"

namespace weft::serve_detail {

/** Whether the entries of a set fit its graphs.
 *  @par Errors   `errc::invalid_configuration`: all that is wrong with the entries, each with its id. */
void check_entries(const served_set& of);

}  // namespace weft::serve_detail
