#pragma once

namespace weft {

/** Keeps the keys in the environment of this process from the programs that it starts.
 *
 *  The environment that a `shell_tool` or an MCP server gets has no key in it, but on Linux a program of the same user
 *  reads that of another process in `/proc/<pid>/environ`, and its memory. This makes the process one that others of
 *  the same user can neither read nor trace (`PR_SET_DUMPABLE` 0).
 *
 *  Call it at the beginning of `main`, before anything is started. It holds for this process until it calls `execve`,
 *  and not for children of a `fork`, which call it themselves. Then there is no core file either, and a debugger
 *  attaches to the process only with privileges.
 *
 *  A program that runs as root or with `CAP_SYS_PTRACE` reads the environment all the same: run tools as another user.
 *
 *  @return              Whether the system does so. False on systems other than Linux.
 *  @par Thread safety   From any OS thread.
 *  @par Source          prctl(2), `PR_SET_DUMPABLE`; proc(5), "ptrace access mode". */
bool keep_environment_private() noexcept;

}  // namespace weft
