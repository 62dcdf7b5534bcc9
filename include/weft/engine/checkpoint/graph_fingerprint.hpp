#pragma once

#include <weft/graph/graph.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/** Names the shape of a graph: 32 hexadecimal digits, the same in every build and on every machine.
 *
 *  The shape is its nodes, edges with their kinds, labels and textual conditions, fan-outs, joins, keys with types and
 *  reducers as far as they have names, and the shapes of graphs in nodes: all that says where a run can stand. Code,
 *  timeouts and retries are not part of it.
 */
[[nodiscard]] std::string graph_fingerprint(const graph& of);

/** The shape as JSON, as it is stored with the checkpoints of a thread. */
[[nodiscard]] boost::json::object graph_shape(const graph& of);
/** The fingerprint of the graph whose shape this is. */
[[nodiscard]] std::string fingerprint_of_shape(const boost::json::object& shape);

/** One difference between two graphs. */
struct graph_change {
    enum class kind : std::uint8_t {
        node_added,
        node_removed,
        edges_changed,     ///< Of a node: which there are, their kinds, labels, conditions, mappings.
        fan_out_changed,   ///< Of a node: its policy, join or conflict strategy.
        graph_changed,     ///< The node is, or was, a graph: another one, or none.
        key_added,
        key_removed,
        type_changed,      ///< Of a key: its type, or what its reducer takes.
        reducer_changed,
        value_refused,     ///< A value of the checkpoint does not fit its key any more.
    };

    kind what = kind::node_added;
    std::string name;         ///< The node or key; in graphs within nodes after theirs: "plan/web".
    std::string detail;       ///< What is different, in words; what to do, if it blocks.
    bool blocks = false;      ///< Whether the checkpoint that was asked about cannot go on.

    [[nodiscard]] std::string text() const;  ///< "node 'web': …"
};

[[nodiscard]] std::string_view name_of(graph_change::kind kind) noexcept;

/** All differences between two graphs; none of them blocks, for that depends on where a run stands. */
[[nodiscard]] std::vector<graph_change> compare_graphs(const boost::json::object& shape, const graph& to);
[[nodiscard]] std::vector<graph_change> compare_graphs(const graph& from, const graph& to);

/** What checkpoints of a graph need to know of it; made once for any number of runs.
 *
 *  @par Thread safety   Immutable.
 */
class graph_table {
public:
    explicit graph_table(weft::graph of);

    [[nodiscard]] const weft::graph& graph() const noexcept { return graph_; }
    /** The shape as it is stored: JSON text. */
    [[nodiscard]] const std::string& shape() const noexcept { return shape_; }
    [[nodiscard]] const std::string& fingerprint() const noexcept { return fingerprint_; }

private:
    weft::graph graph_;
    std::string shape_;
    std::string fingerprint_;
};

}  // namespace weft
