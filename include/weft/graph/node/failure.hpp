#pragma once

#include <weft/base/errc.hpp>
#include <weft/base/memory/free_list.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** Why a node, a branch or a run failed: an exception turned into a value at the engine's edge. */
struct failure {
    errc code = errc::node_failed;
    std::string node;              ///< Where; empty if it concerns the run as a whole.
    std::uint32_t visit = 0;       ///< Which visit of the node, from 1.
    std::uint32_t attempt = 0;     ///< Which attempt of that visit, from 1.
    std::string message;           ///< One sentence with node, visit, attempt, cause and remedy.
    std::exception_ptr cause;      ///< What the node threw, if it threw.
};

/** Failures are shared: by the branch that failed, the join that reads it, and the result. */
using failure_ptr = std::shared_ptr<const failure>;

/** How one branch of a fan-out ended. */
enum class branch_status : std::uint8_t {
    succeeded,
    failed,
    timed_out,
    stopped,      ///< Asked to stop because the fan-out was decided without it.
    not_started,  ///< The fan-out was decided before it began.
};

/** What a join reads of one branch, in the order of the edges. */
struct branch_result {
    std::uint32_t index = 0;             ///< Its place among the branches, from 0.
    std::string_view node;               ///< The first node of the branch.
    branch_status status = branch_status::not_started;
    failure_ptr error;                   ///< Set if it failed or timed out.
};
using branch_results = std::vector<branch_result, block_allocator<branch_result>>;

}  // namespace weft
