#pragma once

#include <weft/store/record/store_limits.hpp>
#include <weft/store/role/checkpoint_log.hpp>
#include <weft/store/role/run_store.hpp>
#include <weft/store/role/store_housekeeping.hpp>
#include <weft/store/role/store_news.hpp>
#include <weft/store/role/thread_journal.hpp>
#include <weft/store/role/worker_registry.hpp>

namespace weft {

/** Keeps what runs must not forget: checkpoints, effects, questions, and who may write them. It is five roles in one;
 *  what needs one of them takes that role.
 *
 *  The promise: a thread's history is one chain of checkpoints that only the holder of the thread extends. Every write
 *  carries a fence and is one transaction with its check, so that a process that lost its thread without noticing
 *  changes nothing, and so that a crash leaves either all of a write or nothing.
 *
 *  @par Errors
 *    - `errc::store_unavailable`      The store cannot be reached, or did not answer in time, and nothing was done.
 *    - `errc::store_outcome_unknown`  The store went away during the write: reload the head to see whether it counts.
 *    - `errc::store_full`             No space, or a quota is used up. Nothing was written; reading goes on.
 *    - `errc::store_corrupt`          What is stored cannot be right; the message names what and where.
 *    - `errc::store_refused`          The store refuses for another reason; the message quotes it.
 *    - `errc::limit_reached`          A name, text or list is longer than allowed.
 *  @par Cancellation    A write that was given to the store takes place or not as a whole; the caller gets
 *                       `errc::cancelled` at once.
 *  @par Thread safety   From any OS thread that has a loop.
 *  @par Lifetimes       It outlives the tasks it gives out.
 */
class checkpoint_store : public worker_registry,
                         public run_store,
                         public checkpoint_log,
                         public thread_journal,
                         public store_housekeeping {
public:
    /** Tells what happens in the store, so that waiting is not asking; null if the store cannot. */
    [[nodiscard]] virtual store_news* news() noexcept { return nullptr; }
};

}  // namespace weft
