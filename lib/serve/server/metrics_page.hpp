#pragma once

#include <weft/async/task.hpp>
#include <weft/net/server/http_call.hpp>
#include <weft/observe/telemetry/telemetry.hpp>
#include <weft/store/service_store.hpp>

#include <memory>

namespace weft::serve_detail {

/** Answers with all metrics of the process, and with what its store says of the queue at the moment. A store that does
 *  not answer is counted, and what it would say is left out.
 *  @par Lifetimes   The store outlives the task. */
[[nodiscard]] task<void> show_metrics(http_call& call, std::shared_ptr<telemetry> of, service_store& service);

}  // namespace weft::serve_detail
