#pragma once

#include "serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/graph/state/state.hpp>
#include <weft/store/record/thread_key.hpp>

namespace weft::serve_detail {

/** Notes the newest values of a thread, by which clients search for it. A state that is too large is not found by its
 *  values. @par Lifetimes  Core and values outlive the task. */
[[nodiscard]] task<void> note_values(serve_core& core, thread_key thread, const state& values);

}  // namespace weft::serve_detail
