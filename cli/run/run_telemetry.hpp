#pragma once

#include <weft/observe/telemetry/telemetry.hpp>

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace weft_cli {

using run_log_function = std::function<void(std::string_view line)>;

/** Gives a command `--otlp`. @param url   Outlives the command. */
void add_otlp_option(CLI::App& command, std::string& url);

/** Telemetry as the option and the environment say.
 *  @param command    Of the program, for what is told, and for the name of the service: `weft-serve`.
 *  @param has_metrics   Whether metrics are asked for by others: then it is there also without a receiver of spans.
 *  @param log        As `telemetry_options::log`.
 *  @return       Null: there is nothing to do.
 *  @par Errors   Those of `otlp_from` and of `telemetry`. */
[[nodiscard]] std::shared_ptr<weft::telemetry> telemetry_of(const std::string& url, std::string_view command,
                                                            bool has_metrics, run_log_function log = {});

}  // namespace weft_cli
