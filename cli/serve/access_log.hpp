#pragma once

#include <weft/net/options/http_server_options.hpp>

#include <cstdio>
#include <functional>
#include <memory>
#include <string>

namespace weft_cli {

/** Writes each request of a server as a line of JSON: when, who, what, the answer, bytes, microseconds. Queries are
 *  left out, for they may have secrets.
 *  @param file   `-` is standard output.
 *  @par Errors   `usage_error`: the file cannot be written. */
[[nodiscard]] std::function<void(const weft::http_access&)> make_access_log(const std::string& file);

}  // namespace weft_cli
