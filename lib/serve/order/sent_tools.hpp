#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace weft::serve_detail {

/** The members `tools`, `tool_choice` and `parallel_tool_calls` of a body, as far as they are there. */
[[nodiscard]] boost::json::object sent_tools_of(const boost::json::object& body);

/** Checks what a client has sent before a run gets it.
 *  @param refuse   Called with the place, e.g. `tools[0].function.name`, and what is wrong there; it throws.
 *  @return         The value for the graph's key of client tools. Without tools it is empty: those of the run before
 *                  do not count any more. */
[[nodiscard]] boost::json::value require_sound_tools(
    const boost::json::object& sent, const std::function<void(std::string_view place, std::string why)>& refuse);

}  // namespace weft::serve_detail
