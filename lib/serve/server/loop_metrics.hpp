#pragma once

#include "serve/http/route_table.hpp"

#include <weft/async/task.hpp>
#include <weft/net/http_server.hpp>
#include <weft/observe/metric/weft_metrics.hpp>

#include <cstddef>
#include <string_view>

namespace weft::serve_detail {

/** Measures how late timers of this loop are, and how many connections it has, until it is stopped.
 *  @par Lifetimes   Server and metrics outlive the task. */
[[nodiscard]] task<void> measure_loop(const http_server& http, weft_metrics& metrics, std::size_t index);

/** Counts an exchange by the route that it went to. */
void count_exchange(weft_metrics& metrics, const route_table& routes, const http_access& done);

}  // namespace weft::serve_detail
