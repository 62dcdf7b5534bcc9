#pragma once

#include <weft/base/memory/free_list.hpp>
#include <weft/engine/scheduler/run_status.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/node/failure.hpp>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace weft {

/** Whether a run goes on, is held, pauses, stops or is over, and how it ended. It only moves forward: a run that
 *  pauses or stops never goes on again, and one that is over keeps its status.
 *
 *  @par Thread safety   None.
 */
class run_course {
public:
    /** Whether it goes on, and nothing else was ever asked for. */
    [[nodiscard]] bool is_plain() const noexcept { return may_start() && !is_stopping_ && !is_cut_short_ && !trouble_; }
    /** Whether nodes may start. */
    [[nodiscard]] bool may_start() const noexcept { return !is_pausing_ && !is_held_ && !is_over_; }
    [[nodiscard]] bool is_held() const noexcept { return is_held_; }
    [[nodiscard]] bool is_pausing() const noexcept { return is_pausing_; }
    /** Whether all of the run was asked to stop. */
    [[nodiscard]] bool is_stopping() const noexcept { return is_stopping_; }
    /** Whether nothing is decided any more. The driver may still have to save the end. */
    [[nodiscard]] bool is_over() const noexcept { return is_over_; }
    /** Whether `finish` was given out. */
    [[nodiscard]] bool is_reported() const noexcept { return is_reported_; }

    void hold(bool is_held) noexcept { is_held_ = is_held; }
    /** @return  False if it pauses already or is over. */
    bool pause() noexcept
    {
        if (is_pausing_ || is_over_) return false;
        is_pausing_ = true;
        return true;
    }
    /** @param cause  Why the run fails; null: it is cancelled, or was cut short.
     *  @return  False if it stops already or is over. */
    bool stop(failure_ptr cause)
    {
        if (is_stopping_ || is_over_) return false;
        is_stopping_ = true;
        note_cause(std::move(cause));
        return true;
    }
    /** A limit of steps ends the run without failing it. */
    void cut_short(bool is_in_a_row) noexcept
    {
        is_cut_short_ = true;
        is_cut_in_a_row_ = is_in_a_row;
    }
    /** The time of the run is used up. */
    void run_out_of_time(failure_ptr cause) { trouble().out_of_time = std::move(cause); }
    /** Why the time is used up; null while it is not. */
    [[nodiscard]] const failure_ptr& out_of_time() const noexcept
    {
        return trouble_ ? trouble_->out_of_time : no_failure;
    }

    /** Its first branch has ended, or everything has paused. The first status counts. */
    void finish(run_status status) noexcept
    {
        if (is_over_) return;
        is_over_ = true;
        status_ = status;
    }
    /** All of a run that was stopped has ended. */
    void finish_stopped() noexcept
    {
        if (is_cut_short_) return finish(run_status::finished);
        finish(why() ? run_status::failed : run_status::cancelled);
    }
    void fail(failure_ptr cause)
    {
        trouble().why = std::move(cause);
        finish(run_status::failed);
    }
    /** Its end could not be saved. */
    void fail_end(failure_ptr cause)
    {
        status_ = run_status::failed;
        note_cause(std::move(cause));
    }
    /** A run that stops has failed of this, unless it has failed already. */
    void note_cause(failure_ptr cause)
    {
        if (cause && !why()) trouble().why = std::move(cause);
    }
    void report() noexcept { is_reported_ = true; }

    [[nodiscard]] run_status status() const noexcept { return status_; }
    /** @param is_degraded  Whether a failure was tolerated. */
    [[nodiscard]] run_quality quality(bool is_degraded) const noexcept
    {
        if (status_ == run_status::failed || status_ == run_status::cancelled) return run_quality::failed;
        return is_degraded ? run_quality::degraded : run_quality::clean;
    }
    /** Null unless it failed. */
    [[nodiscard]] const failure_ptr& why() const noexcept { return trouble_ ? trouble_->why : no_failure; }
    /** Whether a limit of steps ended the run without failing it. */
    [[nodiscard]] bool was_cut_short() const noexcept { return is_cut_short_; }
    /** By `in_a_row_max`. */
    [[nodiscard]] bool was_cut_in_a_row() const noexcept { return is_cut_in_a_row_; }

    /** Nodes that a resume would start with: of a failed run those that failed, were cut short or had not begun. */
    [[nodiscard]] const std::vector<node_index>& unfinished() const noexcept
    {
        return trouble_ ? trouble_->unfinished : no_nodes;
    }
    void note_unfinished(std::vector<node_index> nodes)
    {
        if (trouble_ || !nodes.empty()) trouble().unfinished = std::move(nodes);
    }

private:
    /** What only a run has that did not come to its end. */
    struct what_went_wrong {
        static void* operator new(std::size_t size) { return allocate_block(size); }
        static void operator delete(void* memory, std::size_t size) noexcept { free_block(memory, size); }

        failure_ptr why;
        failure_ptr out_of_time;
        std::vector<node_index> unfinished;
    };
    [[nodiscard]] what_went_wrong& trouble()
    {
        if (!trouble_) trouble_ = std::make_unique<what_went_wrong>();
        return *trouble_;
    }
    static inline const failure_ptr no_failure;
    static inline const std::vector<node_index> no_nodes;

    bool is_pausing_ = false;
    bool is_held_ = false;
    bool is_over_ = false;
    bool is_stopping_ = false;
    bool is_reported_ = false;
    bool is_cut_short_ = false;
    bool is_cut_in_a_row_ = false;
    run_status status_ = run_status::finished;
    std::unique_ptr<what_went_wrong> trouble_;  // null in most runs
};

}  // namespace weft
