#pragma once

#include <weft/base/chrono.hpp>
#include <weft/net/secret_string.hpp>
#include <weft/tool/mcp/mcp_transport.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace weft {

/** An MCP server that is a program on this machine. Its command comes from trusted configuration only, never from a
 *  model or from another server. */
struct mcp_program {
    // Declared, so that a temporary survives g++ 12 inside a co_await expression (docs/COMPILERS.md).
    mcp_program() {}
    explicit mcp_program(std::vector<std::string> words) : command{std::move(words)} {}

    /** The program, looked up in `PATH` unless it has a slash, and its arguments. No shell is involved. */
    std::vector<std::string> command;
    std::string folder;  ///< Where it runs; empty: where we do.

    /** The variables that it gets of our environment. Keys of ours are not among them. */
    std::vector<std::string> inherited{"HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"};
    std::map<std::string, std::string> environment;  ///< Further variables.
    std::map<std::string, secret_string> secrets;    ///< Further variables, never shown in errors.

    std::size_t line_bytes_max = 16 * 1024 * 1024;  ///< Of a message.
    std::size_t last_words_max = 4 * 1024;          ///< Of its standard error, kept for errors.
    /** How long it may take to end after its input was closed, and again after it was asked to (SIGTERM); then it is
     *  killed (SIGKILL). The signals go to its process group. */
    std::chrono::nanoseconds exit_patience = std::chrono::seconds{2};
};

/** The transport to a program: each message is a line on its standard input or output.
 *
 *  What the program writes to its output that is no message, such as a banner, is dropped. Its standard error is read
 *  all the time, and its end is kept for the message of the error when the program ends by itself.
 *
 *  @par Errors
 *    - `errc::invalid_configuration`  the command is empty or cannot be started.
 *    - `errc::connection_lost`        the program ended, or closed its output.
 *    - `errc::response_too_large`     a message was longer than allowed; the program is killed.
 *  @par Source          MCP 2025-11-25, "Transports", stdio.
 */
[[nodiscard]] std::unique_ptr<mcp_transport> mcp_stdio(mcp_program program);

}  // namespace weft
