#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace weft_chaos {

/** What a chaos run does: so many threads with so many runs each, of so many steps. */
struct chaos_plan {
    std::vector<std::uint64_t> seeds{11};
    int workers = 4;
    int threads = 10;
    int runs = 3;
    int steps = 20;
    std::chrono::seconds trouble{5};    ///< So long processes are killed; afterwards all is calm.
    std::chrono::seconds patience{150};  ///< So long all runs together may take.
    bool is_unfenced = false;           ///< Workers write whatever the store says; the checks must notice.
};

/** What a worker is told. */
struct worker_orders {
    std::string connection;
    std::string schema;
    std::uint64_t seed = 1;
    int steps = 20;
    bool is_unfenced = false;
};

inline constexpr std::chrono::milliseconds worker_lifetime{1'000};

/** The body of a checkpoint: where it stands in its run, and a link to the one before that no other worker, and no
 *  second attempt, would make in the same way. */
struct chain_link {
    std::string run;
    int step = 0;
    std::string previous;
    std::string link;

    [[nodiscard]] std::string text() const;
    [[nodiscard]] static chain_link parse(const std::string& text);
};

/** Claims and runs until the store gives it up. @return  The exit status. */
int work(const worker_orders& orders);

/** Starts a server and workers, makes trouble from a seed, and looks at what is left.
 *  @return  Everything that is wrong, one a line. */
std::vector<std::string> make_chaos(const chaos_plan& plan, std::uint64_t seed);

}  // namespace weft_chaos
