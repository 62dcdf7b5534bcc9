#pragma once

#include "graph_picture.hpp"
#include "serve/http/route_table.hpp"
#include "serve/run/serve_core.hpp"

#include <memory>

namespace weft::serve_detail {

/** The routes below `/studio`: the page itself, which any caller may have, and below `/studio/api` what it shows and no
 *  other protocol has. All else it asks for by the routes of LangGraph and of `/admin`.
 *  @par Lifetimes   The core outlives the routes. */
void add_studio_routes(route_table& routes, serve_core& core);

void add_studio_page(route_table& routes, serve_core& core);
/** Lists of runs, one run, and its events as they come. */
void add_studio_runs(route_table& routes, serve_core& core);
/** Open questions of all runs, and a search in what runs and threads say. */
void add_studio_search(route_table& routes, serve_core& core);
/** Graphs with their drawings. */
void add_studio_graphs(route_table& routes, serve_core& core, const std::shared_ptr<layout_table>& layouts);
/** The files of graphs, and what another text in the place of one would change. */
void add_studio_graph_files(route_table& routes, serve_core& core);
/** A run as a file. */
void add_studio_saving(route_table& routes, serve_core& core, const std::shared_ptr<layout_table>& layouts);

}  // namespace weft::serve_detail
