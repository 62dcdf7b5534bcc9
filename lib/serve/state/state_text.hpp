#pragma once

#include <weft/async/task.hpp>
#include <weft/graph/state/state.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace weft::serve_detail {

/** What of a text is made before the loop has its turn. */
inline constexpr std::size_t state_slice_bytes = 64 * 1024;

/** Appends the values of a state as JSON, as `values_for_client` has them; the loop has its turn after each slice. So a
 *  state of megabytes holds up nothing.
 *
 *  @par Errors      `state_conversion` names the key.
 *  @par Lifetimes   `out` outlives the task. */
[[nodiscard]] task<void> append_state_text(std::string& out, state of);
[[nodiscard]] task<std::string> state_text(state of);

/** The same at once, unless it is longer than `bytes_max`: then nothing, for little work.
 *  @par Errors   As of `append_state_text`. */
[[nodiscard]] std::optional<std::string> short_state_text(const state& of, std::size_t bytes_max);

}  // namespace weft::serve_detail
