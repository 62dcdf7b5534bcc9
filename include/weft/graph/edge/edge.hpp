#pragma once

#include <weft/base/chrono.hpp>
#include <weft/graph/state/branch_state.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {

/** Where every run begins: the source of its first edges. */
inline constexpr std::string_view start = "__start__";
/** Where a branch ends. */
inline constexpr std::string_view end = "__end__";

/** Instead of an edge's place in the order of declaration: the way was taken without a declared edge. */
inline constexpr std::uint32_t no_edge = 0xffff'ffff;

/** When an edge is taken. */
enum class edge_kind : std::uint8_t {
    plain,       ///< After success, when no conditional edge of the node was taken.
    on_success,  ///< After every success, beside whatever else fires.
    on_failure,  ///< After failure, when the attempts are spent.
    on_budget,   ///< After a failure for want of budget, before every other way that failures have.
    always,      ///< Like plain, and after failure if no better edge is there.
    when,        ///< When its predicate holds; of a node's conditional edges only the first that holds. It is asked
                 ///< after success, unless `edge_options::after` says otherwise.
    routed,      ///< When the function of its decision, asked in its turn among the conditional edges, gives its label.
    labelled,    ///< When the node answers with `command::label`.
    llm,         ///< When a model chooses its target, asked if no conditional edge was taken.
};

[[nodiscard]] std::string_view name_of(edge_kind kind) noexcept;

/** After which end of its node a conditional edge is asked. */
enum class edge_after : std::uint8_t {
    success,  ///< The node has succeeded.
    failure,  ///< The node has failed for good. Asked before its edges without a condition, such as `on_failure`.
    any,      ///< Both.
};

/** Read-only sight of a branch's state, for predicates. */
class state_view {
public:
    explicit state_view(branch_state& view) noexcept : view_{view} {}

    /** The value of a key, or null if it has none. */
    template <class T, class R>
    [[nodiscard]] const T* find(const state_key<T, R>& key) const
    {
        const value_box* box = view_.read(view_.layout().require(key, "condition")).get();
        return box ? &unboxed<T>(*box) : nullptr;
    }
    /** The value of a key. @par Errors `missing_state_value`, `unknown_state_key`, `state_type_mismatch`. */
    template <class T, class R>
    [[nodiscard]] const T& get(const state_key<T, R>& key) const
    {
        const T* found = find(key);
        if (!found) state::refuse_missing(key.name());
        return *found;
    }
    /** The box of a slot of the layout, or null if the key has no value. */
    [[nodiscard]] const value_box* at(std::uint32_t slot) const { return view_.read(slot).get(); }
    [[nodiscard]] const state_layout& layout() const noexcept { return view_.layout(); }
    /** All values that are not transient, as a JSON object by key name. */
    [[nodiscard]] boost::json::object to_json() const { return view_.snapshot().to_json(); }
    template <class T, class R>
    [[nodiscard]] T value_or(const state_key<T, R>& key, std::type_identity_t<T> otherwise) const
    {
        const T* found = find(key);
        return found ? *found : std::move(otherwise);
    }

private:
    branch_state& view_;
};

/** Decides whether a conditional edge is taken. A pure function of the state; an exception fails the node. */
using edge_predicate = std::function<bool(const state_view&)>;

/** Chooses among labelled targets. A pure function of the state; an exception, or a label without a target, fails the
 *  node. */
using edge_router = std::function<std::string(const state_view&)>;

/** One way of a decision: the label that is answered, and the node, or `weft::end`, that it leads to. */
struct labelled_target {
    labelled_target(std::string label, std::string_view target) : label{std::move(label)}, target{target} {}

    std::string label;
    std::string target;
};

/** A value that moves along an edge: when the edge is taken, `target` gets what `source` has, if it has something. */
struct key_mapping {
    std::string target;
    std::string source;
};

/** What the target of an edge reads of what the source still writes. */
enum class edge_stream : std::uint8_t {
    none,    ///< Nothing: the edge does not stream.
    pieces,  ///< Each item as it comes.
    whole,   ///< What is kept of it when it has ended: the target reads no stream.
};

/** Options of one edge. */
struct edge_options {
    int priority = 0;                   ///< Higher first; equal priorities keep the order of declaration.
    std::string label = {};             ///< For people: `explain()`, events and drawings.
    std::vector<key_mapping> map = {};  ///< Values that move along; in a fan-out only the branch sees them.
    edge_after after = edge_after::success;  ///< Of conditional edges only.
    /** The target begins with the source and reads what it still writes. One that reads no stream begins behind it, and
     *  reads the whole, which the graph must keep. */
    bool streams = false;
};

/** Options of a decision that a model makes. */
struct llm_options {
    std::string fallback = {};                          ///< Where to go without a usable answer. Required.
    std::string instructions = {};                      ///< What to look at, beside the goal and the node's output.
    std::chrono::nanoseconds timeout = std::chrono::seconds{60};  ///< Then the fallback is taken.
    std::string model = {};  ///< Which model chooses, e.g. a fast one; empty: the one of the run's `route_decider`.
};

/** How a node's edges are chosen after success. */
enum class routing : std::uint8_t {
    every_match,  ///< All `on_success` edges, the first conditional edge that holds, or else all plain edges.
    first_match,  ///< In the order of priority and declaration, only the first that matches; an edge without a
                  ///< condition always does.
};

}  // namespace weft
