#pragma once

#include "route_table.hpp"

#include <boost/json/object.hpp>

namespace weft::serve_detail {

/** The routes as OpenAPI 3.1: paths, methods, and the variable parts of paths.
 *  @par Source   OpenAPI Specification 3.1.1. */
[[nodiscard]] boost::json::object describe_routes(const route_table& routes);

}  // namespace weft::serve_detail
