#pragma once

#include <weft/agent/conversation/conversation.hpp>
#include <weft/agent/conversation/conversation_view.hpp>
#include <weft/agent/turn_agent/turn_rules.hpp>
#include <weft/base/chrono.hpp>
#include <weft/base/clock.hpp>
#include <weft/base/units.hpp>
#include <weft/chat/stop_reason.hpp>
#include <weft/chat/usage.hpp>
#include <weft/graph/state_key.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace weft {

/** What an agent has spent, what it came to, and what it must remember to go on. A plain value, which converts to
 *  JSON. It begins anew with each run. */
struct turn_record {
    std::uint32_t turns = 0;       ///< That have begun.
    tokens used{};                 ///< Read and written, by calls that failed too.
    usd_micros cost{};             ///< As far as prices are known.
    std::int64_t elapsed_ns = 0;   ///< Since it began; not while no process had the run.
    std::int64_t working_ns = 0;   ///< While its model and its tools were at work.
    std::uint32_t tool_calls = 0;  ///< All but those that were skipped.
    agent_outcome outcome = agent_outcome::none;
    turn_trouble trouble = turn_trouble::none;
    std::string why{};             ///< Of an outcome that is no answer, for people.
    std::optional<std::string> cause{};  ///< Of a model that failed it: the name of the `errc`.
    std::string hand_over{};       ///< The node that a tool hands over to: the agent is done, and a graph around it
                                   ///< goes on there.
    turn_memory memory{};
    pressure_warnings warned{};
    std::uint32_t tier = 0;        ///< Which of its models it asks; it does not go back.
    std::int64_t steered = 0;      ///< Up to which message of its mailbox it has them.
    bool is_interrupted = false;   ///< In this turn calls were skipped, since a message came.

    [[nodiscard]] turn_counters counters() const
    {
        const auto whole = [](std::int64_t ns) {
            return std::chrono::ceil<std::chrono::milliseconds>(std::chrono::nanoseconds{ns});
        };
        return {turns, used, cost, whole(elapsed_ns), tool_calls, whole(working_ns)};
    }
};
BOOST_DESCRIBE_STRUCT(turn_record, (), (turns, used, cost, elapsed_ns, working_ns, tool_calls, outcome, trouble, why,
                                        cause, hand_over, memory, warned, tier, steered, is_interrupted))

/** What the model said in the turn at work. It joins the conversation together with the results of its calls. */
struct turn_reply {
    std::optional<weft::message> message{};  ///< Nothing: the model could not be asked, and the agent goes on.
    weft::usage usage{};                     ///< Of all attempts.
    stop_reason stop = stop_reason::unfinished;
    std::string model{};                     ///< That answered.

    /** What it says: its text, or why it refuses. */
    [[nodiscard]] std::string text() const;
};
BOOST_DESCRIBE_STRUCT(turn_reply, (), (message, usage, stop, model))

extern template struct compiled_value<turn_record>;
extern template struct compiled_value<turn_reply>;
extern template struct compiled_key<turn_record>;
extern template struct compiled_key<turn_reply>;

/** The keys of a turn agent. */
namespace turn_keys {

/** What was said, before and in this run. */
inline constexpr state_key<weft::conversation, converse> conversation{"conversation"};
inline constexpr state_key<turn_record> record{"agent"};
inline constexpr state_key<turn_reply> reply{"reply"};
/** What the agent is to do: said by the user when a run begins, and then empty. */
inline constexpr state_key<std::string> task{"task"};
/** The text that it ended with. */
inline constexpr state_key<std::string> answer{"answer"};
/** The last request's messages, so that the next one shares them. */
inline constexpr state_key<std::shared_ptr<const conversation_view>> view{"view", transient};

/** Up to when its elapsed time is counted. A process that takes the run up counts from there on. */
inline constexpr state_key<time_point> counted_until{"counted_until", transient};

}  // namespace turn_keys

}  // namespace weft
