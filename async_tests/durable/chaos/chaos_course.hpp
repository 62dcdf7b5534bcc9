#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace engine_chaos {

/** What a chaos run does: so many threads, with so many runs each, one after another. */
struct chaos_course {
    std::vector<std::uint64_t> seeds{11};
    int workers = 4;
    int threads = 8;
    int runs = 4;
    std::chrono::seconds trouble{6};    ///< So long processes are killed; afterwards all is calm.
    std::chrono::seconds patience{90};  ///< So long all runs together may take.
};

/** What a worker is told. */
struct worker_orders {
    std::string connection;
    std::string schema;
    std::string ledger;  ///< The file outside of the store, for effects.
};

inline constexpr std::chrono::milliseconds worker_lifetime{1'000};
inline constexpr std::int64_t rounds_of_a_run = 4;
inline constexpr std::int64_t visits_of_a_round = 4;
inline constexpr const char* graph_name = "chaos";

/** Runs what is ready until it is killed. @return  The exit status. */
int work(const worker_orders& orders);

/** Starts a server and workers, makes trouble from a seed, and looks at what is left.
 *  @return  Everything that is wrong, one a line. */
std::vector<std::string> make_chaos(const chaos_course& course, std::uint64_t seed);

}  // namespace engine_chaos
