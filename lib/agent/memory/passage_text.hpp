#pragma once

#include <weft/store/item_vectors.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace weft {
class item_space;
}

namespace weft::agent_detail {

/** A match as a program reads it: `name`, `score` and `value`. */
[[nodiscard]] boost::json::object object_of_match(const item_space& where, const item_match& match);

/** A match as a model reads it: where it stands, e.g. `[docs/MODELS.md:12, Models > Keys]`, and its text on the lines
 *  behind that. What is no passage of a document stands there as its name and its value. */
[[nodiscard]] std::string text_of_match(const item_space& where, const item_match& match);

}  // namespace weft::agent_detail
