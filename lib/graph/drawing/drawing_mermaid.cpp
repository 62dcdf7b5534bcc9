#include "drawing_plan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

namespace {

using namespace drawing_detail;

bool is_alphanumeric(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0;
}

/** Whether Mermaid, or the Markdown and the HTML that it reads in labels, may take a character for something else. */
bool is_special(std::string_view text, std::size_t at)
{
    const char c = text[at];
    if (is_alphanumeric(c) || c == ' ' || c == ',' || c == '?' || c == '!' || c == '\'') return false;
    const char before = at == 0 ? '\n' : text[at - 1];
    const char after = at + 1 == text.size() ? '\n' : text[at + 1];
    if (c == '_') return !is_alphanumeric(before) || !is_alphanumeric(after);
    if (c == '/') return before == '/' || after == '/';
    // Mermaid takes a colon behind these words, and a reference behind that, for a colour.
    if (c == ':') return text.find("style") != text.npos || text.find("classDef") != text.npos;
    if (c == '(' || c == ')' || c == '=') return false;
    // "1. x" and "- x" would begin a list.
    if (c == '.') return before >= '0' && before <= '9' && after == ' ';
    if (c == '-') return before == '\n' || before == '-' || after == '-';
    return true;
}

/** A label in quotes. What might be special is written as a character reference. */
std::string mermaid_string(std::string_view text)
{
    std::string result = "\"";
    for (std::size_t at = 0; at < text.size(); ++at) {
        // The one tag that Mermaid keeps in labels.
        if (text[at] == '\n')
            result += "<br>";
        else if (is_special(text, at))
            result.append("#").append(std::to_string(static_cast<unsigned>(text[at]))) += ';';
        else
            result += text[at];
    }
    return result.append(text.empty() ? " \"" : "\"");
}

std::string yaml_quoted(std::string_view text)
{
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        if (c == '\n')
            result += "\\n";
        else
            result += c;
    }
    return result += '"';
}

std::pair<std::string_view, std::string_view> brackets_of(shape look)
{
    switch (look) {
    case shape::start: return {"((", "))"};
    case shape::end: return {"(((", ")))"};
    case shape::join: return {"{{", "}}"};
    case shape::folded: return {"[[", "]]"};
    case shape::deferred: return {"([", "])"};
    case shape::plain: break;
    }
    return {"[", "]"};
}

std::string name_of(char kind, std::size_t number) { return kind + std::to_string(number); }

class mermaid_writer {
public:
    mermaid_writer(const drawing_plan& plan, const drawing_options& options)
        : plan_{plan}, contents_{contents_of(plan)}, options_{options},
          colours_{options.theme == drawing_theme::dark ? options.dark : options.light}
    {
    }

    std::string run() &&
    {
        text_.append("---\ntitle: ").append(yaml_quoted(plan_.title)).append("\n---\nflowchart ");
        text_.append(options_.direction == drawing_direction::down ? "TB\n" : "LR\n");
        write_contents(plan_.clusters.size(), 1);
        for (const drawn_edge& edge : plan_.edges)
            write_edge(name_of('n', edge.from), name_of('n', edge.to), edge.kind, edge.label, edge.did);
        if (options_.has_legend) write_legend();
        write_classes();
        write_link_styles();
        return std::move(text_);
    }

private:
    void indent(std::size_t depth) { text_.append(std::min<std::size_t>(depth, 16) * 4, ' '); }

    /** Calls itself as deep as graphs and fan-outs are nested. */
    void write_contents(std::size_t cluster, std::size_t depth)
    {
        for (const std::uint32_t n : contents_.nodes[cluster]) {
            const drawn_node& node = plan_.nodes[n];
            const auto [open, close] = brackets_of(node.look);
            indent(depth);
            text_.append(name_of('n', n)).append(open).append(mermaid_string(node.label)).append(close) += '\n';
            style_node(n, node);
        }
        for (const std::uint32_t c : contents_.clusters[cluster]) {
            const drawn_cluster& inner = plan_.clusters[c];
            indent(depth);
            text_.append("subgraph ").append(name_of('c', c)).append("[");
            text_.append(mermaid_string(inner.label)).append("]\n");
            write_contents(c, depth + 1);
            indent(depth);
            text_.append("end\n");
            style(inner.is_region ? "region" : inner.did == mark::failed ? "failedGraph" : "nested", name_of('c', c));
        }
    }

    void write_edge(std::string_view from, std::string_view to, way kind, std::string_view label, mark did)
    {
        const bool is_broken = kind == way::conditional || kind == way::command;
        text_.append("    ").append(from).append(is_broken ? " -.->" : " -->");
        if (!label.empty()) text_.append("|").append(mermaid_string(label)).append("|");
        text_.append(" ").append(to) += '\n';
        std::string look;
        if (did == mark::idle)
            look = "stroke:" + colours_.idle;
        else if (kind == way::failure)
            look = "stroke:" + colours_.failed;
        else if (kind == way::llm)
            look = "stroke:" + colours_.llm;
        else if (did == mark::ran)
            look = "stroke:" + colours_.taken;
        if (did == mark::ran) look += ",stroke-width:4px";
        if (kind == way::command) look.append(look.empty() ? "" : ",").append("stroke-dasharray:1 5");
        if (!look.empty()) {
            // Mermaid styles edges by their number, so edges of one look share a line.
            std::string& numbers = links_[look];
            numbers.append(numbers.empty() ? "" : ",").append(std::to_string(link_count_));
        }
        ++link_count_;
    }

    void write_legend()
    {
        text_.append("    subgraph legend[\"legend\"]\n        direction LR\n");
        constexpr std::array kinds{way::unconditional, way::conditional, way::failure, way::llm, way::command};
        for (std::size_t i = 0; i < kinds.size(); ++i)
            text_.append("        k").append(std::to_string(2 * i)).append("[\" \"]\n        k")
                .append(std::to_string(2 * i + 1)).append("[")
                .append(mermaid_string(legend_of(kinds[i]))).append("]\n");
        text_.append("    end\n");
        for (std::size_t i = 0; i < kinds.size(); ++i)
            write_edge(name_of('k', 2 * i), name_of('k', 2 * i + 1), kinds[i], {}, mark::none);
        style("nested", "legend");
    }

    void style(const std::string& name, std::string_view of)
    {
        std::string& members = styled_[name];
        members.append(members.empty() ? "" : ",").append(of);
    }

    void style_node(std::uint32_t number, const drawn_node& node)
    {
        const std::string id = name_of('n', number);
        if (node.did == mark::failed || node.did == mark::mended) return style("failed", id);
        if (node.did == mark::idle) return style("idle", id);
        if (node.look == shape::start || node.look == shape::end || node.look == shape::join)
            style(node.did == mark::ran ? "ranSpecial" : "special", id);
        else if (node.did == mark::ran)
            style("ran", id);
        else if (options_.theme != drawing_theme::automatic)
            style("plain", id);
    }

    void write_class(const char* name, const std::string& fill, const std::string& stroke, const std::string& more = {})
    {
        const auto members = styled_.find(name);
        if (members == styled_.end()) return;
        text_.append("    classDef ").append(name).append(" fill:").append(fill).append(",stroke:").append(stroke);
        text_.append(more).append("\n    class ").append(members->second).append(" ").append(name) += '\n';
    }

    void write_classes()
    {
        const std::string text = ",color:" + colours_.text;
        // A cluster that lets the page shine through fits a light page as well as a dark one.
        const bool adapts = options_.theme == drawing_theme::automatic;
        const std::string region = adapts ? "none" : colours_.region;
        const std::string nested = adapts ? "none" : colours_.nested;
        const std::string title = adapts ? "" : text;
        write_class("plain", colours_.node, colours_.border, text);
        write_class("special", colours_.special, colours_.border, text);
        write_class("ran", colours_.node, colours_.taken, text + ",stroke-width:3px");
        write_class("ranSpecial", colours_.special, colours_.taken, text + ",stroke-width:3px");
        write_class("idle", colours_.background, colours_.idle, ",color:" + colours_.border);
        write_class("failed", colours_.failed_node, colours_.failed, text + ",stroke-width:3px");
        write_class("region", region, colours_.border, title + ",stroke-dasharray:6 4");
        write_class("nested", nested, colours_.border, title);
        write_class("failedGraph", nested, colours_.failed, title + ",stroke-width:3px");
    }

    void write_link_styles()
    {
        for (const auto& [look, numbers] : links_)
            text_.append("    linkStyle ").append(numbers).append(" ").append(look) += '\n';
    }

    const drawing_plan& plan_;
    cluster_contents contents_;
    const drawing_options& options_;
    const drawing_colours& colours_;
    std::string text_;
    std::map<std::string, std::string> styled_;  // names of nodes, by class
    std::map<std::string, std::string> links_;   // numbers of edges, by look
    std::size_t link_count_ = 0;
};

}  // namespace

std::string to_mermaid(const graph& what, const drawing_options& options)
{
    // Both, whatever the theme: Mermaid's automatic theme shows either.
    check_colours(options.light, "colours.light");
    check_colours(options.dark, "colours.dark");
    return mermaid_writer{make_plan(what, options), options}.run();
}

}  // namespace weft
