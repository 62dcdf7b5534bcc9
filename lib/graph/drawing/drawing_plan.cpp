#include "drawing_plan.hpp"

#include "graph/build/fan_out_boxes.hpp"

#include <weft/base/utf8.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace weft::drawing_detail {

namespace {

constexpr std::size_t label_bytes_max = 160;

std::string count_of(std::uint32_t n, std::string_view one, std::string_view many)
{
    return std::to_string(n).append(" ").append(n == 1 ? one : many);
}

std::string text_of(std::chrono::nanoseconds span)
{
    const auto ns = static_cast<double>(span.count());
    const auto with_unit = [](double value, const char* unit) {
        char text[32];
        // Three digits, as far as a reader compares times.
        const int digits = value < 10 ? 2 : value < 100 ? 1 : 0;
        std::snprintf(text, sizeof text, "%.*f %s", digits, value, unit);
        return std::string{text};
    };
    if (ns < 999.5) return std::to_string(span.count()) + " ns";
    if (ns < 999.5e3) return with_unit(ns / 1e3, "µs");
    if (ns < 999.5e6) return with_unit(ns / 1e6, "ms");
    if (ns < 120e9) return with_unit(ns / 1e9, "s");
    return with_unit(ns / 60e9, "min");
}

std::string title_of(const graph& g, const fan_out_box& box)
{
    const auto name = [&g](node_index n) { return n == start_node ? "start" : fit_to_draw(g.name_of(n)); };
    if (box.is_part) return "meet early at " + (box.join == no_node ? "the end" : name(box.join));
    const fan_out_options& options = g.node(box.source).fan_out;
    std::string title = "fan-out of " + name(box.source) + ": ";
    title.append(name_of(options.on_failure.which()));
    if (options.on_failure.which() == branch_policy::kind::quorum)
        title.append(" ").append(std::to_string(options.on_failure.needed()));
    if (options.concurrency_max > 0) title.append(", ").append(std::to_string(options.concurrency_max)) += " at once";
    if (options.branch_timeout.count() > 0) title.append(", each within ").append(text_of(options.branch_timeout));
    return title;
}

/** Draws a graph, and the graphs within its nodes, into a plan. */
class planner {
public:
    planner(drawing_plan& plan, const drawing_options& options) : plan_{plan}, options_{options} {}

    void add(const graph& g, const run_overlay* ran, std::uint32_t around, std::uint32_t depth)
    {
        level here{g, ran, {}, {}, no_cluster, around};
        const fan_out_boxes boxes = find_fan_outs(g);
        std::vector<std::uint32_t> cluster_of_box;
        for (const fan_out_box& box : boxes.boxes) {
            // Boxes come from the outermost on, so the cluster of a parent is there.
            const std::uint32_t parent = box.parent == no_box ? around : cluster_of_box[box.parent];
            cluster_of_box.push_back(add_cluster({true, mark::none, parent, title_of(g, box)}));
        }
        here.first.resize(g.size());
        here.last.resize(g.size());
        for (node_index n = 0; n < g.size(); ++n) {
            const std::uint32_t box = boxes.box_of[n];
            add_node(here, n, box == no_box ? around : cluster_of_box[box], boxes.is_join[n], depth);
        }
        for (node_index n = 0; n < g.size(); ++n) add_edges(here, n);
        entered_ = here.first[start_node];
        left_ = here.end;
    }

private:
    struct level {
        const graph& g;
        const run_overlay* ran;
        std::vector<std::uint32_t> first;  // per node: what edges to it lead to
        std::vector<std::uint32_t> last;   // per node: what edges of it come from
        std::uint32_t end;                 // `no_cluster` until something leads there
        std::uint32_t around;
    };

    std::uint32_t add_cluster(drawn_cluster cluster)
    {
        plan_.clusters.push_back(std::move(cluster));
        return static_cast<std::uint32_t>(plan_.clusters.size() - 1);
    }
    std::uint32_t add_drawn(drawn_node node)
    {
        plan_.nodes.push_back(std::move(node));
        return static_cast<std::uint32_t>(plan_.nodes.size() - 1);
    }

    [[nodiscard]] static mark mark_of(const run_overlay* ran, node_index n)
    {
        if (!ran) return mark::none;
        if (n == start_node) return mark::ran;
        if (n >= ran->nodes.size() || ran->nodes[n].visits == 0) return mark::idle;
        if (ran->nodes[n].failures == 0) return mark::ran;
        return ran->nodes[n].has_failed ? mark::failed : mark::mended;
    }

    [[nodiscard]] static std::string label_of(const level& here, node_index n)
    {
        const graph_node& node = here.g.node(n);
        std::string label = fit_to_draw(node.name);
        if (node.options->is_deferred) label += "\nwhen the run ends";
        if (mark_of(here.ran, n) <= mark::idle) return label;
        const run_overlay::node_record& did = here.ran->nodes[n];
        label.append("\n").append(count_of(did.visits, "visit", "visits")).append(", ").append(text_of(did.elapsed));
        if (did.failures > 0) label.append("\n").append(count_of(did.failures, "failure", "failures"));
        return label;
    }

    void add_node(level& here, node_index n, std::uint32_t cluster, bool is_join, std::uint32_t depth)
    {
        const graph_node& node = here.g.node(n);
        const mark did = mark_of(here.ran, n);
        if (n == start_node) {
            here.first[n] = here.last[n] = add_drawn({shape::start, did, cluster, "start", {}});
            return;
        }
        const subgraph* inner = node.body->inner();
        if (!inner || depth >= options_.unfold_depth) {
            const shape look = node.options->is_deferred ? shape::deferred
                               : is_join                ? shape::join
                               : inner                  ? shape::folded
                                                        : shape::plain;
            here.first[n] = here.last[n] =
                add_drawn({look, did, cluster, label_of(here, n), fit_to_draw(node.options->description)});
            return;
        }
        const std::uint32_t box = add_cluster({false, did, cluster, label_of(here, n)});
        // A graph inside that never ran is drawn as not reached, and not as one without a run.
        static const run_overlay nothing;
        const run_overlay* ran = here.ran ? here.ran->within(n) : nullptr;
        add(inner->graph, here.ran && !ran ? &nothing : ran, box, depth + 1);
        here.first[n] = entered_;
        here.last[n] = left_ == no_cluster ? entered_ : left_;
    }

    std::uint32_t target_of(level& here, node_index target)
    {
        if (target != end_node) return here.first[target];
        if (here.end == no_cluster) here.end = add_drawn({shape::end, mark::none, here.around, "end", {}});
        return here.end;
    }

    void add_edge(level& here, node_index source, node_index target, drawn_edge edge, std::uint32_t times)
    {
        edge.from = here.last[source];
        edge.to = target_of(here, target);
        if (here.ran) {
            edge.did = times > 0 ? mark::ran : mark::idle;
            // The end is reached if one of its edges was taken.
            if (target == end_node) {
                mark& end = plan_.nodes[here.end].did;
                end = std::max(end, edge.did);
            }
            if (times > 1) edge.label.append(edge.label.empty() ? "×" : " ×").append(std::to_string(times));
        }
        plan_.edges.push_back(std::move(edge));
    }

    void add_edges(level& here, node_index n)
    {
        const graph& g = here.g;
        const graph_node& node = g.node(n);
        for (const graph_edge& edge : g.all_edges(node))
            add_edge(here, n, edge.target, drawn(g, node, edge), here.ran ? here.ran->times_taken(edge.declared) : 0);
        std::vector<node_index> jumps;  // ways without a declared edge
        const auto add_jump = [&](node_index target, std::string label, way kind) {
            if (std::find(jumps.begin(), jumps.end(), target) != jumps.end()) return;
            jumps.push_back(target);
            const std::uint32_t times = here.ran ? here.ran->times_jumped(n, target) : 0;
            add_edge(here, n, target, {0, 0, kind, mark::none, std::move(label)}, times);
        };
        const auto is_candidate = [&](const graph_edge& edge) { return edge.target == node.fallback; };
        const auto by_llm = g.by_llm(node);
        if (node.fallback != no_node && std::none_of(by_llm.begin(), by_llm.end(), is_candidate))
            add_jump(node.fallback, "fallback", way::llm);
        for (const std::string& name : node.options->goes_to) add_jump(g.find(name), {}, way::command);
        if (g.ways_on(node).empty() && node.options->goes_to.empty()) add_jump(end_node, {}, way::unconditional);
        // Commands of C++ nodes without `goes_to`: what a run did is drawn even where the graph does not say it.
        if (!here.ran) return;
        for (const run_overlay::jump& j : here.ran->jumps)
            if (j.source == n) add_jump(j.target, {}, way::command);
    }

    [[nodiscard]] static drawn_edge drawn(const graph& g, const graph_node& node, const graph_edge& edge)
    {
        drawn_edge result{0, 0, way::unconditional, mark::none, fit_to_draw(edge.label)};
        std::string& label = result.label;
        const auto says = [&label](std::string_view kind) {
            label = label.empty() ? std::string{kind} : std::string{kind}.append(": ").append(label);
        };
        const auto unused = g.unused(node);
        const bool is_unused = !unused.empty() && &edge >= unused.data() && &edge < unused.data() + unused.size();
        switch (edge.kind) {
        case edge_kind::plain:
        case edge_kind::on_success: break;
        case edge_kind::always: says("always"); break;
        case edge_kind::on_failure: result.kind = way::failure; says("on failure"); break;
        case edge_kind::on_budget: result.kind = way::failure; says("on budget"); break;
        case edge_kind::when:
            if (label.empty()) label = "condition";
            [[fallthrough]];
        case edge_kind::routed:
        case edge_kind::labelled:
            result.kind = edge.after == edge_after::failure ? way::failure : way::conditional;
            if (edge.after == edge_after::failure) says("on failure");
            if (edge.after == edge_after::any) says("also on failure");
            break;
        case edge_kind::llm:
            result.kind = way::llm;
            says(edge.target == node.fallback ? "model, or fallback" : "model");
            break;
        }
        if (edge.streams != edge_stream::none)
            says(edge.streams == edge_stream::pieces ? "streams" : "streams, read whole");
        if (is_unused) says("unused");
        return result;
    }

    drawing_plan& plan_;
    const drawing_options& options_;
    std::uint32_t entered_ = 0;        // of the graph drawn last: its start and, if it has one, its end
    std::uint32_t left_ = no_cluster;
};

}  // namespace

drawing_plan make_plan(const graph& what, const drawing_options& options)
{
    drawing_plan plan;
    plan.title = fit_to_draw(options.title.empty() ? what.name() : std::string_view{options.title});
    planner{plan, options}.add(what, options.overlay ? &*options.overlay : nullptr, no_cluster, 0);
    return plan;
}

std::string_view legend_of(way kind) noexcept
{
    switch (kind) {
    case way::unconditional: return "without a condition";
    case way::conditional: return "if the condition holds";
    case way::failure: return "after a failure";
    case way::llm: return "chosen by a model";
    case way::command: return "by command of the node";
    }
    return "";
}

std::string fit_to_draw(std::string_view text)
{
    // Layouts take a line as wide as its label: one long condition would make the drawing unreadable.
    const bool is_long = text.size() > label_bytes_max;
    std::string result = repaired_utf8(is_long ? truncated_utf8(text, label_bytes_max) : text);
    if (is_long) result += "…";
    std::erase(result, '\r');
    for (char& c : result)
        if (c == '\t' || c == '\v' || c == '\f') c = ' ';
    const auto is_control = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f; };
    if (std::none_of(result.begin(), result.end(), is_control)) return result;
    std::string visible;
    for (const char c : result) is_control(c) ? visible.append("\uFFFD") : visible.append(1, c);
    return visible;
}

cluster_contents contents_of(const drawing_plan& plan)
{
    const std::size_t root = plan.clusters.size();
    cluster_contents result;
    result.nodes.resize(root + 1);
    result.clusters.resize(root + 1);
    const auto at = [root](std::uint32_t cluster) { return cluster == no_cluster ? root : cluster; };
    for (std::uint32_t n = 0; n < plan.nodes.size(); ++n) result.nodes[at(plan.nodes[n].cluster)].push_back(n);
    for (std::uint32_t c = 0; c < root; ++c) result.clusters[at(plan.clusters[c].parent)].push_back(c);
    return result;
}

}  // namespace weft::drawing_detail
