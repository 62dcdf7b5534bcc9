#pragma once

#include <weft/base/clock.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/graph/edge/edge.hpp>

#include <boost/json/fwd.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace weft {

class written_values;

/** Something that happened in a run. Events of a run are numbered without holes; every subscriber sees them in
 *  order. */
struct run_event {
    enum class kind : std::uint8_t {
        run_started,
        node_started,
        node_succeeded,
        node_failed,       ///< `text`: why, or `stopped`. A further attempt may follow.
        node_retried,      ///< Another attempt will follow; `number`: which. What its node emitted before is void.
        node_skipped,      ///< Its visits are used up.
        state_written,     ///< Its writes are part of the branch's state now.
        edge_taken,        ///< From `source` to `node`; `edge`: which. One event for each edge that fires.
        edge_condition_error,  ///< A condition of `source` could not be evaluated and counts as false. `text`: why.
        route_decided,     ///< A model chose `node` to follow `source`. `text`: its reasoning.
        route_fallback,    ///< It did not: `node` is the fallback. `text`: why.
        branches_started,  ///< `number`: how many; `node`: the source of the fan-out.
        branch_ended,      ///< `number`: which; `node`: its first node.
        branches_joined,   ///< `node`: the join.
        output,            ///< What a node emitted: `text`, of the kind `label`.
        question_asked,    ///< `text`: the question; `label`: its address. The node is parked.
        question_answered, ///< `label`: its address. The answer is not in it.
        run_paused,
        run_finished,      ///< The last event. `text`: the status; `label`: `cut_short` if a limit of steps ended it.
        gap,               ///< Events `number` … `sequence` were lost: the subscriber was too slow.
    };

    static constexpr std::string_view cut_short = "cut_short";
    static constexpr std::string_view stopped = "stopped";  ///< Text of `node_failed` if its branch or run was stopped.

    std::uint64_t sequence = 0;      ///< From 1, without holes; a run that is resumed begins again.
    std::uint64_t id = 0;            ///< Grows over all resumes of a run, for `Last-Event-ID`; first like `sequence`.
    run_id run;                      ///< The run, the same after a resume.
    kind what = kind::run_started;
    std::string address;             ///< The nodes, joined by "/", whose graph it happened in; empty: the run's own.
    std::string address_visits;      ///< Which visit of each of them it was, joined by "/",
    std::string address_attempts;    ///< and which attempt of that visit: both tell inner runs apart.
    std::string_view node;           ///< Belongs to the graph.
    std::string_view source;         ///< Of `edge_taken`.
    std::uint32_t branch = 0;        ///< A number for the branch that is unique among those open.
    std::uint32_t visit = 0;
    std::uint32_t attempt = 0;
    std::uint64_t number = 0;
    std::uint32_t edge = no_edge;    ///< Of `edge_taken`: `graph_edge::declared`, or `no_edge`.
    std::string label;
    std::string text;
    time_point at;                   ///< On the loop's clock.
    /** Of `run_started`, `state_written` and `branches_joined`: the values; see
     *  weft/graph/state/written_values.hpp. Else null. */
    std::shared_ptr<const written_values> written;
    /** Of `question_asked`: what it is about (`question::about`); null if the question does not say it. */
    std::shared_ptr<const boost::json::value> about;
};

[[nodiscard]] std::string_view name_of(run_event::kind kind) noexcept;

/** An event on one line, without its time: for logs and for comparing runs. */
[[nodiscard]] std::string to_line(const run_event& event);

}  // namespace weft
