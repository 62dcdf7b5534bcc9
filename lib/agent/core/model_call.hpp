#pragma once

#include <weft/agent/core/agent_event.hpp>
#include <weft/async/task.hpp>
#include <weft/model/chat_model.hpp>

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace weft {

class activity_flag;
class node_context;
struct guardrails;

namespace agent_detail {

class reply_source;

/** How a node asks a model. */
struct model_call_options {
    model_call_options() {}

    agent_event_name text_event = agent_event::output;  ///< Of the pieces of the text.
    std::chrono::nanoseconds limit{0};      ///< Of the call; 0: none.
    std::stop_token stop{};                 ///< Stops the call, and not the node.
    bool is_recorded = true;                ///< In a run with a journal the call is an effect, called `reply`.
    bool retracts_failed = false;           ///< Text of a failed call is retracted: another call follows in this visit.
    activity_flag* activity = nullptr;              ///< Is shown when something comes.
    chat_sink* sink = nullptr;              ///< Gets the text as it comes; null: it is emitted.
    chat_sink* listener = nullptr;          ///< Hears what is emitted of the text, and may be full; null: nothing.
    const guardrails* guards = nullptr;     ///< What looks at the input and at the reply; null: nothing.
    std::string_view node_name{};           ///< In errors of guardrails; empty: that of the node. Outlives the call.
    std::optional<std::string> input{};     ///< What is said to the model anew, for guardrails: see `new_input`.
    /** Throws if a reply cannot be used: then it is not recorded, and a further attempt asks again. May be empty. */
    std::function<void(const chat_reply&)> check{};
};

/** Emits a reply piece by piece, and `retract` if it is void after all. All that it is given outlives it. */
class reply_events final : public chat_sink {
public:
    reply_events(node_context& node, const model_call_options& options) : node_{node}, options_{options} {}
    void on_text(std::string_view piece) override;
    void on_retracted() override;
    [[nodiscard]] bool is_full() const noexcept override { return options_.listener && options_.listener->is_full(); }
    [[nodiscard]] task<> wait_for_room() override { return options_.listener->wait_for_room(); }

    [[nodiscard]] node_context& node() const noexcept { return node_; }
    [[nodiscard]] const model_call_options& options() const noexcept { return options_; }

private:
    node_context& node_;
    const model_call_options& options_;
    bool has_text_ = false;  // that was emitted and not retracted
};

/** Emits what a call used, as `usage`, if it used anything. */
void emit_usage(node_context& node, const usage& used);

/** Asks a model as a part of a node's work, at the expense of the run's budget. What it takes while it waits lies in
 *  this object, which the node's coroutine has: a coroutine of its own would keep request and reply once more.
 *
 *      agent_detail::model_call asking{*model, std::move(request), node, options};
 *      chat_reply& reply = co_await asking;
 *
 *  Text is emitted as it comes, `retract` when it is void and comes again, and `usage` with what the call used, also
 *  that of a call that failed. Guardrails hold the text back; the limit is of the call and not theirs. In a run with a
 *  journal the call is an effect, inside the guardrails: a further attempt and a resumed run get the recorded reply.
 *
 *  @par Errors     Those of the model and of `check`; `errc::timeout` after `limit`; `guardrail_error`.
 *  @par Lifetimes  All but the request outlives it; the reply lives as long as it does. */
class model_call {
public:
    model_call(chat_model& model, chat_request&& request, node_context& node, const model_call_options& options);
    /** Asks a source that records and measures its calls itself: only guardrails and text are taken care of. */
    model_call(reply_source& source, chat_request&& request, node_context& node, const model_call_options& options);
    model_call(const model_call&) = delete;
    model_call& operator=(const model_call&) = delete;

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <task_promise_type Promise>
    bool await_suspend(std::coroutine_handle<Promise> self)
    {
        return asking_.start_for(self);
    }
    chat_reply& await_resume();

private:
    [[nodiscard]] chat_sink& sink() noexcept;
    void note_failure(const chat_reply* partial);

    reply_events events_;
    task<chat_reply> asking_;
    bool is_plain_;               // neither guarded nor recorded: usage is emitted here
    std::uint64_t request_ = 0;   // among the run's events; 0: it is not
};

}  // namespace agent_detail
}  // namespace weft
