#pragma once

#include <weft/engine/run_request.hpp>
#include <weft/graph/node/command.hpp>
#include <weft/graph/state/state_layout.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace weft {

/** Where a run begins in a thread whose last run has something left to do. */
enum class run_beginning : std::uint8_t { where_it_stands, anew };

/** Where an input that `write_run_input` wrote lets its run begin. @par Errors  `errc::invalid_json`. */
[[nodiscard]] run_beginning beginning_of_input(std::string_view text);

/** What a request says, as JSON, so that another process can begin the run; empty if it says nothing. Values of
 *  transient keys are left out, and of limits what is no number.
 *
 *  `{"values": {name: value}, "updates": [{"key": name, "value": value, "overwrite": true}], "anew": true,
 *  "trace": {"parent", "state"}, "limits": {…}, "saves_input": true}`.
 *
 *  @param begins   Whether the run begins anew though one before it could go on.
 *  @par Errors   `errc::state_conversion`.
 */
[[nodiscard]] std::string write_run_input(run_request& request, run_beginning begins = run_beginning::where_it_stands);

/** Gives a request that has none the trace of the run that the input belongs to. @par Errors  `errc::invalid_json`. */
void give_trace_of_input(std::string_view text, run_request& into);

/** Gives a request that has none the limits of the input, in the place of those that its graph has.
 *  @par Errors  `errc::invalid_json`. */
void give_limits_of_input(std::string_view text, const run_options& of_graph, run_request& into);

/** The input with the limits of a request in the place of those that it had. @par Errors  `errc::invalid_json`. */
[[nodiscard]] std::string input_with_limits(std::string_view text, const run_options& limits);

/** Gives a request the first values that `write_run_input` wrote. Values by name that it has already stand.
 *  @par Errors     `errc::unknown_state_key`, `state_conversion`, `unexpected_json`, `invalid_json`.
 *  @par Lifetimes  The layout outlives the request. */
[[nodiscard]] run_request read_run_input(std::string_view text, const state_layout& layout, run_request into);

}  // namespace weft
