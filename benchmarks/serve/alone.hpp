#pragma once

#include <string>

namespace weft_bench {

// What `--alone` does for the figures of servers that begin with the same word, in a process of its own: prints them
// and ends the process.

/** `drain <runs>`: see `drain_benchmarks`. */
[[noreturn]] void serve_drain_alone(const std::string& work);
/** `parked park <file> <runs>`, then `parked answer <file> <runs>`: see `parked_benchmarks`. */
[[noreturn]] void serve_parked_alone(const std::string& work);
/** `audience fan_out <clients>`, `… stalled <clients>`, and both with `floor` behind: see `audience_benchmarks`. */
[[noreturn]] void serve_audience_alone(const std::string& work);

}  // namespace weft_bench
