#pragma once

#include <weft/engine/durable/durable_graphs.hpp>
#include <weft/store/record/worker_entry.hpp>

#include <vector>

namespace weft {

/** What a process with these graphs can run: each in its revision, in the former ones that it keeps, and in those that
 *  its migrations lead on from. The revision of a graph is its fingerprint. If these are more than a store takes, each
 *  graph stands for all of its revisions; if that is too many as well, it is everything.
 *  @param claims   Whether the process claims runs. */
[[nodiscard]] std::vector<graph_ability> graph_abilities(const durable_graphs& of, bool claims);

}  // namespace weft
