#include "graphviz_layout.hpp"

#include <weft/base/error.hpp>
#include <weft/drawing/svg.hpp>

#ifdef WEFT_WITH_GRAPHVIZ

#include <graphviz/gvc.h>

#include <memory>
#include <mutex>

namespace weft::drawing_detail {

namespace {

/** Graphviz keeps state of its own for the whole process, so it works on one drawing at a time. */
std::mutex one_at_a_time;
std::string complaints;  // what Graphviz said since it was locked

struct free_graph {
    void operator()(Agraph_t* graph) const { agclose(graph); }
};
struct free_context {
    void operator()(GVC_t* context) const { gvFreeContext(context); }
};
struct free_text {
    void operator()(char* text) const { gvFreeRenderData(text); }
};

/** Layouts are freed before their graph and their context. */
struct layout {
    GVC_t* context;
    Agraph_t* graph;
    ~layout() { gvFreeLayout(context, graph); }
};

[[noreturn]] void refuse(const std::string& what)
{
    std::string detail = what;
    if (!complaints.empty()) detail += ": " + complaints;
    throw error{errc::drawing_failed, "Graphviz", std::move(detail)};
}

/** The type of the length is not the same in all versions. */
template <class Length>
std::string rendered(int (*render)(GVC_t*, Agraph_t*, const char*, char**, Length*), const layout& of)
{
    char* text = nullptr;
    Length length = 0;
    if (render(of.context, of.graph, "svg", &text, &length) != 0 || !text)
        refuse("it has no plugin for SVG; install the package graphviz");
    const std::unique_ptr<char, free_text> owned{text};
    return std::string(text, static_cast<std::size_t>(length));
}

std::string laid_out(const std::string& dot)
{
    const std::unique_ptr<GVC_t, free_context> context{gvContext()};
    const std::unique_ptr<Agraph_t, free_graph> graph{agmemread(dot.c_str())};
    if (!graph) refuse("it does not read the drawing");
    if (static_cast<std::size_t>(agnnodes(graph.get())) > svg_nodes_max)
        throw error{errc::limit_reached, "to_svg",
                    std::to_string(agnnodes(graph.get())) + " nodes, and " + std::to_string(svg_nodes_max) +
                        " are allowed; fold graphs within nodes, or give to_dot to a layout for large graphs"};
    if (gvLayout(context.get(), graph.get(), "dot") != 0)
        refuse("it has no plugin for the layout 'dot'; install the package graphviz");
    return rendered(&gvRenderData, layout{context.get(), graph.get()});
}

}  // namespace

bool has_graphviz() noexcept { return true; }

std::string graphviz_svg(const std::string& dot)
{
    const std::lock_guard lock{one_at_a_time};
    complaints.clear();
    const auto before = agseterrf([](auto* text) {
        complaints += text;
        return 0;
    });
    struct restore {
        decltype(before) to;
        ~restore() { agseterrf(to); }
    } const at_end{before};
    return laid_out(dot);
}

}  // namespace weft::drawing_detail

#else

namespace weft::drawing_detail {

bool has_graphviz() noexcept { return false; }

std::string graphviz_svg(const std::string&)
{
    throw error{errc::drawing_failed, "to_svg",
                "weft was built without Graphviz; install libgraphviz-dev and build weft with WEFT_WITH_GRAPHVIZ=ON, "
                "or give the text of to_dot to the program dot"};
}

}  // namespace weft::drawing_detail

#endif
