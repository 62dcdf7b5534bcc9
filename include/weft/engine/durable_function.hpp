#pragma once

#include <weft/async/retry_policy.hpp>
#include <weft/async/sleep.hpp>
#include <weft/async/wait/deadline.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/error.hpp>
#include <weft/base/json/json_schema_of.hpp>
#include <weft/engine/durable/durable_request.hpp>
#include <weft/engine/run_result.hpp>
#include <weft/graph/graph_builder.hpp>
#include <weft/graph/node_context.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace weft {

/** How a step of a durable function is done. The one place of these defaults. */
struct step_options {
    step_options() {}

    /** Attempts of the step; each has the same idempotency key. By default one. */
    retry_policy retry = no_retry();
    /** Of one attempt: then it is stopped, and counts as failed with `errc::timeout`. 0: no limit. */
    std::chrono::nanoseconds timeout{0};
    /** What happens when it is unknown whether the step was done; see `effect_options`. */
    effect_options effect{};

private:
    static retry_policy no_retry()
    {
        retry_policy once;
        once.attempts_max = 1;
        return once;
    }
};

/** What the body of a durable function has besides the language: steps that are kept, questions to people, progress.
 *
 *  @par Thread safety   None: use it on the run's loop.
 *  @par Lifetimes       Valid until the function's coroutine has ended.
 */
class function_context {
public:
    explicit function_context(node_context& node) noexcept : node_{node} {}

    /** Does something once, whatever happens meanwhile: a function that is called again after a crash, a pause or a
     *  deploy gets the outcome that was written down.
     *
     *      const auto reserve = [&](const weft::effect_context& effect) { return stock.reserve(item, effect.key()); };
     *      const std::string place = co_await ctx.step("reserve", reserve);
     *
     *  Steps may run side by side (`scope`, `join`); each then has a name of its own.
     *
     *  @param name   Of the step. One that is used again counts up: 0, 1, … in the order of the calls, which must be
     *                the same whenever the function is called again.
     *  @param f      What is done, see `effect_function`. Give it a name before the `co_await` (docs/COMPILERS.md).
     *  @return       Its outcome.
     *  @par Errors   The last attempt's; `errc::timeout`; those of `node_context::once`.
     *  @par Cancellation   As `f`; the step is then in doubt. */
    template <effect_function Function>
    [[nodiscard]] task<effect_outcome<Function>> step(std::string name, Function f)
    {
        return run_step<Function>(node_, std::move(name), step_options{}, std::move(f));
    }
    template <effect_function Function>
    [[nodiscard]] task<effect_outcome<Function>> step(std::string name, step_options options, Function f)
    {
        return run_step<Function>(node_, std::move(name), std::move(options), std::move(f));
    }

    /** Asks a person and waits, in the store if need be; see `node_context::ask`. */
    template <json_convertible T>
    [[nodiscard]] task<T> ask(question asked)
    {
        return node_.ask<T>(std::move(asked));
    }
    template <json_convertible T>
    [[nodiscard]] task<T> ask(std::string text)
    {
        return node_.ask<T>(std::move(text));
    }

    /** Sends text to the watchers of the run. */
    void emit(std::string_view text) { node_.emit(text); }
    [[nodiscard]] std::string_view thread() const noexcept { return node_.thread(); }
    [[nodiscard]] bool stop_requested() const noexcept { return node_.stop_requested(); }
    /** The node that the function is, for all that is not said here. */
    [[nodiscard]] node_context& node() const noexcept { return node_; }

private:
    template <class Function>
    static task<effect_outcome<Function>> try_step(const node_context& node, const step_options& how, Function& f,
                                                   const effect_context& effect);
    template <class Function>
    static task<effect_outcome<Function>> run_step(node_context& node, std::string name, step_options options,
                                                   Function f);

    node_context& node_;
};

namespace engine_detail {

template <class T>
inline constexpr state_key<T> function_input{"input"};
template <class T>
inline constexpr state_key<T> function_output{"output"};

}  // namespace engine_detail

/** Imperative code that survives its process: a coroutine whose steps are kept, without a graph to draw.
 *
 *      weft::task<receipt> pay(weft::function_context& ctx, order what);
 *
 *      const weft::durable_function<order, receipt> paying{"pay", pay};
 *      graphs->add(paying.graph());
 *      …
 *      weft::run_result result = co_await durable.run(paying.request("order-17", what));
 *      receipt paid = paying.result(result);
 *
 *  Underneath it is a graph of one node, so that everything that runs, keeps, watches and draws graphs takes it:
 *  `engine`, `durable_engine`, `durable_service`, `weft threads`.
 *
 *  After a crash the function is called again from its beginning. Its steps give what they gave, so it comes to where
 *  it was; what stands between them must do the same again: no time of day, no randomness, no input and output outside
 *  of steps.
 *
 *  @tparam Input, Output  Default constructible, and convert to JSON and back.
 *  @par Thread safety     As a value; the body must bear calls from several OS threads.
 *  @par Example           samples/22_durable_function.cpp [function]
 */
template <json_convertible Input, json_convertible Output>
class durable_function {
public:
    using body_function = task<Output> (*)(function_context&, Input);

    durable_function(std::string name, body_function body) : name_{std::move(name)}, body_{body} {}

    /** A graph of the function's name with one node, `run`, and the keys `input` and `output`. */
    [[nodiscard]] weft::graph graph(node_options options = node_options{}) const
    {
        const auto run = [body = body_](node_context& node) { return call(body, node); };
        graph_builder builder{name_};
        builder.state(engine_detail::function_input<Input>, engine_detail::function_output<Output>);
        return builder.node("run", run, std::move(options)).edge(start, "run").edge("run", end).build();
    }

    /** Asks for one call, in a thread of its own. */
    [[nodiscard]] durable_request request(std::string thread, Input input) const
    {
        run_request asked{std::move(thread)};
        asked.input(engine_detail::function_input<Input>, std::move(input));
        durable_request named{std::move(asked)};
        named.of(name_);
        return named;
    }

    /** What a finished call gave.
     *  @par Errors  Those of `run_result::throw_if_failed`. */
    [[nodiscard]] Output result(const run_result& of) const
    {
        of.throw_if_failed();
        return of.get(engine_detail::function_output<Output>);
    }

    [[nodiscard]] const std::string& name() const noexcept { return name_; }

private:
    static task<void> call(body_function body, node_context& node)
    {
        function_context context{node};
        Input input = node.get(engine_detail::function_input<Input>);
        Output output = co_await body(context, std::move(input));
        node.set(engine_detail::function_output<Output>, std::move(output));
    }

    std::string name_;
    body_function body_;
};

template <class Function>
task<effect_outcome<Function>> function_context::try_step(const node_context& node, const step_options& how,
                                                          Function& f, const effect_context& effect)
{
    using result = effect_outcome<Function>;
    for (int attempt = 1;; ++attempt) {
        task<result> work = graph_detail::run_effect(f, effect);
        if (how.timeout.count() > 0) work = with_deadline(std::move(work), how.timeout);
        std::exception_ptr failed;
        try {
            co_return co_await std::move(work);
        } catch (...) {
            failed = std::current_exception();
        }
        const bool is_last = !how.retry.retries_after(attempt, code_of(failed));
        if (is_last || node.stop_requested()) std::rethrow_exception(failed);
        co_await sleep_for(how.retry.delay_before(attempt + 1, node.loop().random().uniform()));
    }
}

template <class Function>
task<effect_outcome<Function>> function_context::run_step(node_context& node, std::string name, step_options options,
                                                          Function f)
{
    const auto tried = [&node, &options, &f](const effect_context& effect) {
        return try_step<Function>(node, options, f, effect);
    };
    co_return co_await node.once(std::move(name), options.effect, tried);
}

}  // namespace weft
