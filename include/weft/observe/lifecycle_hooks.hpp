#pragma once

#include <weft/engine/run_event.hpp>
#include <weft/engine/run_request.hpp>
#include <weft/engine/scheduler/frontier.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace weft {

/** What the hooks of a run's life are told. */
struct lifecycle_moment {
    std::string_view thread{};           ///< Of the run.
    std::string_view node{};             ///< Where it happened; empty: the run as a whole.
    std::string_view text{};             ///< Of an error or an interrupt: why, or the question.
    const run_event* event = nullptr;    ///< What it is about; null for a checkpoint.
    const frontier* where = nullptr;     ///< Of a checkpoint: where the run stands.
};

/** Functions that are told of the life of runs.
 *
 *      weft::lifecycle_hooks hooks;
 *      hooks.on_end([](const weft::lifecycle_moment& m) { log(m.thread); });
 *      engine.run(hooks.attach(weft::run_request{"t-1"}));
 *
 *  Hooks of one kind are called in the order in which they were added. They only watch: what one throws is caught and
 *  counted, the next is called, and the run notices nothing. Who wants to change something uses `agent_hooks`.
 *
 *  @par Thread safety   As a value; hooks are called on the loops of all runs that they are attached to.
 *  @par Source          Agentflow's lifecycle hooks: on_graph_start, _end, _error, on_interrupt, on_resume,
 *                       on_checkpoint, on_state_update. */
class lifecycle_hooks {
public:
    using hook = std::function<void(const lifecycle_moment&)>;

    lifecycle_hooks();

    /** A run has begun at its start. */
    lifecycle_hooks& on_start(hook function);
    /** A run goes on that was paused or kept: its request says `resume`. */
    lifecycle_hooks& on_resume(hook function);
    /** A run has finished. */
    lifecycle_hooks& on_end(hook function);
    /** A run has failed; `text` is why its last node failed. */
    lifecycle_hooks& on_error(hook function);
    /** A run has paused, or a node asks a question, which is the `text`. */
    lifecycle_hooks& on_interrupt(hook function);
    /** A run was cancelled. */
    lifecycle_hooks& on_cancel(hook function);
    /** What a node wrote is part of the state now. */
    lifecycle_hooks& on_state_update(hook function);
    /** A node has ended, another one follows, and `where` can be kept. With such hooks `attach` sets the run's options,
     *  which then come before those that a durable engine has for the graph. */
    lifecycle_hooks& on_checkpoint(hook function);

    /** The request with these hooks, beside the watcher and `on_save` that it has. */
    [[nodiscard]] run_request attach(run_request request) const;

    /** What hooks have thrown so far. */
    [[nodiscard]] std::uint64_t failures() const noexcept;

private:
    struct part;
    std::shared_ptr<part> part_;
};

}  // namespace weft
