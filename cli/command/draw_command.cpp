#include "commands.hpp"

#include "graph/drawing_format.hpp"
#include "graph/problem.hpp"
#include "terminal/exit_codes.hpp"
#include "terminal/log_file.hpp"
#include "terminal/output_file.hpp"

#include <weft/base/error.hpp>
#include <weft/engine/trace/run_overlay_recorder.hpp>

#include <iostream>
#include <memory>
#include <string>

namespace weft_cli {

namespace {

struct draw_options {
    std::string file = {};
    std::string out = "-";
    std::string format = {};
    std::string direction = "down";
    std::string theme = "auto";
    std::string title = {};
    std::string run = {};
    std::uint32_t unfold = weft::drawing_options{}.unfold_depth;
    bool has_legend = false;
    foreign_names foreign = {};
};

weft::drawing_options drawing_options_of(const draw_options& from)
{
    weft::drawing_options options{
        .title = from.title, .unfold_depth = from.unfold, .has_legend = from.has_legend};
    if (from.direction == "right") options.direction = weft::drawing_direction::right;
    if (from.theme == "light") options.theme = weft::drawing_theme::light;
    if (from.theme == "dark") options.theme = weft::drawing_theme::dark;
    return options;
}

int refuse_drawing(const std::string& why)
{
    std::cerr << "weft draw: " << console::harmless(why) << '\n';
    return wrong_usage;
}

/** What a log says that a run of the graph did. */
weft::run_overlay overlay_of(const std::string& log, const weft::graph& what)
{
    weft::run_overlay_recorder recorder{what};
    const weft::run_log events = read_log_file(log);
    for (const weft::run_event& event : events.events()) recorder.add(event);
    return recorder.overlay();
}

int draw(const draw_options& options)
{
    std::optional<drawing_format> format = drawing_format_named(options.format);
    if (!format) format = options.out == "-" ? drawing_format::mermaid : drawing_format_of(options.out);
    if (!format)
        return refuse_drawing(options.out +
                              ": its extension is none of .mmd, .dot, .json, .svg: say the format with --format");
    const graph_file file = graph_file_reader{options.foreign}.read(options.file);
    if (const int trouble = tell_mistakes("draw", file); trouble != all_good) return trouble;
    std::string text;
    try {
        weft::drawing_options how = drawing_options_of(options);
        if (!options.run.empty()) how.overlay = overlay_of(options.run, file.loaded->what);
        text = drawing_of(file.loaded->what, *format, how);
    } catch (const weft::error& e) {
        return refuse_drawing(e.what());
    }
    if (const std::string why = write_output(options.out, text); !why.empty())
        return refuse_drawing("cannot write " + options.out + ": " + why);
    return all_good;
}

}  // namespace

void add_draw_command(CLI::App& app, int& exit_code)
{
    const auto options = std::make_shared<draw_options>();
    CLI::App& command = *app.add_subcommand("draw", "Draw a graph file as Mermaid, DOT, SVG or JSON");
    command.add_option("FILE", options->file, "Graph file")->required()->type_name("");
    command.add_option("-o,--out", options->out, "Where to; its extension says the format. - is standard output")
        ->type_name("OUT");
    command.add_option("--format", options->format, "mermaid unless the extension of OUT says otherwise")
        ->check(CLI::IsMember({"mermaid", "dot", "dag", "svg"}))
        ->type_name("FORMAT");
    command.add_option("--direction", options->direction, "Where the graph flows")
        ->check(CLI::IsMember({"down", "right"}))
        ->type_name("WAY")
        ->capture_default_str();
    command.add_option("--theme", options->theme, "Colours; auto follows the reader's setting where it can")
        ->check(CLI::IsMember({"auto", "light", "dark"}))
        ->type_name("THEME")
        ->capture_default_str();
    command.add_option("--title", options->title, "Instead of the graph's name")->type_name("TEXT");
    command.add_option("--unfold", options->unfold, "How deep graphs inside nodes are drawn; 0: as single nodes")
        ->type_name("N")
        ->capture_default_str();
    command.add_flag("--legend", options->has_legend, "Explain the kinds of edges in the drawing");
    command.add_option("--run", options->run, "Log of a run by weft run --log: draw what it did on top")
        ->type_name("RUN");
    add_foreign_names(command, options->foreign);
    command.footer(R"(Formats:
  mermaid  text that GitHub, GitLab and many editors show as a picture (.mmd)
  dot      text for Graphviz (.dot)
  svg      a picture for browsers, if weft was built with Graphviz (.svg)
  dag      JSON, schema 1.3 of AgentEnsemble's DAG (.json)

Examples:
  weft draw support.json
  weft draw support.json -o support.svg
  weft draw support.json --format dot | dot -Tpng > support.png
  weft draw support.json -o support.mmd --direction right --legend
  weft run support.json --log run.jsonl && weft draw support.json --run run.jsonl -o run.svg

Exit status: 0 drawn, 1 the file has mistakes, 2 wrong usage, or a file cannot be read or written.)");
    command.callback([options, &exit_code] { exit_code = draw(*options); });
}

}  // namespace weft_cli
