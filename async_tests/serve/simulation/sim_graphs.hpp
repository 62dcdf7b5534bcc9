#pragma once

#include <weft/graph/graph.hpp>
#include <weft/graph/state/reducer.hpp>
#include <weft/graph/state_key.hpp>

#include <string>
#include <vector>

/** What the simulated server serves. Whatever a run says or writes begins with its tag, so that a client sees whose it
 *  is. */
namespace server_simulation {

inline constexpr weft::state_key<std::string> who{"who"};
inline constexpr weft::state_key<std::vector<std::string>, weft::append> said{"said"};

inline constexpr int talk_steps = 4;
inline constexpr int loud_tokens = 120;
inline constexpr std::size_t loud_token_bytes = 2'000;

/** Four nodes in a line. Each says up to three tokens `tag/node/execution/number`, slowly, and adds `tag:node`. */
[[nodiscard]] weft::graph talk_graph();
/** One node that says much more at once than a client is kept. */
[[nodiscard]] weft::graph loud_graph();

}  // namespace server_simulation
