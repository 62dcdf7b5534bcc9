#pragma once

#include "serve/http/fields.hpp"
#include "serve/run/serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/graph/node/command.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace weft::serve_detail {

/** The past of a thread that comes from elsewhere: each step is what nodes wrote at the same time, and becomes a
 *  checkpoint. */
struct superstep_list {
    std::string graph;
    std::vector<state_update> steps;
};

/** Asks whether a graph has the node as which a client writes. @par Errors  `http_error` 422 with the place. */
void require_writer(const weft::graph& of, std::string_view name, const std::string& place);

/** Reads what a client writes: values, or a list of them, which are written one after the other.
 *  @par Errors   As `read_update`. */
void add_written(state_update& to, const weft::graph& of, const boost::json::value& given, const std::string& place);

/** The schema of `supersteps`. */
extern const std::string_view supersteps_schema_text;

/** Reads `supersteps`: values go through the reducers of their keys, in the order of the updates.
 *  @param graph   Of the thread; empty: it has none, which is an error if there are steps.
 *  @return        No steps: the client gives none.
 *  @par Errors    `http_error` 422 with the place: no graph, a node that it does not have, values that do not fit. */
[[nodiscard]] superstep_list read_supersteps(serve_core& core, const value_field& field,
                                             const boost::json::object& body, std::string graph);

/** Writes them into a thread without history. The thread stands at the end of the graph then.
 *  @par Errors   Those of stores; then the thread is left without a part of them. */
[[nodiscard]] task<void> write_supersteps(serve_core& core, thread_key thread, superstep_list given);

}  // namespace weft::serve_detail
