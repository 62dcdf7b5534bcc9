#include "problem.hpp"

#include "terminal/exit_codes.hpp"

#include <weft/graph/spec/spec_places.hpp>

#include <functional>
#include <iostream>
#include <map>
#include <utility>

namespace weft_cli {

namespace {

constexpr std::size_t excerpt_columns = 100;

std::string_view colour_of(weft::severity level)
{
    return level == weft::severity::error ? "1;31" : level == weft::severity::warning ? "1;33" : "1;36";
}

/** The n-th line of a text, from 1, without its end. */
std::string_view line_of(std::string_view text, std::uint32_t number)
{
    for (; number > 1; --number) {
        const std::size_t end = text.find('\n');
        if (end == text.npos) return {};
        text.remove_prefix(end + 1);
    }
    text = text.substr(0, text.find('\n'));
    return text.ends_with('\r') ? text.substr(0, text.size() - 1) : text;
}

std::string_view first_code_points(std::string_view text, std::size_t count)
{
    std::string_view rest = text;
    for (; count > 0 && !rest.empty(); --count) (void)console::take_code_point(rest);
    return text.substr(0, text.size() - rest.size());
}

/** Puts findings at nodes of a file: at those that they name, or those that these are inside of. */
class node_finder {
public:
    explicit node_finder(const graph_file& file) : places_{file.text, weft::format_of_file(file.path.string())}
    {
        const std::vector<weft::node_spec>& nodes = file.loaded->spec.nodes;
        for (std::size_t i = 0; i < nodes.size(); ++i) indices_.emplace(nodes[i].name, i);
    }

    void locate(problem& what) const
    {
        std::optional<std::size_t> index;
        for (const std::string& node : what.found.what.witness)
            if (!index) index = find(node);
        if (!index) return;
        const weft::json_path whole;
        const weft::json_path nodes{whole, "nodes"};
        const weft::json_path at{nodes, *index};
        what.path = at.text();
        what.found.at = places_.of(at);
    }

private:
    /** The longest name that `address`, `outer/inner`, begins with: names may have a / too. */
    [[nodiscard]] std::optional<std::size_t> find(std::string_view address) const
    {
        for (;;) {
            if (const auto found = indices_.find(address); found != indices_.end()) return found->second;
            const std::size_t end = address.rfind('/');
            if (end == address.npos) return std::nullopt;
            address = address.substr(0, end);
        }
    }

    weft::spec_places places_;
    std::map<std::string, std::size_t, std::less<>> indices_;
};

problem problem_of(const weft::spec_mistake& mistake)
{
    weft::finding what{std::string{mistake_rule}, weft::severity::error, mistake.text, {}, {}};
    return {{std::move(what), mistake.file, weft::text_position{mistake.line, mistake.column}}, mistake.path};
}

}  // namespace

std::vector<problem> problems_of(const graph_file& file)
{
    std::vector<problem> problems;
    for (const weft::spec_mistake& mistake : file.mistakes) problems.push_back(problem_of(mistake));
    if (!file.loaded) return problems;
    const node_finder nodes{file};
    for (weft::finding& found : weft::analyse(file.loaded->what)) {
        problems.push_back({{std::move(found), file.path.string(), {}}, {}});
        nodes.locate(problems.back());
    }
    for (const std::string& text : file.loaded->warnings)
        problems.push_back({{{std::string{warning_rule}, weft::severity::warning, text, {}, {}},
                             file.path.string(), {}}, {}});
    return problems;
}

std::string excerpt(std::string_view text, weft::text_position at, const console::screen& screen)
{
    const std::string line = console::harmless(line_of(text, at.line));
    if (line.find_first_not_of(' ') == line.npos) return {};
    std::string_view before = first_code_points(line, at.column - 1);
    std::string_view from = line;
    std::string_view lead;
    if (console::columns_of(before) > excerpt_columns * 3 / 4) {
        const std::string_view kept = console::last_columns(before, excerpt_columns / 2);
        from = from.substr(before.size() - kept.size());
        before = kept;
        lead = "…";
    }
    const std::string_view shown = console::first_columns(from, excerpt_columns);
    std::string result = "  ";
    result.append(lead).append(shown).append(shown.size() < from.size() ? "…\n" : "\n");
    result.append(2 + console::columns_of(lead) + console::columns_of(before), ' ');
    return result.append(screen.styled("^", "1;32")).append("\n");
}

std::string problem_writer::text_of(const problem& what, const graph_file& file) const
{
    const weft::finding& found = what.found.what;
    std::string place = what.found.file;
    if (what.found.at)
        place += ":" + std::to_string(what.found.at->line) + ":" + std::to_string(what.found.at->column);
    std::string text = screen_.styled(console::harmless_line(place) + ":", "1") + " ";
    text += screen_.styled(std::string{name_of(found.level)} + ":", colour_of(found.level)) + " ";
    if (found.rule != mistake_rule) text += found.rule + ": ";
    else if (!what.path.empty()) text += console::harmless_line(what.path) + ": ";
    text += console::harmless(found.message) + "\n";
    if (what.found.at && what.found.file == file.path) text += excerpt(file.text, *what.found.at, screen_);
    else if (what.found.at)
        text += excerpt(read_file(what.found.file).text.value_or(""), *what.found.at, screen_);
    if (found.witness.size() > 1) {
        text += "  way: ";
        for (std::size_t i = 0; i < found.witness.size(); ++i)
            text += (i ? " -> " : "") + console::harmless_line(found.witness[i]);
        text += "\n";
    }
    if (!found.remedy.empty()) text += "  remedy: " + console::harmless(found.remedy) + "\n";
    return text;
}

int tell_mistakes(std::string_view command, const graph_file& file)
{
    const std::string name = console::harmless_line(file.path.string());
    if (!file.trouble.empty()) {
        std::cerr << "weft " << command << ": cannot read " << name << ": " << file.trouble << '\n';
        return wrong_usage;
    }
    if (file.mistakes.empty()) return all_good;
    const problem_writer writer{console::screen{STDERR_FILENO}};
    for (const weft::spec_mistake& mistake : file.mistakes) std::cerr << writer.text_of(problem_of(mistake), file);
    std::cerr << "weft " << command << ": " << name << " has " << file.mistakes.size()
              << (file.mistakes.size() == 1 ? " mistake" : " mistakes") << ": mend the file first\n";
    return has_failed;
}

}  // namespace weft_cli
