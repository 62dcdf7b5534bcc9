#pragma once

#include <weft/base/json/json_read.hpp>

#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace weft {

/** How a JSON text is read, where `parse_json` is too strict. */
struct json_reading {
    std::size_t depth_max = json_depth_max;  ///< How deep values may be nested.
    bool takes_any_bytes = false;            ///< Strings may have bytes that are no UTF-8.
};

/** Reads a text that is one JSON value. Numbers are the nearest doubles to what is written, as with `parse_json`.
 *
 *  @param storage   Where the value's memory comes from; the heap by default.
 *
 *  @par Errors
 *    - `errc::invalid_json`, a `json_syntax_error`, as `parse_json`. */
[[nodiscard]] boost::json::value parse_json_as(std::string_view text, json_reading how,
                                               boost::json::storage_ptr storage = {});

/** As `parse_json`, for texts of which it is only asked whether they are JSON: no message is made.
 *  @return   Nothing if the text is not one JSON value. */
[[nodiscard]] std::optional<boost::json::value> try_parse_json(std::string_view text,
                                                               boost::json::storage_ptr storage = {});
[[nodiscard]] std::optional<boost::json::value> try_parse_json(std::string_view text, json_reading how);

}  // namespace weft
