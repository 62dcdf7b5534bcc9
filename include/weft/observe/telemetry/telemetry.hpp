#pragma once

#include <weft/base/chrono.hpp>
#include <weft/engine/run/run_observer.hpp>
#include <weft/engine/run_request.hpp>
#include <weft/observe/metric/metric_registry.hpp>
#include <weft/observe/metric/weft_metrics.hpp>
#include <weft/observe/otlp/otlp_options.hpp>
#include <weft/observe/trace/trace_options.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace weft {

class serial_loop;

/** What telemetry does. */
struct telemetry_options {
    telemetry_options() {}

    trace_options traces{};
    /** Where spans are sent; nothing: nowhere, and there are metrics only. */
    std::optional<otlp_options> otlp{};
    /** Gets a line of JSON, without its end, about each run that begins or comes to rest, and each attempt at a node or
     *  call of a model or tool that fails: `at`, `event`, `graph`, `run_id`, `thread_id`, `node`, `trace_id`,
     *  `span_id`, `status`, `error`, `ms`. On the loops of runs, at the same time on several; null: none is. */
    std::function<void(std::string_view line)> log{};
};

/** Metrics and traces of all runs of a process, of what they call and of what serves them.
 *
 *  The spans of a run are a tree: `invoke_workflow` of the run; within it the attempts at its nodes, those of agents as
 *  `invoke_agent`; within these `chat`, `execute_tool` and calls over HTTP. What goes on from another part of a run has
 *  a link to its span. The caller's trace goes on in all of it, also when another process takes the run over.
 *
 *      auto telemetry = std::make_shared<weft::telemetry>();
 *      weft::server_options options;
 *      options.telemetry = telemetry;  // GET /metrics
 *
 *  An engine without a server is watched as well:
 *
 *      telemetry->watch(request, loop, graph.name());
 *      weft::run_result result = co_await engine.run(std::move(request));
 *
 *  A `durable_engine` has it as `durable_options::observer`.
 *
 *  @par Thread safety   All operations from any OS thread, but `watch` on the loop of the run.
 *  @par Errors          From the constructor those of `otlp_exporter`.
 *  @par Lifetimes       It may go before its runs end: they share what they need. The last of them waits for what is
 *                       sent as long as `otlp_options::flush_for`. */
class telemetry final : public run_observer {
public:
    explicit telemetry(telemetry_options options = telemetry_options{});
    ~telemetry() override;
    telemetry(const telemetry&) = delete;
    telemetry& operator=(const telemetry&) = delete;

    [[nodiscard]] run_watch watch(const observed_run& what) override;
    /** Has the run of a request watched that an `engine` is to run. */
    void watch(run_request& request, serial_loop& loop, std::string_view graph);

    /** For further metrics of the user's own as well. */
    [[nodiscard]] metric_registry& registry() noexcept;
    [[nodiscard]] weft_metrics& metrics() noexcept;
    /** Sends what waits, and then no more; see `otlp_exporter::close`. */
    bool close(std::chrono::nanoseconds limit);

private:
    struct part;
    std::shared_ptr<part> part_;
};

}  // namespace weft
