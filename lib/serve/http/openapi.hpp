#pragma once

#include "route_table.hpp"

#include <boost/json/object.hpp>

namespace weft::serve_detail {

/** The routes as OpenAPI 3.1: paths and methods, and of what is described the members of bodies and queries, which are
 *  those that the routes read, and the schemas of answers.
 *  @par Source   OpenAPI Specification 3.1.1. */
[[nodiscard]] boost::json::object describe_routes(const route_table& routes);

}  // namespace weft::serve_detail
