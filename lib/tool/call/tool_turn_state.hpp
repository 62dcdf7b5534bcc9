#pragma once

#include <weft/async/scope.hpp>
#include <weft/async/wait/slot_limiter.hpp>
#include <weft/base/error.hpp>
#include <weft/tool/tool_runner.hpp>

#include <boost/json/object.hpp>

#include <algorithm>
#include <exception>

namespace weft {

struct tool_runner::setup {
    std::shared_ptr<const tool_set> tools;
    tool_runner_options options;
};

/** One turn: stands in the frame of `carry_out`, which awaits all that uses it. */
struct tool_runner::turn_state {
    turn_state(const setup& common, tool_plan planned, tool_context context)
        : own{common}, plan{std::move(planned)}, shared{std::move(context)},
          slots{std::max<std::size_t>(common.options.concurrency_max, 1)}
    {
    }

    static task<tool_turn> carry_out(std::shared_ptr<const setup> self, std::vector<tool_call> calls,
                                     tool_context shared);
    static task<void> run_group(turn_state& turn, std::size_t first, std::size_t end);
    static task<void> admit_all(turn_state& turn);
    static task<void> admit(turn_state& turn, std::size_t index);
    /** A group of one needs no scope of its own, since nothing runs beside it. */
    static task<void> answer(turn_state& turn, std::size_t index);
    struct call_at_work;
    static task<void> call(turn_state& turn, call_at_work& at);
    static task<void> attempts(turn_state& turn, call_at_work& at);
    /** The same, once in a visit where effects are written down. */
    static task<void> attempts_once(turn_state& turn, call_at_work& at);
    [[nodiscard]] bool is_effect(const call_at_work& at) const;
    struct recorded_call;
    /** Why the policy, or who was asked, does not let a call pass; empty if they do. May rewrite the arguments. */
    static task<std::string> denial(const setup& own, const tool_entry& entry, tool_invocation& invocation);
    /** Whether what comes before each call lets it pass; else the answer is there.
     *  @param denied   What `denial` says. */
    [[nodiscard]] bool may_call(call_at_work& at, const std::string& denied) const;

    static task<void> inspect_result(std::shared_ptr<const setup> self, tool_answer& answer, tool_context shared);

    [[nodiscard]] tool_invocation invocation_of(const tool_answer& answer, boost::json::object arguments) const;

    /** Whether an error is one of the whole turn and not of a call. */
    static bool is_of_turn(const std::exception_ptr& cause) { return code_of(cause) == errc::guardrail_tripped; }
    /** Settles the answer with an error. */
    static void refuse(tool_answer& answer, tool_status status, std::string words)
    {
        answer.status = status;
        answer.result = tool_result::error(std::move(words));
    }
    void warn_all() const
    {
        for (const std::string& text : plan.turn.warnings) shared.emit("warning", text);
    }
    /** Leaves a call to be carried out elsewhere. */
    void ask_elsewhere(tool_answer& answer, tool_invocation& invocation) const;
    void tell_start(const tool_call& call) const;
    void tell_end(const tool_answer& answer, const tool_entry& entry) const;

    const setup& own;
    tool_plan plan;
    tool_context shared;
    slot_limiter slots;
    bool is_skipping = false;
    scope* side_by_side = nullptr;  ///< The calls under way, if there are several.
};

}  // namespace weft
