#pragma once

#include "metric_reading.hpp"

#include <chrono>
#include <cstddef>
#include <string>

namespace weft_cli {

/** What happened between two readings of one or several processes, as a page of text: runs, queue, models, requests,
 *  and below them the nodes that took most time, busiest first.
 *
 *  @param span   Between the readings; more than 0.
 *  @param rows   Of nodes, at most. */
[[nodiscard]] std::string top_text(const metric_reading& before, const metric_reading& now,
                                   std::chrono::duration<double> span, std::size_t rows);

}  // namespace weft_cli
