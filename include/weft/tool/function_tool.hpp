#pragma once

#include <weft/async/task.hpp>
#include <weft/async/task/asio_fwd.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_schema_of.hpp>
#include <weft/tool/tool.hpp>

#include <boost/describe/class.hpp>
#include <boost/json/object.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace weft {

class node_context;

/** Tools out of callables: what their parameters and results mean. */
namespace tool_detail {

template <class F>
struct signature : signature<decltype(&F::operator())> {};
template <class R, class... P>
struct signature<R (*)(P...)> {
    using result = R;
    using parameters = std::tuple<P...>;
};
template <class C, class R, class... P>
struct signature<R (C::*)(P...)> : signature<R (*)(P...)> {};
template <class C, class R, class... P>
struct signature<R (C::*)(P...) const> : signature<R (*)(P...)> {};
template <class C, class R, class... P>
struct signature<R (C::*)(P...) noexcept> : signature<R (*)(P...)> {};
template <class C, class R, class... P>
struct signature<R (C::*)(P...) const noexcept> : signature<R (*)(P...)> {};

/** Not written by the model and no part of the schema. */
template <class P>
inline constexpr bool is_injected = std::same_as<std::remove_cvref_t<P>, tool_context> ||
                                    std::same_as<std::remove_cvref_t<P>, node_context>;

/** Stands for the arguments of a callable that takes none. */
struct no_arguments {};
BOOST_DESCRIBE_STRUCT(no_arguments, (), ())

template <class... P>
struct arguments_among {
    using type = no_arguments;
};
template <class First, class... P>
struct arguments_among<First, P...> {
    static constexpr bool is_rest = is_injected<First>;
    static_assert(is_rest || (is_injected<P> && ...),
                  "a tool takes one struct with its arguments; other parameters are tool_context& and node_context&");
    using type = typename std::conditional_t<is_rest, arguments_among<P...>,
                                             std::type_identity<std::remove_cvref_t<First>>>::type;
};
template <class Tuple>
struct arguments_in;
template <class... P>
struct arguments_in<std::tuple<P...>> : arguments_among<P...> {};

template <class F>
using arguments_of = typename arguments_in<typename signature<F>::parameters>::type;

/** A text is what a model writes for a tool without schema. */
template <class Arguments>
inline constexpr bool takes_text = std::same_as<Arguments, std::string>;

/** Words for the model about arguments that the schema accepts and the type does not, such as an integer that is too
 *  large. */
[[nodiscard]] std::string fault_of(const error& mistake);

/** Reads the arguments of a call. @return What is wrong with them; empty if nothing is. */
template <class Arguments>
std::string read_into(Arguments& arguments, tool_invocation& invocation)
{
    if constexpr (takes_text<Arguments>) {
        arguments = std::move(invocation.call.arguments);
    } else if constexpr (std::same_as<Arguments, boost::json::object>) {
        arguments = std::move(invocation.arguments);
    } else if constexpr (!std::same_as<Arguments, no_arguments>) {
        try {
            arguments = from_json<Arguments>(boost::json::value(std::move(invocation.arguments)));
        } catch (const error& e) {
            return fault_of(e);
        }
    }
    return {};
}

/** What one parameter of the callable gets. */
template <class P, class Arguments>
decltype(auto) pass(Arguments& arguments, tool_invocation& invocation)
{
    using plain = std::remove_cvref_t<P>;
    if constexpr (std::same_as<plain, tool_context>) return static_cast<P&&>(invocation.context);
    else if constexpr (std::same_as<plain, node_context>) return static_cast<P&&>(*invocation.context.node);
    else return static_cast<P&&>(arguments);
}

template <class F, class Arguments, class... P>
decltype(auto) invoke_tool(F& function, Arguments& arguments, tool_invocation& invocation, std::tuple<P...>*)
{
    return std::invoke(function, pass<P>(arguments, invocation)...);
}

template <class... P>
constexpr bool needs_node(std::tuple<P...>*) noexcept
{
    return (std::same_as<std::remove_cvref_t<P>, node_context> || ...);
}

/** Throws: the tool reads a graph's state and was called outside. */
[[noreturn]] void refuse_without_node(const tool_invocation& invocation);

template <class T>
tool_result render(T&& value)
{
    using plain = std::remove_cvref_t<T>;
    if constexpr (std::same_as<plain, tool_result>) return std::forward<T>(value);
    else if constexpr (std::convertible_to<T, std::string>) return tool_result::text(std::forward<T>(value));
    else return tool_result::json(to_json(value));
}

template <class R>
struct result_of {
    using type = R;
    static constexpr bool is_coroutine = false;
    static constexpr bool is_awaitable = false;
};
template <class T>
struct result_of<task<T>> {
    using type = T;
    static constexpr bool is_coroutine = true;
    static constexpr bool is_awaitable = false;
};
template <class T, class Executor>
struct result_of<boost::asio::awaitable<T, Executor>> {
    using type = T;
    static constexpr bool is_coroutine = true;
    static constexpr bool is_awaitable = true;
};

template <class R>
inline constexpr bool can_be_result = std::is_void_v<R> || std::same_as<R, tool_result> ||
                                      std::convertible_to<R, std::string> || json_convertible<std::remove_cvref_t<R>>;

}  // namespace tool_detail

/** A callable that can be a tool: on one struct with its arguments (described, or a `json::object`, or a
 *  `std::string` for free text), a `tool_context&`, a `node_context&`, each or none of them in any order. It is plain
 *  or a coroutine (`task`, `asio::awaitable`) and returns nothing, text, a `tool_result` or what converts to JSON. */
template <class F>
concept tool_function =
    requires { typename tool_detail::signature<F>::result; } &&
    tool_detail::can_be_result<typename tool_detail::result_of<typename tool_detail::signature<F>::result>::type> &&
    json_convertible<tool_detail::arguments_of<F>>;

/** A tool whose spec and traits are values. */
class described_tool : public tool {
public:
    explicit described_tool(tool_spec spec) : spec_{std::move(spec)} {}

    [[nodiscard]] tool_spec spec() const override { return spec_; }
    [[nodiscard]] tool_traits traits() const override { return traits_; }

    // While a tool set is made.
    [[nodiscard]] tool_spec& editable_spec() noexcept { return spec_; }
    [[nodiscard]] tool_traits& editable_traits() noexcept { return traits_; }

private:
    tool_spec spec_;
    tool_traits traits_;
};

/** A callable as a tool.
 *
 *  What a call throws is the tool's error. A plain callable runs on the loop: what takes long or blocks belongs into a
 *  coroutine, on a pool (`on_pool`).
 *
 *  @par Thread safety   One callable serves calls on all OS threads; it must bear that. */
template <tool_function F>
class function_tool final : public described_tool {
    using result = tool_detail::result_of<typename tool_detail::signature<F>::result>;
    using parameters = typename tool_detail::signature<F>::parameters;
    using arguments_type = tool_detail::arguments_of<F>;

public:
    function_tool(tool_spec spec, F function) : described_tool{std::move(spec)}, function_{std::move(function)} {}

    task<tool_result> call(tool_invocation invocation) override
    {
        constexpr parameters* types = nullptr;
        if constexpr (tool_detail::needs_node(types))
            if (!invocation.context.node) tool_detail::refuse_without_node(invocation);
        arguments_type arguments{};
        if (std::string fault = tool_detail::read_into(arguments, invocation); !fault.empty())
            co_return tool_result::error(std::move(fault));
        if constexpr (!result::is_coroutine) {
            if constexpr (std::is_void_v<typename result::type>) {
                tool_detail::invoke_tool(function_, arguments, invocation, types);
                co_return tool_result::text("done");
            } else {
                co_return tool_detail::render(tool_detail::invoke_tool(function_, arguments, invocation, types));
            }
        } else {
            task<typename result::type> work = begin(arguments, invocation);
            if constexpr (std::is_void_v<typename result::type>) {
                co_await std::move(work);
                co_return tool_result::text("done");
            } else {
                typename result::type value = co_await std::move(work);
                co_return tool_detail::render(std::move(value));
            }
        }
    }

private:
    [[nodiscard]] auto begin(arguments_type& arguments, tool_invocation& invocation)
    {
        constexpr parameters* types = nullptr;
        if constexpr (result::is_awaitable)
            return from_awaitable(tool_detail::invoke_tool(function_, arguments, invocation, types));
        else
            return tool_detail::invoke_tool(function_, arguments, invocation, types);
    }

    F function_;
};

}  // namespace weft
