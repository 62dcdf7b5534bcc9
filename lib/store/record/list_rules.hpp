#pragma once

#include <weft/store/record/stored_run.hpp>
#include <weft/store/record/stored_thread.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/** What the lists of all stores have in common. */
namespace weft {

/** What a thread is doing, by its active run and by the run of it that ended last. */
[[nodiscard]] thread_phase phase_of_thread(std::optional<run_phase> active,
                                           std::optional<run_phase> last_ended) noexcept;

/** One bit for each phase, as statements compare them; 0 if every phase will do. */
template <class Phase>
[[nodiscard]] std::int64_t bits_of(const std::vector<Phase>& phases) noexcept
{
    std::int64_t bits = 0;
    for (const Phase each : phases) bits |= std::int64_t{1} << static_cast<int>(each);
    return bits;
}

/** Two JSON objects as one: members of the second replace those of the first. */
[[nodiscard]] std::string merged_objects(const std::string& first, const std::string& second);

void check_limits(const run_query& query);
void check_limits(const thread_query& query);
void check_limits(const thread_change& change);

}  // namespace weft
