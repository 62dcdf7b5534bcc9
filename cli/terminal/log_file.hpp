#pragma once

#include <weft/engine/trace/run_log.hpp>

#include <string>

namespace weft_cli {

/** Reads the log of a run. @param path  A file, or - for standard input.
 *  @par Errors   `weft::error` names the file, and the line if one is wrong. */
[[nodiscard]] weft::run_log read_log_file(const std::string& path);

}  // namespace weft_cli
