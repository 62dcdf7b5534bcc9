#include <weft/observe/telemetry/telemetry.hpp>

#include "observe/trace/run_observation.hpp"

#include <weft/observe/otlp/otlp_exporter.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

namespace weft {

struct telemetry::part {
    explicit part(telemetry_options options)
        : setup{metrics, std::move(options.traces), nullptr, std::move(options.log)}
    {
        if (!options.otlp) return;
        exporter.emplace(std::move(*options.otlp), [this](std::string_view outcome, std::size_t spans) {
            metrics.otlp_spans.at({outcome}).add(static_cast<double>(spans));
        });
        setup.queue = &exporter->queue();
    }

    metric_registry registry;
    weft_metrics metrics{registry};
    observe_detail::observation_setup setup;
    std::optional<otlp_exporter> exporter;
};

telemetry::telemetry(telemetry_options options) : part_{std::make_shared<part>(std::move(options))} {}

telemetry::~telemetry() = default;

run_watch telemetry::watch(const observed_run& what)
{
    using observe_detail::observation_setup;
    using observe_detail::run_observation;
    // The observation shares all of the part.
    std::shared_ptr<const observation_setup> setup{part_, &part_->setup};
    const auto observation = std::make_shared<run_observation>(std::move(setup), what);
    auto trace = std::make_shared<trace_context>(observation->trace());
    trace->recorder = observation;
    return {std::move(trace), [observation](const run_event& event) { observation->see(event); }};
}

void telemetry::watch(run_request& request, serial_loop& loop, std::string_view graph)
{
    observe(request, *this, {.graph = graph, .thread = request.thread(), .loop = &loop});
}

metric_registry& telemetry::registry() noexcept { return part_->registry; }

weft_metrics& telemetry::metrics() noexcept { return part_->metrics; }

bool telemetry::close(std::chrono::nanoseconds limit) { return !part_->exporter || part_->exporter->close(limit); }

}  // namespace weft
