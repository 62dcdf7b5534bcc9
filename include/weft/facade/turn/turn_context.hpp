#pragma once

#include <weft/facade/turn/turn_limits.hpp>
#include <weft/graph/node/node.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {

/** What a node of a turn engine has beside the state.
 *
 *      graph.node("ask", [](my_state& state, weft::turn_context& context) -> weft::task<void> {
 *          state.answer = co_await ask(state.question);
 *          context.report_tokens(state.answer.tokens);
 *      });
 *
 *  @par Thread safety   None: on the loop of its run.
 *  @par Lifetimes       Valid until the node has ended.
 */
class turn_context {
public:
    turn_context(node_context& node, std::string_view id, turn_meter& meter, const std::string& correlation_id)
        : node_{node}, id_{id}, meter_{meter}, correlation_id_{correlation_id}
    {
    }

    /** Spent is spent, also if the attempt fails. */
    void report_tool_call(std::uint64_t count = 1) noexcept { meter_.add_tool_calls(count); }
    /** Of the budget of the run: the node that goes beyond it still ends, the next one is not begun. */
    void report_tokens(std::uint64_t count) noexcept { meter_.add_tokens(count); }
    /** The id of the node. */
    [[nodiscard]] std::string_view id() const noexcept { return id_; }
    /** That of the request, or the one that was made for the run. The same after a resume. */
    [[nodiscard]] const std::string& correlation_id() const noexcept { return correlation_id_; }
    /** The node of the engine: memory, events, stop, questions. Its keys belong to the turn engine. */
    [[nodiscard]] node_context& node() const noexcept { return node_; }

private:
    node_context& node_;
    std::string_view id_;
    turn_meter& meter_;
    const std::string& correlation_id_;
};

namespace engine_detail {

/** Calls work with as much as it takes: the state alone, or the context beside it. */
template <class S, class Function>
decltype(auto) call_turn_work(const Function& work, S& state, turn_context& context)
{
    if constexpr (std::is_invocable_v<const Function&, S&, turn_context&>)
        return work(state, context);
    else
        return work(state);
}

/** `work` belongs to the engine's graph, which outlives the run. */
template <class S, class Function>
task<void> run_turn_work(const Function& work, S& state, turn_context& context)
{
    if constexpr (std::is_same_v<decltype(call_turn_work<S>(work, state, context)), task<void>>)
        co_await call_turn_work<S>(work, state, context);
    else
        call_turn_work<S>(work, state, context);
}

/** One branch of a parallel edge, when it is over. */
template <class S>
struct turn_branch {
    std::uint32_t index;
    S state;
};

/** What one run needs beside its graph's state. */
template <class S>
struct turn_run {
    turn_run(const turn_limits& limits, const turn_spending& before, const clock& time, std::string correlation)
        : meter{limits, before, time}, correlation_id{std::move(correlation)}
    {
    }
    turn_meter meter;                               ///< What the run has spent, and may.
    std::string correlation_id;
    std::optional<S> before_router;                 ///< The state before the last node that has a router.
    std::optional<turn_dimension> used_up;          ///< The limit that kept a node from being begun.
};

/** The key of the state. A state without JSON lives in memory only: then checkpoints cannot be stored. */
template <class S>
[[nodiscard]] constexpr state_key<S> turn_state_key() noexcept
{
    if constexpr (storable<S>)
        return state_key<S>{"turn_state"};
    else
        return state_key<S>{"turn_state", transient};
}
// Transient keys: what belongs to one call of `run` is handed in anew with each resume, and the list of branches is
// empty between two nodes.
template <class S>
inline constexpr state_key<std::shared_ptr<turn_run<S>>> turn_run_key{"turn_run", transient};
template <class S>
inline constexpr state_key<std::vector<turn_branch<S>>, append> turn_branches_key{"turn_branches", transient};

/** A router has named a node that does not exist. */
struct invalid_turn_target : std::exception {
    explicit invalid_turn_target(std::string name) : id{std::move(name)} {}
    const char* what() const noexcept override { return id.c_str(); }
    std::string id;
};

}  // namespace engine_detail

}  // namespace weft
