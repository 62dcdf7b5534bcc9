#pragma once

#include <weft/async/task.hpp>
#include <weft/base/clock.hpp>
#include <weft/base/system/ids.hpp>
#include <weft/engine/durable_options.hpp>
#include <weft/store/checkpoint_store.hpp>

#include <cstddef>
#include <vector>

namespace weft {

class change_signal;
class worker_lease;

/** The runs that the store attributes to this worker, or may attribute to it.
 *
 *  Each such run is in one of four places: a coroutine has claimed it; it is abandoned and given back with the next
 *  heartbeat; it is in doubt, since the answer to its claim was lost, and looked up; or the answer to a claim of any
 *  run was lost. In the last case the worker does not know which runs it has: when it has no claims any more, it leaves
 *  the store and enters anew, which gives all of them back.
 *
 *  @par Thread safety   None.
 *  @par Lifetimes       What it is made of outlives it; it outlives the claims.
 */
class claim_table {
public:
    claim_table(checkpoint_store& store, worker_lease& lease, const durable_options& options, change_signal& changes);
    claim_table(const claim_table&) = delete;
    claim_table& operator=(const claim_table&) = delete;

    /** How many coroutines have claimed a run, or are about to. */
    [[nodiscard]] std::size_t count(run_id run) const noexcept;
    /** Whether the store may attribute runs to this worker that it does not know. */
    [[nodiscard]] bool has_unknown_runs() const noexcept { return has_unknown_runs_; }
    /** Whether all runs of this worker in the store are unknown to it. */
    [[nodiscard]] bool has_only_unknown_runs() const noexcept { return has_unknown_runs_ && claims_.empty(); }

    /** The run is given back with the next heartbeat. */
    void abandon(write_fence fence) { abandoned_.push_back(std::move(fence)); }
    /** Looks up runs in doubt, and gives back those that are abandoned. What the store does not answer stays for the
     *  next heartbeat. */
    [[nodiscard]] task<void> settle();
    /** Leaves the store when all of this worker's runs are unknown to it. */
    [[nodiscard]] task<void> leave_if_unsure();

private:
    friend class possible_claim;
    friend class claim_guard;

    /** A run that the store may still attribute to this worker, although no coroutine here has it. */
    struct doubtful_run {
        run_id id;
        bool is_stopped;   ///< The caller that asked for it was stopped: it is to be cancelled.
        time_point until;  ///< A claim that was sent arrives before.
    };

    void remove(run_id run);
    [[nodiscard]] task<void> look_up_doubtful();
    [[nodiscard]] task<bool> is_settled(doubtful_run run);

    checkpoint_store& store_;
    worker_lease& lease_;
    const durable_options& options_;
    change_signal& changes_;
    std::vector<run_id> claims_;  // nil: of any run
    std::vector<write_fence> abandoned_;
    std::vector<doubtful_run> doubtful_;
    bool has_unknown_runs_ = false;
};

/** A call under way that may make this worker the holder of a run. If its caller goes away before the answer is there,
 *  the heartbeat finds out what came of it. */
class possible_claim {
public:
    /** @param run   Nil: of any run. */
    possible_claim(claim_table& table, run_id run);
    possible_claim(const possible_claim&) = delete;
    possible_claim& operator=(const possible_claim&) = delete;
    ~possible_claim();

    /** It was answered. */
    void close() noexcept { is_open_ = false; }
    void mark_stopped() noexcept { is_stopped_ = true; }

private:
    claim_table& table_;
    run_id run_;
    bool is_open_ = true;
    bool is_stopped_ = false;
};

/** Abandons a run whose coroutine is destroyed before the store has heard what became of it. */
class claim_guard {
public:
    claim_guard(claim_table& table, write_fence fence);
    claim_guard(const claim_guard&) = delete;
    claim_guard& operator=(const claim_guard&) = delete;
    ~claim_guard();

    /** The store has heard it. */
    void close() noexcept { is_open_ = false; }

private:
    claim_table& table_;
    write_fence fence_;
    bool is_open_ = true;
};

}  // namespace weft
