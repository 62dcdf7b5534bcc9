#pragma once

#include <string>
#include <vector>

namespace weft_bench {

/** What the process holds in RAM now, and the most it ever held; in bytes. */
[[nodiscard]] double resident_bytes();
[[nodiscard]] double resident_bytes_max();

/** What is allocated now, in all arenas of the allocator; in bytes. */
[[nodiscard]] double live_bytes();

/** Runs this program anew with `--alone <work>` and gives the number that it prints: memory can be told only by a
 *  process that has done nothing else. */
[[nodiscard]] double measure_alone(const std::string& work);
/** The same, of a work that prints several. */
[[nodiscard]] std::vector<double> measure_several_alone(const std::string& work);

/** What `--alone` does: one of the names that the benchmarks of memory use. */
[[nodiscard]] double do_alone(const std::string& work);

}  // namespace weft_bench
