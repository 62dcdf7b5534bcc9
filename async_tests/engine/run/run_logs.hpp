#pragma once

#include "engine/nodes.hpp"

#include <weft/base/json/json_text.hpp>
#include <weft/engine/trace/run_event_json.hpp>
#include <weft/engine/trace/run_log.hpp>

#include <sstream>
#include <string>

namespace weft_tests {

/** The log of a run in a simulation, as lines. */
inline std::string log_lines(const weft::graph& graph, weft::run_request request = {}, std::uint64_t seed = 1)
{
    weft::testing::simulation sim{seed};
    const weft::time_point began = sim.loop().now();
    std::string lines = weft::to_json_text(to_json(weft::run_log_header{.graph = std::string{graph.name()}})) + "\n";
    request.on_event(
        [&](const weft::run_event& event) { lines += weft::to_json_text(to_json(event, began)) + "\n"; });
    run_in(sim, graph, std::move(request));
    return lines;
}

inline weft::run_log read_lines(const std::string& lines, const weft::run_log_limits& limits = {})
{
    std::istringstream from{lines};
    return weft::read_run_log(from, limits);
}

}  // namespace weft_tests
