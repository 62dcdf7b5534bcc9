#pragma once

#include "run_core.hpp"

#include <weft/engine/run/event_stream.hpp>
#include <weft/engine/run_result.hpp>
#include <weft/graph/node/subgraph.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {

class run_questions;

/** The driver of one run: performs the scheduler's actions and reports what happened back. It decides nothing.
 *
 *  Its members do the work, each with one concern: `node_runner` runs nodes, `run_events` tells those who watch, and
 *  what only some runs need is in `run_extras`. `run` begins, pauses, stops and ends, and is what its nodes see.
 *
 *  @par Thread safety   None: on its loop only.
 *  @par Lifetimes       Counted; keeps itself while it waits. Who begins it keeps it for as long as the call takes.
 */
class run final : public run_core {
public:
    run(weft::graph graph, serial_loop& loop, run_request&& request);
    ~run() override;

    static void* operator new(std::size_t size) { return allocate_block(size); }
    static void operator delete(void* memory, std::size_t size) noexcept { free_block(memory, size); }

    /** Begins. `hears` is told of the end once, possibly inside this call; never after `abandon`. An `ended_run` makes
     *  the result then, or later if the run is kept. */
    void begin(run_waiter& hears);
    /** Begins soon, so that the caller may subscribe first. */
    void begin_later(run_waiter& hears);
    /** The result is not wanted any more: destroys what runs, at once. */
    void abandon();

    void pause();
    /** What the run does counts no more: it fails with `cause` at once and nothing of it is kept. */
    void lose(failure_ptr cause);
    void cancel(std::optional<std::chrono::nanoseconds> grace = std::nullopt);
    [[nodiscard]] event_stream subscribe(slow_subscriber rule = slow_subscriber::drop_oldest);
    /** It runs within a node of another run, which outlives it. Before it begins. */
    void lie_within(run_core& outer, branch_index branch);

    /** Calls of models in it, and in runs within its nodes, are recorded whole among its events. Before it begins. */
    void record_calls();

    /** Whether all that is left of it waits for answers. */
    [[nodiscard]] bool is_parked() const noexcept { return scheduler().is_parked(); }
    /** The questions of the outermost run. */
    [[nodiscard]] run_questions& questions();

    // What its nodes ask of it.
    void emit(const node_context& from, std::string_view kind, std::string_view text) override;
    [[nodiscard]] bool is_watched() const noexcept override { return events != nullptr; }
    std::string_view thread() const noexcept override { return request.thread(); }
    std::string_view tenant() const noexcept override { return request.tenant(); }
    std::shared_ptr<budget_ledger> budget() const noexcept override;
    std::shared_ptr<const trace_context> trace(const node_context& from) const override;
    std::string purpose() const override;
    std::shared_ptr<const item_space> memory(const node_context& from) const override;
    run_remaining remaining() const override;
    std::size_t cancel_branches(const node_context& from, const branch_choice& which) override;
    call_record* record_of_calls(const node_context& from) override;
    task<command> run_inside(node_context& node, const subgraph& what) override;
    task<boost::json::value> interrupt(node_context& node, question asked) override;
    bool keeps_effects() const noexcept override;
    task<boost::json::value> once(node_context& node, std::string name, const effect_options& options,
                                  effect_call& call) override;
    effect_context name_effect(node_context& node, std::string_view name) override;

private:
    void take_turn() override;
    void begin_now();
    void begin_wait();
    void open_ledger();
    void open_questions();
    void watch_outside();
    void pump();
    void perform(const action& next);
    void finish();
};

}  // namespace weft
