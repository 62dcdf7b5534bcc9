#pragma once

#include "durable/ledger.hpp"

#include <weft/engine/durable/durable_graphs.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft_crash {

/** The graph that is killed: 11 rounds, each of a fan-out with one inside of a branch, a graph in a node that goes
 *  round twice, and a branch that goes round three times; effects in branches and in the graph inside; in some rounds
 *  questions, two at once in branches and two one after another behind an effect. 202 visits of nodes.
 *
 *  A visit that begins is noted as `node <thread> <visit>`, an effect as `effect <thread> <address> <key>`. */
[[nodiscard]] std::shared_ptr<const weft::durable_graphs> crash_graphs(std::shared_ptr<const weft_tests::ledger> notes);

/** How many visits may be under way at once. */
inline constexpr std::size_t visits_under_way_max = 6;

/** The visits that must be kept before this one begins: `meet.3.0` is `meet` in the third round. */
[[nodiscard]] std::vector<std::string> visits_before(std::string_view visit);

}  // namespace weft_crash
