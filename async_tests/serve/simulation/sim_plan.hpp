#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace server_simulation {

/** What came of one seed. */
struct sim_outcome {
    std::uint64_t hash = 0;                ///< Of its journal.
    std::uint64_t steps = 0;
    std::uint64_t connections = 0;
    std::uint64_t resets = 0;
    unsigned kills = 0;
    unsigned drains = 0;
    std::vector<std::string> violations;
    std::vector<std::string> journal;      ///< If it was wanted.
};

/** Plays a seed: it decides the weather, what clients do, and when the server is drained or killed.
 *
 *  Everything is done by one OS thread, in virtual time: a seed gives the same journal each time. */
[[nodiscard]] sim_outcome play_seed(std::uint64_t seed, bool keeps_journal = false);

}  // namespace server_simulation
