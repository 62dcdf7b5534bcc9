#pragma once

#include <weft/async/task.hpp>
#include <weft/model/chat_model.hpp>

#include "watched.hpp"

#include <chrono>
#include <coroutine>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace weft {

class node_context;
struct guardrails;

namespace agent_detail {

/** How a node asks a model. */
struct model_call {
    model_call() {}

    std::string_view text_kind = "output";  ///< What text is emitted as while it comes; a literal.
    std::chrono::nanoseconds limit{0};      ///< Of the whole call; 0: none.
    bool once = true;                       ///< Where effects are written down, the call is one, called `reply`.
    life_sign* life = nullptr;              ///< Is shown when something comes.
    chat_sink* into = nullptr;              ///< Gets the text as it comes; null: whoever watches the run.
    const guardrails* guards = nullptr;     ///< What looks at the input and at the reply; null: nothing.
    std::optional<std::string> input{};     ///< What somebody says to the model anew, for guardrails: see `new_input`.
    /** Throws if a reply cannot be used: then it is not written down, and a further attempt asks again. May be empty.
     *  */
    std::function<void(const chat_reply&)> check{};
};

/** Hands a reply on to whoever watches the run, piece by piece. All that it is given outlives it. */
class to_watchers final : public chat_sink {
public:
    to_watchers(node_context& node, const model_call& how) : node_{node}, how_{how} {}
    void on_text(std::string_view piece) override;
    void on_retracted() override;
    [[nodiscard]] node_context& node() const noexcept { return node_; }
    [[nodiscard]] const model_call& how() const noexcept { return how_; }

private:
    node_context& node_;
    const model_call& how_;
};

/** Tells watchers what a call used, as `usage`, if it used anything. */
void tell_usage(node_context& node, const usage& used);

/** Asks a model as a part of a node's work, at the expense of the run's budget. What it takes while it waits lies in
 *  this object, which the node's coroutine has: a coroutine of its own would keep request and reply once more.
 *
 *      agent_detail::model_asking asking{*model, std::move(request), node, how};
 *      chat_reply& reply = co_await asking;
 *
 *  Text is emitted as it comes, `retract` when it is void and comes again, and `usage` with what the call used, also
 *  that of a call that failed. Guardrails hold the text back; the limit is of the call and not theirs.
 *
 *  @par Errors     Those of the model and of `check`; `errc::timeout` after `limit`; `guardrail_error`.
 *  @par Lifetimes  All but the request outlives it; the reply lives as long as it does. */
class model_asking {
public:
    model_asking(chat_model& model, chat_request request, node_context& node, const model_call& how);
    model_asking(const model_asking&) = delete;
    model_asking& operator=(const model_asking&) = delete;

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <task_promise_type Promise>
    bool await_suspend(std::coroutine_handle<Promise> self)
    {
        return asking_.start_for(self);
    }
    chat_reply& await_resume();

private:
    to_watchers watchers_;
    task<chat_reply> asking_;
    bool tells_;
};

/** The same as a task. */
[[nodiscard]] task<chat_reply> ask_in_node(chat_model& model, chat_request request, node_context& node,
                                           const model_call& how);

}  // namespace agent_detail
}  // namespace weft
