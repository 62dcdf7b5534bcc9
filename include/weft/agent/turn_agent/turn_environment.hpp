#pragma once

#include <weft/agent/turn_agent/turn_rules.hpp>
#include <weft/base/environment.hpp>

namespace weft {

/** A budget as the environment says it, over the one that is given:
 *
 *  | variable         | what it limits                                 |
 *  |------------------|------------------------------------------------|
 *  | `MAX_TURNS`      | turns                                          |
 *  | `MAX_TOKENS`     | tokens, read and written                       |
 *  | `COST_CAP`       | cost in US dollars, with a point: `2.50`       |
 *  | `TIMEOUT_MS`     | time in milliseconds                           |
 *  | `MAX_TOOL_CALLS` | tool calls                                     |
 *
 *  Each may begin with `IVY_`, and that name counts before the other. An empty value is none.
 *
 *  @par Errors   `errc::invalid_configuration` for a value that is none; where: the variable.
 *  @par Source   Ivy's wake budget. */
[[nodiscard]] turn_budget budget_from_environment(const environment_lookup& lookup,
                                                  turn_budget otherwise = turn_budget{});

}  // namespace weft
