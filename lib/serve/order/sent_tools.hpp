#pragma once

#include <weft/graph/graph.hpp>
#include <weft/graph/node/command.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace weft::serve_detail {

/** The members `tools`, `tool_choice` and `parallel_tool_calls` of a body, as far as they are there. */
[[nodiscard]] boost::json::object sent_tools_of(const boost::json::object& body);

/** Hears what is wrong with tools of a client, and throws. @param place  E.g. `tools[0].function.name`. */
using tools_refuser = std::function<void(std::string_view place, std::string why)>;

/** Checks what a client has sent before a run of a graph gets it; so no tool may have the name of one that a node
 *  carries out which offers it.
 *  @return         The value for the graph's key of client tools. Without tools it is empty: those of the run before
 *                  do not count any more. */
[[nodiscard]] boost::json::value require_sound_tools(const weft::graph& of, const boost::json::object& sent,
                                                     const tools_refuser& refuse);

/** The same for tools that are a value of an input. An input without tools gives the key the value that it has when a
 *  thread begins.
 *  @param input    As the client has sent it; `read` is the update that it is.
 *  @par Errors     `http_error` 422 with the place. */
void settle_tools(const weft::graph& of, const boost::json::object& input, std::string_view where, state_update& read);

/** The parameters of OpenAI's APIs by which a graph takes tools of its client, in the words of their documentation;
 *  empty: it takes none. */
[[nodiscard]] boost::json::array tool_parameters_of(const weft::graph& of);

}  // namespace weft::serve_detail
