#include "graph_picture.hpp"

#include <weft/base/error.hpp>
#include <weft/graph/edge/edge.hpp>
#include <weft/graph/node/node.hpp>
#include <weft/graph/node/subgraph.hpp>
#include <weft/tool/shell_tool.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

namespace weft::serve_detail {

namespace {

using boost::json::array;
using boost::json::object;

constexpr std::size_t unfolded_nodes_max = 400;
constexpr std::size_t pictured_nodes_max = 3'000;
constexpr std::size_t letters_max = 24;  // of a name in the picture; the list has all of it

/** What edges of a node with a graph within lead to and from: they end at its frame. */
struct pictured_node {
    std::size_t place = 0;
    std::optional<std::size_t> first = {};  ///< Of a node with a graph within: where that begins,
    std::optional<std::size_t> last = {};   ///< and where it ends.
};

class picture_maker {
public:
    picture_maker(graph_picture& made, bool unfolds) : made_{made}, unfolds_{unfolds} {}

    /** Adds the nodes of a graph and the edges among them. @return  Its beginning and its end. */
    std::pair<std::size_t, std::size_t> add(const graph& what, const std::string& above, std::size_t depth)
    {
        std::vector<pictured_node> nodes;
        for (node_index i = 0; i < what.size(); ++i) nodes.push_back(add_node(what, i, above, depth));
        pictured_node end;
        end.place = add_row(above, "__end__", "end", "");
        add_box(end.place, depth, "width=0.26, height=0.26");
        for (node_index i = 0; i < what.size(); ++i) {
            const auto edges = what.all_edges(what.node(i));
            for (const graph_edge& edge : edges)
                add_edge(nodes[i], edge.target == end_node ? end : nodes[edge.target], &edge, depth);
            // Where no edge leads on, a branch ends.
            if (edges.empty()) add_edge(nodes[i], end, nullptr, depth);
        }
        return {nodes.front().place, end.place};
    }

private:
    pictured_node add_node(const graph& what, node_index i, const std::string& above, std::size_t depth)
    {
        const graph_node& node = what.node(i);
        const subgraph* const inner = node.body ? node.body->inner() : nullptr;
        const bool is_start = i == start_node;
        const std::string name = is_start ? "__start__" : std::string{what.name_of(i)};
        pictured_node added;
        added.place = add_row(above, name, is_start ? "start" : inner ? "graph" : "node", node.options->description);
        constexpr std::size_t depth_max = 4;
        if (inner && unfolds_ && depth < depth_max) {
            indent(depth).append("subgraph cluster_").append(std::to_string(added.place));
            made_.dot.append(" { margin=16; label=\" \"; fontsize=14;\n");
            const auto ends = add(inner->graph, above + name + '/', depth + 1);
            indent(depth).append("}\n");
            added.first = ends.first;
            added.last = ends.second;
            return added;
        }
        const auto letters = std::min(name.size(), letters_max);
        const std::size_t hundredths = std::max<std::size_t>(110, letters * 11 + 55);  // of an inch
        add_box(added.place, depth,
                is_start ? "width=0.26, height=0.26"
                         : "height=0.55, width=" + std::to_string(hundredths / 100) + '.' +
                               std::to_string(hundredths % 100 / 10) + std::to_string(hundredths % 10));
        return added;
    }

    std::size_t add_row(const std::string& above, std::string_view name, std::string_view kind, std::string_view text)
    {
        std::string parent = above;
        if (!parent.empty()) parent.pop_back();
        made_.nodes.push_back(object{{"id", above + std::string{name}}, {"name", name}, {"parent", parent},
                                     {"kind", kind}, {"text", text}});
        return made_.nodes.size() - 1;
    }

    std::string& indent(std::size_t depth) { return made_.dot.append(2 * depth, ' '); }

    void add_box(std::size_t place, std::size_t depth, std::string_view size)
    {
        indent(depth).append("n").append(std::to_string(place)).append(" [").append(size).append("];\n");
    }

    void add_edge(const pictured_node& from, const pictured_node& to, const graph_edge* edge, std::size_t depth)
    {
        const std::size_t number = made_.edges.size();
        object row{{"from", from.place}, {"to", to.place}, {"kind", edge ? name_of(edge->kind) : "plain"}};
        if (edge) row["declared"] = edge->declared;
        if (edge && !edge->label.empty()) row["label"] = edge->label;
        const bool has_label = row.contains("label");
        made_.edges.push_back(std::move(row));
        indent(depth).append("n").append(std::to_string(from.last.value_or(from.place))).append(" -> n");
        made_.dot.append(std::to_string(to.first.value_or(to.place)));
        made_.dot.append(" [class=\"").append(std::to_string(number)).append("\"");
        if (from.last) made_.dot.append(", ltail=cluster_").append(std::to_string(from.place));
        if (to.first) made_.dot.append(", lhead=cluster_").append(std::to_string(to.place));
        // The place for a label, whatever it says: texts of graphs never come near the program.
        const std::size_t letters = has_label ? std::min(edge->label.size(), letters_max) : 0;
        if (has_label) made_.dot.append(", label=\"").append(letters, 'n').append("\"");
        made_.dot.append("];\n");
    }

    graph_picture& made_;
    bool unfolds_;
};

std::size_t nodes_within(const graph& what, std::size_t depth = 0)
{
    std::size_t count = what.size();
    constexpr std::size_t depth_max = 16;
    for (node_index i = 1; i < what.size() && depth < depth_max; ++i)
        if (const subgraph* const inner = what.node(i).body->inner()) count += nodes_within(inner->graph, depth + 1);
    return count;
}

/** A file that is there as long as this is. */
class short_lived_file {
public:
    explicit short_lived_file(std::string_view text)
        : path_{(std::filesystem::temp_directory_path() / "weft-layout-XXXXXX").string()}
    {
        const int opened = ::mkstemp(path_.data());
        if (opened < 0) throw error{errc::drawing_failed, path_, "no file can be made there for the layout"};
        (void)::close(opened);
        std::ofstream{path_, std::ios::binary} << text;
    }
    ~short_lived_file() { (void)::unlink(path_.c_str()); }
    short_lived_file(const short_lived_file&) = delete;
    short_lived_file& operator=(const short_lived_file&) = delete;

    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    std::string path_;
};

shell_tool_options layout_limits()
{
    shell_tool_options limits;
    limits.programs = {"dot"};
    limits.directory = "/";
    limits.time_max = std::chrono::seconds{4};  // of the wall: others may have the processor
    limits.cpu_seconds_max = 2;
    limits.memory_bytes_max = std::uint64_t{512} << 20;
    limits.file_bytes_max = 0;
    limits.output_bytes_max = std::size_t{8} << 20;
    return limits;
}

task<layout_table::layout> lay_out(std::string dot)
{
    layout_table::layout made;
    const short_lived_file file{dot};
    const std::shared_ptr<tool> program = shell_tool(layout_limits());
    tool_invocation call;
    call.arguments["argv"] = array{"dot", "-q", "-Tjson0", file.path()};
    const tool_result result = co_await program->call(std::move(call));
    std::string said = result.readable();
    const std::size_t body = said.find('\n');
    const bool is_layout = !result.is_error && body != said.npos && said.compare(body + 1, 1, "{") == 0;
    made.may_change = !is_layout && !said.starts_with("killed by signal");  // that is the limit of computing
    if (is_layout) made.json = said.substr(body + 1);
    else if (said.starts_with("killed")) made.why = "its layout takes too much time, or memory";
    else made.why = "Graphviz gave no layout: " + said.substr(0, std::min(body, said.size()));
    co_return made;
}

/** A machine without a place for files has no pictures, and all else of the studio. */
task<layout_table::layout> lay_out_or_say(std::string dot)
{
    layout_table::layout made;
    try {
        made = co_await lay_out(std::move(dot));
    } catch (const error& e) {
        if (e.code() == errc::cancelled) throw;
        made.why = e.what();
        made.may_change = true;
    } catch (const std::filesystem::filesystem_error& e) {
        made.why = e.what();
        made.may_change = true;
    }
    co_return made;
}

}  // namespace

graph_picture picture_of(const graph& what)
{
    graph_picture made;
    made.dot = "digraph { compound=true; nodesep=0.35; ranksep=0.55; node [shape=box, fixedsize=true, label=\"\"];"
               " edge [fontsize=11];\n";
    (void)picture_maker{made, nodes_within(what) <= unfolded_nodes_max}.add(what, "", 1);
    made.dot.append("}\n");
    if (made.nodes.size() > pictured_nodes_max) made.dot.clear();
    return made;
}

task<std::shared_ptr<const layout_table::layout>> layout_table::of(layout_table& self, std::string dot)
{
    // Those who ask for the same picture meanwhile find it when it is their turn.
    const slot_limiter::slot slot = co_await self.one_at_a_time_.acquire();
    const auto found = self.known_.find(dot);
    if (found != self.known_.end()) co_return found->second;
    std::shared_ptr<layout> made = std::make_shared<layout>();
    if (dot.empty()) made->why = "the graph has too many nodes for a picture";
    else *made = co_await lay_out_or_say(dot);
    if (made->may_change) co_return made;
    if (self.known_.size() >= known_max) self.known_.clear();
    self.known_.emplace(std::move(dot), made);
    co_return made;
}

}  // namespace weft::serve_detail
