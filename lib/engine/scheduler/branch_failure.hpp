#pragma once

#include <weft/base/errc.hpp>
#include <weft/engine/scheduler/frontier.hpp>

#include <string>

namespace weft {

/** The failure of a branch at its node; the message names the node and the visit and says what the code means. */
[[nodiscard]] failure_ptr failure_at(const graph& of, const run_branch& where, errc code, std::string detail);

}  // namespace weft
