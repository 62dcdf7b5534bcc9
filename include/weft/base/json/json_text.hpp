#pragma once

#include <boost/json/value.hpp>

#include <string>

namespace weft {

enum class json_spacing {
    none,     ///< `{"a":[1,2]}`, for programs.
    written,  ///< `{"a": [1, 2]}`, for people and models.
};

/** A JSON value as text on one line, with numbers as people write them: `12.5`, where Boost.JSON writes `1.25E1`.
 *
 *  @return   Reading it gives an equal value: a floating point number without a fraction keeps its `.0`. Very large and
 *            very small numbers keep an exponent, and so do those in what is nested deeper than `json_depth_max`.
 */
[[nodiscard]] std::string to_json_text(const boost::json::value& from, json_spacing spacing = json_spacing::none);

/** The same text for equal values: on one line, members in the order of their names. For comparing and hashing. Numbers
 *  count as written: 1 and 1.0 differ. */
[[nodiscard]] std::string to_canonical_json_text(const boost::json::value& from);

}  // namespace weft
