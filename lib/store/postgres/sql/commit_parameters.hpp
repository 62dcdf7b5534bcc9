#pragma once

#include "pending_commit.hpp"
#include "sql_request.hpp"

#include <span>

namespace weft::postgres_detail {

/** Adds the steps that write one checkpoint. The first of them gives its number, or no row if it is refused. */
void add_commit(sql_request& to, const pending_commit& commit);

/** One request for several checkpoints of different threads. The first step gives a row for each that is not refused:
 *  its place among `commits`, from 1, and its number.
 *  @param commits   At least two, in the order in which threads are locked; each `is_mergeable`. */
[[nodiscard]] sql_request merged_request(std::span<const pending_commit* const> commits);

}  // namespace weft::postgres_detail
