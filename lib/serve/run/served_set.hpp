#pragma once

#include "serve/state/chat_graph.hpp"

#include <weft/engine/durable/durable_graphs.hpp>
#include <weft/serve/server_options.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft::serve_detail {

/** A graph of the server, with what its protocols know of it. */
struct hosted_graph : served_graph {
    explicit hosted_graph(served_graph of) : served_graph{std::move(of)}, chat{graph} {}

    chat_graph chat;
};

/** The graphs and entries that a server has at one moment. What works with them shares the set, which may be replaced
 *  meanwhile.
 *
 *  @par Thread safety   Immutable once it is shared. */
struct served_set {
    served_set(std::vector<served_graph> graphs, std::vector<served_entry> entries);

    std::vector<hosted_graph> graphs;
    std::vector<served_entry> entries;

    /** Null if there is none of this name. */
    [[nodiscard]] const hosted_graph* find(std::string_view name) const noexcept;
    /** The names of the graphs, for people. */
    [[nodiscard]] std::string names() const;
};

/** @par Errors   `errc::invalid_configuration`: there is no graph, or two have one name. */
void check_graphs(const std::vector<served_graph>& graphs);

/** The graphs for an engine. Of those that it has now former revisions stay: the last eight of each name whose shape is
 *  another one, also of names that are gone. */
[[nodiscard]] std::shared_ptr<const durable_graphs> engine_graphs(const std::vector<hosted_graph>& graphs,
                                                                  const durable_graphs* now = nullptr);

}  // namespace weft::serve_detail
