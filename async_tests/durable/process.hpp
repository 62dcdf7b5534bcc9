#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace weft_tests {

/** Starts this program anew with other words. @param environment  Added to that of this process: `NAME=value`.
 *  @par Errors  `std::runtime_error`. */
[[nodiscard]] pid_t start_self(const std::vector<std::string>& words,
                               const std::vector<std::string>& environment = {});

/** Waits for its end. @return  Its exit status, or minus the signal that killed it. */
[[nodiscard]] int end_of(pid_t process);

/** In a process that `start_self` has started: it dies with its parent, and after so many seconds in any case. */
void die_with_parent(unsigned seconds_max);

}  // namespace weft_tests
