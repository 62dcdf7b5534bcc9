#pragma once

#include <weft/engine/run_request.hpp>
#include <weft/graph/command.hpp>
#include <weft/graph/state_layout.hpp>

#include <string>
#include <string_view>

namespace weft {

/** The first values of a request as JSON, so that another process can begin the run; empty if there are none. Values of
 *  transient keys are left out.
 *
 *  `{"values": {name: value}, "updates": [{"key": name, "value": value, "overwrite": true}]}`.
 *
 *  @par Errors   `errc::state_conversion`.
 */
[[nodiscard]] std::string write_run_input(run_request& request);

/** Gives a request the first values that `write_run_input` wrote. Values by name that it has already stand.
 *  @par Errors     `errc::unknown_state_key`, `state_conversion`, `unexpected_json`, `invalid_json`.
 *  @par Lifetimes  The layout outlives the request. */
[[nodiscard]] run_request read_run_input(std::string_view text, const state_layout& layout, run_request into);

}  // namespace weft
