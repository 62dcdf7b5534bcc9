#pragma once

#include <weft/base/chrono.hpp>
#include <weft/base/units.hpp>
#include <weft/model/decorator/model_retry.hpp>

#include <boost/describe/class.hpp>

#include <cstdint>
#include <string>

namespace weft {

/** What an event loop may spend, and when it is taken to be stuck. The one place of these defaults, as a graph file
 *  says them.
 *
 *  @par Source   Hive's LoopConfig.
 */
struct loop_limits {
    std::uint32_t iterations_max = 0;       ///< Turns of a visit; 0: 50, or 100 where it faces the client.
    std::uint32_t calls_warned = 30;        ///< More tool calls in a turn are carried out with a warning,
    std::uint32_t calls_max = 45;           ///< and more than these are refused.
    std::uint32_t judge_every = 1;          ///< Of turns that call tools, each how-manieth is judged; others all are.
    std::uint32_t stall_replies = 3;        ///< So many replies in a row that are alike are a stall; 0: never.
    double stall_similarity = 0.85;         ///< From where on two replies are alike.
    std::uint32_t doom_turns = 3;           ///< So many turns with the same calls are a doom loop; 0: never.
    std::uint32_t empty_replies_max = 3;    ///< So many empty replies in a row end it.
    std::uint32_t client_grace_turns = 1;   ///< Facing the client: so many turns of text in a row are not judged.
    tokens context_max{32'000};             ///< What the model is given of the conversation.
    std::uint32_t result_chars_max = 30'000;  ///< Code points of a tool's result that the model sees.
    std::uint32_t output_chars_max = 2'000;   ///< A longer output is spilled, where a store is there for that.
    std::uint32_t stream_retries_max = 3;     ///< Further attempts at a call of the model that failed for now.
    double retry_base_seconds = 2;            ///< Before the first of these; twice as long before each further one,
    double retry_seconds_max = 60;            ///< up to this.
    double tool_timeout_seconds = 60;
    double agent_timeout_seconds = 600;       ///< Of a sub-agent.

    static constexpr std::uint32_t agent_iterations_max = 10;  ///< A sub-agent has no more turns.

    [[nodiscard]] std::uint32_t effective_iterations(bool faces_client) const noexcept
    {
        return iterations_max > 0 ? iterations_max : faces_client ? 100u : 50u;
    }
    /** How a failed call of the model is made again. */
    [[nodiscard]] model_retry_policy retry_policy() const;
    /** What is wrong with the numbers, as `member: text`; empty if nothing is. */
    [[nodiscard]] std::string fault() const;

    friend bool operator==(const loop_limits&, const loop_limits&) = default;
};
BOOST_DESCRIBE_STRUCT(loop_limits, (),
                      (iterations_max, calls_warned, calls_max, judge_every, stall_replies, stall_similarity,
                       doom_turns, empty_replies_max, client_grace_turns, context_max, result_chars_max,
                       output_chars_max, stream_retries_max, retry_base_seconds, retry_seconds_max,
                       tool_timeout_seconds, agent_timeout_seconds))

/** Seconds of a file as a duration. */
[[nodiscard]] inline std::chrono::nanoseconds duration_of_seconds(double seconds) noexcept
{
    return std::chrono::nanoseconds{static_cast<std::int64_t>(seconds * 1e9)};
}

}  // namespace weft
