#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

/** JSON Schemas of what models are asked for, and of the arguments of tools that agents have themselves. */
namespace weft::agent_detail {

/** A text. @param words   What it is, for the model; empty: nothing is said. */
[[nodiscard]] boost::json::object text_schema(std::string_view words = {});
/** One of several texts. */
[[nodiscard]] boost::json::object one_of_schema(const std::vector<std::string>& names, std::string_view words = {});
/** An object with no other members than these.
 *  @param required   Their names; left out: all of them. */
[[nodiscard]] boost::json::object object_schema(boost::json::object properties,
                                                const std::vector<std::string>& required);
[[nodiscard]] boost::json::object object_schema(boost::json::object properties);

}  // namespace weft::agent_detail
