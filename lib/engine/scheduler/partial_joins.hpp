#pragma once

#include <weft/engine/scheduler/frontier.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace weft {

/** What the branches of open fan-outs have joined so far, of those that end early when a condition holds: `until`.
 *
 *  Each success is merged once. The states are made from the frontier when they are first asked for, so that nothing of
 *  this is kept with a checkpoint.
 *
 *  @par Thread safety   None.
 */
class partial_joins {
public:
    /** Whether what is joined with `branch`, which has succeeded and is not in `r.ended` yet, is enough.
     *  @par Errors   Whatever the condition or a reducer throws; what was joined is forgotten then. */
    [[nodiscard]] bool is_enough(region_index at, region& r, const run_branch& branch, const fan_out_options& options);
    /** The fan-out has ended. */
    void forget(region_index at)
    {
        if (joins_) drop(at);
    }

private:
    struct partial {
        region_index at;
        std::size_t taken;                   // how many of `region::ended` are in it
        std::unique_ptr<branch_state> seen;
    };
    [[nodiscard]] partial& joined_so_far(region_index at, region& r);
    void drop(region_index at);

    std::unique_ptr<std::vector<partial>> joins_;  // null until a condition is asked, as in most runs
};

}  // namespace weft
