#pragma once

#include <weft/facade/ensemble/ensemble_task.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/state_key.hpp>

#include <cstdint>
#include <functional>
#include <string>

namespace weft {

/** The keys of a graph that does a task of words. */
namespace ensemble_agent_keys {

inline constexpr state_key<std::string> prompt{"prompt"};          ///< What it begins with.
inline constexpr state_key<ensemble_output> output{"output"};      ///< What it leaves.

}  // namespace ensemble_agent_keys

/** A graph that does a task of words, as the work of a state. */
struct ensemble_agent {
    graph what;                    ///< Has the keys of `ensemble_agent_keys`.
    std::uint32_t steps_max = 1000;  ///< Node visits in one visit of the state.
};

/** Makes an agent of a task of words; `ensemble_agents` of `weft/agent/ensemble_agents.hpp` is one.
 *  @par Errors   What it throws is a mistake of the ensemble: an unknown tool, a missing store. */
using ensemble_synthesis = std::function<ensemble_agent(const std::string& state, const ensemble_task& task)>;

}  // namespace weft
