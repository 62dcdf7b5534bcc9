#pragma once

#include <weft/engine/run_options.hpp>

#include <boost/json/object.hpp>

namespace weft {

/** The numbers of limits as JSON, so that another process performs a run within them: steps, times in nanoseconds, and
 *  the budget. What refers to objects of this process is left to the graph: who decides, what is drawn on, memory. */
[[nodiscard]] boost::json::object written_limits(const run_options& limits);

/** Gives limits the numbers that `written_limits` wrote; one that is missing stays as it is, and without a budget there
 *  is none. */
[[nodiscard]] run_options read_limits(const boost::json::object& from, run_options into);

}  // namespace weft
