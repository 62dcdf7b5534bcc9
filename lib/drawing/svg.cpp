#include <weft/drawing/svg.hpp>

#include "graphviz_layout.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace weft {

namespace {

void remove_all(std::string& text, std::string_view first, std::string_view last)
{
    std::string kept;
    std::size_t at = 0;
    for (;;) {
        const std::size_t begin = text.find(first, at);
        const std::size_t end = begin == std::string::npos ? begin : text.find(last, begin + first.size());
        if (end == std::string::npos) break;
        kept.append(text, at, begin - at);
        at = end + last.size();
        if (at < text.size() && text[at] == '\n') ++at;
    }
    text = kept.append(text, at);
}

/** The text between `first` and `last`; empty if it is not there. */
std::string_view between(std::string_view text, std::string_view first, std::string_view last)
{
    const std::size_t begin = text.find(first);
    if (begin == text.npos) return {};
    text.remove_prefix(begin + first.size());
    return text.substr(0, std::min(text.find(last), text.size()));
}

/** Draws the titles of clusters last. Graphviz draws them first and its edges across them. The stroke has the colour of
 *  the cluster, for the style to make a halo of: a gap in the edges that a title lies on. */
void raise_titles(std::string& svg)
{
    constexpr std::string_view close = "</text>\n";
    std::string kept;
    std::string titles;
    std::size_t at = 0;
    for (std::size_t begin = 0; (begin = svg.find("<g id=\"clust", at)) != std::string::npos;) {
        const std::string_view cluster = std::string_view{svg}.substr(begin, svg.find("</g>", begin) - begin);
        const std::size_t first = std::min(cluster.find("<text"), cluster.size());
        const std::size_t last = std::max(first, cluster.rfind(close) + close.size());
        kept.append(svg, at, begin + first - at);
        at = begin + last;
        if (first == cluster.size()) continue;  // it has no title
        titles.append("<g class=\"title ").append(between(cluster, "class=\"cluster ", "\""));
        titles.append("\" stroke=\"").append(between(cluster, " fill=\"", "\"")).append("\" stroke-width=\"0\">\n");
        titles.append(cluster.substr(first, last - first)).append("</g>\n");
    }
    svg = kept.append(svg, at);
    svg.insert(svg.rfind("</g>"), titles);
}

/** What overrules the colours in the drawing where the screen is dark. Later rules win. */
std::string dark_rules(const drawing_colours& c)
{
    constexpr std::string_view shapes = ":is(polygon,path,ellipse,polyline)";
    constexpr std::string_view filled = ":is(polygon,path,ellipse):not([fill=none])";  // not the ring of an end
    std::string css;
    const auto rule = [&css](std::string_view what, std::string_view part, std::string_view how) {
        css.append(".weft-drawing ").append(what).append(" ").append(part).append("{").append(how).append("}\n");
    };
    const auto fill = [](const std::string& colour) { return "fill:" + colour; };
    const auto stroke = [](const std::string& colour) { return "stroke:" + colour; };
    rule(".graph", "> polygon", fill(c.background));
    rule(".graph", "text", fill(c.text));
    rule(".region", filled, fill(c.region));
    rule(".region", shapes, stroke(c.border));
    rule(".title.region", "text", stroke(c.region));
    rule(".title.nested", "text", stroke(c.nested));
    rule(".nested", filled, fill(c.nested));
    rule(".nested", shapes, stroke(c.border));
    rule(".node.plain", filled, fill(c.node));
    rule(".node.plain", shapes, stroke(c.border));
    rule(".node.special", filled, fill(c.special));
    rule(".node.special", shapes, stroke(c.border));
    rule(".node.ran", shapes, stroke(c.taken));
    rule(".node.idle", filled, fill(c.background));
    rule(".node.idle", shapes, stroke(c.idle));
    rule(".node.failed", filled, fill(c.failed_node));
    rule(".node.failed", shapes, stroke(c.failed));
    rule(".cluster.failed", shapes, stroke(c.failed));
    const auto edges = [&](std::string_view kind, const std::string& colour) {
        rule(kind, "path", stroke(colour));
        rule(kind, ":is(polygon,polyline)", fill(colour) + ";" + stroke(colour));
    };
    edges(".edge", c.edge);
    edges(".edge.ran", c.taken);
    edges(".edge.llm", c.llm);
    edges(".edge.failure", c.failed);
    edges(".edge.idle", c.idle);
    rule(".idle", "text", fill(c.border));
    return css;
}

}  // namespace

bool can_draw_svg() noexcept { return drawing_detail::has_graphviz(); }

std::string to_svg(const graph& what, const drawing_options& options)
{
    std::string svg = drawing_detail::graphviz_svg(to_dot(what, options));
    svg.erase(0, svg.find("<svg"));
    remove_all(svg, "<!--", "-->");
    remove_all(svg, "<title>", "</title>");  // they are the names within the DOT, which say nothing to people
    raise_titles(svg);
    // Without paint-order the stroke would cover the letters.
    std::string style = "<style>\n.weft-drawing{max-width:100%;height:auto}\n"
                        "@supports (paint-order:stroke){\n"
                        ".weft-drawing .title text{paint-order:stroke;stroke-width:5px;stroke-linejoin:round}\n}\n";
    if (options.theme == drawing_theme::automatic)
        style.append("@media (prefers-color-scheme:dark){\n").append(dark_rules(options.dark)).append("}\n");
    svg.insert(svg.find('>') + 1, "\n" + style.append("</style>"));
    return svg.insert(sizeof "<svg" - 1, " class=\"weft-drawing\" role=\"img\"");
}

}  // namespace weft
