#pragma once

#include <weft/async/task.hpp>
#include <weft/engine/run_options.hpp>
#include <weft/engine/run_request.hpp>
#include <weft/engine/run_result.hpp>
#include <weft/store/record/run_record.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>

namespace weft {

class answer_watch;
class graph;
class store_journal;
struct durable_core;
struct held_run;
struct head_ahead;
struct run_basis;

/** Performs runs that this process has claimed, each to its end here, and tells the store what became of them.
 *
 *  @par Lifetimes   What it is made of outlives it, and it its tasks.
 */
class run_driver {
public:
    /** What a stop of the awaiting coroutine means. */
    enum class on_stop : std::uint8_t {
        cancel,  ///< The run is cancelled.
        yield,   ///< It goes on elsewhere.
    };

    run_driver(durable_core& core, const answer_watch& answers) noexcept : core_{core}, answers_{answers} {}

    /** @param ahead   What was read of the thread already, or null.
     *  @return   What became of the run; a run that cannot begin fails or waits in the store, and never throws. */
    [[nodiscard]] task<run_result> drive(run_claim claim, run_request request, on_stop stop = on_stop::cancel,
                                         std::shared_ptr<const head_ahead> ahead = nullptr);
    /** Tells the store what became of a run. @param outcome  Nothing: it is for others to go on with. */
    [[nodiscard]] task<write_state> finish(write_fence fence, std::optional<run_outcome> outcome) const;
    /** The same in spite of a stop, for a lifetime. @return  False if the store did not hear it. */
    [[nodiscard]] task<bool> release(write_fence fence, std::optional<run_outcome> outcome);

private:
    // The claim is that of `drive`, which outlives these.
    [[nodiscard]] task<run_result> refuse(const run_claim& claim, std::exception_ptr why, on_stop stop);
    /** Whether a run that the worker loop took and cannot run is for processes with other graphs; then it is bound to
     *  the revision that it began with. */
    [[nodiscard]] task<bool> leave_to_others(const run_claim& claim, errc why) const;
    /** A run that goes on with another revision than the one it is bound to is free again. */
    [[nodiscard]] task<void> free_from_revision(const run_claim& claim) const;
    [[nodiscard]] std::shared_ptr<held_run> hold(const run_basis& at, const run_claim& claim, on_stop stop);
    /** @return   Nothing if the run cannot begin or was over: then `result` says so. */
    [[nodiscard]] std::optional<run_request> prepare(const run_basis& at, const run_claim& claim, const held_run& held,
                                                     run_request request, run_result& result) const;
    /** Has the observer watch the run, which goes on from its last part, from another run, or from none. */
    [[nodiscard]] task<void> have_observed(run_request& request, const run_basis& at, const run_claim& claim) const;
    [[nodiscard]] task<run_result> perform(std::shared_ptr<held_run> held, graph what, run_request request,
                                           on_stop stop);
    [[nodiscard]] task<run_result> end_of_streamed(std::shared_ptr<held_run> held) const;
    [[nodiscard]] std::shared_ptr<store_journal> journal_of(const run_basis& at, const run_claim& claim,
                                                            const held_run& held) const;

    durable_core& core_;
    const answer_watch& answers_;
};

}  // namespace weft
