#pragma once

#include <weft/async/task.hpp>
#include <weft/async/task/asio_fwd.hpp>
#include <weft/base/memory/shared_block.hpp>
#include <weft/graph/node/command.hpp>
#include <weft/graph/node_context.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace weft {

struct node_spec;

/** The running coroutine of a node, whatever it returns.
 *
 *  @par Lifetimes   Owns the coroutine; the context that was given to `node_body::make` outlives it. */
class node_task {
public:
    node_task() noexcept = default;
    template <class T>
    explicit node_task(task<T> work) noexcept : work_{std::move(work)}
    {
    }

    /** As `task::start`. */
    [[nodiscard]] bool start(const task_context& context, task_promise_base::done_function done, void* waiter);
    /** The exception of an ended coroutine; null if it succeeded. */
    [[nodiscard]] const std::exception_ptr& exception() const noexcept;
    /** Whether it is a coroutine that returns nothing. */
    [[nodiscard]] bool gives_nothing() const noexcept { return std::holds_alternative<task<void>>(work_); }
    /** What an ended coroutine returned. Must not have failed. */
    [[nodiscard]] command take();
    /** The coroutine as one that is awaited in another one. */
    [[nodiscard]] static task<command> awaited(node_task work);
    /** Destroys the coroutine wherever it is. */
    void reset() noexcept { work_.emplace<std::monostate>(); }

private:
    // What owns one by the same attribute has room behind its last byte.
    [[no_unique_address]] std::variant<std::monostate, task<void>, task<command>, task<state_update>> work_;
};

/** The work of a node: a plain callable, run inline without a coroutine frame, or one that makes a coroutine.
 *
 *  @par Thread safety   One object serves all runs of a graph on all OS threads; the callable must bear that.
 */
class node_body {
public:
    node_body(bool is_coroutine, bool may_command) noexcept : is_coroutine_{is_coroutine}, may_command_{may_command} {}
    virtual ~node_body() = default;
    [[nodiscard]] bool is_coroutine() const noexcept { return is_coroutine_; }
    /** Whether it can answer with a command, and so do something else than its edges say. */
    [[nodiscard]] bool may_command() const noexcept { return may_command_; }
    /** Runs a plain node; `answer` stays as it is if the callable returns nothing. Throws what the callable throws. */
    virtual void run(node_context& context, command& answer) const;
    /** Makes the coroutine of a node, not yet started. */
    virtual node_task make(node_context& context) const;
    /** The graph that is the node's work; null for any other. */
    [[nodiscard]] virtual const subgraph* inner() const noexcept { return nullptr; }
    /** The work that this is a way to do, such as that of a node with a cache; by default this itself. */
    [[nodiscard]] virtual const node_body& plain() const noexcept { return *this; }
    /** The keys that it writes, if it knows them; nothing: it may write any that its node may. */
    [[nodiscard]] virtual std::optional<std::vector<std::string>> written_keys(const state_layout& /*keys*/) const
    {
        return std::nullopt;
    }
    /** What is wrong with it in a graph that has these keys, a sentence each; `graph_builder::build` says them. */
    [[nodiscard]] virtual std::vector<std::string> mistakes(const state_layout& /*keys*/) const { return {}; }
    /** Puts its kind and settings into a node of a file.
     *  @return  False if a file cannot say it. */
    [[nodiscard]] virtual bool describe(node_spec& /*into*/, const state_layout& /*keys*/) const { return false; }

private:
    bool is_coroutine_;
    bool may_command_;
};

namespace graph_detail {

/** Calls a node with its context, or without one if it takes none. Inlined without optimisation too: std::invoke is
 *  five functions for each lambda. */
template <class Function>
[[gnu::always_inline]] inline decltype(auto) call_node(const Function& function, [[maybe_unused]] node_context& context)
{
    if constexpr (requires { function(context); })
        return function(context);
    else if constexpr (requires { function(); })
        return function();
    else
        return std::invoke(function, context);
}

template <class Function>
using node_result = decltype(call_node(std::declval<const Function&>(), std::declval<node_context&>()));

/** What a node that returns an update means: the edges, and these writes. */
[[nodiscard]] command to_command(state_update update);

template <class T>
inline constexpr bool is_task = false;
template <class T>
inline constexpr bool is_task<task<T>> = true;

/** What a node may return, itself or out of a coroutine. */
template <class T>
inline constexpr bool is_node_value =
    std::is_void_v<T> || std::is_same_v<T, command> || std::is_same_v<T, state_update>;

/** Whether a node that returns this is a coroutine, of weft or of Asio. */
template <class T>
inline constexpr bool is_node_coroutine = false;
template <class T>
inline constexpr bool is_node_coroutine<task<T>> = is_node_value<T>;
template <class T, class Executor>
inline constexpr bool is_node_coroutine<boost::asio::awaitable<T, Executor>> = is_node_value<T>;

/** Whether a node that returns this may go elsewhere than its edges say. */
template <class T>
inline constexpr bool answers_with_command = std::is_same_v<T, command>;
template <class T>
inline constexpr bool answers_with_command<task<T>> = std::is_same_v<T, command>;
template <class T, class Executor>
inline constexpr bool answers_with_command<boost::asio::awaitable<T, Executor>> = std::is_same_v<T, command>;

/** A plain callable as the work of a node. */
template <class Function>
class plain_node : public node_body {
    using result = node_result<Function>;

public:
    explicit plain_node(Function function)
        : node_body{false, answers_with_command<result>}, function_{std::move(function)}
    {
    }

    void run(node_context& context, [[maybe_unused]] command& answer) const override
    {
        if constexpr (std::is_void_v<result>)
            call_node(function_, context);
        else if constexpr (std::is_same_v<result, command>)
            answer = call_node(function_, context);
        else
            answer = to_command(call_node(function_, context));
    }

protected:
    Function function_;
};

/** A callable that makes a coroutine as the work of a node. */
template <class Function>
class coroutine_node : public node_body {
    using result = node_result<Function>;

public:
    explicit coroutine_node(Function function)
        : node_body{true, answers_with_command<result>}, function_{std::move(function)}
    {
    }

    node_task make(node_context& context) const override
    {
        if constexpr (is_task<result>)
            return node_task{call_node(function_, context)};
        else
            return node_task{from_awaitable(call_node(function_, context))};
    }

protected:
    Function function_;
};

template <class Function>
using function_node =
    std::conditional_t<is_node_coroutine<node_result<Function>>, coroutine_node<Function>, plain_node<Function>>;

template <class Function>
concept describes_itself = requires(const Function& function, node_spec& into, const state_layout& keys) {
    { function.describe(into, keys) } -> std::same_as<bool>;
};
template <class Function>
concept knows_its_keys = requires(const Function& function, const state_layout& keys) {
    { function.written_keys(keys) } -> std::same_as<std::vector<std::string>>;
};
template <class Function>
concept knows_its_mistakes = requires(const Function& function, const state_layout& keys) {
    { function.mistakes(keys) } -> std::same_as<std::vector<std::string>>;
};

template <class Function>
inline constexpr bool tells_of_itself =
    describes_itself<Function> || knows_its_keys<Function> || knows_its_mistakes<Function>;

/** A callable that knows more of itself: `describe`, for files; `written_keys`; and `mistakes`, for
 *  `graph_builder::build`. Each of them is asked if it is there. */
template <class Function>
class telling_node final : public function_node<Function> {
public:
    using function_node<Function>::function_node;

    bool describe(node_spec& into, const state_layout& keys) const override
    {
        if constexpr (describes_itself<Function>)
            return this->function_.describe(into, keys);
        else
            return node_body::describe(into, keys);
    }
    std::optional<std::vector<std::string>> written_keys(const state_layout& keys) const override
    {
        if constexpr (knows_its_keys<Function>)
            return this->function_.written_keys(keys);
        else
            return node_body::written_keys(keys);
    }
    std::vector<std::string> mistakes(const state_layout& keys) const override
    {
        if constexpr (knows_its_mistakes<Function>)
            return this->function_.mistakes(keys);
        else
            return node_body::mistakes(keys);
    }
};

}  // namespace graph_detail

/** A callable that can be a node: on `node_context&` or on nothing, plain or a coroutine (`task` or
 *  `asio::awaitable`), returning nothing, a `command` or a `state_update`. */
template <class Function>
concept node_function =
    (std::is_invocable_v<const Function&, node_context&> || std::is_invocable_v<const Function&>) &&
    (graph_detail::is_node_value<graph_detail::node_result<Function>> ||
     graph_detail::is_node_coroutine<graph_detail::node_result<Function>>);

/** The work of a node out of a callable, which is copied or moved into it. */
template <class Function>
    requires node_function<std::decay_t<Function>>
[[nodiscard]] std::shared_ptr<const node_body> make_node_body(Function&& function)
{
    using work = std::decay_t<Function>;
    using body = std::conditional_t<graph_detail::tells_of_itself<work>, graph_detail::telling_node<work>,
                                    graph_detail::function_node<work>>;
    return make_shared_as<const node_body, body>(std::forward<Function>(function));
}

}  // namespace weft
