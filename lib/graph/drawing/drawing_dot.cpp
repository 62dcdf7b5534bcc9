#include "drawing_plan.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

namespace {

using namespace drawing_detail;

/** A string of DOT. Labels are read again for `\N` and for `&lt;`, so these are written as what they stand for. */
std::string dot_string(std::string_view text)
{
    std::string result = "\"";
    for (const char c : text) {
        switch (c) {
        case '"': result += "\\\""; break;
        case '\\': result += "\\\\"; break;
        case '&': result += "&amp;"; break;
        case '\n': result += "\\n"; break;
        default: result += c;
        }
    }
    return result += '"';
}

std::string_view class_of(mark did)
{
    switch (did) {
    case mark::none: return "";
    case mark::idle: return " idle";
    case mark::ran: return " ran";
    case mark::mended: return " ran failed";
    case mark::failed: return " failed";
    }
    return "";
}

std::string_view class_of(shape look)
{
    switch (look) {
    case shape::start:
    case shape::end:
    case shape::join: return "special";
    case shape::plain:
    case shape::folded:
    case shape::deferred: return "plain";
    }
    return "";
}

std::string_view shape_of(shape look)
{
    switch (look) {
    case shape::start: return "circle";
    case shape::end: return "doublecircle";
    case shape::join: return "hexagon";
    case shape::folded: return "component";
    case shape::plain:
    case shape::deferred: return "box";
    }
    return "box";
}

std::string_view class_of(way kind)
{
    switch (kind) {
    case way::unconditional: return "unconditional";
    case way::conditional: return "conditional";
    case way::failure: return "failure";
    case way::llm: return "llm";
    case way::command: return "command";
    }
    return "";
}

/** Edges that lead back on a way from the first node. Graphviz would turn any edge of a loop around, and the start may
 *  come to stand in the middle. */
std::vector<bool> back_edges(const drawing_plan& plan)
{
    std::vector<std::vector<std::uint32_t>> leaving(plan.nodes.size());
    for (std::uint32_t e = 0; e < plan.edges.size(); ++e) leaving[plan.edges[e].from].push_back(e);
    enum class state : char { unseen, open, done };
    std::vector<state> states(plan.nodes.size(), state::unseen);
    std::vector<bool> leads_back(plan.edges.size());
    std::vector<std::pair<std::uint32_t, std::size_t>> way;
    const auto enter = [&](std::uint32_t n) {
        if (states[n] != state::unseen) return;
        states[n] = state::open;
        way.emplace_back(n, 0);
    };
    for (std::uint32_t first = 0; first < plan.nodes.size(); ++first)
        for (enter(first); !way.empty();) {
            auto& [n, next] = way.back();
            if (next == leaving[n].size()) {
                states[n] = state::done;
                way.pop_back();
                continue;
            }
            const std::uint32_t e = leaving[n][next++];
            leads_back[e] = states[plan.edges[e].to] == state::open && plan.edges[e].to != n;
            enter(plan.edges[e].to);
        }
    return leads_back;
}

class dot_writer {
public:
    dot_writer(const drawing_plan& plan, const drawing_options& options)
        : plan_{plan}, contents_{contents_of(plan)}, options_{options},
          colours_{options.theme == drawing_theme::dark ? options.dark : options.light}
    {
    }

    std::string run() &&
    {
        write_head();
        write_contents(plan_.clusters.size(), 1);
        const std::vector<bool> leads_back = back_edges(plan_);
        for (std::size_t e = 0; e < plan_.edges.size(); ++e) {
            const drawn_edge& edge = plan_.edges[e];
            const std::string from = "n" + std::to_string(edge.from);
            const std::string to = "n" + std::to_string(edge.to);
            leads_back[e] ? write_edge(to, from, edge, "dir=back, arrowtail") : write_edge(from, to, edge, "arrowhead");
        }
        if (options_.has_legend) write_legend();
        return std::move(text_.append("}\n"));
    }

private:
    void write_head()
    {
        const std::string font = "fontname=\"Helvetica,Arial,sans-serif\", fontcolor=\"" + colours_.text + "\"";
        text_.append("digraph {\n    graph [label=").append(dot_string(plan_.title)).append(", labelloc=t, rankdir=");
        text_.append(options_.direction == drawing_direction::down ? "TB" : "LR");
        text_.append(", bgcolor=\"").append(colours_.background).append("\", fontsize=16, nodesep=0.35, ");
        // Beyond this the best layout takes half a minute, and a good one two seconds.
        if (plan_.nodes.size() > 300) text_.append("nslimit=2, nslimit1=2, ");
        text_.append(font).append("]\n    node [fontsize=12, margin=\"0.16,0.08\", ").append(font);
        text_.append("]\n    edge [fontsize=10, arrowsize=0.8, ").append(font).append("]\n");
    }

    std::string& indent(std::size_t depth) { return text_.append(std::min<std::size_t>(depth, 16) * 4, ' '); }

    void write_contents(std::size_t cluster, std::size_t depth)
    {
        for (const std::uint32_t n : contents_.nodes[cluster]) {
            indent(depth);
            write_node("n" + std::to_string(n), plan_.nodes[n]);
        }
        for (const std::uint32_t c : contents_.clusters[cluster]) {
            indent(depth).append("subgraph cluster_").append(std::to_string(c)).append(" {\n");
            indent(depth + 1);
            write_cluster(plan_.clusters[c]);
            write_contents(c, depth + 1);
            indent(depth).append("}\n");
        }
    }

    void write_cluster(const drawn_cluster& cluster)
    {
        const bool has_failed = cluster.did == mark::failed || cluster.did == mark::mended;
        text_.append("graph [label=").append(dot_string(cluster.label)).append(", labeljust=l, fontsize=11, margin=14");
        text_.append(", style=\"filled,rounded").append(cluster.is_region ? ",dashed" : "");
        text_.append("\", fillcolor=\"").append(cluster.is_region ? colours_.region : colours_.nested);
        text_.append("\", color=\"").append(has_failed ? colours_.failed : colours_.border);
        text_.append("\", penwidth=").append(has_failed ? "2.5" : "1").append(", class=\"");
        text_.append(cluster.is_region ? "region" : "nested").append(class_of(cluster.did)).append("\"]\n");
    }

    void write_node(std::string_view id, const drawn_node& node)
    {
        const bool is_idle = node.did == mark::idle;
        const bool has_failed = node.did == mark::failed || node.did == mark::mended;
        const bool is_round = node.look == shape::start || node.look == shape::end;
        const std::string& fill = has_failed                           ? colours_.failed_node
                                  : is_idle                            ? colours_.background
                                  : class_of(node.look) == "special" ? colours_.special
                                                                     : colours_.node;
        const std::string& border = has_failed              ? colours_.failed
                                    : is_idle               ? colours_.idle
                                    : node.did == mark::ran ? colours_.taken
                                                            : colours_.border;
        text_.append(id).append(" [label=").append(dot_string(node.label));
        text_.append(", shape=").append(shape_of(node.look));
        text_.append(", style=\"filled").append(node.look == shape::plain ? ",rounded" : "");
        text_.append(node.look == shape::deferred ? ",rounded,dashed" : "");
        text_.append("\", fillcolor=\"").append(fill).append("\", color=\"").append(border);
        if (is_idle) text_.append("\", fontcolor=\"").append(colours_.border);
        text_.append("\", penwidth=").append(node.did > mark::idle ? "2.5" : "1");
        if (is_round) text_.append(", margin=0.02, fontsize=10");
        text_.append(", class=\"").append(class_of(node.look)).append(class_of(node.did)).append("\"");
        if (!node.description.empty()) text_.append(", tooltip=").append(dot_string(node.description));
        text_.append("]\n");
    }

    void write_edge(std::string_view from, std::string_view to, const drawn_edge& edge, std::string_view arrow)
    {
        const bool is_idle = edge.did == mark::idle;
        const std::string& colour = is_idle                     ? colours_.idle
                                    : edge.kind == way::failure ? colours_.failed
                                    : edge.kind == way::llm     ? colours_.llm
                                    : edge.did == mark::ran     ? colours_.taken
                                                                : colours_.edge;
        text_.append("    ").append(from).append(" -> ").append(to).append(" [");
        if (!edge.label.empty()) text_.append("label=").append(dot_string(" " + edge.label + " ")).append(", ");
        if (edge.kind == way::conditional) text_.append("style=dashed, ");
        if (edge.kind == way::command) text_.append("style=dotted, ");
        text_.append(arrow).append(edge.kind == way::command ? "=open, "
                                   : edge.kind == way::llm   ? "=diamond, "
                                                             : "=normal, ");
        if (is_idle) text_.append("fontcolor=\"").append(colours_.border).append("\", ");
        text_.append("color=\"").append(colour).append("\", penwidth=").append(edge.did == mark::ran ? "3" : "1.2");
        text_.append(", class=\"").append(class_of(edge.kind)).append(class_of(edge.did)).append("\"]\n");
    }

    void write_legend()
    {
        text_.append("    subgraph cluster_legend {\n        ");
        write_cluster({false, mark::none, no_cluster, "legend"});
        constexpr std::array kinds{way::unconditional, way::conditional, way::failure, way::llm, way::command};
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            text_.append("        k").append(std::to_string(i)).append(" [shape=point, width=0.08, color=\"");
            text_.append(colours_.border).append("\"]\n        l").append(std::to_string(i)).append(" [label=");
            text_.append(dot_string(legend_of(kinds[i]))).append(", shape=plaintext, fontsize=10]\n");
        }
        text_.append("    }\n");
        for (std::size_t i = 0; i < kinds.size(); ++i)
            write_edge("k" + std::to_string(i), "l" + std::to_string(i), {0, 0, kinds[i], mark::none, {}},
                       "arrowhead");
    }

    const drawing_plan& plan_;
    cluster_contents contents_;
    const drawing_options& options_;
    const drawing_colours& colours_;
    std::string text_;
};

}  // namespace

std::string to_dot(const graph& what, const drawing_options& options)
{
    // Both, whatever the theme: an option that is wrong is reported when it is set, not when it is used.
    check_colours(options.light, "colours.light");
    check_colours(options.dark, "colours.dark");
    return dot_writer{make_plan(what, options), options}.run();
}

}  // namespace weft
