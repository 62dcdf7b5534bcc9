#pragma once

#include <weft/observe/metric/metric_registry.hpp>

namespace weft {

/** The metrics of runs, models, tools, stores and servers, with their names and labels: the one table of them. No label
 *  has an id, or the name of a user.
 *
 *  @par Thread safety   As `metric_family`.
 *  @par Lifetimes       The registry outlives it. */
struct weft_metrics {
    explicit weft_metrics(metric_registry& in);

    // Of a server.
    metric_family& http_requests;
    metric_family& http_request_seconds;
    metric_family& http_first_byte_seconds;
    metric_family& http_connections;
    metric_family& streams;
    metric_family& loop_lag_seconds;
    // Of runs.
    metric_family& runs;
    metric_family& runs_open;
    metric_family& run_seconds;
    metric_family& run_queue_seconds;
    metric_family& node_seconds;
    metric_family& node_retries;
    metric_family& node_failures;
    // Of what runs call.
    metric_family& model_seconds;
    metric_family& model_first_token_seconds;
    metric_family& model_errors;
    metric_family& tokens;
    metric_family& cost_usd;
    metric_family& tool_seconds;
    metric_family& tool_errors;
    // Of a store, and of its queue.
    metric_family& store_seconds;
    metric_family& store_errors;
    metric_family& fence_refused;
    metric_family& lease_lost;
    metric_family& queue_depth;
    metric_family& queue_oldest_seconds;
    metric_family& queue_unclaimable;
    metric_family& dead_letters;
    metric_family& workers;
    metric_family& cron_late_seconds;
    metric_family& webhooks;
    // Of telemetry itself.
    metric_family& otlp_spans;
};

}  // namespace weft
