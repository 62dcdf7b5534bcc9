#pragma once

#include <weft/async/task.hpp>
#include <weft/async/task/asio_fwd.hpp>
#include <weft/base/json.hpp>
#include <weft/base/json/json_schema_of.hpp>

#include <boost/json/value.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace weft {

/** What the callable of `node_context::once` learns of the effect that it is. */
class effect_context {
public:
    effect_context() noexcept {}
    effect_context(std::string address, std::string key, bool may_have_happened = false)
        : address_{std::move(address)}, key_{std::move(key)}, may_have_happened_{may_have_happened}
    {
    }

    /** The idempotency key, for the wire: a UUID, the same for every attempt, resume and replay of this effect and of
     *  no other.
     *  @par Source   RFC 9562, UUID version 5, of tenant, thread, run and address. */
    [[nodiscard]] const std::string& key() const noexcept { return key_; }
    /** Nodes with visits, the effect's name and its count in the visit: `plan#1/charge#0`. */
    [[nodiscard]] const std::string& address() const noexcept { return address_; }
    /** Whether an attempt before may have had this effect already. */
    [[nodiscard]] bool may_have_happened() const noexcept { return may_have_happened_; }

private:
    std::string address_;
    std::string key_;
    bool may_have_happened_ = false;
};

/** What to do about an effect that was begun, and of which it is not known whether it happened. */
enum class doubt_policy : std::uint8_t {
    retry_with_key,  ///< Again, with the same key: the other side does it once.
    query,           ///< Ask the other side; again if it did not happen.
    compensate,      ///< Undo it, whether it happened or not, then again.
    ask,             ///< A person says whether it happened, is to be done again, or fails.
    fail,            ///< `errc::effect_in_doubt`.
};

/** How an effect is performed.
 *
 *      weft::effect_options options;
 *      options.in_doubt = weft::doubt_policy::query;
 *      options.query = [&bank](const weft::effect_context& effect) { return bank.find_charge(effect.key()); };
 *      const receipt paid = co_await context.once("charge", options, charge);
 *
 *  @par Errors
 *    - `errc::invalid_configuration`  the function of the policy `query` or `compensate` is missing; before the effect.
 */
struct effect_options {
    using query_function = std::function<task<std::optional<boost::json::value>>(const effect_context&)>;
    using compensate_function = std::function<task<void>(const effect_context&)>;

    effect_options() noexcept {}

    /** What to do after a crash between the intent and its outcome. */
    doubt_policy in_doubt = doubt_policy::retry_with_key;
    /** For the policy `query`: what the other side says it was, as JSON of the outcome, or nothing if it did not
     *  happen. Not a lambda that is a coroutine and captures; a lambda may call a coroutine. */
    query_function query;
    /** For the policy `compensate`: undoes it, whether it happened or not. */
    compensate_function compensate;
    /** A failure is an outcome like any other: further attempts get it again instead of trying again. */
    bool keeps_failure = false;
    /** What is asked for, recorded with the intent, for inspection later. No secrets. */
    boost::json::value input;
};

/** The callable of an effect without its type. */
class effect_call {
public:
    /** Has the effect; the outcome as JSON, null if it gives nothing. */
    [[nodiscard]] virtual task<boost::json::value> perform(const effect_context& context) = 0;
    /** A JSON Schema of the outcome; empty if there is none. */
    [[nodiscard]] virtual boost::json::object outcome_schema() const = 0;

protected:
    ~effect_call() = default;
};

namespace graph_detail {

/** Calls an effect with its context, or without one if it takes none. */
template <class Function>
decltype(auto) call_effect(Function& function, [[maybe_unused]] const effect_context& context)
{
    if constexpr (std::is_invocable_v<Function&, const effect_context&>)
        return std::invoke(function, context);
    else
        return std::invoke(function);
}

/** What a callable that returns `T` gives in the end, and whether it is awaited. */
template <class T>
struct effect_result_of {
    using type = T;
    static constexpr bool is_awaited = false;
};
template <class T>
struct effect_result_of<task<T>> {
    using type = T;
    static constexpr bool is_awaited = true;
};
template <class T, class Executor>
struct effect_result_of<boost::asio::awaitable<T, Executor>> : effect_result_of<task<T>> {};

template <class Function>
using effect_traits = effect_result_of<
    std::remove_cvref_t<decltype(call_effect(std::declval<Function&>(), std::declval<const effect_context&>()))>>;

/** A coroutine of either kind as a task. */
template <class T>
task<T> as_task(task<T> work)
{
    return work;
}
template <class T, class Executor>
task<T> as_task(boost::asio::awaitable<T, Executor> work)
{
    return from_awaitable(std::move(work));
}

/** Calls an effect of any kind; `context` and `function` outlive it. */
template <class Function>
task<typename effect_traits<Function>::type> run_effect(Function& function, const effect_context& context)
{
    using result = typename effect_traits<Function>::type;
    if constexpr (effect_traits<Function>::is_awaited) {
        task<result> work = as_task(call_effect(function, context));
        co_return co_await std::move(work);
    } else {
        co_return call_effect(function, context);
    }
}

/** An effect of a type behind the interface of hosts: its outcome goes to the journal as JSON.
 *
 *  @par Lifetimes   Borrows the callable. */
template <class Function>
class typed_effect final : public effect_call {
public:
    explicit typed_effect(Function& function) noexcept : function_{function} {}

    task<boost::json::value> perform(const effect_context& context) override { return run(function_, context); }
    boost::json::object outcome_schema() const override
    {
        if constexpr (std::is_void_v<typename effect_traits<Function>::type>) return {};
        else return json_schema_of<typename effect_traits<Function>::type>();
    }

private:
    static task<boost::json::value> run(Function& function, const effect_context& context)
    {
        using result = typename effect_traits<Function>::type;
        task<result> work = run_effect(function, context);
        if constexpr (std::is_void_v<result>) {
            co_await std::move(work);
            co_return boost::json::value{};
        } else {
            result outcome = co_await std::move(work);
            co_return to_json(outcome);
        }
    }

    Function& function_;
};

/** What can be written down, and read again after a crash. */
template <class T>
inline constexpr bool is_outcome = json_convertible<T>;
template <>
inline constexpr bool is_outcome<void> = true;

}  // namespace graph_detail

/** What an effect's callable gives: the `T` of a `T`, a `task<T>` or an `asio::awaitable<T>`. */
template <class Function>
using effect_outcome = typename graph_detail::effect_traits<std::decay_t<Function>>::type;

/** A callable that can be an effect: on `const effect_context&` or on nothing, plain or a coroutine, giving nothing or
 *  what converts to JSON and back. */
template <class Function>
concept effect_function =
    (std::is_invocable_v<std::decay_t<Function>&, const effect_context&> ||
     std::is_invocable_v<std::decay_t<Function>&>) &&
    graph_detail::is_outcome<effect_outcome<Function>>;

}  // namespace weft
