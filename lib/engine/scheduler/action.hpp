#pragma once

#include <weft/engine/scheduler/frontier.hpp>
#include <weft/store/record/checkpoint.hpp>

#include <chrono>
#include <cstdint>

namespace weft {

/** What the scheduler wants done. Plain data; the driver does it and reports with an event. */
struct action {
    enum class kind : std::uint8_t {
        start_node,         ///< Run the node of `branch`; report `node_succeeded`, `node_failed` or `node_stopped`.
        choose_edge,        ///< Ask the predicates of the node of `branch`; report `edge_chosen`.
        stop_node,          ///< Ask the running node of `branch` to stop; its end is still reported.
        wait,               ///< After `delay` report `retry_due` for `branch`.
        stop_waiting,       ///< The wait of `branch` is over without an event.
        arm_branch,         ///< After `delay` report `branch_timed_out` for `branch`.
        disarm_branch,      ///< The branch of `branch` has ended.
        decide,             ///< Ask which `llm` edge to take; report `decided` for `branch`. `stop_node` stops it.
        save,               ///< Keep a copy of `to_save`. If saves hold the run: report `saved` or `save_failed`.
        drop_node,          ///< Take the node of `branch` down, which only waits for answers; report `node_dropped`.
        all_parked,         ///< Everything that is left waits for answers.
        notice,             ///< For watchers of the run: `notice` happened to `branch`.
        finish,             ///< The run is over: read `run_course`. Nothing follows.
    };
    enum class notice_kind : std::uint8_t {
        none,
        node_skipped,
        state_written,
        edge_taken,
        branches_started,
        branch_ended,
        branches_joined,
        node_retried,
    };

    kind what = kind::finish;
    notice_kind notice = notice_kind::none;
    branch_index branch = no_index;
    node_index node = no_node;      ///< The node concerned; of `edge_taken` the target.
    node_index source = no_node;    ///< Of `edge_taken`: the source.
    std::uint32_t number = 0;       ///< How many branches, which branch, which attempt.
    std::uint32_t edge = no_edge;   ///< Of `edge_taken`: its place among the declared ones.
    checkpoint_kind moment = checkpoint_kind::node_complete;  ///< Of `save`: why now.
    std::chrono::nanoseconds delay{0};
};

}  // namespace weft
