#pragma once

#include <weft/base/list.hpp>
#include <weft/chat/message.hpp>
#include <weft/graph/node/node.hpp>

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft {

/** Adds messages to a conversation. */
struct add_messages {
    using update_type = std::vector<message>;
    /** In their order, at the end. */
    static void apply(list<message>& conversation, const update_type& added)
    {
        for (const message& next : added) conversation.push_back(next);
    }
};

/** The conversation of a `state_graph`, which every one declares. */
inline constexpr state_key<list<message>, add_messages> context_key{"context"};

/** What a node of a `state_graph` gives back: messages, state, and where to go on.
 *
 *      return weft::state_command{"Done."}.update(weft::state_update{}.set(score, 0.9)).go_to("review");
 *
 *  The setters return the command itself, on variables and at the end of a chain.
 *
 *  @par Thread safety   As a value. */
class state_command {
public:
    // Implicit: what a node gives back is said by its type alone.
    // A text is a message of the assistant; nothing at all leaves conversation and state as they are.
    state_command() = default;
    state_command(std::string text) { update(message::assistant(std::move(text))); }
    state_command(const char* text) : state_command{std::string{text}} {}
    state_command(message one) { update(std::move(one)); }
    state_command(std::vector<message> several) { messages_ = std::move(several); }
    state_command(state_update values) { update(std::move(values)); }

    /** Adds a message to the conversation. */
    state_command& update(message one)
    {
        messages_.push_back(std::move(one));
        return *this;
    }
    /** Writes keys; each goes through its reducer. Later writes of one key come after earlier ones. */
    state_command& update(state_update values)
    {
        for (state_update::item& item : values.items()) values_.items().push_back(std::move(item));
        return *this;
    }
    /** To a node or `weft::end`, whatever the edges say. Without it the edges say. */
    state_command& go_to(std::string node)
    {
        target_ = std::move(node);
        return *this;
    }
    /** To a node of the graph around this one, whose work this graph is; this one ends. */
    state_command& go_to_in_parent(std::string node)
    {
        leaves_graph_ = true;
        return go_to(std::move(node));
    }

    /** For the conversation, in order. */
    [[nodiscard]] const std::vector<message>& messages() const noexcept { return messages_; }
    /** The writes, which the graph takes out. */
    [[nodiscard]] state_update& values() noexcept { return values_; }
    /** Empty: as the edges say. */
    [[nodiscard]] const std::string& target() const noexcept { return target_; }
    /** Whether `target` is a node of the graph around this one. */
    [[nodiscard]] bool leaves_graph() const noexcept { return leaves_graph_; }

private:
    std::vector<message> messages_;
    state_update values_;
    // The name of a node, `weft::end`, or empty.
    std::string target_;
    bool leaves_graph_ = false;
};

/** The work of a node, whatever the callable was. */
using state_work = std::function<task<state_command>(node_context&)>;

namespace engine_detail {

/** Whether a node may give this back: nothing, or what a command can be made of; or a task of it. */
template <class T>
inline constexpr bool gives_state_command = std::is_void_v<T> || std::is_constructible_v<state_command, T>;
template <class T>
inline constexpr bool gives_state_command<task<T>> = gives_state_command<T>;

/** `work` belongs to the graph, which outlives the run. */
template <class Function>
task<state_command> run_state_work(const Function& work, node_context& context)
{
    using result = decltype(graph_detail::call_node(work, context));
    if constexpr (std::is_same_v<result, task<void>>) {
        co_await graph_detail::call_node(work, context);
        co_return state_command{};
    } else if constexpr (graph_detail::is_task<result>) {
        auto given = co_await graph_detail::call_node(work, context);
        co_return state_command{std::move(given)};
    } else if constexpr (std::is_void_v<result>) {
        graph_detail::call_node(work, context);
        co_return state_command{};
    } else {
        co_return state_command{graph_detail::call_node(work, context)};
    }
}

}  // namespace engine_detail

/** A callable that can be a node of a `state_graph`: on `node_context&` or on nothing, giving nothing, a text or a
 *  message for the conversation, several messages, a `state_update` or a `state_command`; or a `task` of any. */
template <class Function>
concept state_function =
    (std::is_invocable_v<const Function&, node_context&> || std::is_invocable_v<const Function&>) &&
    engine_detail::gives_state_command<decltype(graph_detail::call_node(std::declval<const Function&>(),
                                                                        std::declval<node_context&>()))>;

/** The work of a node from a callable, which serves all runs of the graph. */
template <state_function Function>
[[nodiscard]] state_work make_state_work(Function function)
{
    return [function = std::move(function)](node_context& context) {
        return engine_detail::run_state_work(function, context);
    };
}

}  // namespace weft
