#pragma once

#include <weft/engine/checkpoint/graph_migration.hpp>
#include <weft/graph/graph.hpp>

#include <boost/json/object.hpp>

#include <string>

namespace weft_cli {

/** What was renamed from one revision of a graph to the next, out of a file:
 *
 *      {"nodes": {"web": "search"}, "keys": {"topic": "subject", "scratch": null}}
 *
 *  Null: the values of the key are forgotten.
 *
 *  @param shape    Of the revision that checkpoints were made with.
 *  @param to       The one that is to go on.
 *  @par Errors     `usage_error`: the file cannot be read, is none, or names what the graphs do not have. */
[[nodiscard]] weft::graph_migration read_migration(const std::string& file, const boost::json::object& shape,
                                                   const weft::graph& to);

}  // namespace weft_cli
