#pragma once

#include <weft/async/task.hpp>
#include <weft/async/wait/slot_limiter.hpp>
#include <weft/graph/graph.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace weft::serve_detail {

/** A graph with those in its nodes, as a list of nodes and one of edges: what a picture shows, and what stands in its
 *  place. */
struct graph_picture {
    graph_picture() {}

    boost::json::array nodes = {};  ///< `{id, name, parent, kind, text}`; `id` is the path `outer/inner`.
    boost::json::array edges = {};  ///< `{from, to, kind, label, declared}`; `from` and `to` are places in `nodes`.
    std::string dot = {};           ///< For the layout: node `n3` is the fourth of `nodes`, `cluster_3` what is in it.
};

[[nodiscard]] graph_picture picture_of(const graph& what);

/** Has pictures laid out by Graphviz's program `dot`, one at a time, in a process of its own with limits of time and
 *  memory: the layout of a graph of some hundred nodes may take minutes. What it said is kept for the next one who
 *  asks.
 *
 *  @par Thread safety   None: it belongs to one loop. */
class layout_table {
public:
    struct layout {
        layout() {}

        std::string json = {};  ///< As `dot -Tjson0` writes it; empty: there is none.
        std::string why = {};   ///< Then: why, for people.
        bool may_change = false;  ///< Then: the machine was the cause, and not the graph; it is tried again.
    };
    /** @par Lifetimes   The table outlives the task. */
    [[nodiscard]] static task<std::shared_ptr<const layout>> of(layout_table& self, std::string dot);

private:
    static constexpr std::size_t known_max = 64;

    std::map<std::string, std::shared_ptr<const layout>, std::less<>> known_;
    slot_limiter one_at_a_time_{1};
};

}  // namespace weft::serve_detail
