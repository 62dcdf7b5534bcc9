#pragma once

#include <weft/async/retry_policy.hpp>
#include <weft/base/chrono.hpp>
#include <weft/graph/node/effect.hpp>
#include <weft/tool/call/spill_store.hpp>
#include <weft/tool/call/tool_turn.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

/** What a policy says about a call. */
class tool_decision {
public:
    enum class verdict { allow, rewrite, deny, confirm };

    [[nodiscard]] static tool_decision allow() { return tool_decision{verdict::allow}; }
    /** With other arguments, which the schema must accept too. */
    [[nodiscard]] static tool_decision rewrite(boost::json::object arguments)
    {
        tool_decision decision{verdict::rewrite};
        decision.arguments_ = std::move(arguments);
        return decision;
    }
    /** @param reason   For the model. */
    [[nodiscard]] static tool_decision deny(std::string reason)
    {
        return tool_decision{verdict::deny, std::move(reason)};
    }
    /** When `tool_runner_options::confirm` says yes; without it, no.
     *  @param reason   For the person who is asked. */
    [[nodiscard]] static tool_decision confirm(std::string reason)
    {
        return tool_decision{verdict::confirm, std::move(reason)};
    }

    [[nodiscard]] verdict which() const noexcept { return which_; }
    [[nodiscard]] const std::string& reason() const noexcept { return reason_; }
    [[nodiscard]] boost::json::object& arguments() noexcept { return arguments_; }

private:
    explicit tool_decision(verdict which, std::string reason = {}) : which_{which}, reason_{std::move(reason)} {}

    verdict which_;
    std::string reason_;
    boost::json::object arguments_;
};

/** How tool calls are carried out. The functions are called on the loop of the call, for all runs that share the
 *  runner; what they throw is that call's failure, and a policy that throws has denied. */
struct tool_runner_options {
    tool_call_limits calls = {};
    std::size_t concurrency_max = 16;          ///< Calls of one message at the same time; at least 1.
    std::chrono::nanoseconds timeout = std::chrono::seconds{60};  ///< Of one attempt, where the tool says no other.
    std::size_t result_chars_max = 30'000;     ///< Code points of a result that the model sees.
    std::shared_ptr<spill_store> spill = {};   ///< Where longer results go; null: their end is lost.
    /** Results go to the model as `neutral_text`: the author of what a tool found does not speak as the model's maker.
     *  Turn it off where the exact characters count, as for a tool that edits files. */
    bool neutralises_results = true;
    retry_policy retry = {};                   ///< Of tools that are idempotent.
    /** In a node of a run that writes its effects down (`run_request::journal`), a call that was made is not made
     *  again: it is the effect `tool:<name>:<id>` of the node. */
    bool once = true;
    effect_options effect = {};                ///< What to do about a call that broke off with the process.
    bool tells_errors = true;                  ///< The model reads what a tool throws; else only that it failed.

    std::function<tool_decision(const tool_invocation&, const tool_entry&)> policy = {};
    /** Asks for a confirmation of the call exactly as it is; it may take as long as it wants. */
    std::function<task<bool>(tool_invocation, std::string reason)> confirm = {};
    /** May change the arguments. Text skips the call and tells the model why. */
    std::function<std::optional<std::string>(tool_invocation&)> before = {};
    /** May change the result. */
    std::function<void(const tool_invocation&, tool_answer&)> after = {};
    /** Looks at the calls of a message before any of them is made, side by side, and may take its time; it sees the
     *  arguments as the model wrote them, accepted by the schema, and may change them. Text refuses the call and tells
     *  the model why. If it, or `inspect`, throws `errc::guardrail_tripped`, the whole turn ends: nothing further
     *  begins, what has begun is stopped, and `run` throws it. */
    std::function<task<std::optional<std::string>>(tool_invocation&, const tool_entry&)> admit = {};
    /** Looks at a result before anything else is done with it, may change it and may take its time. */
    std::function<task<void>(const tool_invocation&, tool_answer&)> inspect = {};
    /** Asked before each call begins: true skips it and those that have not begun, since something came in between. */
    std::function<bool()> skips_rest = {};
};

/** Carries out the tool calls of one message of a model.
 *
 *      const weft::tool_runner runner{std::make_shared<const weft::tool_set>(tools)};
 *      weft::tool_turn turn = co_await runner.run(reply.message.tool_calls, weft::tool_context{});
 *      for (const weft::tool_answer& answer : turn.answers) request.add(answer.to_message());
 *
 *  Each call id gets one answer, whatever happens. Calls run side by side; a tool that is not parallel waits for those
 *  before it and runs alone. The order of one call: plan (`tool_plan`), `admit` of all calls, `skips_rest`, policy,
 *  confirmation, `before`, the attempts, `inspect`, neutralising and shortening, `after`. Instead of attempts a remote
 *  tool gets the status `remote`.
 *  Watchers get `tool_start`, `tool_end`, `remote_call` (JSON) and `warning` through `tool_context::progress`.
 *
 *  @par Thread safety   As a value; runs on any loop, if tools and functions bear that.
 *  @par Source          Hive's event-loop node: 30 calls, 45 at most, 60 s; results in the order of the calls.
 */
class tool_runner {
public:
    explicit tool_runner(std::shared_ptr<const tool_set> tools, tool_runner_options options = {});

    /** @param shared   What each call's context begins with: thread, node, progress.
     *
     *  @par Errors          None of the tools. `errc::guardrail_tripped` of `admit` and `inspect`; `std::bad_alloc`.
     *  @par Cancellation    The tools are stopped and awaited; the turn says `is_cancelled` and has all answers. The
     *                       caller throws `errc::cancelled` when it has kept them.
     *  @par Lifetimes       The task shares in tools and options. */
    [[nodiscard]] task<tool_turn> run(std::vector<tool_call> calls, tool_context shared) const;

    /** Has `tool_runner_options::inspect` look at the result of a call that was carried out elsewhere: it may change
     *  it. Does nothing without it.
     *  @par Errors      `errc::guardrail_tripped`, `errc::cancelled`; what else it throws becomes the result.
     *  @par Lifetimes   `answer` outlives the task. */
    [[nodiscard]] task<void> inspect(tool_answer& answer, tool_context shared) const;
    [[nodiscard]] bool inspects() const noexcept;

    [[nodiscard]] const tool_set& tools() const noexcept;
    /** A runner with the same options for other tools, such as those of one run. */
    [[nodiscard]] tool_runner with_tools(std::shared_ptr<const tool_set> tools) const;

private:
    struct setup;
    struct turn_state;
    std::shared_ptr<const setup> setup_;
};

/** Makes a `neutral_text` of all texts of a result, those in its JSON and the names of members included. */
void neutralise_result(tool_result& result);

/** A `tool_runner_options::confirm` that asks a question of the run: an approval named
 *  `confirm:<call id>`, about the call's name and arguments. Outside of a graph nothing is confirmed.
 *
 *  @par Cancellation   As `node_context::interrupt`: the run is parked, or pauses with the question. */
[[nodiscard]] task<bool> confirm_by_question(tool_invocation call, std::string reason);

/** The first `chars_max` code points of a result's texts with a note of how long it was, and a reference if a store
 *  kept it; the result as it is if it is short enough. Text that is no UTF-8 is mended. */
void shorten_result(tool_result& result, std::size_t chars_max, spill_store* store);

}  // namespace weft
