#include "served_graph_options.hpp"

#include "access_log.hpp"
#include "graph/run_input.hpp"
#include "store/store_place.hpp"

#include <cmath>
#include <string_view>

namespace weft_cli {

void add_graphs_option(CLI::App& command, std::vector<std::string>& graphs)
{
    command.add_option("GRAPHS", graphs, "Graph files, or folders with them")->required()->type_name("");
}

void add_served_graph_options(CLI::App& command, run_args& args)
{
    add_node_options(command, args);
    command.add_option("--prices", args.prices, "What models cost, for a budget of money; see MODEL_DECORATORS.md")
        ->type_name("FILE");
    command.add_flag("--record-requests", args.records_requests,
                     "Record what models are sent and answer, for the studio; serve --studio does so too");
    add_store_options(command, args.store);
    command.add_option("--keep-last", args.keep_last, "Checkpoints of a thread that stay; 0: all")
        ->type_name("N")
        ->capture_default_str()
        ->group("Kept runs");
}

void add_run_log_option(CLI::App& command, std::string& file)
{
    command
        .add_option("--run-log", file,
                    "Write runs that begin and end, and what fails in them, as lines of JSON; -: standard output")
        ->type_name("FILE");
}

run_log_function run_log_of(const run_args& args)
{
    return args.run_log.empty() ? run_log_function{} : line_writer("--run-log", args.run_log);
}

void add_model_limit_options(CLI::App& command, run_args& args)
{
    const CLI::Validator is_limit{
        [](const std::string& text) {
            double value = 0;
            const bool is = CLI::detail::lexical_cast(text, value) && std::isfinite(value) && value > 0;
            return is ? std::string{} : "'" + text + "' is no limit; give a number above 0";
        },
        ""};
    constexpr const char* group = "Limits of a model, for all processes on a database together";
    command.add_option("--requests-per-minute", args.model_limits.requests_per_minute, "Calls of each model at most")
        ->type_name("N")
        ->check(is_limit)
        ->group(group);
    command.add_option("--tokens-per-minute", args.model_limits.tokens_per_minute, "Tokens of each model at most")
        ->type_name("N")
        ->check(is_limit)
        ->group(group);
}

void add_retention_options(CLI::App& command, retention_args& args)
{
    command.add_option("--keep-runs", args.keep_runs, "Forget runs so long after their end, e.g. 720h")
        ->type_name("SPAN")
        ->group("Kept runs");
    command.add_option("--keep-events", args.keep_events, "Forget their events so long after their end, e.g. 168h")
        ->type_name("SPAN")
        ->group("Kept runs");
}

retention_spans spans_of(const retention_args& args)
{
    const auto span = [](std::string_view option, const std::string& text, std::string_view example) {
        std::optional<std::chrono::milliseconds> found;
        if (!text.empty())
            found = std::chrono::duration_cast<std::chrono::milliseconds>(span_of(option, text, example));
        return found;
    };
    return {span("--keep-runs", args.keep_runs, "720h"), span("--keep-events", args.keep_events, "168h")};
}

}  // namespace weft_cli
