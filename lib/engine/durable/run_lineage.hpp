#pragma once

#include <weft/async/task.hpp>
#include <weft/store/record/checkpoint.hpp>
#include <weft/store/record/thread_key.hpp>

#include <optional>
#include <string>

namespace weft {

class patient_store;

/** A run that another one goes on from. */
struct earlier_run {
    checkpoint_info left;  ///< Its checkpoint.
    std::string input;     ///< `run_record::input`.
};

/** The run that made the newest checkpoint of a thread. Before one that was changed by hand stands the one that was
 *  changed, and before the copy that a fork begins with the original, in another thread. Nothing if no run made it, or
 *  it is gone.
 *  @par Lifetimes   The store outlives the task. */
[[nodiscard]] task<std::optional<earlier_run>> run_before(const patient_store& store, thread_key thread,
                                                          checkpoint_info head);

}  // namespace weft
