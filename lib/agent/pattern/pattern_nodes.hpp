#pragma once

#include <weft/agent/pattern/pattern_participant.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/graph/node_context.hpp>

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace weft::agent_detail {

/** The task of a participant, made from what its node sees. */
using brief_function = std::function<std::string(const node_context& outer)>;
/** Writes what is to be kept of an answer, and says where the pattern goes on. */
using take_function = std::function<command(const std::string& said, node_context& outer)>;

/** A participant as the work of a node of a pattern. */
[[nodiscard]] subgraph work_of(const patterns::participant& who, brief_function brief, take_function take);

/** Adds the answer to the contributions of the pattern's first round. */
[[nodiscard]] take_function adds_contribution(std::string by, std::size_t place);

/** The names of nodes that patterns have themselves. */
inline const std::set<std::string, std::less<>> own_nodes{"open", "meet", "plan", "step", "spread", "give up"};

/** @par Errors   `errc::invalid_configuration` if there are none, or if they cannot be told apart. */
void require_participants(std::string_view pattern, const std::vector<patterns::participant>& team);

}  // namespace weft::agent_detail
