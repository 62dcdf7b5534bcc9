#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fleet_chaos {

/** How much is done. */
struct fleet_course {
    std::uint64_t seed = 1;
    std::chrono::seconds trouble{9};     ///< So long there are faults, and each once; afterwards all is calm.
    std::chrono::seconds patience{120};  ///< So long everything together may take.
    std::size_t followers = 4;           ///< Clients that follow a run each, one run after the other.
    std::size_t crowd = 60;              ///< Runs of one tenant that wait all the time, as long as there is trouble.
    bool is_unfenced = false;            ///< Workers ignore the fence, and are only stopped: the damage is to be found.
};

inline constexpr std::size_t workers = 6;
inline constexpr std::size_t servers = 3;
inline constexpr const char* schema = "fleet";

/** @return  Everything that is wrong, one a line. */
[[nodiscard]] std::vector<std::string> make_trouble(const fleet_course& course);
/** Stops workers that have no fence until the checks find damage.
 *  @return  What was found; empty: nothing, and the checks are worth nothing. */
[[nodiscard]] std::vector<std::string> find_missing_fence(const fleet_course& course);

}  // namespace fleet_chaos
