#pragma once

#include "graph_picture.hpp"
#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/graph/graph.hpp>
#include <weft/store/record/run_record.hpp>
#include <weft/store/record/stored_run.hpp>

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace weft::serve_detail {

/** A run as the studio lists it: with the phase that weft knows, which LangGraph's statuses put together. */
[[nodiscard]] boost::json::object studio_run_view(const stored_run& shown);

/** A run by its id alone: links to runs need no thread. @par Errors  `http_error` 404. */
[[nodiscard]] task<run_record> require_any_run(serve_core& core, std::string tenant, std::string id);

/** The same run with its input, and which of its keys are lists that values join.
 *  @param of   Its graph; nothing if it is not known: then none of them is. */
[[nodiscard]] boost::json::object studio_run_detail(const run_record& run, const std::optional<graph>& of);

/** A graph with its layout, as JSON. @par Lifetimes  The layouts outlive the task. */
[[nodiscard]] task<std::string> studio_graph_text(graph of, layout_table& layouts);

/** The graph of a name; nothing if this server has none. */
[[nodiscard]] std::optional<graph> served_graph_of(const serve_core& core, std::string_view name);

/** True of what is a run for people: a change of a state by hand holds its thread as a run does, and is none. */
[[nodiscard]] bool is_shown_run(const stored_run& run);

}  // namespace weft::serve_detail
