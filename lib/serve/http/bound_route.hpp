#pragma once

#include "route_table.hpp"

#include <string>
#include <utility>

namespace weft::serve_detail {

/** Adds a route that a function of the core answers.
 *  @param description   For `/openapi.json`; what it points at outlives the routes.
 *  @par Lifetimes   The core outlives the routes. */
template <class Core>
void bind_route(route_table& routes, Core& core, std::string method, std::string pattern,
                route_access access, task<void> (*handle)(Core& core, api_call& call),
                const route_description& description = {})
{
    routes.add({std::move(method), std::move(pattern), access,
                [&core, handle](api_call& call) { return handle(core, call); }, description});
}

}  // namespace weft::serve_detail
