#pragma once

#include "serve_core.hpp"

#include <weft/async/task.hpp>
#include <weft/store/record/run_record.hpp>

#include <memory>

namespace weft::serve_detail {

/** The feed of a run with all that its store knows of it: what happened before this process had the run comes from the
 *  event log. A feed that has it already stays as it is. */
[[nodiscard]] task<std::shared_ptr<run_feed>> whole_feed_of(serve_core& core, const run_record& run);

/** The tape of a thread. One that is made now has what happened in the thread's run so far. */
[[nodiscard]] task<std::shared_ptr<thread_tape>> whole_tape_of(serve_core& core, thread_key thread);

/** What the store knows of the end of a run. */
[[nodiscard]] run_ending ending_of(const run_record& run);

}  // namespace weft::serve_detail
