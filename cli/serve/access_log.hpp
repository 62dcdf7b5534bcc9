#pragma once

#include <weft/net/options/http_server_options.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace weft_cli {

/** Appends lines to a file, or to standard output, so that lines of several processes come whole.
 *  @param option   Of the program, for what is told, as in `--access-log`.
 *  @param file     `-` is standard output.
 *  @par Errors     `usage_error`: the file cannot be written. */
[[nodiscard]] std::function<void(std::string_view line)> line_writer(std::string_view option, const std::string& file);

/** Writes each request of a server as a line of JSON: when, who, what, the answer, bytes, microseconds; and the thread,
 *  the run and the trace that it is about, as far as its path and its headers say. Queries are left out, for they may
 *  have secrets.
 *  @param file   `-` is standard output.
 *  @par Errors   `usage_error`: the file cannot be written. */
[[nodiscard]] std::function<void(const weft::http_access&)> make_access_log(const std::string& file);

}  // namespace weft_cli
