#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace weft::serve_detail {

/** The input of a run as an entry says it, with what came in place of `$payload…`; see `served_entry::input`. What a
 *  payload has is put in as it is: nothing in it is looked up again.
 *  @param pattern   Empty: the payload itself, if it is an object, else `{}`. */
[[nodiscard]] boost::json::object filled_input(const boost::json::object& pattern, const boost::json::value& payload);

}  // namespace weft::serve_detail
