#pragma once

#include <weft/agent/playbook/playbook_graph.hpp>
#include <weft/async/task.hpp>
#include <weft/engine/run_event.hpp>
#include <weft/engine/run_options.hpp>
#include <weft/engine/run_result.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/graph/state_key.hpp>

#include <boost/json/value.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

namespace playbook_keys {

/** Of `playbook_run_graph`: the playbooks that ran, in their order. */
inline constexpr state_key<std::vector<std::string>, append> workflows{"workflows"};

}  // namespace playbook_keys

/** A graph that runs a playbook of the library, and those that it transfers to, one after the other; each is a node. It
 *  begins with `playbook_keys::trigger`, and leaves `response`, and the `outputs` of the last playbook.
 *
 *  More than `transfers_max` transfers fail the run with `errc::limit_reached`.
 *
 *  @param name   Of the first one.
 *  @par Errors   Those of `playbook_graph`, of every playbook that could be transferred to; `errc::unknown_node` if the
 *                library has none of that name. */
[[nodiscard]] graph playbook_run_graph(std::string_view name, const playbook_options& options);

/** The limits that playbooks are made for. */
[[nodiscard]] run_options playbook_run_options();

/** Runs `playbook_run_graph` in this process; for runs that outlive it, see `durable_engine`.
 *
 *  @return              What became of the run; a playbook that fails is a status here.
 *  @par Errors          Those of `playbook_run_graph`.
 *  @par Cancellation    Stops what is at work and waits for it. */
[[nodiscard]] task<run_result> run_playbook(std::string name, boost::json::value payload, playbook_options options,
                                            std::string thread);

/** Something that happened in a playbook, in the words of playbooks. */
struct playbook_event {
    std::string_view name{};  ///< `workflow_started`, `node_completed`, …
    std::string workflow{};
    std::string node{};       ///< Empty for events of the workflow.
    std::string text{};
};

/** @param library   Of the run.
 *  @param of        The playbook of a run of `playbook_graph`; null for `playbook_run_graph`.
 *  @return          Nothing for events that playbooks have no word for, and for what happens inside of agents. */
[[nodiscard]] std::optional<playbook_event> playbook_event_of(const run_event& event, const playbook_library& library,
                                                              const playbook_definition* of = nullptr);

}  // namespace weft
