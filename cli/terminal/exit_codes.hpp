#pragma once

namespace weft_cli {

// What the program ends with, whatever the command.
inline constexpr int all_good = 0;
inline constexpr int has_failed = 1;   ///< The graph has errors, or its run failed.
inline constexpr int wrong_usage = 2;  ///< The command line is wrong, or a file cannot be read or written.
inline constexpr int has_paused = 3;   ///< The run stands still and could go on.

}  // namespace weft_cli
