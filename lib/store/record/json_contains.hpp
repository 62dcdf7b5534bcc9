#pragma once

#include <boost/json/value.hpp>

namespace weft {

/** Whether a JSON value contains another one, as `jsonb @> jsonb` of PostgreSQL has it: an object contains those whose
 *  members it has, with values that contain theirs; an array contains those whose elements are each contained in one
 *  of its own, in any order; an array at the top also contains a scalar that is one of its elements. Numbers are
 *  compared by value.
 *
 *  @par Source   PostgreSQL 14 documentation, 8.14.3 "jsonb Containment and Existence" */
[[nodiscard]] bool json_contains(const boost::json::value& whole, const boost::json::value& part);

}  // namespace weft
