#include "run_telemetry.hpp"

#include <weft/base/environment.hpp>
#include <weft/observe/otlp/otlp_options.hpp>

#include <iostream>
#include <utility>

namespace weft_cli {

void add_otlp_option(CLI::App& command, std::string& url)
{
    command
        .add_option("--otlp", url,
                    "Send traces to this receiver of OpenTelemetry, e.g. http://localhost:4318; else as OTEL_* say")
        ->type_name("URL");
}

std::shared_ptr<weft::telemetry> telemetry_of(const std::string& url, std::string_view command, bool has_metrics,
                                              run_log_function log)
{
    const std::string name{command};
    weft::otlp_environment found = weft::otlp_from(weft::process_environment(), url, "weft-" + name);
    if (!found.sending && !has_metrics && !log) return nullptr;
    weft::telemetry_options options;
    options.traces = std::move(found.traces);
    options.otlp = std::move(found.sending);
    options.log = std::move(log);
    if (options.otlp)
        options.otlp->on_error = [name](std::string_view what) {
            std::cerr << "weft " << name << ": " << what << '\n';
        };
    return std::make_shared<weft::telemetry>(std::move(options));
}

}  // namespace weft_cli
