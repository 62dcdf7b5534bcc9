#pragma once

#include <weft/agent/host/event_bus.hpp>
#include <weft/engine/run_event.hpp>
#include <weft/engine/run_request.hpp>

#include <memory>
#include <optional>
#include <string>

namespace weft {

/** Whose events a run tells. */
struct bus_source {
    bus_source() {}

    std::string stream{};
    std::string execution{};
    std::string graph{};
    std::string correlation{};
};

/** An event of a run as one of a bus; nothing for those that only an engine cares about, and for the beginning and end
 *  of runs within nodes.
 *
 *  | in the run | on the bus |
 *  |---|---|
 *  | `run_started`, `run_paused` | `execution_started`, `execution_paused` |
 *  | `run_finished` | `execution_completed`, `execution_failed`, `execution_cancelled` |
 *  | `node_started`, `node_succeeded`, `node_failed` | `node_loop_started`, `node_loop_completed` with `success` |
 *  | `node_retried`, `edge_taken` | `node_retry`, `edge_traversed` |
 *  | `output` of the label `output`, `internal_output` | `client_output_delta`, `node_internal_output` |
 *  | `tool_start`, `tool_end`, `usage` | `tool_call_started`, `tool_call_completed`, `llm_turn_complete` |
 *  | `loop_iteration`, `tool_doom_loop` | `node_loop_iteration`, `node_tool_doom_loop` |
 *  | `output` of another label, as `judge_verdict` | that label |
 *  | `question_asked`, `question_answered`, conditions, routes, lost events | the name of the kind |
 *
 *  `data` is what was emitted if that is a JSON object, else `{"text": …}`.
 *
 *  @par Source   The names are those of Hive's event bus. */
[[nodiscard]] std::optional<bus_event> bus_event_of(const run_event& event, const bus_source& source);

/** A watcher for `run_request::on_event` that tells the events of a run to a bus.
 *  @par Lifetimes   The bus outlives the run. */
[[nodiscard]] run_request::event_function publishes_to(event_bus& bus, bus_source source);

}  // namespace weft
