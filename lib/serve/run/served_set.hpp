#pragma once

#include <weft/engine/durable/durable_graphs.hpp>
#include <weft/serve/server_options.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace weft::serve_detail {

/** The graphs and entries that a server has at one moment. What works with them shares the set, which may be replaced
 *  meanwhile.
 *
 *  @par Thread safety   Immutable once it is shared. */
struct served_set {
    std::vector<served_graph> graphs;
    std::vector<served_entry> entries;

    /** Null if there is none of this name. */
    [[nodiscard]] const served_graph* find(std::string_view name) const noexcept;
    /** The names of the graphs, for people. */
    [[nodiscard]] std::string names() const;
};

/** @par Errors   `errc::invalid_configuration`: there is no graph, or two have one name. */
void check_graphs(const std::vector<served_graph>& graphs);

/** The graphs for an engine. Of those that it has now former revisions stay: the last eight of each name whose shape is
 *  another one, also of names that are gone. */
[[nodiscard]] std::shared_ptr<const durable_graphs> engine_graphs(const std::vector<served_graph>& graphs,
                                                                  const durable_graphs* now = nullptr);

}  // namespace weft::serve_detail
