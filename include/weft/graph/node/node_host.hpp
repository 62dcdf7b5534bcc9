#pragma once

#include <weft/async/task.hpp>
#include <weft/base/text/trace_context.hpp>
#include <weft/graph/node/command.hpp>
#include <weft/graph/node/effect.hpp>
#include <weft/graph/node/question.hpp>
#include <weft/graph/node/run_remaining.hpp>
#include <weft/graph/state/fan_out.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace weft {

class budget_ledger;
class item_space;
class node_context;
struct subgraph;

/** Where a node notes what it has recorded of its calls; see `node_host::record_of_calls`. */
struct call_record {
    std::uint64_t* newest = nullptr;     ///< The number of the newest record of the run: the next one counts it up.
    std::shared_ptr<const void> last{};  ///< What the node knows of its last record, of a type of its own; null: none.
};

/** What a node at work asks of the run that it is a part of. The engine has one for each run; tests have their own.
 *
 *  @par Thread safety   None: it is called on the run's loop.
 */
class node_host {
public:
    /** Something a node says while it works: streamed text, progress. Not stored; for subscribers only. */
    virtual void emit(const node_context& from, std::string_view kind, std::string_view text) = 0;
    /** Whether the text of `emit` is heard now; true by default. */
    [[nodiscard]] virtual bool is_watched() const noexcept { return true; }
    [[nodiscard]] virtual std::string_view thread() const noexcept = 0;
    [[nodiscard]] virtual std::string_view tenant() const noexcept { return {}; }
    /** Null if no budget counts. */
    [[nodiscard]] virtual std::shared_ptr<budget_ledger> budget() const noexcept = 0;
    /** The trace that the visit of a node belongs to, with its span as the innermost if spans are recorded; by default
     *  null: none. */
    [[nodiscard]] virtual std::shared_ptr<const trace_context> trace(const node_context& from) const;
    /** What the graph at work is for, as text for a model; by default empty. */
    [[nodiscard]] virtual std::string purpose() const;
    /** What a node remembers beyond the run; by default null: nothing.
     *  @par Errors  As `node_context::memory`. */
    [[nodiscard]] virtual std::shared_ptr<const item_space> memory(const node_context& from) const;
    /** What the run may still use; by default everything has no limit. */
    [[nodiscard]] virtual run_remaining remaining() const { return {}; }
    /** Stops other branches of the node's fan-out, as `node_context::cancel_branches` says. */
    virtual std::size_t cancel_branches(const node_context& from, const branch_choice& which);
    /** The record of the node's calls of models, if the run is to have them whole among its events; one for each node
     *  of a branch, through all its visits. Valid until the next call; by default null: nothing is recorded. */
    [[nodiscard]] virtual call_record* record_of_calls(const node_context& from);
    /** Runs a graph as the work of a node. `what` outlives the task. */
    virtual task<command> run_inside(node_context& node, const subgraph& what) = 0;
    /** Asks a person and waits. @par Errors  By default `invalid_configuration`: there is no person to ask. */
    virtual task<boost::json::value> interrupt(node_context& node, question asked);
    /** Whether effects are written down; false by default. */
    [[nodiscard]] virtual bool keeps_effects() const noexcept { return false; }
    /** Has an effect once, where effects are kept. `options` and `call` outlive the task. */
    virtual task<boost::json::value> once(node_context& node, std::string name, const effect_options& options,
                                          effect_call& call);
    /** Names the next effect of a node whose effects are not kept. */
    [[nodiscard]] virtual effect_context name_effect(node_context& node, std::string_view name);

protected:
    ~node_host() = default;
};

}  // namespace weft
