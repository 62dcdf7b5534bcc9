#pragma once

#include "schedule_limits.hpp"

#include <weft/graph/graph.hpp>
#include <weft/store/record/checkpoint.hpp>

#include <cstdint>
#include <optional>

namespace weft {

/** Decides when the frontier of a run is saved. A gate that holds keeps nodes from starting while a save is under way:
 *  whatever a node does to the world, the store knows how far the run had come before. One save is under way at a time;
 *  changes that come meanwhile are covered by the next one.
 *
 *  @par Thread safety   None.
 */
class save_gate {
public:
    /** Why a save is made, and which node it is about; `no_node` if none. */
    struct request {
        checkpoint_kind moment;
        node_index node;
    };

    explicit save_gate(const schedule_limits& limits) noexcept;

    /** Whether steps are saved. */
    [[nodiscard]] bool saves_steps() const noexcept { return saves_steps_; }
    /** Whether steps are not saved, and no save holds the run. */
    [[nodiscard]] bool saves_nothing() const noexcept { return !saves_steps_ && !holds_; }
    /** Whether saves hold the run. */
    [[nodiscard]] bool holds() const noexcept { return holds_; }
    [[nodiscard]] bool is_saving() const noexcept { return under_way_ != stage::none; }
    /** Whether the frontier differs from the one that was saved. */
    [[nodiscard]] bool has_unsaved() const noexcept { return is_unsaved_; }
    /** Of a run that is over: whether its end is still to be saved, or just being saved. */
    [[nodiscard]] bool awaits_end() const noexcept { return saves_end_ || under_way_ == stage::end; }

    /** The frontier is not the one that was saved: it is saved before anything starts. */
    void note_change(checkpoint_kind moment, node_index node) noexcept
    {
        if (saves_steps_ && holds_) remember(moment, node);
    }

    /** Begins the save of a change, if there is one and none is under way. */
    [[nodiscard]] std::optional<request> begin_step() noexcept;
    /** Whether a save is due before the next node starts. */
    [[nodiscard]] bool is_start_due() const noexcept;
    /** Begins the save before `node` starts. */
    [[nodiscard]] request begin_start(node_index node) noexcept;
    /** The run is over. @return  Whether the save of its end begins; it does so once. */
    [[nodiscard]] bool begin_end() noexcept;

    /** What was under way is kept. */
    void saved() noexcept { under_way_ = stage::none; }
    /** It is not: nothing is saved any more. @return  Whether the end of the run, if it is over, waited for that. */
    [[nodiscard]] bool give_up() noexcept;

private:
    enum class stage : std::uint8_t { none, step, end };
    void remember(checkpoint_kind moment, node_index node) noexcept;

    node_index changed_node_ = no_node;
    checkpoint_kind changed_moment_ = checkpoint_kind::node_complete;
    bool saves_steps_ : 1;
    bool saves_starts_ : 1;
    bool saves_end_ : 1;               // and has not begun to
    bool holds_ : 1;
    stage under_way_ = stage::none;
    bool is_unsaved_ : 1 = false;
    bool is_start_saved_ : 1 = false;  // what starts next is as it was saved
};

}  // namespace weft
