#pragma once

#include "compilation.hpp"

#include <memory>

namespace weft::spec_detail {

/** The work of a node, by its kind; null after a mistake. Routers also add their edges.
 *
 *  @param index   Of the node in the spec. */
[[nodiscard]] std::shared_ptr<const node_body> make_body(compilation& in, node_request& request, std::size_t index);

}  // namespace weft::spec_detail
