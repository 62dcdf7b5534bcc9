#pragma once

#include <weft/agent/react_agent.hpp>
#include <weft/graph/node_registry.hpp>
#include <weft/graph/spec/spec_duration.hpp>

#include "agent_program.hpp"

#include <boost/describe/class.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** A worker of a supervisor, as a graph file says it; see `supervisor_worker`. Its `system` may name keys that the node
 *  reads; its task is what the supervisor says. */
struct supervisor_worker_settings : react_work {
    static constexpr std::array<std::string_view, 1> required_members{"name"};

    std::string name = {};
    std::string when = {};  ///< For the supervisor's model: what the worker is good for.

    friend bool operator==(const supervisor_worker_settings&, const supervisor_worker_settings&) = default;
};
BOOST_DESCRIBE_STRUCT(supervisor_worker_settings, (react_work), (name, when))

/** An agent that gives tasks to others, as a graph file says it; see `make_supervisor`. What stands here beside the
 *  workers is its own. */
struct supervisor_settings : react_work {
    static constexpr std::array<std::string_view, 1> required_members{"workers"};

    std::string prompt = {};             ///< A template: said by the user if nothing was said yet.
    std::string messages = "messages";   ///< The key of the conversation; see `messages_key`.
    std::int64_t delegations_max = 20;   ///< Tasks between two messages of a user; more are refused; 1 to 1000.
    std::int64_t busy_workers_max = 4;   ///< At the same time; 1 to 1000.
    std::optional<spec_duration> worker_timeout = {};  ///< For one task; not given: ten minutes.
    std::vector<supervisor_worker_settings> workers = {};

    /** What is wrong with the numbers and guardrails of the supervisor, each as `member: text`. */
    [[nodiscard]] std::vector<std::string> faults() const;

    friend bool operator==(const supervisor_settings&, const supervisor_settings&) = default;
};
BOOST_DESCRIBE_STRUCT(supervisor_settings, (react_work),
                      (prompt, messages, delegations_max, busy_workers_max, worker_timeout, workers))

/** The kind `supervisor` of graph files: a `make_supervisor` with `supervisor_settings`. The node's `writes` name the
 *  key of the conversation and those that the answer is for. All its agents see what the node may read, but its workers
 *  neither its conversation nor its answer. They try calls of their models again by themselves, and the node runs once
 *  for a visit. */
[[nodiscard]] node_kind supervisor_kind(agent_program around);

}  // namespace weft
