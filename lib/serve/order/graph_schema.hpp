#pragma once

#include <weft/graph/graph.hpp>

#include <boost/json/object.hpp>

namespace weft::serve_detail {

/** The values of a graph as a JSON Schema of type object, as clients see it: its keys, but those that are not kept. */
[[nodiscard]] boost::json::object schema_of_state(const weft::graph& of);

}  // namespace weft::serve_detail
