#pragma once

#include <boost/json/object.hpp>

#include <functional>
#include <optional>
#include <string_view>

namespace weft {

/** Finds a JSON object in a text that has words or fences around it, as the answers of models do.
 *
 *  @param is_wanted   Asked for each object in the order of their beginnings, those inside others too.
 *  @return            The first that is wanted, or nothing. Of a text that is full of braces the first hundred count.
 */
[[nodiscard]] std::optional<boost::json::object>
find_json_object(std::string_view text, const std::function<bool(const boost::json::object&)>& is_wanted);

}  // namespace weft
