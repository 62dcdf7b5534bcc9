#pragma once

#include <weft/graph/expression.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/graph_spec.hpp>
#include <weft/graph/node_registry.hpp>
#include <weft/graph/spec/spec_mistake.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace weft::spec_detail {

/** Makes the graphs that files name inside other graphs. */
class graph_source {
public:
    struct inner_graph {
        graph what;
        std::optional<std::uint32_t> steps_max;
        std::optional<spec_limit_action> at_limit;
    };
    /** The graph, inside `depth` others, that `file` has, or nothing after a mistake, which is reported at `at` or in
     *  the file itself. */
    virtual std::optional<inner_graph> load(std::string_view file, const json_path& at, std::size_t depth) = 0;

protected:
    ~graph_source() = default;
};

/** What the compilation of a spec needs besides the spec. */
struct compiler_surroundings {
    const node_registry& registry;
    spec_mistakes& mistakes;
    std::vector<std::string>& warnings;
    graph_source& files;
    std::size_t depth = 0;  ///< How many graphs are around this one.
};

/** What the compilers of keys, nodes and edges share while a spec becomes a graph: the spec, the names in it, and the
 *  builder that takes what they make. A compiler adds names before another one looks them up: keys, then nodes, then
 *  edges.
 *
 *  The checks report a name that is not there, with the nearest one that is. A name that a mistake of shape may hide is
 *  not reported: it would be a mistake that follows from another one.
 *
 *  @par Lifetimes   `spec`, `at` and the surroundings outlive it.
 */
struct compilation {
    /** What an edge of the builder was in the file: an edge, or a route of a node. */
    struct edge_origin {
        bool is_route;
        std::size_t index;
        std::size_t route;
    };

    compilation(const graph_spec& from, const json_path& place, compiler_surroundings surroundings, bool all_names);

    void mistake(const json_path& where, std::string text) { around.mistakes.add(where, std::move(text)); }
    /** Reports that a value lacks a member, unless what stands there could not be read and is reported already. */
    void missing(const json_path& where, std::string_view member, std::string text);
    [[nodiscard]] bool has_mistakes() const noexcept { return around.mistakes.count() != mistakes_before; }

    /** Whether a name may be one of a key; a key that is declared with a mistake counts. */
    [[nodiscard]] bool may_be_key(const std::string& name) const;
    void check_key(const std::string& name, const json_path& where);
    void check_keys(const std::vector<std::string>& names, const json_path& where);
    void check_mapping(const std::map<std::string, std::string>& map, const json_path& where);
    void check_node(const std::string& name, const json_path& where, bool may_be_end = true);

    /** An expression that sees the keys, or nothing after a mistake. */
    [[nodiscard]] std::optional<bound_expression> bind(const std::string& text, const json_path& where);
    /** The same as a condition; an empty one after a mistake. */
    [[nodiscard]] edge_predicate condition(const std::string& text, const json_path& where);
    /** Adds a conditional edge. One whose condition is a mistake stands for the place of the others. */
    void add_condition(std::string_view from, std::string_view to, const std::string& text, const json_path& where,
                       edge_options options);

    const graph_spec& spec;
    const json_path& at;  ///< Where the spec is in its file.
    compiler_surroundings around;
    bool has_all_names;   ///< False if names of nodes or keys may be missing after mistakes of shape.
    std::size_t mistakes_before;
    graph_builder builder;

    state_layout layout;
    std::vector<std::string_view> key_names;
    std::unordered_set<std::string_view> declared_keys;  ///< The same, with those that were declared with mistakes.
    bool has_conversation = false;                       ///< One that threads through all nodes.
    std::vector<std::string_view> node_names;            ///< With those of start and end.
    std::unordered_map<std::string_view, std::size_t> nodes;
    std::vector<edge_origin> edge_origins;
    std::unordered_map<std::string_view, std::size_t> fan_outs;   ///< The first of each source.
    std::unordered_map<std::string_view, std::size_t> decisions;  ///< The first of each source, by its edge.
};

}  // namespace weft::spec_detail
