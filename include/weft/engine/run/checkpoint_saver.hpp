#pragma once

#include <weft/async/task.hpp>
#include <weft/store/record/checkpoint.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace weft {

struct frontier;

/** When a run is saved. In any case a save that fails fails the run, unless it is made on a best effort. */
enum class durability : std::uint8_t {
    off,          ///< Never.
    on_exit,      ///< When it pauses, is cancelled or is over. A crash loses what came since its beginning.
    async_steps,  ///< After every step, without waiting for it. A crash loses the steps that were not saved yet.
    every_step,   ///< After every step, before the next begins. A crash loses the nodes that ran.
};

[[nodiscard]] constexpr std::string_view name_of(durability mode) noexcept
{
    switch (mode) {
    case durability::off: return "off";
    case durability::on_exit: return "on_exit";
    case durability::async_steps: return "async_steps";
    case durability::every_step: return "every_step";
    }
    return "unknown";
}

/** Saves where a run stands, so that another process can go on from there. */
class checkpoint_saver {
public:
    virtual ~checkpoint_saver() = default;

    /** Saves a frontier: returns when it is safe. One call is under way at a time, in the order of the run.
     *
     *  @param where   A snapshot; the run goes on meanwhile.
     *  @param kind    `pause`, `cancel` and `finish` come last and once.
     *  @param node    The node that has completed, is about to start, or has failed the run; empty: none.
     *
     *  @par Errors          What it throws fails the run.
     *  @par Cancellation    A stop of the run does not reach it; when the run has lost its thread, it is stopped.
     *  @par Lifetimes       The run destroys the task when its awaiting coroutine is destroyed.
     */
    [[nodiscard]] virtual task<void> save(frontier where, checkpoint_kind kind, std::string node) = 0;

    /** A snapshot was taken that `save` will get, at once or when those before it are saved. */
    virtual void begin_save() {}
};

/** How a run is saved, and by what. */
struct save_options {
    explicit save_options(std::shared_ptr<checkpoint_saver> saver) noexcept : saver{std::move(saver)} {}

    [[nodiscard]] bool has_end() const noexcept { return !is_within_node && mode != durability::off; }
    [[nodiscard]] bool has_steps() const noexcept
    {
        return mode == durability::every_step || mode == durability::async_steps;
    }

    std::shared_ptr<checkpoint_saver> saver;
    /** Saves of `async_steps` that are not written yet; when there are more the run waits. At least 1. */
    std::size_t queue_max = 64;
    durability mode = durability::every_step;
    /** Whether the run goes on when a save fails; see `run_result::saves_failed`. */
    bool is_best_effort = false;
    /** Whether `every_step` and `async_steps` save the run before nodes start as well. The checkpoint of the step
     *  before says the same but for its kind, so that nothing is lost without them. */
    bool is_before_nodes = false;
    /** A run within a node: its end is saved with the run around it. */
    bool is_within_node = false;
};

}  // namespace weft
