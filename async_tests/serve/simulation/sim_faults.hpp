#pragma once

#include <string_view>

namespace server_simulation {

/** Whether the server of this program has the fault of this name. `mutants.cmake` puts the question into copies of the
 *  server's own sources; what has it at other places asks by itself. */
[[nodiscard]] bool has_fault(std::string_view name) noexcept;

/** From now on; `name` outlives the program. */
void set_fault(std::string_view name) noexcept;

}  // namespace server_simulation
