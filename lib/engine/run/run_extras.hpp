#pragma once

#include "engine/visit/call_records.hpp"
#include "inner_runs.hpp"
#include "node_parking.hpp"
#include "run_questions.hpp"
#include "run_timers.hpp"
#include "save_pipeline.hpp"

#include <weft/async/loop/stop_bridge.hpp>
#include <weft/base/budget_ledger.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** The node around a run. */
struct outer_node {
    run_core* run = nullptr;  ///< Null: the run is in no node.
    branch_index branch = no_index;
    std::string visit;        ///< The address of that node's visit.
    bool is_parked = false;   ///< The run around knows that everything in here waits for answers.
};

/** The members of a run that only some runs have, so that a million waiting runs stay small. */
struct run_extras {
    explicit run_extras(run_core& core) noexcept : timers{core}, inner{core}, questions{core} {}

    failure_ptr mistake;  ///< Of the input: the run fails with it.
    std::shared_ptr<budget_ledger> ledger;
    run_timers timers;
    std::optional<stop_bridge> from_token;
    std::optional<stop_bridge> from_pause;
    std::vector<std::string> unresponsive;
    std::optional<std::chrono::nanoseconds> grace;
    inner_runs inner;
    std::optional<save_pipeline> saving;  ///< Of a run that is kept.
    outer_node outer;
    run_questions questions;
    std::unique_ptr<call_records> calls;  ///< Of the outermost run; null: they are not recorded.

    /** Nothing comes from outside any more. */
    void disarm() noexcept
    {
        timers.disarm_all();
        from_token.reset();
        from_pause.reset();
        if (saving) saving->give_up();
    }
};

}  // namespace weft
