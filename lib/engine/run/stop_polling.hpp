#pragma once

#include <weft/base/clock.hpp>
#include <weft/engine/scheduler/frontier.hpp>

#include <cstdint>

namespace weft {

struct run_core;

/** Why a node is to stop. Nodes that compute are told of a stop before the loop carries it out: a plain node holds the
 *  loop, and so does a coroutine until it waits. */
enum class stop_cause : std::uint8_t { none, cancelled, run_timeout, branch_timeout, node_timeout };

/** Why a node is to stop that has time until `timeout_at`, also if the loop has not come to it yet. */
[[nodiscard]] stop_cause due_stop(const run_core& core, branch_index branch, time_point timeout_at) noexcept;

/** Carries out a stop that a node has seen, before the end of that node is reported. */
void carry_out(run_core& core, stop_cause cause, branch_index branch);

}  // namespace weft
