#pragma once

#include <weft/facade/ensemble_graph.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace weft::engine_detail {

/** The kind of text by which states tell their output to the run's events. */
inline constexpr std::string_view ensemble_output_label = "ensemble_output";

[[nodiscard]] bool is_blank(std::string_view text) noexcept;

/** Why states of words have no agent, by their name. */
using missing_agents = std::map<std::string, std::string, std::less<>>;

/** All mistakes of an ensemble, in the order in which the source system checks. */
[[nodiscard]] std::vector<std::string> mistakes_of(const ensemble_graph::plan& plan, const missing_agents& missing);

}  // namespace weft::engine_detail
