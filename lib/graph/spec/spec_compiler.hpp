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
    /** The graph, inside `depth` others, that `file` has, or nothing after a mistake, which is said at `at` or in the
     *  file itself. */
    virtual std::optional<inner_graph> load(std::string_view file, const json_path& at, std::size_t depth) = 0;

protected:
    ~graph_source() = default;
};

/** What a compiler needs besides the spec. */
struct compiler_surroundings {
    const node_registry& registry;
    spec_mistakes& mistakes;
    std::vector<std::string>& warnings;
    graph_source& files;
    std::size_t depth = 0;  ///< How many graphs are around this one.
};

/** Makes a graph of a spec, and says each mistake where it is in the file. One object for each graph. */
class spec_compiler {
public:
    struct options {
        bool has_all_names = true;  ///< False if names of nodes or keys may be missing after mistakes of shape.
    };
    /** @param at   Where the spec is in its file. */
    spec_compiler(const graph_spec& spec, const json_path& at, compiler_surroundings around, options how);

    /** The graph, or nothing if there were mistakes. Call once. */
    [[nodiscard]] std::optional<graph> compile();

private:
    using names_view = std::vector<std::string_view>;

    /** What an edge of the builder was in the file: an edge, or a route of a node. */
    struct edge_origin {
        bool is_route;
        std::size_t index;
        std::size_t route;
    };

    void mistake(const json_path& at, std::string text);
    [[nodiscard]] bool has_mistakes() const noexcept { return around_.mistakes.count() != mistakes_before_; }
    [[nodiscard]] std::optional<bound_expression> bind(const std::string& text, const json_path& at);
    [[nodiscard]] edge_predicate condition(const std::string& text, const json_path& at);
    void add_condition(std::string_view from, std::string_view to, const std::string& text, const json_path& at,
                       edge_options options);

    // spec_compiler_state.cpp
    void add_keys();
    void add_conversation();
    void add_key(const key_spec& key, const json_path& at);
    void set_initial(const key_spec& key, const any_state_key& declared, const json_path& at);
    [[nodiscard]] bool may_be_key(const std::string& name) const;
    void check_key(const std::string& name, const json_path& at);
    void check_keys(const std::vector<std::string>& names, const json_path& at);
    void check_mapping(const std::map<std::string, std::string>& map, const json_path& at);
    void add_goal();
    void add_memory();
    void check_limits();
    void check_budget(const budget_spec& from, const json_path& at);
    // spec_compiler_mcp.cpp
    void check_mcp();
    void check_server(const std::string& name, const mcp_spec& from, const json_path& at);
    void check_oauth(const mcp_spec& server, const json_path& at);

    // spec_compiler_nodes.cpp
    void collect_nodes();
    void add_nodes();
    void add_node(const node_spec& node, const json_path& at, std::size_t index);
    [[nodiscard]] node_options node_options_of(const node_spec& node, const json_path& at);
    [[nodiscard]] retry_policy retry_of(const node_spec& node, const json_path& at);
    [[nodiscard]] output_check outputs_of(const node_spec& node, const json_path& at);
    void add_schemas(output_check& to, const node_spec& node, const json_path& at);
    [[nodiscard]] std::optional<node_cache_policy> cache_of(const node_spec& node, const json_path& at);
    void check_node(const std::string& name, const json_path& at, bool may_be_end = true);
    // spec_compiler_kinds.cpp
    [[nodiscard]] std::shared_ptr<const node_body> make_body(node_request& request, std::size_t index);
    [[nodiscard]] std::shared_ptr<const node_body> make_function(node_request& request);
    [[nodiscard]] std::shared_ptr<const node_body> make_set(node_request& request);
    [[nodiscard]] std::shared_ptr<const node_body> make_router(node_request& request, std::size_t index);
    [[nodiscard]] std::shared_ptr<const node_body> make_send(node_request& request);
    [[nodiscard]] std::shared_ptr<const node_body> make_subgraph(node_request& request);
    [[nodiscard]] std::optional<graph_source::inner_graph> inner_of(const boost::json::value& from,
                                                                     const json_path& at);
    [[nodiscard]] std::shared_ptr<const node_body> make_other(node_request& request);
    void require_in_scope(const node_request& request, const bound_expression& used, const json_path& at);

    // spec_compiler_edges.cpp
    void add_edges();
    void add_edge(const edge_spec& edge, const json_path& at);
    void add_decision(const edge_spec& edge, const json_path& at);
    void check_edge_members(const edge_spec& edge, const json_path& at);
    void add_fan_outs();
    void add_fan_out(const fan_out_spec& fan_out, const json_path& at);
    void add_default_fan_outs();

    // spec_compiler.cpp
    [[nodiscard]] std::optional<graph> build();
    void place(const std::string& mistake);

    const graph_spec& spec_;
    const json_path& at_;
    compiler_surroundings around_;
    options how_;
    std::size_t mistakes_before_;
    graph_builder builder_;
    state_layout layout_;
    bool has_conversation_ = false;  // one that threads through all nodes
    names_view key_names_;
    std::unordered_set<std::string_view> declared_keys_;  // the same, with those that were declared with mistakes
    names_view node_names_;  // with those of start and end
    std::unordered_map<std::string_view, std::size_t> nodes_;
    std::vector<edge_origin> edge_origins_;
    std::unordered_map<std::string_view, std::size_t> fan_outs_;   // the first of each source
    std::unordered_map<std::string_view, std::size_t> decisions_;  // the first of each source, by its edge
};

/** The options that say how a fan-out of the spec behaves. */
[[nodiscard]] fan_out_options fan_out_options_of(const fan_out_spec& fan_out, spec_defaults defaults);

}  // namespace weft::spec_detail
