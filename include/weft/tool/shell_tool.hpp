#pragma once

#include <weft/base/chrono.hpp>
#include <weft/tool/tool.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace weft {

/** What `shell_tool` may run, where, and how much of everything. */
struct shell_tool_options {
    /** The programs that may be run, as the first word of a command must be; looked for in the `PATH` below. */
    std::vector<std::string> programs = {};
    /** Instead: a shell such as `/bin/sh`, which gets the command as one text and runs whatever it says. */
    std::string shell = {};
    std::string directory = {};       ///< Where programs run; must be named.
    /** All that programs get of an environment. */
    std::map<std::string, std::string> environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"}, {"LANG", "C.UTF-8"}};
    std::vector<std::string> inherited = {};  ///< Variables of this process that they see too.

    std::chrono::nanoseconds time_max = std::chrono::seconds{60};
    std::size_t output_bytes_max = 64 * 1024;     ///< Of both streams; of more, the middle is left out.
    std::uint64_t cpu_seconds_max = 60;           ///< Of one process; 0 here and below: unlimited.
    std::uint64_t memory_bytes_max = 0;           ///< Address space of one process.
    std::uint64_t file_bytes_max = 100'000'000;   ///< Of one file that is written.
    std::uint64_t open_files_max = 256;
};

/** The tool `shell`: runs a program and gives its output back, both streams in one, with its exit status.
 *
 *  Programs get no input, no privileges beyond those of this process, no file that it has open, and a process group of
 *  their own. When the program ends, when its time is up or the call is stopped, the whole group is killed; what left
 *  the group on purpose (`setsid`) is not. It is no sandbox: a program can do what the user of this process can. On
 *  Linux that includes reading the environment of this process, with its keys, in `/proc`, unless
 *  `keep_environment_private` was called before; see there for what that does not cover.
 *
 *  @par Errors   `errc::invalid_configuration` without programs and shell, or without a directory. A program that
 *                fails is an error result. */
[[nodiscard]] std::shared_ptr<tool> shell_tool(shell_tool_options options);

}  // namespace weft
