#pragma once

#include <boost/json/object.hpp>

#include <chrono>

namespace weft_bench {

/** Agents that go round between a model and a tool, all at the same time. */
struct agents_load {
    int agents = 10'000;
    int turns = 3;                          ///< Replies of the model for each agent; all but the last call the tool.
    std::chrono::milliseconds delay{100};   ///< That a reply takes.
};

/** Runs them once, on one OS thread, and tells what an agent cost: `cpu_us`, `bytes` (the most that the process held
 *  more than before, for each agent) and `wall_ms` of all. The same load as `agents.mjs` of the rivals. */
[[nodiscard]] boost::json::object measure_agents(const agents_load& load);

}  // namespace weft_bench
