#include <weft/observe/metric/weft_metrics.hpp>

#include <string>
#include <utility>
#include <vector>

namespace weft {

namespace {

using label_names = std::vector<std::string>;

metric_family& counted(metric_registry& in, std::string name, std::string help, label_names labels = {})
{
    return in.family({std::move(name), std::move(help), metric_kind::counter, std::move(labels)});
}

metric_family& gauged(metric_registry& in, std::string name, std::string help, label_names labels = {})
{
    return in.family({std::move(name), std::move(help), metric_kind::gauge, std::move(labels)});
}

metric_family& timed(metric_registry& in, std::string name, std::string help, label_names labels = {})
{
    return in.family({std::move(name), std::move(help), metric_kind::histogram, std::move(labels), time_bounds()});
}

}  // namespace

weft_metrics::weft_metrics(metric_registry& in)
    : http_requests{counted(in, "weft_http_requests", "Requests that were answered.", {"route", "method", "code"})},
      http_request_seconds{
          timed(in, "weft_http_request_seconds", "From a request's head to the end of its answer.", {"route"})},
      http_first_byte_seconds{timed(in, "weft_http_first_byte_seconds",
                                    "From a request's head to the first byte of its answer.", {"route"})},
      http_connections{gauged(in, "weft_http_connections", "Connections of clients.", {"state"})},
      streams{gauged(in, "weft_streams", "Streams of events that clients have open.", {"protocol"})},
      loop_lag_seconds{timed(in, "weft_loop_lag_seconds", "How late the timers of a loop are.", {"loop"})},
      runs{counted(in, "weft_runs", "Runs that came to rest here.", {"graph", "outcome"})},
      runs_open{gauged(in, "weft_runs_open", "Runs that are under way here.", {"graph"})},
      run_seconds{timed(in, "weft_run_seconds", "From the start of a run, or its resumption, to its rest.", {"graph"})},
      run_queue_seconds{timed(in, "weft_run_queue_seconds", "From the order of a run to its start.", {"graph"})},
      node_seconds{timed(in, "weft_node_seconds", "Attempts of nodes.", {"graph", "node"})},
      node_retries{counted(in, "weft_node_retries", "Attempts after a failure.", {"graph", "node"})},
      node_failures{counted(in, "weft_node_failures", "Attempts that failed.", {"graph", "node"})},
      model_seconds{timed(in, "weft_model_seconds", "Calls of chat models.", {"provider", "model"})},
      model_first_token_seconds{timed(in, "weft_model_first_token_seconds",
                                      "From the call of a chat model to its first piece.", {"provider", "model"})},
      model_errors{counted(in, "weft_model_errors", "Calls of chat models that failed.",
                           {"provider", "model", "error"})},
      tokens{counted(in, "weft_tokens", "Tokens of chat models; cached and reasoning ones are parts of the others.",
                     {"model", "kind"})},
      cost_usd{counted(in, "weft_cost_usd", "What calls of chat models cost, in US dollars.", {"model"})},
      tool_seconds{timed(in, "weft_tool_seconds", "Calls of tools.", {"tool"})},
      tool_errors{counted(in, "weft_tool_errors", "Calls of tools that failed.", {"tool", "error"})},
      store_seconds{timed(in, "weft_store_seconds", "Operations of the store of runs.", {"op"})},
      store_errors{counted(in, "weft_store_errors", "Operations of the store that failed.", {"op", "error"})},
      fence_refused{counted(in, "weft_fence_refused",
                            "Writes that the store refused: another process has the run.", {"op"})},
      lease_lost{counted(in, "weft_lease_lost", "Times that the store had given this worker up.")},
      queue_depth{gauged(in, "weft_queue_depth", "Runs in the queue of the store, up to 10000 of a kind.",
                         {"graph", "phase"})},
      queue_oldest_seconds{gauged(in, "weft_queue_oldest_seconds", "How long the oldest of them has been there.",
                                  {"graph", "phase"})},
      queue_unclaimable{gauged(in, "weft_queue_unclaimable", "Ready runs that no living worker can take.", {"graph"})},
      dead_letters{gauged(in, "weft_dead_letters", "Runs that have used up their attempts, up to 10000 in all.",
                          {"graph"})},
      workers{gauged(in, "weft_workers", "Workers on the store.", {"state"})},
      cron_late_seconds{timed(in, "weft_cron_late_seconds", "From the moment of a cron to the start of its run.")},
      webhooks{counted(in, "weft_webhooks", "Attempts to deliver webhooks.", {"outcome"})},
      otlp_spans{counted(in, "weft_otlp_spans", "Spans by what became of them: sent, dropped, failed, or unsampled.",
                         {"outcome"})}
{
}

}  // namespace weft
