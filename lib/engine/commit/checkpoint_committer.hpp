#pragma once

#include "event_recorder.hpp"
#include "store_call.hpp"

#include <weft/base/system/ids.hpp>
#include <weft/engine/checkpoint/checkpoint_writer.hpp>
#include <weft/engine/durable_options.hpp>
#include <weft/engine/run/checkpoint_saver.hpp>
#include <weft/store/checkpoint_store.hpp>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {

class commit_plan;

/** Keeps a run in the thread that it holds: each frontier becomes the next checkpoint.
 *
 *  @par Thread safety   None.
 *  @par Lifetimes       The store and the source of ids outlive it.
 */
class checkpoint_committer final : public checkpoint_saver {
public:
    checkpoint_committer(checkpoint_store& store, id_source& ids, write_fence fence, checkpoint_writer writer,
                         const durable_options& options);

    [[nodiscard]] task<void> save(frontier where, checkpoint_kind kind, std::string node) override;
    void begin_save() override;

    /** The journal may have something at or below this address: it goes with the end of the run. */
    void note_journal(std::string top) { journal_ = std::move(top); }
    /** What lies at or below an address goes with the next save that begins. */
    void settle(std::string top) { settled_.push_back(std::move(top)); }
    /** The thread belongs to another process: nothing is written any more. */
    void lose() noexcept { is_lost_ = true; }
    /** Written with each checkpoint: what happened until then. */
    void record_by(std::shared_ptr<event_recorder> recorder) { recorder_ = std::move(recorder); }
    /** Called once, when a checkpoint is saved. */
    void on_first_saved(std::function<void()> handler) { on_first_saved_ = std::move(handler); }
    /** A store without room is one that does not answer now: the run waits for it, and does not fail. */
    void wait_for_room() noexcept { waits_for_room_ = true; }
    /** The run goes on elsewhere: its cancel is not its end. */
    void leave_end_open() noexcept { is_end_open_ = true; }

    [[nodiscard]] const write_fence& fence() const noexcept { return fence_; }
    [[nodiscard]] bool is_lost() const noexcept { return is_lost_; }
    /** Whether a write of the run is tried again after an error. */
    [[nodiscard]] bool is_passing(errc code) const noexcept
    {
        return waits_for_room_ ? may_pass(code) : may_retry_after(code);
    }
    /** Whether the run failed because the store did not answer. */
    [[nodiscard]] bool is_store_away() const noexcept { return is_store_away_; }
    /** Removes checkpoints that the policy does not keep; what the store refuses is left for the next time. */
    [[nodiscard]] task<void> prune();
    [[nodiscard]] task<void> drop_written();
    [[nodiscard]] std::size_t prune_interval() const noexcept;

private:
    [[nodiscard]] bool has_more_than_kept() const noexcept;
    [[nodiscard]] write_fence fence_at(std::int64_t head) const;
    [[nodiscard]] checkpoint_draft draft_of(const frontier& where, checkpoint_kind kind, const std::string& node,
                                            checkpoint_id id, clock::system_time_point at);
    [[nodiscard]] task<void> commit_all(commit_plan& plan, const frontier& where, checkpoint_kind kind,
                                        const std::string& node);
    /** @param with  The events that go with it; none yet: it takes them. It outlives the task. */
    [[nodiscard]] task<commit_result> write(write_fence fence, checkpoint_draft draft,
                                            std::optional<event_recorder::handful>& with);
    [[noreturn]] void refuse_lost() const;

    checkpoint_store& store_;
    id_source& ids_;
    write_fence fence_;
    checkpoint_writer writer_;
    durable_options options_;
    bool is_lost_ = false;
    bool is_end_open_ = false;
    bool is_store_away_ = false;
    bool waits_for_room_ = false;
    std::size_t saved_ = 0;
    std::size_t saved_since_prune_ = 0;
    std::function<void()> on_first_saved_;
    std::shared_ptr<event_recorder> recorder_;           // null: events are not kept
    checkpoint_id doubtful_;                             // an earlier one that may be stored or not
    std::string journal_;                                // empty: the journal has nothing
    std::vector<std::string> settled_;                   // since the last save began
    std::deque<std::vector<std::string>> to_settle_;     // by save that began and was not written
};

}  // namespace weft
