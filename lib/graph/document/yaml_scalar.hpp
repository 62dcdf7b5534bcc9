#pragma once

#include <boost/json/value.hpp>

#include <string_view>

namespace weft {

/** What a YAML scalar without quotes stands for: null, true, a number, or the text itself. Numbers are exact, as
 *  `parse_json` reads them; `.inf` and `.nan` and numbers beyond a double are not finite.
 *
 *  @par Source   YAML 1.2.2, section 10.3.2, "Tag Resolution" of the core schema: `yes`, `no` and `on` are texts.
 */
[[nodiscard]] boost::json::value value_of_yaml_scalar(std::string_view text);

}  // namespace weft
