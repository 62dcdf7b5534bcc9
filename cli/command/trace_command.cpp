#include "commands.hpp"

#include "run/trace_text.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/log_file.hpp"

#include <weft/base/error.hpp>
#include <weft/base/json/json_text.hpp>

#include <iostream>
#include <memory>
#include <string>

namespace weft_cli {

namespace {

struct trace_args {
    std::string file = {};
    std::string format = "text";
};

int show(const trace_args& args)
{
    try {
        const weft::run_log log = read_log_file(args.file);
        const weft::run_trace trace = weft::trace_of(log);
        if (args.format == "json") {
            std::cout << weft::to_json_text(to_json(trace)) << '\n';
            return all_good;
        }
        const console::screen screen;
        std::cout << trace_text(trace, screen, screen.is_terminal() ? screen.size().columns : piped_columns);
        if (log.breaks_off()) std::cout << "The last line of the log breaks off and is left out.\n";
        return all_good;
    } catch (const weft::error& e) {
        std::cerr << "weft trace: " << console::harmless(e.where() + ": " + e.detail()) << '\n';
        return wrong_usage;
    }
}

}  // namespace

void add_trace_command(CLI::App& app, int& exit_code)
{
    const auto args = std::make_shared<trace_args>();
    CLI::App& command = *app.add_subcommand("trace", "Tell what happened in a run, and what its time went to");
    command.add_option("RUN", args->file, "Log of a run, by weft run --log or --json; - is standard input")
        ->required()
        ->type_name("");
    command.add_option("--format", args->format, "How to tell it")
        ->check(CLI::IsMember({"text", "json"}))
        ->type_name("FORMAT")
        ->capture_default_str();
    command.footer(R"(It tells of every visit of a node when it began, how long it took, its attempts and how it ended,
with a bar of its time; which edges were taken; and the critical path: the chain of visits that the
end of the run waited for, with the share of each. Whoever wants the run to be faster begins there.

Examples:
  weft run support.json --log run.jsonl; weft trace run.jsonl
  weft run support.json --json | weft trace -
  weft trace run.jsonl --format json | jq '.critical_path'

Exit status: 0 told, 2 wrong usage or a file that is no log.)");
    command.callback([args, &exit_code] { exit_code = show(*args); });
}

}  // namespace weft_cli
