#pragma once

#include <weft/base/chrono.hpp>
#include <weft/chat/message.hpp>
#include <weft/tool/tool_set.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weft {

/** How a tool call ended. All but `success` and `remote` are error results for the model. */
enum class tool_status {
    success,
    runtime_failure,    ///< The tool failed, or says that it could not do it.
    invalid_arguments,  ///< No JSON, or not what the tool's schema asks for; it was not called.
    unknown_tool,
    timeout,
    policy_denied,      ///< By the policy or by the answer to a confirmation.
    cancelled,          ///< A stop came before its end.
    skipped,            ///< Something else came first: a hand-over, a message that steers, a hook.
    limit_reached,      ///< One call too many in its turn.
    remote,             ///< Allowed, and carried out elsewhere: its result is still to come.
};

/** The identifier of a status as written above. */
[[nodiscard]] std::string_view name_of(tool_status status) noexcept;

/** What came of one call. */
struct tool_answer {
    tool_answer() {}
    explicit tool_answer(tool_call asked) : call{std::move(asked)} {}

    tool_call call;
    tool_status status = tool_status::cancelled;
    tool_result result;
    unsigned attempts = 0;
    std::chrono::nanoseconds elapsed{0};

    /** The message for the model: the result as text, and its pictures. */
    [[nodiscard]] message to_message() const;
};

/** What came of all calls of one message. */
struct tool_turn {
    tool_turn() {}

    std::vector<tool_answer> answers;   ///< One for each id, in the order of the calls.
    std::vector<std::string> warnings;  ///< For watchers.
    bool is_cancelled = false;          ///< A stop of the run cut it short; the answers are there nevertheless.

    /** Where the first result with a hand-over leads to; empty if none has one. */
    [[nodiscard]] std::string hand_over() const;
};

/** How many calls one message may have. */
struct tool_call_limits {
    std::size_t soft = 30;  ///< More are carried out with a warning.
    std::size_t hard = 45;  ///< More are refused.
};

/** What is to be done about the calls of one message: decided before any of them begins.
 *
 *  Of calls with one id the first counts. Where tools hand the conversation over, the first of these is carried out and
 *  nothing else. Calls beyond the hard limit, of unknown tools and with arguments that do not fit are answered at once.
 */
struct tool_plan {
    struct item {
        const tool_entry* entry = nullptr;  ///< Null: answered already.
        boost::json::object arguments = {};
    };

    tool_plan(const tool_set& tools, std::vector<tool_call> calls, const tool_call_limits& limits);

    tool_turn turn;           ///< With the answers that need no call.
    std::vector<item> items;  ///< One for each answer.

    /** The items that may run side by side, beginning with `first`: where they end. A tool that is not parallel is
     *  alone. */
    [[nodiscard]] std::size_t end_of_group(std::size_t first) const noexcept;
};

/** Reads the arguments of a call and compares them with the schema: what the tool gets, or the words for the model. */
struct read_tool_arguments {
    read_tool_arguments(const tool_call& call, const tool_entry& entry);
    /** The same for arguments that were rewritten. */
    read_tool_arguments(boost::json::object rewritten, const tool_entry& entry);

    boost::json::object arguments;
    std::string fault;  ///< Empty if they fit.

private:
    void check(const tool_entry& entry);
};

}  // namespace weft
