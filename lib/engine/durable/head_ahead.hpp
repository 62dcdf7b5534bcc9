#pragma once

#include "engine/value/blob_table.hpp"

#include <weft/async/task.hpp>
#include <weft/store/checkpoint_store.hpp>
#include <weft/store/record/checkpoint.hpp>
#include <weft/store/record/run_record.hpp>
#include <weft/store/record/thread_key.hpp>

#include <memory>
#include <optional>

namespace weft {

/** The newest checkpoint of a thread and all that it refers to, read while its run was still being claimed: what the
 *  run goes on from, if the claim names the same checkpoint. */
struct head_ahead {
    checkpoint head;
    checkpoint_detail::blob_table blobs;
};

/** A run that was claimed, and what was read meanwhile: null if nothing was, or reading has failed. */
struct taken_run {
    std::optional<run_claim> claim;
    std::shared_ptr<const head_ahead> ahead;
};

/** Claims a run and reads its thread side by side: the claim is a write that waits for the disk.
 *  @param claiming  Of a run that the thread was seen with. A thread that is dropped and begun anew has another run, so
 *                   that a claim that succeeds is of the thread that was read.
 *  @par Errors      Those of the claim. */
[[nodiscard]] task<taken_run> take_and_read(checkpoint_store& store, thread_key thread,
                                            task<std::optional<run_claim>> claiming);

}  // namespace weft
