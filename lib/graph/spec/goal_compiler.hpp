#pragma once

#include "compilation.hpp"

namespace weft::spec_detail {

/** Gives the graph the goal of the spec. */
void add_goal(compilation& in);

/** Reports limits that are no amounts, and those that mean nothing in a graph inside another one. */
void check_limits(compilation& in);

}  // namespace weft::spec_detail
