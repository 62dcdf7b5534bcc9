#pragma once

#include <weft/async/retry_policy.hpp>
#include <weft/base/chrono.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** The end of a turn graph. */
inline constexpr std::string_view turn_end = "__END__";

/** How a node of a turn graph runs. A retry begins with the state before the failed attempt. */
struct turn_node_options {
    std::uint32_t max_retries = 0;                                        ///< Attempts beyond the first.
    std::chrono::nanoseconds initial_delay = std::chrono::milliseconds{100};
    double multiplier = 2.0;
    std::vector<errc> retry_on = {};                                      ///< Empty: every error.
    std::chrono::nanoseconds timeout{0};                                  ///< For one attempt; 0: the engine's default.

    /** The same for the engine, which counts attempts. */
    [[nodiscard]] retry_policy retry() const;
};

/** The shape of a turn graph without its functions: which nodes there are, and the one edge that leaves each. */
class turn_plan {
public:
    /** How a node is left; `none` ends the run. */
    enum class edge_type : std::uint8_t { none, plain, conditional, parallel };
    struct node {
        std::string id;
        turn_node_options options;
        edge_type leaves_by = edge_type::none;
        std::vector<std::string> targets;   ///< One of a plain edge, the branches of a parallel one.
        std::string then;                   ///< Of a parallel edge.
    };

    /** @par Errors  `invalid_graph`, with the method's name in front: "addNode: Node 'x' already exists." */
    void add_node(std::string id, turn_node_options options);
    void add_edge(const std::string& from, std::string to);
    void add_conditional_edge(const std::string& from);
    void add_parallel_edge(const std::string& from, std::vector<std::string> targets, std::string then);
    void set_entry(std::string id);

    /** A sentence for each mistake of the whole graph. A conditional edge may lead to every node. */
    [[nodiscard]] std::vector<std::string> validate() const;
    /** Throws "Graph validation failed:" with all of them. */
    void require_valid() const;
    /** Throws if the builder's graph has been built. */
    static void require_unbuilt(bool is_built);

    [[nodiscard]] const std::vector<node>& nodes() const noexcept { return nodes_; }
    [[nodiscard]] const std::string& entry() const noexcept { return entry_; }
    /** Null if there is none. */
    [[nodiscard]] const node* find(std::string_view id) const noexcept;
    [[nodiscard]] bool has_conditional_edges() const noexcept;
    /** Whether the node runs by itself and not only as a branch of a parallel edge. */
    [[nodiscard]] bool runs_alone(std::string_view id) const noexcept;

private:
    // The node that a further edge would leave; it must be there and have none yet.
    node& leaving(const char* method, const std::string& from);
    void require_target(const char* method, const std::string& to) const;

    std::vector<node> nodes_;
    std::string entry_;
};

}  // namespace weft
