#pragma once

#include <weft/base/budget_ledger.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/memory/copied_ptr.hpp>
#include <weft/base/memory/hidden_ptr.hpp>
#include <weft/graph/graph.hpp>
#include <weft/graph/node/step_limit_action.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace weft {

struct frontier;
class item_space;
class route_decider;
struct save_options;

/** What is left for a way out when the steps or the time of a run are used up: a branch whose node has an `on_budget`
 *  or `on_failure` edge goes on there, and ends well within this. */
struct run_reserve {
    run_reserve() noexcept {}

    std::uint32_t steps = 16;  ///< Node visits; 0: no way out for want of steps or time.
    std::chrono::nanoseconds elapsed = std::chrono::seconds{10};  ///< 0: no way out for want of time.
};

/** The limits of a run, and the one place where their defaults stand. Zero means "no limit" except where it says so.
 *
 *  Has a constructor and setters that chain, because aggregates are not safe in `co_await` expressions on g++ 12.
 */
class run_options {
public:
    using save_function = std::function<void(const frontier&)>;

    run_options() noexcept {}

    /** Node visits of the whole run, its resumes included; reaching an end on the last one is success. */
    run_options& steps_max(std::uint32_t count) { steps_max_ = count; return *this; }
    /** Visits of one node by one branch without another node in between: the same-node guard. */
    run_options& in_a_row_max(std::uint32_t count) { in_a_row_max_ = count; return *this; }
    /** For ways out when `steps_max` or `elapsed_max` is used up. A run whose limit does not fail it has none. */
    run_options& reserve(run_reserve extra) { reserve_ = extra; return *this; }
    /** What happens at these two limits. */
    run_options& at_limit(step_limit_action action) { at_limit_ = action; return *this; }
    /** Who answers at `llm` edges; without one their fallback is taken. */
    run_options& decider(std::shared_ptr<route_decider> decider) { decider_ = std::move(decider); return *this; }
    /** Nodes of the run that run at once. */
    run_options& in_flight_max(std::uint32_t count) { in_flight_max_ = count; return *this; }
    /** For one attempt of a node that has no timeout of its own. */
    run_options& node_timeout(std::chrono::nanoseconds limit) { node_timeout_ = limit; return *this; }
    /** For the whole run, from its start; a run that is resumed goes on with the time it had left. */
    run_options& elapsed_max(std::chrono::nanoseconds limit) { elapsed_max_ = limit; return *this; }
    /** How long a node that was asked to stop may take before it is destroyed and named in the result; 0: not
     *  at all. */
    run_options& stop_grace(std::chrono::nanoseconds limit) { stop_grace_ = limit; return *this; }
    /** How long a plain node, or a coroutine between two waits, may hold its loop before an event `output` of the kind
     *  `warning` names it and the time; measured while the run is watched. 0: not at all. */
    run_options& warn_blocked_after(std::chrono::nanoseconds limit) { warn_blocked_after_ = limit; return *this; }
    /** Events that wait for one subscriber; what does not fit is reported as a gap. At least 1. */
    run_options& events_max(std::uint32_t count) { events_max_ = count; return *this; }
    /** How much the run may spend, graphs inside it included. Nodes that spend reserve first; what is not there fails
     *  them with `errc::budget_exhausted`, which is not retried and takes the node's `on_budget` edge. A run that is
     *  resumed goes on with what it had spent. */
    run_options& budget(weft::budget limits)
    {
        budget_ = limits.is_unlimited() ? nullptr : std::make_unique<weft::budget>(limits);
        return *this;
    }
    /** What the run's spending is drawn on, beside its own budget: that of a tenant, or of a run around it. */
    run_options& draws_on(std::shared_ptr<budget_ledger> ledger) { draws_on_ = std::move(ledger); return *this; }
    /** What its nodes remember beyond the run: `node_context::memory`; null: nothing. */
    run_options& memory(std::shared_ptr<const item_space> where) { memory_ = std::move(where); return *this; }
    /** Called on the run's loop after each node, with where the run stands: to keep a copy for a later resume. An
     *  exception from it fails the run. */
    run_options& on_save(save_function save)
    {
        on_save_ = save ? std::make_unique<save_function>(std::move(save)) : nullptr;
        return *this;
    }
    /** Where checkpoints of the run are saved for a later resume, and when the run waits for that: see
     *  weft/engine/run/checkpoint_saver.hpp. */
    run_options& save_by(save_options options);
    run_options& save_nowhere() { saves_.reset(); return *this; }

    [[nodiscard]] std::uint32_t steps_max() const noexcept { return steps_max_; }
    [[nodiscard]] const run_reserve& reserve() const noexcept { return reserve_; }
    [[nodiscard]] std::uint32_t in_a_row_max() const noexcept { return in_a_row_max_; }
    [[nodiscard]] step_limit_action at_limit() const noexcept { return at_limit_; }
    [[nodiscard]] const std::shared_ptr<route_decider>& decider() const noexcept { return decider_; }
    [[nodiscard]] std::uint32_t in_flight_max() const noexcept { return in_flight_max_; }
    [[nodiscard]] std::chrono::nanoseconds node_timeout() const noexcept { return node_timeout_; }
    [[nodiscard]] std::chrono::nanoseconds elapsed_max() const noexcept { return elapsed_max_; }
    [[nodiscard]] std::chrono::nanoseconds stop_grace() const noexcept { return stop_grace_; }
    [[nodiscard]] std::chrono::nanoseconds warn_blocked_after() const noexcept { return warn_blocked_after_; }
    [[nodiscard]] std::uint32_t events_max() const noexcept { return events_max_; }
    /** Null if there is none. */
    [[nodiscard]] const weft::budget* budget() const noexcept { return budget_.get(); }
    [[nodiscard]] const std::shared_ptr<budget_ledger>& draws_on() const noexcept { return draws_on_; }
    [[nodiscard]] const std::shared_ptr<const item_space>& memory() const noexcept { return memory_; }
    /** Null if there is none. */
    [[nodiscard]] const save_function* on_save() const noexcept { return on_save_.get(); }
    /** Null if the run is not saved. */
    [[nodiscard]] const save_options* saves() const noexcept { return saves_.get(); }

private:
    std::uint32_t steps_max_ = 1000;
    std::uint32_t in_a_row_max_ = 0;
    std::uint32_t in_flight_max_ = 64;
    std::uint32_t events_max_ = 1024;
    run_reserve reserve_;
    step_limit_action at_limit_ = step_limit_action::fail;
    std::chrono::nanoseconds node_timeout_ = std::chrono::minutes{10};
    std::chrono::nanoseconds elapsed_max_{0};
    std::chrono::nanoseconds stop_grace_ = std::chrono::seconds{1};
    std::chrono::nanoseconds warn_blocked_after_ = std::chrono::milliseconds{100};
    std::shared_ptr<route_decider> decider_;
    copied_ptr<save_function> on_save_;
    hidden_ptr<save_options> saves_;
    copied_ptr<weft::budget> budget_;
    std::shared_ptr<budget_ledger> draws_on_;
    std::shared_ptr<const item_space> memory_;
};

/** How often in a row a node may be visited: as the graph says, or as the run does where it is stricter. */
[[nodiscard]] inline row_limit row_limit_of(const run_options& options, const graph& what) noexcept
{
    const row_limit& of_graph = what.row_limit();
    const std::uint32_t of_run = options.in_a_row_max();
    if (of_run == 0 || (of_graph.visits != 0 && of_graph.visits < of_run)) return of_graph;
    return {of_run, options.at_limit()};
}

}  // namespace weft
