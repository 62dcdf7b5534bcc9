#pragma once

#include <weft/engine/scheduler/frontier.hpp>

#include <cstdint>

namespace weft {

// How what the branches of a fan-out have done comes together at their join. Reducers may throw in what merges.

/** What two branches that write one key are to each other: the key's own rule, else the fan-out's, else the graph's. */
[[nodiscard]] conflict_strategy strategy_of(const graph& of, const region& r, std::uint32_t slot) noexcept;
/** Why a branch that has succeeded may not keep what it wrote; null if it may. */
[[nodiscard]] failure_ptr conflict_of(const graph& of, const frontier& where, const region& r,
                                      const run_branch& branch);
/** The branch wrote its keys first: it is in conflict with all others that write them. */
void note_written(const graph& of, region& r, const run_branch& branch);
/** @param ended   Of the region; what the branches wrote is moved from it. */
void merge_branches(const graph& of, const region& r, ended_branches::items& ended, branch_state& into);
/** What branches of open fan-outs have finished is part of the state that a failed run leaves. */
void merge_finished(const graph& of, frontier& where);

}  // namespace weft
