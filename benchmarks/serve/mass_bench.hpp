#pragma once

#include <string>

namespace weft_bench {

/** What `--alone mass <clients> agent`, `… thread` or `… floor` does, in a process of its own: see
 *  `mass_benchmarks`. Prints its figures and ends the process. */
[[noreturn]] void serve_mass_alone(const std::string& work);

}  // namespace weft_bench
