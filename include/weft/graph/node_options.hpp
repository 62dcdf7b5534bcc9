#pragma once

#include <weft/async/retry_policy.hpp>
#include <weft/graph/state_key.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/** Names of keys, for `node_options::reads` and `writes`: `weft::keys(topic, report)`. */
template <class... Keys>
[[nodiscard]] std::vector<std::string> keys(const Keys&... keys)
{
    return {std::string{keys.name()}...};
}

/** How a node runs. */
struct node_options {
    retry_policy retry = {.attempts_max = 1};    ///< A node is tried once unless it says otherwise.
    std::chrono::nanoseconds timeout{0};         ///< For one attempt; 0: the run's `node_timeout`.
    std::uint32_t visits_max = 0;                ///< More visits in a run skip the node; 0: unlimited.
    std::vector<std::string> goes_to = {};       ///< Nodes that its commands may name beside its edges.
    std::optional<std::vector<std::string>> reads = {};   ///< Keys it reads, for checks; not given: unknown.
    std::optional<std::vector<std::string>> writes = {};  ///< Keys it writes, for checks; not given: unknown.
};

}  // namespace weft
