#pragma once

#include "program_outline.hpp"

#include <string>

namespace weft_cli {

// Scripts that complete the commands, options, values and files of a program in a shell.

/** For bash 3.2 and newer; works without the package bash-completion. */
[[nodiscard]] std::string bash_completion(const command_outline& program);

/** For zsh: to source, or as the file `_weft` in a folder of `fpath`. */
[[nodiscard]] std::string zsh_completion(const command_outline& program);

/** For fish 3 and newer. */
[[nodiscard]] std::string fish_completion(const command_outline& program);

}  // namespace weft_cli
